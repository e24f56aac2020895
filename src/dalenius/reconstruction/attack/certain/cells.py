"""What an attacker can say about each hidden or rounded cell, from everything published together.

First by propagation, then by linear programs: the feasibility interval that an audit of a suppressed table
states, except that here the people's public columns and all other answers are constraints too.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from dalenius.knowledge.view import View
from dalenius.matrices.answers import Vector
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.progress import Progress, silent
from dalenius.reconstruction.attack.certain.ranges import row_extremes
from dalenius.reconstruction.attack.cost import SEARCH, SECONDS
from dalenius.reconstruction.attack.search.parts import TOLERANCE
from dalenius.reconstruction.attack.search.settle import settle
from dalenius.reconstruction.attack.system.build import Problem, all_values, build
from dalenius.reconstruction.attack.system.equations import read_counts
from dalenius.reconstruction.attack.system.system import LinearSystem
from dalenius.release.release import Block, Release
from dalenius.statistics.statistic import Counting


@dataclass(frozen=True)
class DerivedCell:
    """One cell that was not published as it is.

    Parameters
    ----------
    what
        The cell and the value of the secret that it counts.
    published
        The number in it, or ``hidden``, or the range that is printed.
    low, high
        What the cell says by itself.
    derived_low, derived_high
        What follows from everything together.
    """

    what: str
    published: str
    low: int
    high: int
    derived_low: int
    derived_high: int

    @property
    def exact(self) -> bool:
        """Whether the count is known after all."""
        return self.derived_low == self.derived_high


@dataclass(frozen=True)
class DerivedCells:
    """All such cells of a view, the release with what was derived, and what a reader should know."""

    cells: tuple[DerivedCell, ...]
    release: Release
    notes: tuple[str, ...]

    @property
    def exact(self) -> int:
        """How many of them are known after all."""
        return sum(cell.exact for cell in self.cells)

    def to_csv(self) -> str:
        """Return the cells as ``what,published,derived_low,derived_high,exact``.

        Examples
        --------
        >>> cell = DerivedCell("age=30, ill=yes", "hidden", 0, 9, 4, 4)
        >>> print(DerivedCells((cell,), None, ()).to_csv(), end="")
        what,published,derived_low,derived_high,exact
        "age=30, ill=yes",hidden,4,4,true
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["what", "published", "derived_low", "derived_high", "exact"])
        for cell in self.cells:
            ends = cell.derived_low, cell.derived_high
            writer.writerow([cell.what, cell.published, *ends, "true" if cell.exact else "false"])
        return text.getvalue()


def derive_cells(view: View, *, progress: Progress = silent) -> DerivedCells:
    """Derive every hidden or rounded cell of a view.

    Cells with random noise have no interval that holds for sure, and are left out.

    Raises
    ------
    InputError
        If the answers contradict each other; it names a few that do.
    """
    problem = build(view)
    system = all_values(problem, settle(problem, SEARCH * SECONDS, progress).systems)
    extremes = row_extremes(system, _uncertain(system), progress=progress)
    low, high = np.ceil(extremes.low - TOLERANCE), np.floor(extremes.high + TOLERANCE)
    rows = sum(problem.rows)
    found = [(low[j : j + rows], high[j : j + rows]) for j in range(0, rows * len(problem.systems), rows)]
    notes = []
    if extremes.left_out:
        notes.append(
            f"{extremes.left_out:,} cells were bounded row by row only: too many for linear programs, or "
            "not solved"
        )
    blocks, cells = [], []
    for block, counts in zip(view.release.blocks, _by_block(view, problem, found), strict=True):
        blocks.append(block if counts is None else _with_facts(block, counts))
        if counts is not None:
            cells.append(_cells(view, block, counts))
    release = replace(view.release, blocks=tuple(blocks))
    return DerivedCells(tuple(chain.from_iterable(cells)), release, tuple(notes))


def _uncertain(system: LinearSystem) -> NDArray[np.bool_]:
    """Rows whose count is not given, and that no noise hides."""
    return np.asarray((system.low < system.high) & (system.sd == 0) & system.counting, np.bool_)


@dataclass(frozen=True)
class _Counts:
    """The derived intervals of the answers of a block, of the shape of its answers."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    totals: Vector


def _by_block(view: View, problem: Problem, found: list[tuple[Vector, Vector]]) -> Iterator[_Counts | None]:
    """Cut the rows of the systems into blocks, and turn them into counts of the values of each block."""
    levels = problem.levels
    first = problem.systems[0]
    totals = first.A.apply(first.sizes.astype(np.float64))
    start = 0
    for block, rows in zip(view.release.blocks, problem.rows, strict=True):
        stop = start + rows
        if isinstance(block.statistic, Counting):
            people = totals[start:stop]
            columns = [_of_value(found, levels, value, people, slice(start, stop)) for value in block.values]
            low, high = (np.stack(part, axis=1) for part in zip(*columns, strict=True))
            yield _Counts(low, high, people)
        else:
            yield None
        start = stop


def _of_value(
    found: list[tuple[Vector, Vector]], levels: tuple[str, ...], value: str, people: Vector, rows: slice
) -> tuple[Vector, Vector]:
    if len(found) > 1:
        low, high = found[levels.index(value)]
        return low[rows], high[rows]
    low, high = found[0][0][rows], found[0][1][rows]
    return (low, high) if value == levels[1] else (people - high, people - low)


def _with_facts(block: Block, counts: _Counts) -> Block:
    """Let a block carry what was derived, so that the attack on people starts from it."""
    low = counts.low if block.low is None else np.maximum(block.low, counts.low)
    high = counts.high if block.high is None else np.minimum(block.high, counts.high)
    return replace(block, low=low, high=high)


def _cells(view: View, block: Block, counts: _Counts) -> Iterator[DerivedCell]:
    alone = read_counts(block, counts.totals, parse_mechanism(view.release.mechanism_of(block)))
    secret = view.release.secret.name
    for row, label in enumerate(block.statistic.labels()):
        for column, value in enumerate(block.values):
            low, high = alone.low[row, column], alone.high[row, column]
            if low < high and not alone.sd[row, column] > 0:
                yield DerivedCell(
                    f"{label}, {secret}={value}",
                    _published(block, row, column),
                    int(low),
                    int(high),
                    int(max(low, counts.low[row, column])),
                    int(min(high, counts.high[row, column])),
                )


def _published(block: Block, row: int, column: int) -> str:
    answer = block.answers[row, column]
    if not np.isnan(answer):
        least = answer if block.least is None else block.least[row, column]
        most = answer if block.most is None else block.most[row, column]
        return f"{answer:g}" if least == most else f"about {answer:.3g}"
    low = -np.inf if block.low is None else block.low[row, column]
    high = np.inf if block.high is None else block.high[row, column]
    if np.isinf(low) and np.isinf(high):
        return "hidden"
    if np.isinf(high):
        return f"{low:g} or more"
    return f"{max(low, 0):g} to {high:g}"
