"""A finding in words: how bad it is, and its numbers beside a baseline.

A finding in plain words: a number never stands without its baseline.

How bad a finding is, in one word with its reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dalenius.findings.default_policy import MAX_ADVANTAGE, MAX_RECOVERED
from dalenius.findings.tally import Tally
from dalenius.theory import BLATANT_ERROR


def percent(tally: Tally) -> str:
    """Write a share with one decimal; only all is 100% and only none is 0%.

    Examples
    --------
    >>> percent(Tally(5912, 6366)), percent(Tally(9999, 10000)), percent(Tally(1, 10000))
    ('92.9%', 'over 99.9%', 'under 0.1%')
    """
    if tally.hits == 0:
        return "0%"
    if tally.hits == tally.trials:
        return "100%"
    rounded = f"{100 * tally.rate:.1f}%"
    return {"0.0%": "under 0.1%", "100.0%": "over 99.9%"}.get(rounded, rounded)


def points(share: float) -> str:
    """Write a share as percentage points, with one decimal; never a minus before zero.

    Examples
    --------
    >>> points(0.2094), points(-0.0004), points(0.05)
    ('20.9', '0.0', '5.0')
    """
    return f"{round(100 * share, 1) + 0.0:.1f}"


def from_to(low: float, high: float) -> str:
    """Write an interval in percentage points.

    Examples
    --------
    >>> from_to(-0.0001, 0.0418)
    '0.0 to 4.2'
    """
    return f"{points(low)} to {points(high)}"


def promised_number(promise: str | None) -> str:
    """Write a promise by its number alone, for a narrow column; what it rests on stands elsewhere.

    Examples
    --------
    >>> promised_number("zero-concentrated differential privacy with rho = 0.1; the noise is seeded")
    'rho 0.1'
    >>> promised_number(None)
    'none'
    """
    if promise is None:
        return "none"
    stated = promise.split(";")[0].partition(" with ")[2]
    return stated.replace(" = ", " ").removesuffix(" together") or "yes"


Severity = Literal["none", "undecided", "low", "moderate", "high", "critical"]


WORDS: tuple[Severity, ...] = ("none", "undecided", "low", "moderate", "high", "critical")
"""``none`` is for what was shown to be harmless; what was not decided is ``undecided``."""

MODERATE_ADVANTAGE = MAX_ADVANTAGE
"""The usual limit of a policy."""

HIGH_ADVANTAGE = 0.2
"""One person in five."""

CRITICAL_ADVANTAGE = 0.5
"""Every second member, or every second attempt; secrets are judged by how few are wrong."""

MODERATE_RECOVERED, HIGH_RECOVERED, CRITICAL_RECOVERED = MAX_RECOVERED, 0.5, 0.9
"""Shares of the secrets that guessing gets wrong. They speak for rare secrets: where 95% of people have the
same value no attack can gain more than 0.05, even one that finds everybody who has the other."""

HIGH_CERTAIN, CRITICAL_CERTAIN = 0.01, 0.5
"""One certain person is a disclosure; one in a hundred is no accident; half is the whole data."""


@dataclass(frozen=True)
class Grade:
    """A severity and the reason for it."""

    severity: Severity
    reason: str


def grade(*, low: float, baseline: float, wrong: float, certain: float, control_gains: bool = False) -> Grade:
    """Say how bad it is, from what is established rather than from what was measured.

    Parameters
    ----------
    low
        Lower end of the interval of the advantage.
    baseline
        How often the better baseline is right.
    wrong
        Share of the people that the attack guesses wrong.
    certain
        Share of the people whose secret follows by arithmetic.
    control_gains
        Whether the attack also gains on people whose secrets were not in the release: then the advantage
        is correlation, not leak, and only certain people count.

    Examples
    --------
    >>> grade(low=0.19, baseline=0.72, wrong=0.07, certain=0.0).severity
    'critical'
    >>> grade(low=-0.01, baseline=0.72, wrong=0.28, certain=0.0)
    Grade(severity='none', reason='the attack does not beat guessing without the release')
    """
    if control_gains:
        by_gain = Grade("none", "correlation, not leak: the control group is guessed better too")
    else:
        by_gain = _by_gain(low, baseline, wrong)
    by_certain = _by_certain(certain)
    return max(by_certain, by_gain, key=lambda g: WORDS.index(g.severity)) if certain else by_gain


def _by_gain(low: float, baseline: float, wrong: float) -> Grade:
    if low <= 0:
        return Grade("none", "the attack does not beat guessing without the release")
    recovered = low / (1 - baseline)
    if wrong <= BLATANT_ERROR < 1 - baseline:
        return Grade("critical", "blatantly non-private: at most a tenth of the secrets stay hidden")
    if recovered >= CRITICAL_RECOVERED:
        return Grade("critical", "at least nine in ten of the secrets that guessing gets wrong are recovered")
    if low >= HIGH_ADVANTAGE or recovered >= HIGH_RECOVERED:
        return Grade("high", "at least one person in five, or half of what guessing gets wrong, is recovered")
    if low >= MODERATE_ADVANTAGE or recovered >= MODERATE_RECOVERED:
        return Grade(
            "moderate",
            "at least one person in twenty, or a quarter of what guessing gets wrong, is recovered",
        )
    return Grade("low", "the attack beats guessing without the release, by little")


def by_known(share: float) -> Grade:
    """Say how bad it is that the secrets of this share of the people are known, if not by arithmetic.

    Examples
    --------
    >>> by_known(0.002).severity
    'moderate'
    """
    if share >= CRITICAL_CERTAIN:
        return Grade("critical", "the secrets of at least half of the people are as good as known")
    if share >= HIGH_CERTAIN:
        return Grade("high", "the secrets of at least one person in a hundred are as good as known")
    if share > 0:
        return Grade("moderate", "somebody's secret is as good as known")
    return Grade("none", "nobody is known by the release")


def _by_certain(certain: float) -> Grade:
    if certain >= CRITICAL_CERTAIN:
        return Grade("critical", "the secrets of at least half of the people follow by arithmetic")
    if certain >= HIGH_CERTAIN:
        return Grade("high", "the secrets of at least one person in a hundred follow by arithmetic")
    return Grade("moderate", "somebody's secret follows by arithmetic")
