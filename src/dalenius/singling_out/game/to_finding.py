"""The finding about planned counts: the attack that did best among those tried, which pays for the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from dalenius.findings.default_policy import CONFIDENCE
from dalenius.findings.explanation import Cause, Why, said_of_causes
from dalenius.findings.measure import Bound, Rate
from dalenius.findings.tally import Tally
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.mechanisms.stages.noise import Noise
from dalenius.shown import several
from dalenius.singling_out.build import (
    Attempts,
    ControlRun,
    Remarks,
    SharedError,
    Shown,
    make_singling_out_finding,
)
from dalenius.singling_out.finding import ConditionsFinding
from dalenius.singling_out.game.result import GameResult, GameRow
from dalenius.singling_out.referee.populations import Everybody
from dalenius.singling_out.words import Subject
from dalenius.theory.singling_out import additive_limit


def finding_of_counts(
    games: Sequence[GameResult],
    release: str,
    source: Everybody,
    queries: int,
    mechanism: str,
    *,
    looks: int = 1,
    confidence: float = CONFIDENCE,
) -> ConditionsFinding:
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
    stage = parse_mechanism(mechanism).stages[0]
    promise = f"differential privacy with epsilon = {stage.budget:g}" if isinstance(stage, Noise) else None
    planned = PlayedRelease(
        mechanism,
        promise,
        _bound(_deciding(best), source, best.n, queries, promise),
        "a condition that ignores the counts and that 1 in {n:,} people meets",
        lost=sum(game.lost for game in games),
    )
    chosen = f"Whoever attacks chooses what is counted: up to {queries} conditions."
    remarks = Remarks(tuple(_notes(games, best)), assumptions=(chosen,))
    finding = finding_of_game(best, release, planned, remarks, SharedError(looks, len(games), confidence))
    return with_ways(finding, games)


REGION = (
    "A region is a condition that about one person of the data meets; the other counts of a region ask what "
    "else is true of whoever that is."
)


def findings_of_ways(
    against: Sequence[GameResult],
    beside: Sequence[GameResult],
    source: Everybody,
    queries: int,
    mechanism: str,
    sentence: str,
) -> tuple[ConditionsFinding, ...]:
    """Say what each way of asking the same counts got, and beside the first what they all came to.

    Parameters
    ----------
    against, beside
        The games against what is released, and against the same counts with noise.
    source, queries, mechanism
        As in `finding_of_counts`.
    sentence
        What all games together say.
    """
    first, *others = (
        finding_of_counts(
            [game],
            game.attack,
            source,
            queries,
            mechanism,
            looks=len(against),
            confidence=game.confidence,
        )
        for game in against
    )
    notes = (*first.notes, sentence, REGION, *map(_beside, beside))
    return (first.model_copy(update={"notes": notes}), *others)


def _beside(game: GameResult) -> str:
    """What the same counts with noise give away, to compare."""
    row = _deciding(game)
    return f"Beside it, {game.mechanism}, {game.attack}: {row.success.rate:.1%} of the rounds."


NO_PARTS = (
    "parts of a release, since every round publishes anew about other people. Attack one file by single-out "
    "rows to see which columns are behind it."
)


def with_ways(finding: ConditionsFinding, games: Sequence[GameResult]) -> ConditionsFinding:
    """Say which ways of asking are behind it: each alone, and the best of the others without it."""
    rounds = {game.attack: float(_deciding(game).success.hits) for game in games}
    if len(rounds) < 2 or finding.details.evidence != "demonstrated":
        return finding
    causes = [
        Cause(kind="question", name=name, alone=own, without=max(o for n, o in rounds.items() if n != name))
        for name, own in rounds.items()
    ]
    causes.sort(key=lambda cause: (cause.without, -(cause.alone or 0.0)))
    why = Why(counted=_rounds(_deciding(games[0])), whole=max(rounds.values()), causes=tuple(causes))
    explanation = finding.explanation.model_copy(update={"why": why})
    facts = (*finding.facts, *said_of_causes(why))
    return finding.model_copy(update={"explanation": explanation, "facts": facts})


@dataclass(frozen=True)
class PlayedRelease:
    """What is said of a release that is played against.

    Parameters
    ----------
    mechanism, promise
        What is done to it, and what that promises; by default as the game calls it, and nothing.
    bound
        What a theorem says no attack exceeds.
    control
        What the control is, for ``n`` people.
    lost
        Rounds of all attacks tried that nobody could play.
    """

    mechanism: str | None = None
    promise: str | None = None
    bound: Bound | None = None
    control: str = "a condition that ignores the release and that 1 in {n:,} people meets"
    lost: int = 0


def finding_of_game(
    game: GameResult,
    release: str,
    planned: PlayedRelease = PlayedRelease(),
    remarks: Remarks = Remarks(),
    shared: SharedError = SharedError(),
) -> ConditionsFinding:
    """Say what singling out got in a game.

    Parameters
    ----------
    game
        What was played.
    release, planned
        What was played against, and what is said of it.
    remarks
        What a reader is told besides what the game says.
    shared
        Who shares the error.
    """
    at, success = _deciding(game), game.control.success
    if game.weight is None:
        shared = replace(shared, tried=shared.tried * len(game.rows))
    rate = Rate.of(Tally(at.success.hits, at.success.trials), shared.attempt)
    subject = Subject(
        release=release,
        attack_method=game.attack,
        mechanism=planned.mechanism or game.mechanism,
        source=game.source,
        people=game.n,
        unit="rounds",
        promise=planned.promise,
    )
    control = planned.control.format(n=game.n)
    lost = max(game.lost, planned.lost)
    shown = Shown(
        weight=at.weight,
        evidence="demonstrated" if rate.low - at.baseline - game.weight_error > 0 else "not shown",
        weight_error=game.weight_error,
        control=ControlRun(control, Tally(success.hits, success.trials), game.control.baseline),
        singled_out=game.singled_out,
        epsilon=at.epsilon,
        bound=planned.bound,
        undecided=f"{several(lost, 'round')} could not be played: {LOST_ROUNDS}" if lost else None,
    )
    drawn = f"The {game.n:,} people are drawn at random from the population, anew in every round."
    remarks = Remarks(remarks.notes, (*remarks.warnings, *game.warnings), (drawn, *remarks.assumptions))
    finding = make_singling_out_finding(
        subject, [_attempts(row) for row in game.rows], shown, remarks, shared
    )
    if shown.evidence != "demonstrated":
        return finding
    why = Why(counted=_rounds(at), whole=float(at.success.hits), left_out=NO_PARTS)
    return finding.model_copy(update={"explanation": finding.explanation.model_copy(update={"why": why})})


LOST_ROUNDS = "whoever did was lost again and again"


def _rounds(row: GameRow) -> str:
    return f"rounds of {row.success.trials:,} in which somebody is singled out"


def _deciding(game: GameResult) -> GameRow:
    return game.at(game.weight if game.weight is not None else game.rows[0].weight)


def _attempts(row: GameRow) -> Attempts:
    return Attempts(row.weight, Tally(row.success.hits, row.success.trials), row.baseline, at_most=row.limit)


def few_counts_limit(source: Everybody, n: int, queries: int, weight: float) -> float:
    """What no attack on so many counts exceeds, whatever they are of: ``n 2^m w``, see `additive_limit`."""
    return additive_limit(n, 2.0 ** min(queries, 1000), min(1.0, source.swapped(n, weight)))


def _bound(at: GameRow, source: Everybody, n: int, queries: int, promise: str | None) -> Bound | None:
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
