"""What is tolerated, and whether the findings keep to it."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from dalenius.errors import InputError
from dalenius.findings.decide_inference import decide_inference
from dalenius.findings.decide_reconstruction import decide_reconstruction
from dalenius.findings.decide_singling_out import decide_singling_out
from dalenius.findings.decide_tracing import decide_tracing
from dalenius.findings.finding import Finding, Plain, Verdict
from dalenius.findings.inference import InferenceFinding
from dalenius.findings.interval import share_confidence
from dalenius.findings.singling_out import SinglingOutFinding
from dalenius.findings.tracing import TracingFinding

AnyFinding = Finding | TracingFinding | SinglingOutFinding | InferenceFinding
_ROUNDING = 1e-9


class Policy(Plain):
    """What a release may give away.

    ``max_advantage``: by how much an attack may be right more often than guessing without the release; and by
    how much a larger share of members than of other people may be accused of being in the data, at any of
    the rates of false alarms looked at; and how much more often than by luck somebody may be singled out.
    ``max_recovered``: which share of the secrets that guessing gets wrong an attack may recover; it decides
    for rare secrets, where the advantage is small even if everybody is found.
    ``max_certain``: how many people's secrets may follow by arithmetic.
    ``max_nu``: by which factor ``e^nu`` a release may move the odds of a related person's values; without it
    nu is reported and decides nothing.
    ``confidence``: with which all intervals hold together.

    Examples
    --------
    >>> Policy().max_advantage
    0.05
    """

    max_advantage: float = Field(default=0.05, ge=0, le=1)
    max_recovered: float = Field(default=0.25, ge=0, le=1)
    max_certain: int = Field(default=0, ge=0)
    max_nu: float | None = Field(default=None, gt=0)
    confidence: float = Field(default=0.95, gt=0, lt=1)

    def limit(self, baseline: float) -> float:
        """Return the largest tolerated advantage over a baseline that is right this often.

        Examples
        --------
        >>> Policy().limit(0.5), round(Policy().limit(0.96), 10)
        (0.05, 0.01)
        """
        return min(self.max_advantage, self.max_recovered * (1 - baseline))


def decide(findings: Sequence[AnyFinding], policy: Policy) -> tuple[Verdict, tuple[str, ...]]:
    """Say whether all findings together keep to a policy, with one reason a finding.

    Stop if somebody is certain beyond what is tolerated, or if an advantage is established above the limit.
    Pass if every advantage is established below it, by its interval or by a theorem. Otherwise undecided.

    Raises
    ------
    InputError
        If a finding's intervals were made for fewer looks than there are findings.
    """
    if policy.max_nu is None:
        findings = [finding for finding in findings if not isinstance(finding, InferenceFinding)]
    if not findings:
        return "undecided", ("No attack could be run on the release.",)
    _check_looks(findings, policy.confidence)
    each = [_decide(finding, policy) for finding in findings]
    verdicts = {verdict for verdict, _ in each}
    worst: Verdict = "stop" if "stop" in verdicts else "undecided" if "undecided" in verdicts else "pass"
    return worst, tuple(
        f"{finding.release}, {finding.attack_method}: {reason}"
        for finding, (verdict, reason) in zip(findings, each, strict=True)
        if verdict == worst
    )


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


def _decide(finding: AnyFinding, policy: Policy) -> tuple[Verdict, str]:
    if isinstance(finding, TracingFinding):
        return decide_tracing(finding, policy.max_advantage)
    if isinstance(finding, SinglingOutFinding):
        return decide_singling_out(finding, policy.max_advantage)
    if isinstance(finding, InferenceFinding):
        return decide_inference(finding, policy.max_nu)
    return decide_reconstruction(finding, policy)
