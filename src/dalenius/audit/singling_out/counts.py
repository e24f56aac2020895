"""Counts about a population: do some dozens of them, each harmless, single somebody out?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from dalenius import __version__
from dalenius.attacks.singling_out.bisection import Bisection, KeyedHalves
from dalenius.attacks.singling_out.count_plans import KeyedPlan, WordsPlan
from dalenius.attacks.singling_out.counts import CountsAttack
from dalenius.audit.singling_out.game import Attack, play, play_control
from dalenius.audit.singling_out.game_result import GameResult
from dalenius.audit.singling_out.game_source import check_limit
from dalenius.audit.singling_out.game_tables import Population
from dalenius.errors import InputError
from dalenius.findings.document import dump
from dalenius.findings.finding import Plain
from dalenius.progress import Progress, silent
from dalenius.records.rows import Rows
from dalenius.release.count_desk import OpenCounts
from dalenius.theory.singling_out import private_success_limit

EPSILON = 0.5
"""Of the noise that the contrast adds to all counts together."""

FAMILY = "ms32"
"""The success is measured, not proved, so the fast family serves; its keys are fresh in every round."""

SPARE = 4
"""Bits of a fingerprint beyond those that tell the people of one region apart on average."""


class CountsResult(Plain):
    """Several ways to ask counts about the same population, each with its game."""

    dalenius_version: str = __version__
    population: int
    n: int
    queries: int
    suppress_below: int | None
    games: tuple[GameResult, ...]
    sentence: str

    def to_json(self) -> str:
        """Write it, see `dump`."""
        return dump(self)

    def lines(self) -> Iterator[str]:
        """Say it on a screen."""
        for game in self.games:
            yield from game.lines()
            yield ""
        yield self.sentence


@dataclass(frozen=True)
class _Way:
    """One way to ask: what is released, and how it is attacked."""

    released: str
    attack: Attack
    name: str
    limit: Callable[[float], float] | None = None


def single_out_counts(
    population: Rows,
    n: int,
    queries: int,
    *,
    suppress_below: int | None = None,
    trials: int = 1000,
    weight: float | None = None,
    seed: int = 1,
    workers: int = 1,
    progress: Progress = silent,
) -> CountsResult:
    """Attack counts about n people of a population, in all the ways that this many counts allow.

    Parameters
    ----------
    population
        Everybody.
    n
        How many of them the data hold, drawn without replacement in each round.
    queries
        How many counts are released at most; the attack in words takes as many as there are values.
    suppress_below
        Hide counts from 1 up to this number, less one.
    trials
        Rounds a game.
    weight
        The weight limit of the verdict; by default a hundredth of 1/n, or one person if that is more.

    Raises
    ------
    InputError
        For fewer than two counts, a weight limit above 1/n, or more people than there are.
    """
    if queries < 2:
        raise InputError("queries", "must be at least 2", str(queries), "One count alone is safe.")
    if suppress_below is not None and suppress_below < 2:
        raise InputError("suppress-below", "must be at least 2", str(suppress_below))
    source = Population(population)
    limit = max(0.01 / n, source.least) if weight is None else weight
    ways = _ways(source, n, queries, suppress_below)
    check_limit(n, limit)
    parts = len(ways) + 1

    def control_told(share: float, doing: str) -> None:
        progress(share / parts, doing)

    control = play_control(source, n, trials, seed, control_told)
    games = []
    for j, way in enumerate(ways, 1):

        def report(share: float, doing: str, j: int = j, name: str = way.name) -> None:
            progress((j + share) / parts, name)

        games.append(
            play(
                source,
                OpenCounts(way.released),
                way.attack,
                n=n,
                trials=trials,
                weight=limit,
                seed=seed,
                workers=workers,
                limit=way.limit,
                names=(f"counts, {way.released}", way.name),
                control=control,
                progress=report,
            )
        )
    return CountsResult(
        population=len(population),
        n=n,
        queries=queries,
        suppress_below=suppress_below,
        games=tuple(games),
        sentence=_sentence(games),
    )


def _ways(source: Population, n: int, queries: int, suppress_below: int | None) -> list[_Way]:
    released = "exact" if suppress_below is None else f"suppression:below={suppress_below}"
    people = len(source.rows)
    apart = math.ceil(math.log2(people / n)) + SPARE if people > n else SPARE
    half = suppress_below is not None
    bits = min(apart, queries - 1 - half)
    if bits < 1:
        raise InputError("queries", "must be at least 3 where small counts are hidden", str(queries))
    regions = (queries - half) // (bits + 1)
    # joined with a half, a region counts only those outside it: twice the weight leaves one person again
    share = Fraction(2 if half else 1, n)
    steps = min(queries, math.ceil(math.log2(people)) + SPARE)

    def counts(*, regions: int = 1, half: bool = False, noisy: bool = False) -> CountsAttack:
        return CountsAttack(
            KeyedPlan(source.names, share if half else Fraction(1, n), bits, regions, half, FAMILY, noisy),
            source.weigh,
        )

    def private(limit: float) -> float:
        return private_success_limit(n, EPSILON, 0.0, min(1.0, source.swapped(n, limit)))

    ways = [_Way(released, counts(), f"{bits + 1} counts of one region")]
    if half:
        asked = regions * (bits + 1) + 1
        name = f"{asked} counts of {regions} regions, none of them small"
        ways.append(_Way(released, counts(regions=regions, half=True), name))
    elif regions > 1:
        name = f"{regions * (bits + 1)} counts of {regions} regions"
        ways.append(_Way(released, counts(regions=regions), name))
    if not half:
        halves = KeyedHalves(source.names, steps, FAMILY)
        attack = Bisection(n, halves, source.weigh)
        ways.append(_Way(released, attack, f"{steps} counts, one after the other"))
    ways.append(_Way(released, CountsAttack(WordsPlan(source.rows, n), source.weigh), "counts in words"))
    ways.append(
        _Way(
            f"laplace:epsilon={EPSILON:g}",
            counts(noisy=True),
            f"{bits + 1} counts of one region, with noise",
            private,
        )
    )
    return ways


def _sentence(games: list[GameResult]) -> str:
    shown = [game for game in games if game.verdict == "singling out demonstrated"]
    if not shown:
        return "No way of asking counts singled anybody out beyond luck; that does not show that none does."
    best = max(shown, key=lambda game: game.at(game.weight or 0.0).success.rate)
    rate = best.at(best.weight or 0.0).success.rate
    return (
        f"Counts single people out here: {best.attack} did so in {rate:.0%} of the rounds. Each count alone "
        "is safe; together they are not, and hiding small counts does not change that."
    )
