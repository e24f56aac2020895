"""How a game is played, where its people come from, and many rounds of it, the same whoever plays them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from dalenius.conditions.predicate import Predicate
from dalenius.errors import InputError
from dalenius.findings.default_policy import CONFIDENCE
from dalenius.people.sealed import SealedRows
from dalenius.singling_out.attack.isolating import WeightBound
from dalenius.spread.blocks import map_blocks, refuse_all_lost
from dalenius.spread.parts import Arrays
from dalenius.theory.isolation import isolation

LOST_MATCHES = -2
"""What stands for the number of rows that a condition matched, in a round that nobody could play."""


class GameRound(NamedTuple):
    """One round: how many rows the first condition matched, its weight if it was one, and how many in all."""

    matches: int
    """Rows that the first condition matched; -1 if there was none."""
    weight: float
    """Its weight at most; not a number unless it matched one row."""
    singled_out: int
    """Different rows that some condition matched alone."""


LOST = GameRound(LOST_MATCHES, np.nan, 0)
"""A round that nobody could play: no success of the attack, and none of the release."""


@dataclass(frozen=True)
class GameSettings:
    """How a game is played.

    Parameters
    ----------
    trials
        Rounds.
    weight
        The one weight limit the verdict is about, chosen before. By default a hundredth of 1/n, or the least
        that can be shown if that is more; in `dalenius.singling_out.game.game.play` any limit of the grid,
        with intervals that hold for all of it together.
    confidence
        Of the intervals.
    seed
        The same seed gives the same rounds.
    workers
        Processes that play; with more than one, source, mechanism and attack are sent to them.
    """

    trials: int = 1000
    weight: float | None = None
    confidence: float = CONFIDENCE
    seed: int = 1
    workers: int = 1

    def __post_init__(self) -> None:
        if self.trials < 1:
            raise InputError("trials", "must be at least 1", str(self.trials), "Use for example 1000.")


@dataclass(frozen=True)
class Beside:
    """What stands beside a game.

    Parameters
    ----------
    names
        What mechanism and attack are called.
    limit
        What a theorem says no attack exceeds, for a weight limit.
    control
        Rounds of `dalenius.singling_out.game.game.play_control`, where several games share them.
    about
        A digest of people, mechanism and attack. Rounds are kept by it until the run ends, so that one that
        was stopped goes on; nothing is kept without.
    """

    names: tuple[str, str] = ("mechanism", "attack")
    limit: Callable[[float], float] | None = None
    control: Sequence[GameRound] | None = None
    about: str | None = None


class DataSource(Protocol):
    """Draws data of n rows, and knows the whole they are from."""

    @property
    def text(self) -> str:
        """What it is, in a few words."""
        ...

    @property
    def error(self) -> float:
        """How often a weight may be larger than said."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that tell rows apart."""
        ...

    @property
    def least(self) -> float:
        """The smallest weight that a condition somebody meets can be shown to have."""
        ...

    def draw(self, n: int, rng: np.random.Generator) -> SealedRows:
        """Draw data: whoever attacks sees what is released of them."""
        ...

    def weigh(self, predicate: Predicate) -> WeightBound:
        """Say how large a share of all people meets a condition at most."""
        ...

    def baseline(self, n: int, weight: float) -> float:
        """Return how often luck isolates somebody with conditions of at most this weight."""
        ...

    def swapped(self, n: int, weight: float) -> float:
        """Return how often a row drawn anew beside n - 1 others meets a condition of this weight."""
        ...

    def warnings(self, n: int) -> tuple[str, ...]:
        """Return what n rows of it cannot tell."""
        ...


def check_limit(n: int, weight: float) -> float:
    """Return a weight limit of the low regime, or refuse it.

    Examples
    --------
    >>> check_limit(100, 0.5)
    Traceback (most recent call last):
    ...
    dalenius.errors.InputError: weight limit must be above 0 and at most 1/n = 0.01; got 0.5. Heavier ...
    """
    if not 0 < weight <= 1 / n * (1 + 1e-12):
        fix = "Heavier conditions isolate somebody by luck; use for example 0.01/n."
        raise InputError("weight limit", f"must be above 0 and at most 1/n = {1 / n:g}", f"{weight:g}", fix)
    return weight


class Independent:
    """What holds for rows drawn one by one from the same law."""

    error = 0.0
    least = 0.0

    def baseline(self, n: int, weight: float) -> float:
        """Return ``B(n, w)``, at least what any realisable weight up to w gives."""
        return isolation(n, check_limit(n, weight))

    def swapped(self, n: int, weight: float) -> float:
        """Return the weight: the other rows say nothing about a new one."""
        return weight

    def warnings(self, n: int) -> tuple[str, ...]:
        """Nothing: a model has no end."""
        return ()


REPORTS = 100
"""Times that progress is told, where there are as many rounds."""

MOST_AT_ONCE = 64
"""Rounds between two reports at most."""


def play_rounds(
    play: Callable[[int, int], Sequence[GameRound]],
    rounds: int,
    told: Callable[[float], None],
    *,
    workers: int = 1,
    work: str | None = None,
) -> Iterator[GameRound]:
    """Play in spans, each as soon as a worker is free; they come back in order.

    Rounds that could not be played, as whoever did was lost again and again, are `LOST`.

    Parameters
    ----------
    play
        Plays the rounds from one number up to another; sent to the workers if there are several.
    rounds
        How many.
    told
        Told what share is done after each span.
    workers
        Processes that play.
    work
        Names these rounds among all that are kept until the run ends; nothing is kept without.

    Raises
    ------
    LostBlockError
        If all rounds were lost.

    Examples
    --------
    >>> alike = lambda start, stop: [GameRound(1, 0.5, j) for j in range(start, stop)]
    >>> [each.singled_out for each in play_rounds(alike, 5, lambda share: None)]
    [0, 1, 2, 3, 4]
    """
    size = max(1, min(MOST_AT_ONCE, rounds // REPORTS))
    spans = [(start, min(start + size, rounds)) for start in range(0, rounds, size)]
    missing = 0
    played = map_blocks(partial(_play_span, play), spans, work=work, spare=True, workers=workers)
    with closing(played):  # not when the traceback of an interruption happens to be forgotten
        for (start, stop), found in zip(spans, played, strict=True):
            if found is None:
                missing += 1
                refuse_all_lost(len(spans), missing)
                yield from [LOST] * (stop - start)
            else:
                columns = (found[name].tolist() for name in GameRound._fields)
                yield from map(GameRound._make, zip(*columns, strict=True))
            told(stop / rounds)


def _play_span(play: Callable[[int, int], Sequence[GameRound]], span: tuple[int, int]) -> Arrays:
    columns = zip(*play(*span), strict=True)
    return {name: np.array(column) for name, column in zip(GameRound._fields, columns, strict=True)}
