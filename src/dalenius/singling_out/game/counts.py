"""Counts about a population: do some dozens of them, each harmless, single somebody out?"""

from __future__ import annotations

from dataclasses import replace

from dalenius.errors import InputError
from dalenius.findings.measure import Plain
from dalenius.findings.tally import share_confidence
from dalenius.people.files.read_file import Source
from dalenius.people.opening import read_rows
from dalenius.people.rows.rows import Rows
from dalenius.people.sealed import SealedRows
from dalenius.progress import Progress, silent
from dalenius.release.desk.count_desk import OpenCounts
from dalenius.singling_out.game.count_attacks import Way, way_in_words, ways_to_ask
from dalenius.singling_out.game.game import play, play_control
from dalenius.singling_out.game.result import GameResult
from dalenius.singling_out.game.settings import Beside, GameSettings
from dalenius.singling_out.game.source import check_limit
from dalenius.singling_out.referee.populations import Everybody

EPSILON = 0.5
"""Of the noise that the contrast adds to all counts together."""


class CountsResult(Plain):
    """Several ways to ask counts about the same population, each with its game.

    The last ``contrast`` games are played against the same counts with noise, to compare.
    """

    population: int
    n: int
    queries: int
    suppress_below: int | None
    games: tuple[GameResult, ...]
    contrast: int
    sentence: str

    @property
    def released(self) -> tuple[GameResult, ...]:
        """The games against what is released: a verdict is about these."""
        return self.games[: len(self.games) - self.contrast]


def single_out_counts(
    population: Rows | Source,
    n: int,
    queries: int,
    *,
    suppress_below: int | None = None,
    how: GameSettings = GameSettings(),
    progress: Progress = silent,
) -> CountsResult:
    """Attack counts about n people of a population, in all the ways that this many counts allow.

    Parameters
    ----------
    population
        Everybody: rows, or a file, frame or table of a database.
    n
        How many of them the data hold, drawn without replacement in each round.
    queries
        How many counts are released at most; the attack in words takes as many as there are values.
    suppress_below
        Hide counts from 1 up to this number, less one.
    how
        Rounds of a game, weight limit, seed.

    Raises
    ------
    InputError
        For fewer than two counts, a weight limit above 1/n, or more people than there are.
    """
    if suppress_below is not None and suppress_below < 2:
        raise InputError("suppress-below", "must be at least 2", str(suppress_below))
    population = read_rows(population)
    source = Everybody(population)
    released = "exact" if suppress_below is None else f"suppression:below={suppress_below}"
    noisy = ways_to_ask(source, n, queries, f"laplace:epsilon={EPSILON:g}")
    ways = [*ways_to_ask(source, n, queries, released), way_in_words(source, population, n, released), *noisy]
    games = _play(source, ways, n, how, progress)
    return CountsResult(
        population=len(population),
        n=n,
        queries=queries,
        suppress_below=suppress_below,
        games=tuple(games),
        contrast=len(noisy),
        sentence=_sentence(games),
    )


def play_counts(
    population: Rows | SealedRows,
    n: int,
    queries: int,
    mechanism: str = "exact",
    *,
    how: GameSettings = GameSettings(),
    progress: Progress = silent,
) -> tuple[GameResult, ...]:
    """Attack counts that are released in one way, by every attack that this many of them allow.

    Parameters
    ----------
    population, n, queries
        As in `single_out_counts`.
    mechanism
        What is done to the counts: ``exact``, ``suppression:below=10``, ``laplace:epsilon=0.5`` or
        ``geometric:epsilon=0.5``, the noise for all counts together.
    how
        Rounds of a game, weight limit, seed; its confidence is that of all attacks together.
    """
    source = Everybody(population)
    ways = ways_to_ask(source, n, queries, mechanism)
    how = replace(how, confidence=share_confidence(how.confidence, len(ways)))
    return tuple(_play(source, ways, n, how, progress))


def _play(
    source: Everybody, ways: list[Way], n: int, how: GameSettings, progress: Progress
) -> list[GameResult]:
    """One game for each way, all beside the same control."""
    limit = check_limit(n, max(0.01 / n, source.least) if how.weight is None else how.weight)
    how = replace(how, weight=limit)
    parts = len(ways) + 1

    def control_told(share: float, doing: str) -> None:
        progress(share / parts, doing)

    control = play_control(source, n, how, control_told)
    games = []
    for j, way in enumerate(ways, 1):

        def report(share: float, doing: str, j: int = j, name: str = way.name) -> None:
            progress((j + share) / parts, name)

        beside = Beside((f"counts, {way.released}", way.name), way.limit, control)
        mechanism = OpenCounts(way.released)
        games.append(play(source, mechanism, way.attack, n=n, how=how, beside=beside, progress=report))
    return games


def _sentence(games: list[GameResult]) -> str:
    shown = [game for game in games if game.demonstrated]
    if not shown:
        return "No way of asking counts singled anybody out beyond luck; that does not show that none does."
    best = max(shown, key=lambda game: game.at(game.weight or 0.0).success.rate)
    rate = best.at(best.weight or 0.0).success.rate
    return (
        f"Counts single people out here: {best.attack} did so in {rate:.0%} of the rounds. Each count alone "
        "is safe; together they are not, and hiding small counts does not change that."
    )
