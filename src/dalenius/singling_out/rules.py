"""Whether findings about singling out keep to a policy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from dalenius.findings.policy import Policy, Ruled, Ruling, from_to, points
from dalenius.singling_out.finding import AtWeight, ConditionsFinding, Released, SinglingOutFinding
from dalenius.singling_out.released.rules import released_rulings
from dalenius.singling_out.words import by_luck, one_in


def rulings(finding: SinglingOutFinding, policy: Policy) -> list[Ruled]:
    """Hold one finding about singling out against a policy."""
    if isinstance(finding.details, Released):
        return released_rulings(finding, finding.details, policy)
    return [Ruled(*_conditions(cast(ConditionsFinding, finding), policy.max_advantage), "max_advantage")]


def _conditions(finding: ConditionsFinding, limit: float) -> Ruling:
    """Say whether one finding about singling out keeps to a limit, by the cautious ends of its advantages.

    Anything established above the limit stops. To pass, every weight that could be shown must be shown to
    keep the limit; what could not be weighed is not shown.
    """
    control = finding.details.control
    above = [*_without_weights(finding, limit)]
    wrong = control is not None and not control.kept
    if not wrong:
        above += [*_above(finding, limit)]
    if above:
        return "stop", "; ".join(above) + "."
    if finding.at_best.attack is None:
        return "undecided", f"{finding.undecided}."
    if control is not None and wrong:
        rate = f"{control.success.rate:.1%} where luck allows {control.baseline:.1%}"
        return (
            "undecided",
            f"{_measured(finding.at_best)}, but the control gains too ({rate}): weights are wrong.",
        )
    if finding.undecided is not None:
        return "undecided", f"{_measured(finding.at_best)}: {finding.undecided}."
    return _kept(finding, limit)


def _without_weights(finding: ConditionsFinding, limit: float) -> Iterator[str]:
    """What stops a release whoever weighs conditions, or however small the control is."""
    own = finding.details.as_they_are
    if own is not None and own.low > limit:
        named = (
            f"{_columns(own.identifying)} nearly everybody by value" if own.identifying else "no column alone"
        )
        yield (
            f"{own.people:,} of {finding.people:,} people have values of their own in columns released as "
            f"they are ({named}); {by_luck(own.luck)}"
        )
    together = finding.details.together
    if together is not None and together.low > limit:
        yield (
            f"{together.success.hits:,} people who are alone in the release are alone in the data, advantage "
            f"over luck {_gained(together.advantage, together.low, together.high)}"
        )


def _columns(names: tuple[str, ...]) -> str:
    listed = ", ".join(names)
    return f"column {listed} identifies" if len(names) == 1 else f"columns {listed} identify"


def _above(finding: ConditionsFinding, limit: float) -> Iterator[str]:
    """Weights at which the advantage is established above the limit."""
    for at in finding.measures:
        if at.shown and at.advantage is not None and at.advantage.low > limit:
            bound = finding.bound if at is finding.at_best else None
            broken = (
                ""
                if bound is None or at.advantage.low <= bound.value
                else f", above what {bound.statement} allows"
            )
            yield f"conditions met by {one_in(at.at)}: {_measured(at)}, limit {points(limit)} points{broken}"


def _kept(finding: ConditionsFinding, limit: float) -> Ruling:
    """Whether every weight that could be shown is shown to keep the limit."""
    bound, tried = (
        finding.bound,
        [at for at in finding.measures if at.shown and at.attack and at.attack.trials],
    )
    if bound is not None and bound.value <= limit:
        most = f"{points(bound.value)} points ({bound.statement})"
        return "pass", f"no attack can gain more than {most}, limit {points(limit)} points."
    open_ = [
        at
        for at in tried
        if (at.advantage is None or at.advantage.high > limit) and not _expects_luck(finding, at, limit)
    ]
    if open_:
        worst = max(open_, key=lambda at: 1.0 if at.advantage is None else at.advantage.high)
        return (
            "undecided",
            f"{_measured(worst)} by {_counted(worst, finding)} met by {one_in(worst.at)}: the interval "
            f"holds the limit of {points(limit)} points; more {finding.details.unit} would decide.",
        )
    if tried:
        return "pass", f"{_measured(finding.at_best)}, limit {points(limit)} points: below the limit."
    if finding.details.evidence == "no advantage":
        return "pass", "the classes of the release are as large as luck would have them: no advantage."
    return "undecided", "no condition is rare enough to count."


def _counted(at: AtWeight, finding: ConditionsFinding) -> str:
    """How many conditions there were, where they are few."""
    if at.attack is None or finding.details.unit == "rounds":
        return "conditions"
    if at.attack.trials == 1:
        return f"1 condition, which {'matches' if at.attack.hits else 'does not match'} one person,"
    match = "matches" if at.attack.hits == 1 else "match"
    return f"{at.attack.trials:,} conditions, of which {at.attack.hits:,} {match} one person,"


def _expects_luck(finding: ConditionsFinding, at: AtWeight, limit: float) -> bool:
    """Few classes leave a wide interval; where they are as large as luck would have them, theory decides."""
    return finding.details.evidence == "no advantage" and (at.expected or 0.0) - at.baseline.rate <= limit


def _measured(at: AtWeight) -> str:
    if at.attack is None or not at.attack.trials or at.advantage is None:
        return "no condition is rare enough to count"
    return f"advantage over luck {_gained(at.advantage.value, at.advantage.low, at.advantage.high)}"


def _gained(value: float, low: float, high: float) -> str:
    """Write an advantage with its interval, as every family does."""
    return f"{points(value)} points ({from_to(low, high)})"
