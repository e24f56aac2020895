"""Whether a finding about singling out keeps to a limit."""

from __future__ import annotations

from dalenius.findings.finding import Verdict
from dalenius.findings.singling_out import SinglingOutFinding


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
