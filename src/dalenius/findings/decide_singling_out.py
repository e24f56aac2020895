"""Whether a finding about singling out keeps to a limit."""

from __future__ import annotations

from collections.abc import Iterator

from dalenius.findings.finding import Verdict
from dalenius.findings.singling_out import AtWeight, SinglingOutFinding
from dalenius.findings.singling_out_build import one_in


def decide_singling_out(finding: SinglingOutFinding, limit: float) -> tuple[Verdict, str]:
    """Say whether one finding about singling out keeps to a limit, by the cautious ends of its advantages.

    Anything established above the limit stops. To pass, every weight that could be shown must be shown to
    keep the limit; what could not be weighed is not shown.
    """
    control = finding.control
    above = [*_without_weights(finding, limit)]
    wrong = control is not None and not control.kept
    if not wrong:
        above += [*_above(finding, limit)]
    if above:
        return "stop", "; ".join(above) + "."
    if finding.deciding.success is None:
        return "undecided", f"{finding.undecided}."
    if control is not None and wrong:
        rate = f"{control.success.rate:.1%} where luck allows {control.baseline:.1%}"
        return (
            "undecided",
            f"{_measured(finding.deciding)}, but the control gains too ({rate}): weights are wrong.",
        )
    if finding.undecided is not None:
        return "undecided", f"{_measured(finding.deciding)}: {finding.undecided}."
    return _kept(finding, limit)


def _without_weights(finding: SinglingOutFinding, limit: float) -> Iterator[str]:
    """What stops a release whoever weighs conditions, or however small the control is."""
    own = finding.as_they_are
    if own is not None and own.low > limit:
        named = (
            f"{_columns(own.identifying)} nearly everybody by value" if own.identifying else "no column alone"
        )
        yield (
            f"{own.people:,} of {finding.people:,} people have values of their own in columns released as "
            f"they are ({named}), luck explains at most {max(own.luck, 0.0):.1%}"
        )
    together = finding.together
    if together is not None and together.low > limit:
        yield (
            f"{together.success.hits:,} people who are alone in the release are alone in the data, advantage "
            f"over luck {points(together.advantage, together.low, together.high)}"
        )


def _columns(names: tuple[str, ...]) -> str:
    listed = ", ".join(names)
    return f"column {listed} identifies" if len(names) == 1 else f"columns {listed} identify"


def _above(finding: SinglingOutFinding, limit: float) -> Iterator[str]:
    """Weights at which the advantage is established above the limit."""
    for at in finding.limits:
        if at.shown and at.low is not None and at.low > limit:
            bound = finding.bound if at is finding.deciding else None
            broken = (
                "" if bound is None or at.low <= bound.value else f", above what {bound.statement} allows"
            )
            yield f"conditions met by {one_in(at.weight)}: {_measured(at)}, limit {100 * limit:.1f}{broken}"


def _kept(finding: SinglingOutFinding, limit: float) -> tuple[Verdict, str]:
    """Whether every weight that could be shown is shown to keep the limit."""
    bound, tried = (
        finding.bound,
        [at for at in finding.limits if at.shown and at.success and at.success.trials],
    )
    if bound is not None and bound.value <= limit:
        most = f"{100 * bound.value:.1f} points ({bound.statement})"
        return "pass", f"no attack can gain more than {most}, limit {100 * limit:.1f}."
    open_ = [
        at for at in tried if (at.high is None or at.high > limit) and not _expects_luck(finding, at, limit)
    ]
    if open_:
        worst = max(open_, key=lambda at: at.high or 1.0)
        return (
            "undecided",
            f"{_measured(worst)} by {_counted(worst, finding)} met by {one_in(worst.weight)}: the interval "
            f"holds the limit of {100 * limit:.1f}; more {finding.unit} would decide.",
        )
    if tried:
        return "pass", f"{_measured(finding.deciding)}, limit {100 * limit:.1f}: below the limit."
    if finding.outcome == "no advantage":
        return "pass", "the classes of the release are as large as luck would have them: no advantage."
    return "undecided", "no condition is rare enough to count."


def _counted(at: AtWeight, finding: SinglingOutFinding) -> str:
    """How many conditions there were, where they are few."""
    if at.success is None or finding.unit == "rounds":
        return "conditions"
    some = "1 condition" if at.success.trials == 1 else f"{at.success.trials:,} conditions"
    return f"{some}, of which {at.success.hits:,} match one person,"


def _expects_luck(finding: SinglingOutFinding, at: AtWeight, limit: float) -> bool:
    """Few classes leave a wide interval; where they are as large as luck would have them, theory decides."""
    return finding.outcome == "no advantage" and (at.expected or 0.0) - at.baseline <= limit


def _measured(at: AtWeight) -> str:
    if (
        at.success is None
        or not at.success.trials
        or at.advantage is None
        or at.low is None
        or at.high is None
    ):
        return "no condition is rare enough to count"
    return f"advantage over luck {points(at.advantage, at.low, at.high)}"


def points(value: float, low: float, high: float) -> str:
    """An advantage and its interval in percentage points.

    Examples
    --------
    >>> points(0.1, -0.021, 0.2)
    '+10.0 (-2.1 to 20.0) points'
    """
    return f"{100 * value:+.1f} ({100 * low:.1f} to {100 * high:.1f}) points"
