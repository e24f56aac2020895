"""The finding about planned counts: the attack that did best among those tried, which pays for the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dalenius.audit.singling_out.count_ways import few_counts_limit
from dalenius.audit.singling_out.game_result import AtWeight, GameResult
from dalenius.audit.singling_out.game_tables import Population
from dalenius.findings.finding import Bound
from dalenius.findings.singling_out import SinglingOutFinding
from dalenius.findings.singling_out_build import (
    Attempts,
    ControlRun,
    Subject,
    make_singling_out_finding,
)
from dalenius.mechanisms.noise import Noise
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.referee.score import Tally


def finding_of_counts(
    games: Sequence[GameResult],
    release: str,
    source: Population,
    queries: int,
    mechanism: str,
    *,
    looks: int = 1,
    confidence: float = 0.95,
) -> SinglingOutFinding:
    """Say what singling out got from counts.

    Parameters
    ----------
    games
        One for each attack, as `play_counts` plays them.
    release
        What the counts are called.
    source, queries, mechanism
        The population, how many counts there are, and what is done to them.
    looks, confidence
        How many findings are made together, and with which confidence all of them hold.
    """
    best = max(games, key=lambda game: (_deciding(game).advantage_low, _deciding(game).advantage))
    at = _deciding(best)
    stage = parse_mechanism(mechanism).stages[0]
    promise = f"differential privacy with epsilon = {stage.budget:g}" if isinstance(stage, Noise) else None
    subject = Subject(
        release=release,
        attack_method=best.attack,
        mechanism=mechanism,
        source=best.source,
        people=best.n,
        unit="rounds",
        promise=promise,
    )
    success = best.control.success
    return make_singling_out_finding(
        subject,
        [_attempts(row) for row in best.rows],
        weight=at.weight,
        outcome="demonstrated" if at.advantage_low > 0 else "not shown",
        weight_error=best.weight_error,
        control=ControlRun(
            f"a condition that ignores the counts and that 1 in {best.n:,} people meets",
            Tally(success.hits, success.trials),
            best.control.baseline,
        ),
        singled_out=best.singled_out,
        epsilon=at.epsilon,
        bound=_bound(at, source, best.n, queries, promise),
        notes=tuple(_notes(games, best)),
        warnings=best.warnings,
        assumptions=(
            f"The {best.n:,} people are drawn at random from the population, anew in every round.",
            f"Whoever attacks chooses what is counted: up to {queries} conditions.",
        ),
        looks=looks,
        tried=len(games),
        confidence=confidence,
    )


def _deciding(game: GameResult) -> AtWeight:
    return game.at(game.weight if game.weight is not None else game.rows[0].weight)


def _attempts(row: AtWeight) -> Attempts:
    return Attempts(row.weight, Tally(row.success.hits, row.success.trials), row.baseline, at_most=row.limit)


def _bound(at: AtWeight, source: Population, n: int, queries: int, promise: str | None) -> Bound | None:
    """What no attack gains over luck: by the promise, or since so few counts say little about anybody."""
    if at.limit is not None:
        most, statement, why = at.limit, "Cohen and Nissim, Theorem 5.4", f"Under {promise}"
    else:
        most = few_counts_limit(source, n, queries, at.weight)
        statement, why = "n 2^m w for m counts", f"From {queries} counts"
    if most >= 1:
        return None
    return Bound(
        statement=statement,
        text=f"{why} no attack singles anybody out by such conditions in more than {most:.3g} of the rounds.",
        kind="advantage-at-most",
        value=max(0.0, most - at.baseline),
    )


def _notes(games: Sequence[GameResult], best: GameResult) -> Iterator[str]:
    for game in games:
        if game is not best:
            rate = _deciding(game).success
            yield f"Also tried: {game.attack}, {rate.hits:,} of {rate.trials:,} rounds ({rate.rate:.1%})."
    limit, median = _deciding(best).weight, best.median_weight
    if median is not None and median > limit:
        yield (
            f"In {best.isolated:,} rounds the condition matched exactly one person, half of them not rare "
            f"enough to count: the middle one is met by 1 in {round(1 / median):,}."
        )
