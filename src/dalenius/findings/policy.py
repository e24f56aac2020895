"""What is tolerated, how bad a finding is, whether a pass held on other people, and numbers in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from pydantic import Field, model_validator

from dalenius.findings.default_policy import (
    CONFIDENCE,
    KNOWN_AT,
    LEAST_CONFIDENCE,
    MAX_ADVANTAGE,
    MAX_RECOVERED,
    MOST_KNOWN_AT,
    RULES,
    Purpose,
)
from dalenius.findings.measure import Plain, Verdict
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


ROUNDING = 1e-9
"""By how much a number may pass a limit and keep to it: two ways to one number differ in digits."""

Ruling = tuple[Verdict, str]
"""What one rule of a policy says about a finding, and why; no reason where there is nothing to tell."""


class Ruled(NamedTuple):
    """A ruling, and the rule it is of: a key of the policy, or what every pass needs besides."""

    verdict: Verdict
    reason: str
    rule: str


RANK: Final[dict[Verdict, int]] = {"pass": 0, "undecided": 1, "stop": 2}


def worst_of(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of some verdicts.

    Examples
    --------
    >>> worst_of(["pass", "stop", "undecided"])
    'stop'
    """
    return max(verdicts, key=RANK.__getitem__)


class Policy(Plain):
    """What a release may give away; every rule must be kept.

    ``max_advantage``: by how much an attack may be right more often than guessing without the release; and by
    how much a larger share of members than of other people may be accused of being in the data, at any of
    the rates of false alarms looked at; and how much more often than by luck somebody may be singled out.
    ``max_recovered``: which share of the secrets that guessing gets wrong an attack may recover; it decides
    for rare secrets, where the advantage is small even if everybody is found.
    ``max_certain``: how many people's secrets may follow by arithmetic.
    ``max_known``: how many more people's secrets may be as good as known: held at ``known_at`` or more,
    rightly, because of the release, and more of them than luck explains.
    ``sensitive``: the values of the secret that ``max_certain`` and ``max_known`` are about; all if not
    given. Whoever is known to have another value is reported and decides nothing.
    ``max_copies``: the largest share of the original people whom released rows may equal, or nearly, beyond
    chance.
    ``max_nu``: by which factor ``e^nu`` a release may move the odds of a related person's values; without it
    nu is reported and decides nothing.
    ``max_related_rho``: like which rho Gaussian noise must protect related people who agree as stated. It
    decides, instead of ``max_nu``, where a release promises rho, of which nu is infinite.
    ``confidence``: with which all intervals hold together.
    ``rules``: a purpose, ``open-data``, ``research-centre``, ``gwas`` or ``gdpr-anonymous``, that sets the
    keys which are not given.

    Examples
    --------
    >>> Policy().max_advantage, Policy(rules="open-data").max_advantage
    (0.05, 0.02)
    >>> Policy(rules="open-data", max_advantage=0.03).known_at
    0.95
    """

    rules: Purpose | None = None
    max_advantage: float = Field(default=MAX_ADVANTAGE, ge=0, le=1)
    max_recovered: float = Field(default=MAX_RECOVERED, ge=0, le=1)
    max_certain: int = Field(default=0, ge=0)
    max_known: int = Field(default=0, ge=0)
    known_at: float = Field(default=KNOWN_AT, ge=0.5, le=MOST_KNOWN_AT)
    sensitive: tuple[str, ...] | None = Field(default=None, min_length=1)
    max_copies: float = Field(default=0.0, ge=0, le=1)
    max_nu: float | None = Field(default=None, gt=0)
    max_related_rho: float | None = Field(default=None, gt=0)
    confidence: float = Field(default=CONFIDENCE, ge=LEAST_CONFIDENCE, lt=1)

    @model_validator(mode="before")
    @classmethod
    def _by_purpose(cls, given: Any) -> Any:
        """Fill in what a purpose sets and nobody else did."""
        if not isinstance(given, dict) or not isinstance(given.get("rules"), str):
            return given
        return RULES.get(given["rules"], {}) | given

    def limit(self, baseline: float) -> float:
        """Return the largest tolerated advantage over a baseline that is right this often.

        Examples
        --------
        >>> Policy().limit(0.5), round(Policy().limit(0.96), 10)
        (0.05, 0.01)
        """
        return min(self.max_advantage, self.max_recovered * (1 - baseline))

    def limit_in_words(self, baseline: float) -> str:
        """Say that limit in points, and where it comes from if not from ``max_advantage``.

        Examples
        --------
        >>> Policy().limit_in_words(0.5)
        'limit 5.0 points'
        >>> Policy().limit_in_words(0.938)
        'limit 1.6 points: 25% of the 6.2% that guessing gets wrong'
        """
        limit, missed = self.limit(baseline), 1 - baseline
        said = f"limit {points(limit)} points"
        if limit == self.max_advantage:
            return said
        return f"{said}: {100 * self.max_recovered:g}% of the {points(missed)}% that guessing gets wrong"


RULE = "other samples pass"
"""What every pass needs that no theorem covers, besides the rules of a policy."""

TO_INSIDERS = "nobody follows for insiders"
"""What is asked of people whom somebody else in the data is sure of: the larger of two limits."""

NOT_TRIED = (
    "A release that no theorem covers may pass by luck: which numbers end near a limit is chance. It was not "
    "tried on other people."
)


class Resampled(Plain):
    """What came of a release that passes when random samples of the people were published instead.

    ``broken`` of ``draws`` samples, each with this ``share`` of the people, break the policy; ``rule`` is
    the first of the rules broken, and ``reason`` what it says.
    """

    draws: int
    share: float
    broken: int
    reason: str | None
    rule: str | None = None


def ruled_by_samples(again: Resampled | None) -> list[Ruled]:
    """A pass must not be luck: samples of the people keep to the policy too; nothing if none was tried.

    Examples
    --------
    >>> ruled_by_samples(Resampled(draws=5, share=0.9, broken=0, reason=None))[0].reason
    '5 of 5 random samples of 90% of the people keep to the policy too.'
    >>> again = Resampled(draws=5, share=0.9, broken=1, reason="one is certain.")
    >>> ruled_by_samples(again)[0].reason.partition(" Without")[0].partition("only ")[2]
    '4 of 5 random samples of 90% of the people do (one is certain).'
    """
    if again is None:
        return []
    kept = again.draws - again.broken
    samples = f"{kept} of {again.draws} random samples of {again.share:.0%} of the people"
    if not again.broken:
        return [Ruled("pass", f"{samples} keep to the policy too.", RULE)]
    why = (again.reason or "for another reason").rstrip(".")
    luck = "Without a promise a release may pass by luck: which numbers end near a limit is chance."
    reason = f"these people keep to the policy, but only {samples} do ({why}). {luck}"
    return [Ruled("undecided", reason, RULE)]
