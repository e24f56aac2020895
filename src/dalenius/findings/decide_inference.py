"""Whether everybody's nu keeps to a limit."""

from __future__ import annotations

from dalenius.findings.finding import Verdict
from dalenius.findings.inference import InferenceFinding

_ROUNDING = 1e-9


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
