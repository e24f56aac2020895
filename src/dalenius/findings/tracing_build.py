"""From the referee's counts about tracing to a finding."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dalenius.errors import InputError
from dalenius.findings.finding import Bound, Rate
from dalenius.findings.interval import paired_difference, share_confidence
from dalenius.findings.severity import HIGH_ADVANTAGE, MODERATE_ADVANTAGE, Grade
from dalenius.findings.tracing import CurvePoint, GroupRates, OverReleases, TracingFinding, TracingRate
from dalenius.findings.words import percent
from dalenius.mechanisms.promise import Promise
from dalenius.referee.score import Tally
from dalenius.referee.tracing import TracingJudgement
from dalenius.release.means import MeansRelease

CRITICAL_ADVANTAGE = 0.5
"""Half of the members are recognised."""

MODERATE_RATIO = 10.0
"""Ten times as many members as outsiders are accused: whoever is accused is probably a member."""

DEPENDENT = (
    "Verdicts from one release share its noise and the attacker's reference, so they vary together; "
    "intervals treat the people judged as a random sample, given this release."
)


def make_tracing_finding(
    judgement: TracingJudgement,
    release: MeansRelease,
    *,
    looks: int = 1,
    confidence: float = 0.95,
    prior: float | None = None,
    assumptions: Sequence[str] = (),
) -> TracingFinding:
    """Turn a judgement into a finding whose intervals pay for all looks and all levels.

    Parameters
    ----------
    judgement
        The referee's counts.
    release
        What was attacked.
    looks
        How many findings are made together.
    confidence
        With which all intervals of the advantage are to hold together.
    prior
        How likely a person is a member before the release is looked at; with it the finding says how often an
        accusation is right.
    assumptions
        What the finding rests on, one sentence each.

    Raises
    ------
    InputError
        If the prior is not a probability.
    """
    if prior is not None and not 0 < prior < 1:
        raise InputError("prior", "must lie strictly between 0 and 1", f"{prior:g}", "Use for example 0.01.")
    # which levels are within reach is known before anybody is judged: only those share the confidence
    within = sum(level >= judgement.smallest for level in judgement.levels)
    level = share_confidence(share_confidence(confidence, looks), max(within, 1))
    rates = tuple(_rate(judgement, j, level, release.promise, prior) for j in range(len(judgement.levels)))
    best = headline(rates)
    kept = all(rate.outsiders.low <= rate.level for rate in rates if rate.reachable)
    graded = grade_tracing(rates)
    return TracingFinding(
        release=release.name,
        attack_method=judgement.method,
        rigorous=judgement.rigorous,
        level_kept=kept,
        notes=judgement.notes + _said(rates, kept, rigorous=judgement.rigorous),
        people=judgement.members[0].trials,
        pool=judgement.pool,
        smallest=judgement.smallest,
        numbers=release.size,
        mechanism=release.mechanism,
        promise=release.promise.text if release.promise else None,
        rates=rates,
        headline=best.level,
        groups=tuple(
            GroupRates(name=name, rates=tuple(Rate.of(tally, level) for tally in tallies))
            for name, tallies in judgement.groups.items()
        ),
        curve=tuple(
            CurvePoint(false_alarms=float(x), recognised=float(y))
            for x, y in zip(judgement.curve.false_alarms, judgement.curve.recognised, strict=True)
        ),
        area=judgement.curve.area,
        prior=prior,
        releases=len(judgement.each),
        bound=tracing_bound(release.promise),
        assumptions=(*assumptions, DEPENDENT),
        confidence=share_confidence(confidence, looks),
        looks=looks,
        severity=graded.severity,
        severity_reason=graded.reason,
        sentence=tracing_sentence(release.name, best),
    )


def headline(rates: Sequence[TracingRate]) -> TracingRate:
    """Choose the rate to speak of: the fewest false alarms at which half of the most is still established."""
    rates = [rate for rate in rates if rate.reachable] or [max(rates, key=lambda rate: rate.level)]
    most = max(rate.low for rate in rates)
    if most <= 0:
        return max(rates, key=lambda rate: rate.advantage)
    return min((rate for rate in rates if rate.low >= most / 2), key=lambda rate: rate.level)


def _rate(
    judgement: TracingJudgement, j: int, confidence: float, promise: Promise | None, prior: float | None
) -> TracingRate:
    half = share_confidence(confidence, 2)  # members and baseline each pay half of the error
    members, outsiders = Rate.of(judgement.members[j], half), Rate.of(judgement.outsiders[j], half)
    control = None if judgement.control is None else Rate.of(judgement.control[j], half)
    level = judgement.levels[j]
    low, high = members.low - outsiders.high, members.high - outsiders.low
    against = outsiders
    if control is not None and judgement.paired is not None:
        # the same members twice: from the release, and from one made without them
        paired = paired_difference(members.trials, *judgement.paired[j], confidence)
        if control.low > outsiders.high:
            against, low, high = control, paired.low, paired.high
        else:
            low, high = min(low, paired.low), max(high, paired.high)
    return TracingRate(
        level=level,
        reachable=level >= judgement.smallest,
        members=members,
        outsiders=outsiders,
        control=control,
        baseline="control" if against is control else "outsiders",
        advantage=members.rate - against.rate,
        low=low,
        high=high,
        bound=power_under(promise, outsiders.high),
        ppv=None if prior is None else predictive_value(prior, members.rate, max(outsiders.rate, level)),
        over_releases=_over_releases(judgement.each[:, j].tolist(), confidence),
    )


def _over_releases(rates: Sequence[float], confidence: float) -> OverReleases | None:
    if len(rates) < 2:
        return None
    from scipy.special import stdtrit

    mean = math.fsum(rates) / len(rates)
    variance = math.fsum((rate - mean) ** 2 for rate in rates) / (len(rates) - 1)
    reach = float(stdtrit(len(rates) - 1, (1 + confidence) / 2)) * math.sqrt(variance / len(rates))
    return OverReleases(
        releases=len(rates), mean=mean, low=max(mean - reach, 0.0), high=min(mean + reach, 1.0)
    )


def power_under(promise: Promise | None, false_alarms: float) -> float | None:
    """Return the largest share of members that any attack can recognise at this rate of false alarms.

    ``Phi(Phi^-1(FPR) + sqrt(2 rho))`` for Gaussian noise (Neyman and Pearson; Dong, Roth and Su 2022), and
    ``min(e^epsilon FPR, 1 - e^-epsilon (1 - FPR))`` under pure differential privacy.

    Examples
    --------
    >>> round(power_under(Promise(None, 0.01, ""), 0.05), 6)
    0.066364
    """
    from dalenius.theory.privacy import power_from_epsilon, power_from_rho

    if promise is None:
        return None
    if not 0 < false_alarms < 1:
        return 1.0 if false_alarms >= 1 else 0.0
    limits = []
    if promise.rho is not None:
        limits.append(power_from_rho(promise.rho, false_alarms))
    if promise.epsilon is not None:
        limits.append(power_from_epsilon(promise.epsilon, false_alarms))
    return min(limits, default=None)


def tracing_bound(promise: Promise | None) -> Bound | None:
    """Return how far apart any attack can take members and outsiders, whatever its threshold.

    The total variation between the releases with and without one person, which is twice what can be gained
    over a fair coin.
    """
    from dalenius.theory.privacy import advantage_from_epsilon, advantage_from_rho

    if promise is None:
        return None
    limits = []
    if promise.rho is not None:
        limits.append((2 * advantage_from_rho(promise.rho), "Neyman-Pearson for Gaussian noise"))
    if promise.epsilon is not None:
        found = 2 * advantage_from_epsilon(promise.epsilon)
        limits.append((found, "Kairouz, Oh and Viswanath (2015), Theorem 2.5"))
    if not limits:
        return None
    value, statement = min(limits)
    return Bound(
        statement=statement,
        text=f"Under {promise.text} no attack accuses a member more often than an outsider by more than "
        f"{value:.3g}.",
        kind="advantage-at-most",
        value=value,
    )


def predictive_value(prior: float, recognised: float, false_alarms: float) -> float | None:
    """Return how often an accusation is right, if this share of those looked at are members.

    Examples
    --------
    >>> round(predictive_value(0.01, 0.4, 0.001), 3)
    0.802
    """
    accused = prior * recognised + (1 - prior) * false_alarms
    return prior * recognised / accused if accused else None


def grade_tracing(rates: Sequence[TracingRate]) -> Grade:
    """Say how bad it is, from what is established at any of the levels."""
    low = max(rate.low for rate in rates)
    if low <= 0:
        return Grade("none", "members are not shown to be accused more often than people not in the data")
    if low >= CRITICAL_ADVANTAGE:
        return Grade("critical", "at least half of the members are recognised")
    if low >= HIGH_ADVANTAGE:
        return Grade("high", "at least one member in five is recognised")
    ratio = max(rate.members.low / max(_baseline(rate).high, rate.level) for rate in rates)
    if low >= MODERATE_ADVANTAGE or ratio >= MODERATE_RATIO:
        return Grade(
            "moderate", "at least one member in twenty is recognised, or ten times as many as by false alarm"
        )
    return Grade("low", "members are accused more often than people not in the data, by little")


def tracing_sentence(release: str, rate: TracingRate) -> str:
    """Say in plain words what an attacker gets, beside what happens to people who are not in the data."""
    baseline = _baseline(rate)
    who = "a person not in the data" if rate.baseline == "outsiders" else "a person like them, left out of it"
    said = (
        f"From the release {release!r}, {_percent(rate.members)} of the participants can be recognised by "
        f"somebody who has their record, at {odds(rate.level)}; {who}: {_percent(baseline)}."
    )
    return said if rate.low > 0 else f"{said} The difference is within chance."


def odds(level: float) -> str:
    """Write a rate of false alarms in words.

    Examples
    --------
    >>> odds(0.001), odds(0.05), odds(0.03)
    ('one false alarm in 1,000', 'one false alarm in 20', '3% false alarms')
    """
    one_in = 1 / level
    if abs(one_in - round(one_in)) < 1e-6 * one_in:
        return f"one false alarm in {round(one_in):,}"
    return f"{100 * level:g}% false alarms"


def _baseline(rate: TracingRate) -> Rate:
    return rate.control if rate.baseline == "control" and rate.control is not None else rate.outsiders


def _percent(rate: Rate) -> str:
    return percent(Tally(rate.hits, rate.trials))


def _said(rates: Sequence[TracingRate], kept: bool, *, rigorous: bool) -> tuple[str, ...]:
    notes = []
    if not any(rate.reachable for rate in rates):
        notes.append("No level can be reached with so few references: nothing is shown. Take more of them.")
    if not rigorous:
        notes.append("The attack's levels are approximate; the false alarms beside them are measured.")
    if not kept:
        worst = max(rates, key=lambda rate: rate.outsiders.low - rate.level)
        notes.append(
            f"More outsiders are accused than the level allows ({worst.outsiders.rate:.2%} at "
            f"{worst.level:g}): an assumption of the attack does not hold for these people, such as one "
            "population or independent attributes."
        )
    if any(rate.baseline == "control" for rate in rates if rate.reachable):
        notes.append(
            "People like the members are accused even when they are not in the data: part of the accusations "
            "is about the population the members come from. The advantage is taken over them."
        )
    return tuple(notes)
