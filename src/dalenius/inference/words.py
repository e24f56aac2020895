"""Related people in words: how nu was found, what the prior implies, in sentences without anybody in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from dalenius.findings.policy import percent, points
from dalenius.inference.finding import (
    AgreementScan,
    Beliefs,
    BoundOnWorst,
    Instead,
    Middle,
    Prior,
    Regardless,
    RelatedFinding,
    RelatedRho,
    Simulated,
    Spread,
    Trees,
)
from dalenius.inference.referee.beliefs import BeliefJudgement
from dalenius.shown import people

LARGEST_POWER = 300.0
"""Up to which a factor is written out."""


def held_lines(prior: Prior) -> Iterator[str]:
    """Say what the prior in use implies beside what was stated, one line each."""
    if not prior.as_stated:
        yield "The prior in use is not the stated one; nothing that follows is about the stated one."
    give = f", to within {prior.error:.2g}" if prior.error else ""
    for name, held in (("Agreement", prior.agreement), ("Probability of a 1", prior.prevalence)):
        if held is not None:
            implied = "not known" if held.implied is None else f"{_in_brief(held.implied)}{give}"
            yield f"{name}: stated {_in_brief(held.stated)}; implied by the prior in use {implied}."


def _in_brief(some: Middle) -> str:
    return f"{some.mean:.4g} on average (median {some.median:.4g}, {some.least:.4g} to {some.most:.4g})"


def related_facts(finding: RelatedFinding) -> Iterator[str]:
    """Say how nu was found, what the prior implies, and what is promised; nobody is named."""
    details = finding.details
    yield from held_lines(details.prior)
    yield f"Mechanism: {finding.mechanism}."
    for part in details.solved:
        kind = "the worst case" if part.exact else "an upper bound on the worst case"
        law = "the prior below" if details.regardless is None else "a prior that was not stated"
        yield f"{people(part.people)} by {part.method}: {part.bound}, {kind} under {law}."
    if details.bounds:
        yield _bounds(details.bounds)
    if details.by_distance:
        said = ", ".join(f"{step.nu:.4g} ({step.distance})" for step in details.by_distance)
        yield f"nu of the worst-off if only people up to so many links away were in the data: {said}."
    if details.balls is not None:
        own = details.balls
        yield (
            f"nu of the worst-off is between {own.least:.4g} and {own.most:.4g}: exact balls of up to "
            f"{own.largest:,} people around {people(own.people)}, with everybody else left out or fixed."
        )
    if details.instead is not None:
        yield from _most_gained(details.instead)
        yield from _simulated(details.instead.simulated)
    if finding.promise is not None:
        yield f"Promised: {finding.promise}."
    if details.chosen is not None:
        yield details.chosen.reason
    if details.scan is not None:
        yield _scanned(details.scan)


def _scanned(scan: AgreementScan) -> str:
    """What was tried where agreement is known roughly."""
    tried = ", ".join(
        f"{one.nu:.4g} ({one.agreement})"
        if one.epsilon is None
        else f"epsilon {one.epsilon:.4g} ({one.agreement})"
        for one in scan.tried
    )
    why = (
        "nu rises with agreement here, so the upper end decides"
        if scan.rises
        else f"between them nu is taken to be at most {scan.most:.4g}, which leaves room for half a step"
    )
    return f"Agreement is known roughly; of the worst-off, by agreement: {tried}; {why}."


def assumed_prior(prior: Prior) -> str:
    """What was assumed of the people, in one sentence."""
    law = "; ".join(line.rstrip(".") for line in prior.model)
    return f"The attacker knows who is linked and how their values go together: {law}."


def _bounds(bounds: Sequence[BoundOnWorst]) -> str:
    """All bounds in one line, those without their condition at the end."""
    hold = ", ".join(f"{one.name} {one.nu:.4g}" for one in bounds if one.nu is not None)
    fail = ", ".join(one.name for one in bounds if one.nu is None)
    return f"Upper bounds for the worst-off: {hold}{f'; not valid here: {fail}' if fail else ''}."


def said_of_rho(rho: float, found: RelatedRho) -> str:
    """Say what rho is worth to people who agree as stated.

    Examples
    --------
    >>> found = RelatedRho(
    ...     delta=1e-6, epsilon=2.5, worst=0.21, median=0.1, mean_square=1.6, advantage=0.2, by_group=0
    ... )
    >>> print(said_of_rho(0.1, found))
    With agreement as stated, rho = 0.1 protects the worst-off person like rho = 0.21 would a stranger (at
    delta 1e-06), and the median person like rho = 0.1.
    """
    return (
        f"With agreement as stated, rho = {rho:.3g} protects the worst-off person like rho = "
        f"{found.worst:.3g} would a stranger (at delta {found.delta:g}), and the median person like "
        f"rho = {found.median:.3g}."
    )


def _most_gained(instead: Instead) -> Iterator[str]:
    """By how much an attack can beat guessing, whatever people agree on and as they are stated to."""
    told = "No attack beats guessing about anybody's fair coin by more than"
    yield f"{told} {points(instead.advantage)} points (group privacy)."
    related = instead.related
    if related is None:
        return
    yield (
        f"With agreement as stated: {points(related.advantage)} points; one person's value moves so many "
        f"records that their mean square is {related.mean_square:.3g} for the worst-off (group privacy: "
        f"{instead.group**2:,})."
    )
    if related.by_group:
        yield f"Of {people(related.by_group)} in large groups with loops nothing better than that is known."


def _simulated(levels: Sequence[Simulated]) -> Iterator[str]:
    for one in levels[:1]:
        moved = ", ".join(
            f"{each.moved:.3g} ({each.low:.3g} to {'more' if each.high is None else f'{each.high:.3g}'}) in "
            f"{each.level:.0%}"
            for each in levels
        )
        yield (
            f"{one.mechanism}, {one.draws:,} simulated releases: nobody's log-odds moved by more than "
            f"{moved} of them, each with confidence {one.confidence:g}. {one.label}"
        )


def trees_sentence(found: Trees) -> str:
    """Say what holds in all trees of a degree."""
    links = (
        f"In all trees with at most {found.degree:,} links a person, each of agreement {found.agreement:g}"
    )
    if found.nu is not None:
        return (
            f"{links}, epsilon = {found.epsilon:.3g} protects everybody at least like epsilon = "
            f"{found.nu:.3g} would; in large trees nothing better can be said of people in the middle."
        )
    return (
        f"{links}, no epsilon above 0 keeps nu at {found.target:.3g}. However small it is, nu stays above "
        f"{found.least_nu:.4g}: the target is not enforceable."
    )


def trees_facts(found: Trees) -> Iterator[str]:
    """Say which epsilon keeps the target, and how far distant relatives matter."""
    if found.target is not None and found.largest is not None:
        yield f"The largest epsilon that keeps nu at {found.target:.3g} is {found.largest:.4g}."
    elif found.target is not None and found.nu is not None:
        yield (
            f"Not enforceable: no epsilon above 0 keeps nu at {found.target:.3g} in all these trees. However "
            f"small it is, nu stays above {found.least_nu:.4g}."
        )
    side = "above" if found.pull > 1 else "at most"
    so = f"(degree - 1)|2 agreement - 1| = {found.pull:.4g}, {side} 1"
    if found.slope is None:
        yield (
            f"{so}: distant relatives together outweigh any noise. As epsilon goes to 0, nu goes to "
            f"{found.least_nu:.4g}, not to 0."
        )
    else:
        yield f"{so}: distant relatives matter less and less: nu is at most {found.slope:.4g} times epsilon."


def beliefs_sentence(found: Beliefs) -> str:
    """Say how far the release moved odds."""
    return (
        f"The release moves the odds of the most affected person by a factor of "
        f"{_factor(found.shift.worst)}, of the median person by {_factor(found.shift.median)}."
    )


def beliefs_facts(found: Beliefs, seen: str, judged: BeliefJudgement | None) -> Iterator[str]:
    """Say what was seen, what limits it, who is held to be known, and how right that is; nobody is named."""
    links = "1 link" if found.prior.links == 1 else f"{found.prior.links:,} links"
    yield f"{found.prior.source}: {people(found.prior.people)}, {links}."
    yield from held_lines(found.prior)
    yield f"Seen: {seen}."
    if found.sampled is not None:
        own = found.sampled
        yield (
            f"The network is too wide to be summed out: beliefs {'before and ' if own.before else ''}after "
            f"the release are counted from {own.draws:,} perfect samples (coupling from the past, at most "
            f"{own.rounds:,} rounds). "
            f"Everybody's probability is known to within {own.error:.2g}, all together with confidence "
            f"{own.confidence:g}."
        )
    if found.limit is None:
        yield "Nothing limits it: noise without a pure epsilon moves odds by any factor, if rarely."
    else:
        most = f"{_factor(found.limit.worst)} (nu = {found.limit.worst:.3g})"
        yield f"No output moves anybody's odds by more than {most}, for related people as assumed."
    yield (
        f"The value of {people(found.confident_after)} is held to be known with probability "
        f"{found.confidence:g} or more; before the release of {found.confident_before:,}."
    )
    if judged is not None:
        yield from _judged(judged)


def _factor(logarithm: float) -> str:
    """Write e to a power, also where that is no number any more."""
    return f"{np.exp(logarithm):.3g}" if logarithm < LARGEST_POWER else f"e^{logarithm:.3g}"


def _judged(judged: BeliefJudgement) -> Iterator[str]:
    right, log = judged.right, judged.log_score
    yield (
        f"The likelier value is the true one for {right.attack.hits:,} of {people(judged.people)} "
        f"({percent(right.attack)}); before the release for {right.baseline.hits:,} "
        f"({percent(right.baseline)})."
    )
    ends = "one group of linked people gives no interval"
    if np.isfinite(log.low):
        ends = f"{log.low:+.3f} to {log.high:+.3f} with confidence {judged.confidence:g}, {judged.interval}"
    yield (
        f"The logarithm of the probability given to the truth changes by {log.change:+.3f} from "
        f"{log.before:.3f} on average ({ends})."
    )
    yield (
        f"Closer to the truth: {people(judged.nearer)}; farther: {judged.farther:,}; unmoved: "
        f"{judged.unmoved:,}. Held {judged.confident:.0%} likely and true: {judged.exposed_after.hits:,} of "
        f"{judged.exposed_after.trials:,}; before {judged.exposed_before.hits:,} of "
        f"{judged.exposed_before.trials:,}."
    )


def undecided(epsilon: float, known: Regardless) -> str:
    """Say what is known where the stated prior could not be fitted.

    Examples
    --------
    >>> print(undecided(0.5, Regardless(least=0.8, most=15.0)))
    Undecided: the stated prior was not fitted. Whatever law has the stated agreements, epsilon = 0.5 protects
    the worst-off person like some epsilon between 0.8 and 15 would.
    """
    return (
        "Undecided: the stated prior was not fitted. Whatever law has the stated agreements, epsilon = "
        f"{epsilon:.3g} protects the worst-off person like some epsilon between {known.least:.3g} and "
        f"{known.most:.3g} would."
    )


def headline(epsilon: NDArray[np.float64], nu: NDArray[np.float64], *, exact: bool) -> str:
    """Say in one sentence what the links make of epsilon.

    Examples
    --------
    >>> print(headline(np.full(3, 0.5), np.array([0.8, 1.1, 0.8]), exact=False))
    With these links, epsilon = 0.5 protects the worst-off person at least like epsilon = 1.1 would, and the
    median person at least like epsilon = 0.8.
    """
    worst = int(nu.argmax())
    own, most, middle = float(epsilon[worst]), float(nu[worst]), Spread.of(nu).median
    like = "like" if exact else "at least like"
    if np.allclose(nu, epsilon, rtol=1e-9, atol=0):
        return f"With these links nobody is worse off: epsilon = {own:.3g} protects like epsilon = {own:.3g}."
    if np.allclose(nu, most, rtol=1e-9) and np.allclose(epsilon, own):
        return f"With these links, epsilon = {own:.3g} protects everybody {like} epsilon = {most:.3g} would."
    released = (
        f"epsilon = {own:.3g} protects the worst-off person"
        if own
        else ("the worst-off person, who has no data in the release, is protected")
    )
    return (
        f"With these links, {released} {like} epsilon = {most:.3g} would, and the median person "
        f"{like} epsilon = {middle:.3g}."
    )
