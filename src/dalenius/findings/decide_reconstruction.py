"""Whether a finding about secrets keeps to a policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalenius.findings.finding import Finding, Verdict
from dalenius.findings.words import people

if TYPE_CHECKING:
    from dalenius.findings.policy import Policy


def decide_reconstruction(finding: Finding, policy: Policy) -> tuple[Verdict, str]:
    """Say whether one finding about secrets keeps to a policy."""
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
