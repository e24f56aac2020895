"""Whether what related people give away keeps to a policy: everybody's nu, and beliefs after an output."""

from __future__ import annotations

from dalenius.findings.policy import ROUNDING, Policy, Ruled, Ruling, from_to, points
from dalenius.inference.finding import Beliefs, InferenceFinding, Regardless, Related, Series, Trees
from dalenius.theory.privacy import rho_from_epsilon


def rulings(finding: InferenceFinding, policy: Policy) -> list[Ruled]:
    """Hold one finding about related people against a policy; nothing where nu has no limit."""
    details = finding.details
    if isinstance(details, Beliefs):
        return [Ruled(*_beliefs(finding, details, policy.max_advantage), "max_advantage")]
    if isinstance(details, Related) and policy.max_related_rho is not None and _by_rho(details, policy):
        return [Ruled(*_related_rho(details, policy.max_related_rho), "max_related_rho")]
    if policy.max_nu is None:
        return []
    if isinstance(details, Trees):
        return [Ruled(*_trees(details, policy.max_nu), "max_nu")]
    if isinstance(details, Series):
        return [Ruled(*_series(details, policy.max_nu), "max_nu")]
    return [Ruled(*_related(details, policy.max_nu), "max_nu")]


def _by_rho(found: Related, policy: Policy) -> bool:
    """Whether rho decides: it was promised, or nothing is said of nu."""
    return policy.max_nu is None or (found.instead is not None and found.instead.rho is not None)


def _related_rho(found: Related, limit: float) -> Ruling:
    """Nobody may be protected less than by this rho; a pure nu promises nu^2 / 2."""
    enough, instead = limit * (1 + ROUNDING), found.instead
    if found.nu is not None and found.regardless is None:
        rho = rho_from_epsilon(found.nu.worst) if found.nu.worst else 0.0
        said = f"nu of {found.nu.worst:.3g} promises the worst-off rho = {rho:.3g}, limit {limit:.3g}."
        return ("pass", said) if rho <= enough else ("undecided", said)
    if instead is None or instead.rho is None:
        return "undecided", f"no rho is promised, limit {limit:.3g}."
    if instead.rho <= enough:
        return "pass", f"rho is at most {instead.rho:.3g} by group privacy, limit {limit:.3g}."
    if instead.related is None:
        return "undecided", (
            f"rho is {instead.rho:.3g} by group privacy, limit {limit:.3g}; the stated prior is not in use, "
            "so nothing better is known."
        )
    worst = f"rho is worth {instead.related.worst:.3g} to the worst-off, limit {limit:.3g}"
    if instead.related.worst <= enough:
        return "pass", f"{worst}: everybody is below the limit{_about(found)}."
    if instead.rho / instead.group**2 > enough:
        return "stop", f"{worst}: above the limit, for a stranger too."
    return "undecided", f"{worst}: that is an upper bound; more noise would keep to it."


def _related(found: Related, limit: float) -> Ruling:
    """Nobody's nu may exceed the limit."""
    if found.nu is None or found.epsilon is None:
        return "stop", f"nu is infinite, limit {limit:.3g}."
    enough = limit * (1 + ROUNDING)
    if found.regardless is not None:
        return _regardless(found.regardless, limit, enough)
    most = found.nu.worst if found.scan is None else max(found.nu.worst, found.scan.most)
    worst = f"nu is {found.nu.worst:.3g} for the worst-off, limit {limit:.3g}"
    if found.nu.worst <= enough < most:
        return "undecided", f"{worst}; between the agreements that were tried it may be {most:.3g}."
    if most <= enough:
        return "pass", f"{worst}: everybody is below the limit{_about(found)}."
    if found.exact or found.epsilon.worst > enough:
        return "stop", f"{worst}: above the limit."
    if found.balls is not None and found.balls.least > enough:
        return "stop", f"nu is at least {found.balls.least:.3g} for somebody, limit {limit:.3g}: above it."
    return "undecided", f"{worst}: that is an upper bound; an exact solver or a smaller epsilon would decide."


def _about(found: Related) -> str:
    """What a pass is about, where the prior is one of pairs."""
    if found.prior.agreement is None:
        return ""
    return ", for opinions, habits or diagnoses that agree as stated; genes are not covered"


def _regardless(known: Regardless, limit: float, enough: float) -> Ruling:
    """Decide by what holds in every law with the stated agreements: the prior in use is another one."""
    if known.most <= enough:
        return "pass", (
            f"nu is at most {known.most:.3g} by group privacy, whatever people agree on, limit {limit:.3g}."
        )
    if known.least > enough:
        return "stop", (
            f"nu is at least {known.least:.3g} for the worst-off, by two linked people alone, limit "
            f"{limit:.3g}."
        )
    return "undecided", (
        f"the stated prior was not fitted; in every law with the stated agreements nu of the worst-off "
        f"is between {known.least:.3g} and {known.most:.3g}, limit {limit:.3g}."
    )


def _trees(found: Trees, limit: float) -> Ruling:
    """In no tree of the degree may nu exceed the limit."""
    if found.nu is None:
        return "stop", (
            f"not enforceable: no epsilon above 0 keeps nu at {limit:.3g} in all these trees; it stays above "
            f"{found.least_nu:.4g}."
        )
    said = f"nu is at most {found.nu:.3g} in all these trees, limit {limit:.3g}"
    if found.nu <= limit * (1 + ROUNDING):
        return (
            "pass",
            f"{said}, for opinions, habits or diagnoses that agree as stated; genes are not covered.",
        )
    return "stop", f"{said}: above the limit, and large trees come as close as one likes."


def _series(found: Series, limit: float) -> Ruling:
    """At no moment may nu exceed the limit; of an estimate, in no chain that the data allows."""
    enough = limit * (1 + ROUNDING)
    one = found.estimate
    high = found.nu.worst if one is None else max(found.nu.worst, one.high)
    low = found.attained if one is None else min(found.attained, one.low)
    worst = f"nu is {found.nu.worst:.3g} at the worst-off moment, limit {limit:.3g}"
    if one is not None:
        worst = f"nu is {one.low:.3g} to {one.high:.3g} at the worst-off moment, limit {limit:.3g}"
    if high <= enough:
        return "pass", f"{worst}: every moment is below the limit, for values that are such a chain."
    if found.epsilon > enough or (low > enough and (one is None or found.values == 2)):
        return "stop", f"{worst}: above the limit."
    return "undecided", f"{worst}: not shown to be kept; a smaller epsilon or more series would decide."


def _beliefs(finding: InferenceFinding, found: Beliefs, limit: float) -> Ruling:
    """What one output gave away; that it gave little away shows nothing about the mechanism."""
    if found.judged is None:
        return "undecided", "the truth was not given (--truth), so nobody can count which beliefs are right."
    gain = finding.advantage
    measured = (
        f"the likelier value is right {points(gain.value)} points more often ({from_to(gain.low, gain.high)})"
    )
    if gain.low > limit:
        return "stop", f"{measured}, limit {points(limit)} points: above the limit."
    return "undecided", (
        f"{measured}, limit {points(limit)} points; one output shows no safety, another may give more away. "
        "dalenius infer network speaks of all outputs."
    )
