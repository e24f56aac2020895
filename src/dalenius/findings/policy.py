"""What is tolerated, and whether the findings keep to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from dalenius.errors import InputError
from dalenius.findings.finding import Finding, Plain
from dalenius.findings.inference import InferenceFinding
from dalenius.findings.interval import share_confidence
from dalenius.findings.singling_out import SinglingOutFinding
from dalenius.findings.tracing import TracingFinding
from dalenius.findings.words import people

Verdict = Literal["pass", "stop", "undecided"]
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
    return _decide_one(finding, policy)


def _decide_one(finding: Finding, policy: Policy) -> tuple[Verdict, str]:
    limit = policy.limit(finding.better_baseline.rate)
    low, high = finding.advantage.low, finding.advantage.high
    measured = f"advantage {finding.advantage.value:.3f} ({low:.3f} to {high:.3f}), limit {limit:.3g}"
    if finding.certain.hits > policy.max_certain:
        secret, verb = ("secret", "follows") if finding.certain.hits == 1 else ("secrets", "follow")
        allowed = f"{policy.max_certain:,} tolerated"
        whose = people(finding.certain.hits)
        return "stop", f"the {secret} of {whose} {verb} by arithmetic alone, {allowed}."
    if low > limit:
        if finding.control_gains:
            return "undecided", f"{measured}, but the control gains too: correlation, not leak."
        return "stop", f"{measured}: above the limit{_broken(finding)}."
    if _broken(finding):
        return "undecided", f"{measured}{_broken(finding)}."
    if high <= limit:
        return "pass", f"{measured}: below the limit."
    bound = finding.bound
    if bound is not None and bound.kind == "advantage-at-most" and bound.value <= limit:
        return (
            "pass",
            f"no attack can gain more than {bound.value:.3g} ({bound.statement}), limit {limit:.3g}.",
        )
    return "undecided", f"{measured}: the interval holds the limit; more people would decide."


def _broken(finding: Finding) -> str:
    """What to say when the attack does better than a theorem allows."""
    bound = finding.bound
    if bound is None or bound.kind != "advantage-at-most" or finding.advantage.low <= bound.value:
        return ""
    return f", and above the {bound.value:.3g} that {bound.statement} allows: the promise is not kept"


def decide_tracing(finding: TracingFinding, limit: float) -> tuple[Verdict, str]:
    """Say whether one finding about tracing keeps to a limit, at every level at which it could accuse."""
    rates = finding.reachable
    if rates:
        worst = max(rates, key=lambda rate: rate.low)
        measured = (
            f"members are accused {worst.advantage:.3f} more often ({worst.low:.3f} to {worst.high:.3f}) at "
            f"level {worst.level:g}, limit {limit:.3g}"
        )
        if worst.low > limit:
            return "stop", f"{measured}: above the limit."
        if all(rate.high <= limit for rate in rates):
            return "pass", f"{measured}: below the limit, as at every level that can be reached."
    bound = finding.bound
    if bound is not None and bound.value <= limit:
        most = f"{bound.value:.3g} ({bound.statement})"
        return "pass", f"no attack can gain more than {most}, limit {limit:.3g}."
    if not rates:
        few = f"{finding.pool:,} references allow no p-value below {finding.smallest:.3g}"
        return "undecided", f"{few}: nobody could be accused at any level; more references would decide."
    return "undecided", f"{measured}: an interval holds the limit; more people would decide."


def decide_inference(finding: InferenceFinding, limit: float | None) -> tuple[Verdict, str]:
    """Say whether everybody's nu keeps to a limit."""
    if limit is None:
        return "pass", "no limit on nu was given."
    if finding.nu is None or finding.epsilon is None:
        return "stop", f"nu is infinite, limit {limit:.3g}."
    worst, enough = (
        f"nu is {finding.nu.worst:.3g} for the worst-off, limit {limit:.3g}",
        limit * (1 + _ROUNDING),
    )
    if finding.nu.worst <= enough:
        return "pass", f"{worst}: everybody is below the limit."
    if finding.exact or finding.epsilon.worst > enough:
        return "stop", f"{worst}: above the limit."
    return "undecided", f"{worst}: that is an upper bound; an exact solver or a smaller epsilon would decide."


def decide_singling_out(finding: SinglingOutFinding, limit: float) -> tuple[Verdict, str]:
    """Say whether one finding about singling out keeps to a limit, by the cautious ends of its advantage."""
    at, bound, control = finding.deciding, finding.bound, finding.control
    if at.success is None or at.advantage is None or at.low is None or at.high is None:
        return "undecided", f"{finding.undecided}."
    measured = f"advantage over luck {at.advantage:.3f} ({at.low:.3f} to {at.high:.3f}), limit {limit:.3g}"
    if not at.success.trials:
        measured = "no condition is rare enough to count"
    if control is not None and not control.kept:
        rate = f"{control.success.rate:.1%} where luck allows {control.baseline:.1%}"
        return "undecided", f"{measured}, but the control gains too ({rate}): weights are wrong."
    if at.low > limit:
        broken = (
            "" if bound is None or at.low <= bound.value else f", and above what {bound.statement} allows"
        )
        return "stop", f"{measured}: above the limit{broken}."
    if finding.undecided is not None:
        return "undecided", f"{measured}: {finding.undecided}."
    if at.high <= limit:
        return "pass", f"{measured}: below the limit."
    if bound is not None and bound.value <= limit:
        most = f"{bound.value:.3g} ({bound.statement})"
        return "pass", f"no attack can gain more than {most}, limit {limit:.3g}."
    # few classes leave a wide interval; where they are as large as luck would have them, theory decides
    if finding.outcome == "no advantage" and (at.expected or 0.0) - at.baseline <= limit:
        return "pass", "the classes of the release are as large as luck would have them: no advantage."
    return "undecided", f"{measured}: the interval holds the limit; more {finding.unit} would decide."
