"""Whether a finding about tracing keeps to a limit."""

from __future__ import annotations

from dalenius.findings.finding import Verdict
from dalenius.findings.tracing import TracingFinding


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
