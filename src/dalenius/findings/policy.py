"""What is tolerated, and whether the findings keep to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field, model_validator

from dalenius.errors import InputError
from dalenius.findings.decide_inference import decide_inference
from dalenius.findings.decide_reconstruction import RANK, decide_reconstruction
from dalenius.findings.decide_singling_out import decide_singling_out
from dalenius.findings.decide_tracing import decide_tracing
from dalenius.findings.finding import Finding, Plain, Verdict
from dalenius.findings.inference import InferenceFinding
from dalenius.findings.interval import share_confidence
from dalenius.findings.rules import RULES, Purpose
from dalenius.findings.singling_out import SinglingOutFinding
from dalenius.findings.tracing import TracingFinding
from dalenius.findings.words import points
from dalenius.referee.known import KNOWN_AT

AnyFinding = Finding | TracingFinding | SinglingOutFinding | InferenceFinding
_ROUNDING = 1e-9


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
    max_advantage: float = Field(default=0.05, ge=0, le=1)
    max_recovered: float = Field(default=0.25, ge=0, le=1)
    max_certain: int = Field(default=0, ge=0)
    max_known: int = Field(default=0, ge=0)
    known_at: float = Field(default=KNOWN_AT, ge=0.5, lt=1)
    sensitive: tuple[str, ...] | None = Field(default=None, min_length=1)
    max_nu: float | None = Field(default=None, gt=0)
    confidence: float = Field(default=0.95, gt=0, lt=1)

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


@dataclass(frozen=True)
class Decided:
    """What a policy says about one finding, with every rule that leads to it."""

    finding: AnyFinding
    verdict: Verdict
    reasons: tuple[str, ...]


def decide(findings: Sequence[AnyFinding], policy: Policy) -> tuple[Verdict, tuple[str, ...]]:
    """Say whether all findings together keep to a policy, with the reasons of those that decide it.

    Stop if a rule is shown to be broken, pass if every rule is shown to be kept, by counts, an interval or a
    theorem. Otherwise undecided.

    Raises
    ------
    InputError
        If a finding's intervals were made for fewer looks than there are findings.
    """
    each = decide_each(findings, policy)
    if not each:
        return "undecided", ("No attack could be run on the release.",)
    worst = worst_of([decided.verdict for decided in each])
    return worst, tuple(
        f"{decided.finding.release}, {decided.finding.attack_method}: {reason}"
        for decided in each
        if decided.verdict == worst
        for reason in decided.reasons
    )


def decide_each(findings: Sequence[AnyFinding], policy: Policy) -> list[Decided]:
    """Say of each finding whether it keeps to a policy; what no rule is about is left out."""
    if policy.max_nu is None:
        findings = [finding for finding in findings if not isinstance(finding, InferenceFinding)]
    _check_looks(findings, policy.confidence)
    return [Decided(finding, *_decide(finding, policy)) for finding in findings]


def worst_of(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the worst of some verdicts."""
    return max(verdicts, key=RANK.__getitem__)


def _check_looks(findings: Sequence[AnyFinding], confidence: float) -> None:
    """Refuse intervals that do not pay for each other; nu is computed, not estimated, and has none."""
    estimated = [finding for finding in findings if not isinstance(finding, InferenceFinding)]
    if not estimated:
        return
    needed = share_confidence(confidence, len(estimated))
    least = min(f.advantage.confidence if isinstance(f, Finding) else f.confidence for f in estimated)
    if least < needed - _ROUNDING:
        rule = f"must have intervals of confidence {needed:.6g}, to hold together"
        raise InputError("findings", rule, f"{least:.6g}", "Make them with looks = their number.")


def _decide(finding: AnyFinding, policy: Policy) -> tuple[Verdict, tuple[str, ...]]:
    if isinstance(finding, Finding):
        return decide_reconstruction(finding, policy)
    if isinstance(finding, TracingFinding):
        verdict, reason = decide_tracing(finding, policy.max_advantage)
    elif isinstance(finding, SinglingOutFinding):
        verdict, reason = decide_singling_out(finding, policy.max_advantage)
    else:
        verdict, reason = decide_inference(finding, policy.max_nu)
    return verdict, (reason,)
