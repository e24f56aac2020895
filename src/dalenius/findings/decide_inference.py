"""Whether everybody's nu keeps to a limit."""

from __future__ import annotations

from dalenius.findings.finding import Verdict
from dalenius.findings.inference import InferenceFinding, Regardless

_ROUNDING = 1e-9


def decide_inference(finding: InferenceFinding, limit: float | None) -> tuple[Verdict, str]:
    """Say whether everybody's nu keeps to a limit."""
    if limit is None:
        return "pass", "no limit on nu was given."
    if finding.nu is None or finding.epsilon is None:
        return "stop", f"nu is infinite, limit {limit:.3g}."
    enough = limit * (1 + _ROUNDING)
    if finding.regardless is not None:
        return _regardless(finding.regardless, limit, enough)
    worst = f"nu is {finding.nu.worst:.3g} for the worst-off, limit {limit:.3g}"
    if finding.nu.worst <= enough:
        return "pass", f"{worst}: everybody is below the limit{_about(finding)}."
    if finding.exact or finding.epsilon.worst > enough:
        return "stop", f"{worst}: above the limit."
    return "undecided", f"{worst}: that is an upper bound; an exact solver or a smaller epsilon would decide."


def _about(finding: InferenceFinding) -> str:
    """What a pass is about, where the prior is one of pairs."""
    if finding.prior.agreement is None:
        return ""
    return ", for opinions, habits or diagnoses that agree as stated; genes are not covered"


def _regardless(known: Regardless, limit: float, enough: float) -> tuple[Verdict, str]:
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
