"""From the referee's counts about tracing to a finding."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dalenius.errors import InputError
from dalenius.findings.default_policy import CONFIDENCE, SURE
from dalenius.findings.explanation import Explanation, Learned
from dalenius.findings.measure import Bound, Gain, Rate
from dalenius.findings.policy import CRITICAL_ADVANTAGE, HIGH_ADVANTAGE, MODERATE_ADVANTAGE, Grade
from dalenius.findings.report import Headings
from dalenius.findings.tally import EXACT, paired_difference, share_confidence
from dalenius.mechanisms.base import Promise
from dalenius.release.means import MeansRelease
from dalenius.tracing.finding import (
    AtLevel,
    CurvePoint,
    GroupRates,
    Members,
    MembersFinding,
    OverReleases,
)
from dalenius.tracing.referee.bench import TracingJudgement
from dalenius.tracing.referee.outstanding import NOBODY, StandingOut
from dalenius.tracing.words import member_facts, tracing_sentence

MODERATE_RATIO = 10.0
"""Ten times as many members as outsiders are accused: whoever is accused is probably a member."""

DEPENDENT = (
    "Verdicts from one release share its noise and the attacker's reference, so they vary together; "
    "intervals treat the people judged as a random sample, given this release."
)

HEADINGS = Headings(
    at="level",
    attack="members",
    baseline="others",
    control="left out",
    at_most="at most",
    about="the advantage of tracing is",
    over="the larger rate among people not in the data",
    asks="who is among them",
)


def make_tracing_finding(
    judgement: TracingJudgement,
    release: MeansRelease,
    *,
    looks: int = 1,
    confidence: float = CONFIDENCE,
    prior: float | None = None,
    assumptions: Sequence[str] = (),
    standing: StandingOut = NOBODY,
) -> MembersFinding:
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
    standing
        Members who stand out by themselves, and what they could be compared on.

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
    rows = tuple(_at_level(judgement, j, level, release.promise, prior) for j in range(len(judgement.levels)))
    best = headline(rows)
    kept = all(row.outsiders.low <= row.at for row in rows if row.shown)
    graded = grade_tracing(rows)
    finding = MembersFinding(
        release=release.name,
        people=judgement.members[0].trials,
        numbers=release.size,
        mechanism=release.mechanism,
        promise=release.promise.text if release.promise else None,
        attack_method=judgement.method,
        measures=rows,
        deciding=rows.index(best),
        headings=HEADINGS,
        bound=tracing_bound(release.promise),
        confidence=share_confidence(confidence, looks),
        looks=looks,
        severity=graded.severity,
        severity_reason=graded.reason,
        sentence=tracing_sentence(release.name, best),
        notes=judgement.notes + _said(rows, kept, rigorous=judgement.rigorous),
        assumptions=(*assumptions, DEPENDENT),
        explanation=Explanation(learned=(_learned(judgement, rows.index(best)),)),
        details=Members(
            rigorous=judgement.rigorous,
            level_kept=kept,
            pool=judgement.pool,
            smallest=judgement.smallest,
            groups=tuple(
                GroupRates(name=name, rates=tuple(Rate.of(tally, level) for tally in tallies))
                for name, tallies in judgement.groups.items()
            ),
            curve=tuple(
                CurvePoint(false_alarms=float(x), recognised=float(y))
                for x, y in zip(judgement.curve.false_alarms, judgement.curve.recognised, strict=True)
            ),
            area=judgement.curve.area,
            area_high=area_high(judgement, share_confidence(confidence, looks)),
            gap=max(judgement.curve.gap - judgement.left_out_gap, 0.0),
            chance=chance_gap(judgement, SURE),
            standing_out=standing.people,
            compared=standing.compared,
            sampled=min(1.0, (release.n or math.inf) / judgement.members[0].trials),
            prior=prior,
            releases=len(judgement.each),
        ),
    )
    return finding.model_copy(update={"facts": tuple(member_facts(finding))})


def _learned(judgement: TracingJudgement, at: int) -> Learned:
    """Members by whether they are recognised at one level, from the release or from one without them.

    Without a control so many would be anyway as people who are not in the data are accused.
    """
    members, outsiders = judgement.members[at], judgement.outsiders[at]
    if judgement.control is not None and judgement.paired is not None:
        anyway, only = judgement.control[at].hits, judgement.paired[at][0]
    else:
        anyway = min(round(outsiders.rate * members.trials), members.hits)
        only = members.hits - anyway
    hidden = members.trials - anyway - only
    return Learned(value=None, people=members.trials, anyway=anyway, only_by_release=only, hidden=hidden)


def area_high(judgement: TracingJudgement, confidence: float) -> float:
    """Return the upper limit of how often a member is more suspect than an outsider.

    Its variance is at most that of a fair coin thrown as often as there are people, the fewer of the two
    (van Dantzig 1951).
    """
    from scipy.special import ndtri

    people = min(judgement.members[0].trials, judgement.outsiders[0].trials)
    return judgement.curve.area + float(ndtri((1 + confidence) / 2)) * math.sqrt(0.25 / people)


def chance_gap(judgement: TracingJudgement, confidence: float) -> float:
    """Return how large the gap is by chance, at most (Smirnov's test, one-sided, both groups counted)."""
    people = 1 / judgement.members[0].trials + 1 / judgement.outsiders[0].trials
    return math.sqrt(-math.log(1 - confidence) / 2 * people)


def headline(rates: Sequence[AtLevel]) -> AtLevel:
    """Choose the rate to speak of: the fewest false alarms at which half of the most is still established."""
    rates = [rate for rate in rates if rate.shown] or [max(rates, key=lambda rate: rate.at)]
    most = max(rate.advantage.low for rate in rates)
    if most <= 0:
        return max(rates, key=lambda rate: rate.advantage.value)
    return min((rate for rate in rates if rate.advantage.low >= most / 2), key=lambda rate: rate.at)


def _at_level(
    judgement: TracingJudgement, j: int, confidence: float, promise: Promise | None, prior: float | None
) -> AtLevel:
    half = share_confidence(confidence, 2)  # members and baseline each pay half of the error
    members, outsiders = Rate.of(judgement.members[j], half), Rate.of(judgement.outsiders[j], half)
    left_out = None if judgement.control is None else Rate.of(judgement.control[j], half)
    level = judgement.levels[j]
    low, high = members.low - outsiders.high, members.high - outsiders.low
    against = outsiders
    if left_out is not None and judgement.paired is not None:
        # the same members twice: from the release, and from one made without them
        paired = paired_difference(members.trials, *judgement.paired[j], confidence)
        if left_out.low > outsiders.high:
            against, low, high = left_out, paired.low, paired.high
        else:
            low, high = min(low, paired.low), max(high, paired.high)
    return AtLevel(
        label=f"{level:g}",
        at=level,
        shown=level >= judgement.smallest,
        attack=members,
        baseline=against,
        advantage=Gain(
            value=members.rate - against.rate, low=low, high=high, confidence=confidence, method=EXACT
        ),
        control=None if left_out is None else _less(left_out, outsiders),
        at_most=power_under(promise, outsiders.high),
        outsiders=outsiders,
        left_out=left_out,
        against="left out" if against is left_out else "outsiders",
        ppv=None if prior is None else predictive_value(prior, members.rate, max(outsiders.rate, level)),
        over_releases=_over_releases(judgement.each[:, j].tolist(), confidence),
    )


def _less(one: Rate, other: Rate) -> Gain:
    """By how much one share exceeds another, of different people."""
    return Gain(
        value=one.rate - other.rate,
        low=one.low - other.high,
        high=one.high - other.low,
        confidence=one.confidence,
        method=EXACT,
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


def grade_tracing(rates: Sequence[AtLevel]) -> Grade:
    """Say how bad it is, from what is established at any of the levels."""
    low = max(rate.advantage.low for rate in rates)
    if low <= 0:
        return Grade("none", "members are not shown to be accused more often than people not in the data")
    if low >= CRITICAL_ADVANTAGE:
        return Grade("critical", "at least half of the members are recognised")
    if low >= HIGH_ADVANTAGE:
        return Grade("high", "at least one member in five is recognised")
    ratio = max(rate.attack.low / max(rate.baseline.high, rate.at) for rate in rates)
    if low >= MODERATE_ADVANTAGE or ratio >= MODERATE_RATIO:
        return Grade(
            "moderate", "at least one member in twenty is recognised, or ten times as many as by false alarm"
        )
    return Grade("low", "members are accused more often than people not in the data, by little")


def _said(rates: Sequence[AtLevel], kept: bool, *, rigorous: bool) -> tuple[str, ...]:
    notes = []
    if not any(rate.shown for rate in rates):
        notes.append("No level can be reached with so few references: nothing is shown. Take more of them.")
    if not rigorous:
        notes.append("The attack's levels are approximate; the false alarms beside them are measured.")
    if not kept:
        worst = max(rates, key=lambda rate: rate.outsiders.low - rate.at)
        notes.append(
            f"More outsiders are accused than the level allows ({worst.outsiders.rate:.1%} at "
            f"{worst.at:g}): an assumption of the attack does not hold for these people, such as one "
            "population or independent attributes."
        )
    if any(rate.against == "left out" for rate in rates if rate.shown):
        notes.append(
            "People like the members are accused even when they are not in the data: part of the accusations "
            "is about the population the members come from. The advantage is taken over them."
        )
    return tuple(notes)
