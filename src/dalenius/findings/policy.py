"""What is tolerated: the rules that every family's findings are held against."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from pydantic import Field, model_validator

from dalenius.findings.default_policy import (
    CONFIDENCE,
    KNOWN_AT,
    MAX_ADVANTAGE,
    MAX_RECOVERED,
    RULES,
    Purpose,
)
from dalenius.findings.measure import Plain, Verdict
from dalenius.findings.words import points

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
    known_at: float = Field(default=KNOWN_AT, ge=0.5, lt=1)
    sensitive: tuple[str, ...] | None = Field(default=None, min_length=1)
    max_copies: float = Field(default=0.0, ge=0, le=1)
    max_nu: float | None = Field(default=None, gt=0)
    confidence: float = Field(default=CONFIDENCE, gt=0, lt=1)

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
