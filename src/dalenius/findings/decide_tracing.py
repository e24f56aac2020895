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
            f"members are accused {_points(worst.advantage)} points more often ({_points(worst.low)} to "
            f"{_points(worst.high)}) at level {worst.level:g}, limit {_points(limit)} points"
        )
        if worst.low > limit:
            return "stop", f"{measured}: above the limit."
        if not _broken(finding) and all(rate.high <= limit for rate in rates):
            return "pass", f"{measured}: below the limit, as at every level that can be reached."
    bound = finding.bound
    if bound is not None and bound.value <= limit:
        most = f"{_points(bound.value)} points ({bound.statement})"
        return "pass", f"no attack can gain more than {most}, limit {_points(limit)} points."
    if not rates:
        few = f"{finding.pool:,} references allow no p-value below {finding.smallest:.3g}"
        return "undecided", f"{few}: nobody could be accused at any level; more references would decide."
    if why := _broken(finding):
        return "undecided", f"{measured}: {why}; take references of the members' population."
    return "undecided", f"{measured}: an interval holds the limit; more people would decide."


def _broken(finding: TracingFinding) -> str:
    """Say why the attack, as it was run, cannot show that nobody is recognised; nothing if it can.

    Where innocent people are accused too often, members may be accused for the same reason, and being in
    the data makes no difference that could be seen.
    """
    if not finding.level_kept:
        return "more people not in the data are accused than the level allows"
    controls = [(rate.control, rate.level) for rate in finding.reachable]
    if any(control is not None and control.low > level for control, level in controls):
        return "people like the members are accused from a release made without them"
    return ""


def _points(share: float) -> str:
    """Write a difference of shares in points.

    Examples
    --------
    >>> _points(0.0512), _points(-0.25)
    ('5.1', '-25.0')
    """
    return f"{100 * share:.1f}"
