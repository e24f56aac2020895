"""Some dozens of counts about a population, each harmless: do they together single somebody out?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from dalenius.auditing.decide import Reported, report_of
from dalenius.errors import InputError
from dalenius.findings.measure import Plain
from dalenius.findings.report import Report
from dalenius.findings.tally import share_confidence
from dalenius.mechanisms.parse import check_counts_to_come, parse_mechanism
from dalenius.mechanisms.stages.noise import Noise
from dalenius.mechanisms.stages.suppression import Suppression
from dalenius.people.files.read_file import Source
from dalenius.people.opening import read_rows
from dalenius.people.rows.rows import Rows
from dalenius.people.sealed import SealedRows
from dalenius.progress import Progress, silent
from dalenius.release.desk.count_desk import OpenCounts
from dalenius.singling_out.attack.counts.bisection import Bisection, KeyedHalves
from dalenius.singling_out.attack.counts.counts import CountsAttack
from dalenius.singling_out.attack.counts.plans import KeyedPlan, WordsPlan
from dalenius.singling_out.finding import ConditionsFinding
from dalenius.singling_out.game.game import Attack, play, play_control
from dalenius.singling_out.game.result import GameResult
from dalenius.singling_out.game.rounds import Beside, GameSettings, check_limit
from dalenius.singling_out.game.to_finding import findings_of_ways
from dalenius.singling_out.referee.populations import Everybody
from dalenius.spread.digest import digest_of
from dalenius.spread.parts import current_parts
from dalenius.theory.singling_out import private_success_limit

FAMILY = "ms32"
"""The success is measured, not proved, so the fast family serves; its keys are fresh in every round."""

SPARE = 4
"""Bits of a fingerprint beyond those that tell the people of one region apart on average."""


@dataclass(frozen=True)
class Way:
    """One way to ask: what is released, and how it is attacked."""

    released: str
    attack: Attack
    name: str
    limit: Callable[[float], float] | None = None


def ways_to_ask(source: Everybody, n: int, queries: int, released: str) -> list[Way]:
    """All attacks that fit so many counts, protected in this way."""
    if queries < 2:
        raise InputError("queries", "must be at least 2", str(queries), "One count alone is safe.")
    if n > source.size:
        raise InputError("n", f"must be from 1 to the population's {source.size:,} rows", f"{n:,}")
    check_counts_to_come(released)
    stage = parse_mechanism(released).stages[0]
    people = source.size
    apart = math.ceil(math.log2(people / n)) + SPARE if people > n else SPARE
    half = isinstance(stage, Suppression)
    bits = min(apart, queries - 1 - half)
    if bits < 1:
        raise InputError("queries", "must be at least 3 where small counts are hidden", str(queries))
    regions = (queries - half) // (bits + 1)
    # joined with a half, a region counts only those outside it: twice the weight leaves one person again
    share = Fraction(2 if half else 1, n)

    def counts(*, regions: int = 1, half: bool = False, noisy: bool = False) -> CountsAttack:
        return CountsAttack(
            KeyedPlan(source.names, share if half else Fraction(1, n), bits, regions, half, FAMILY, noisy),
            source.weigh,
        )

    if isinstance(stage, Noise):
        name = f"{bits + 1} counts of one region, with noise"
        return [Way(released, counts(noisy=True), name, _private_limit(source, n, stage.budget or 0.0))]
    ways = [Way(released, counts(), f"{bits + 1} counts of one region")]
    if half:
        asked = regions * (bits + 1) + 1
        name = f"{asked} counts of {regions} regions, none of them small"
        ways.append(Way(released, counts(regions=regions, half=True), name))
    elif regions > 1:
        name = f"{regions * (bits + 1)} counts of {regions} regions"
        ways.append(Way(released, counts(regions=regions), name))
    if not half:
        steps = min(queries, math.ceil(math.log2(people)) + SPARE)
        attack = Bisection(n, KeyedHalves(source.names, steps, FAMILY), source.weigh)
        ways.append(Way(released, attack, f"{steps} counts, one after the other"))
    return ways


def way_in_words(source: Everybody, known: Rows, n: int, released: str) -> Way:
    """Counts of ordinary attributes, however many were planned, by somebody who knows the population."""
    return Way(released, CountsAttack(WordsPlan(known, n), source.weigh), "counts in words")


def _private_limit(source: Everybody, n: int, epsilon: float) -> Callable[[float], float]:
    """What no attack on counts with this promise exceeds, by weight (Theorem 5.4)."""

    def limit(weight: float) -> float:
        return private_success_limit(n, epsilon, 0.0, min(1.0, source.swapped(n, weight)))

    return limit


EPSILON = 0.5
"""Of the noise that the contrast adds to all counts together."""


class CountsResult(Reported, Plain):
    """Several ways to ask counts about the same population, each with its game.

    The last ``contrast`` games are played against the same counts with noise, to compare; ``findings`` are
    about the others.
    """

    population: int
    n: int
    queries: int
    suppress_below: int | None
    games: tuple[GameResult, ...]
    contrast: int
    findings: tuple[ConditionsFinding, ...]
    sentence: str

    @property
    def report(self) -> Report:
        """The findings as a report; nobody is in it."""
        game = self.games[0]
        return report_of(self.findings, people=self.n, seed=game.seed, confidence=game.confidence)

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
    sentence = _sentence(games)
    against, beside = games[: len(games) - len(noisy)], games[len(games) - len(noisy) :]
    found = findings_of_ways(against, beside, source, queries, released, sentence)
    return CountsResult(
        population=len(population),
        n=n,
        queries=queries,
        suppress_below=suppress_below,
        games=tuple(games),
        contrast=len(noisy),
        findings=found,
        sentence=sentence,
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


def judged_weight(source: Everybody, n: int, given: float | None = None) -> float:
    """Return the weight limit that a verdict on counts is about: a hundredth of 1/n, or one person."""
    return check_limit(n, max(0.01 / n, source.least) if given is None else given)


def _play(
    source: Everybody, ways: list[Way], n: int, how: GameSettings, progress: Progress
) -> list[GameResult]:
    """One game for each way, all beside the same control."""
    how = replace(how, weight=judged_weight(source, n, how.weight))
    parts = len(ways) + 1

    def control_told(share: float, doing: str) -> None:
        progress(share / parts, doing)

    about = None if current_parts() is None else source.digest()
    control = play_control(source, n, how, control_told, about)
    games = []
    for j, way in enumerate(ways, 1):

        def report(share: float, doing: str, j: int = j, name: str = way.name) -> None:
            progress((j + share) / parts, name)

        asked = None if about is None else digest_of(about, way.released, way.name)
        beside = Beside((f"counts, {way.released}", way.name), way.limit, control, asked)
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
