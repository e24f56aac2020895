"""From printed shares to the counts behind them: percentages, fractions, rates per thousand.

A share is ``per X / D``, printed with a few digits. ``X`` is what the mechanism published in place of the
true count. ``D`` is a number of people: in the row, with the value (a column), or all of them; the true one,
what the mechanism published in place of it, or the sum of what it published in place of its parts. Nobody
says which, so all of them are taken to be possible.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.matrices.answers import Vector
from dalenius.mechanisms.chain import Mechanism
from dalenius.mechanisms.stages.samples import Subsample
from dalenius.printed.rows import Row
from dalenius.statistics.printed_cell import Printed

SLACK = 1e-9
"""Shares are decimal fractions: their ends may be off by this much."""

OF = ("row", "column", "all")

Floats = NDArray[np.float64]

Ends = tuple[Floats, ...]
"""The least and the largest share that may be printed so."""


@dataclass(frozen=True)
class Behind:
    """What a share says of the number that the mechanism published: its middle and its ends."""

    middle: Floats
    least: Floats
    most: Floats


@dataclass(frozen=True)
class Shares:
    """The shares of one table that are alike: of as many, and read by one mechanism.

    Parameters
    ----------
    table
        What the table is called.
    rows
        The rows of shares.
    totals
        How many people are in each.
    people
        How many there are in all, or in the levels that stand beside the values of the secret.
    levels
        The values of the secret.
    chain
        What is said of the counts behind the shares.
    of
        What they are shares of; ``None`` if it is not said: of their row, or also of their column where they
        add up both ways.
    sizes
        What counts say of how many people have each value, where they say anything.
    part
        Whether they are margins over what stands beside the values: of what their columns are then may be the
        sum of numbers that are not among them.
    """

    table: str
    rows: Sequence[Row]
    totals: Vector
    people: int
    levels: tuple[str, ...]
    chain: Mechanism
    of: str | None
    sizes: dict[str, tuple[float, float]]
    part: bool = False

    def check(self, margin: bool) -> None:
        """Refuse shares of the body or of the margins that do not add up to the whole, where they must."""
        down, up = self.chain.moves
        if self.of not in (None, "row") or down or up or self.random:
            return
        for row in self.rows:
            if row.margin != margin or not row.prints(self.levels):
                continue
            numbers = row.numbers(self.levels)
            if not _may_sum_to([row.cells[value] for value in self.levels], row.per):
                raise InputError(
                    f"{self.table}: {row.label!r}",
                    f"must have shares of its row, which add up to {row.per:g}, or of everybody",
                    f"{' + '.join(f'{number:g}' for number in numbers)} = {sum(numbers):g}",
                    "Give --group-size or --of all if they are of all people, --of column if columns add up.",
                )

    @property
    def random(self) -> bool:
        """Whether the counts behind them have random errors."""
        return self.chain.noise[0] != "none"

    def behind(self, at: Sequence[int], values: tuple[str, ...]) -> Behind:
        """Say what was published of these values in these rows; not a number where hidden."""
        cells = [[self.rows[j].cells[value] for value in values] for j in at]
        shares = np.array([[cell.number / cell.per for cell in row] for row in cells])
        ends = (
            np.array([[(cell.number - cell.down) / cell.per for cell in row] for row in cells]),
            np.array([[(cell.number + cell.up) / cell.per for cell in row] for row in cells]),
        )
        if self.random:
            return self._noisy(shares, ends, self.totals[list(at)][:, None])
        readings = [self._one(of, at, values, ends) for of in self._possible()]
        least = np.min([reading[0] for reading in readings], axis=0)
        most = np.max([reading[1] for reading in readings], axis=0)
        return Behind(np.where(np.isnan(shares), np.nan, (least + most) / 2), least, most)

    def _noisy(self, shares: Floats, ends: Ends, totals: Floats) -> Behind:
        """The published number is near; that what it is a share of has errors too adds to its own."""
        if self.of == "column":
            raise InputError(
                f"{self.table}: shares of columns",
                "must be of counts without random errors",
                str(self.chain),
                "Give shares of rows or of everybody, or counts.",
            )
        size = np.full_like(totals, self.people) if self.of == "all" else totals
        first = self.chain.stages[0]
        rate = first.rate if isinstance(first, Subsample) else 1.0
        middle = rate * size * shares
        if rate < 1:  # of the sample nothing is sure but that it is a part
            return Behind(middle, np.zeros_like(middle), 2 * middle)
        variance = np.nan_to_num(self.chain.noise[1] ** 2)
        half = np.maximum(shares - ends[0], ends[1] - shares)
        reach = np.sqrt((size * half) ** 2 + 3 * shares**2 * variance)
        return Behind(middle, middle - reach, middle + reach)

    def _possible(self) -> list[str]:
        if self.of is not None:
            return [self.of]
        either = self._columns_add_up() and (self.part or self._sizes() is not None)
        return ["row", "column"] if either else ["row"]

    def _one(self, of: str, at: Sequence[int], values: tuple[str, ...], ends: Ends) -> tuple[Floats, Floats]:
        down, up = self.chain.moves
        parts = len(self.levels)
        if of == "column" and self.part:
            bottom, top = self._any_number(self.totals[list(at)])
            return np.full_like(ends[0], bottom), np.broadcast_to(top, ends[0].shape)
        if of == "column":
            sizes = self._sizes()
            if sizes is None:
                raise InputError(
                    f"{self.table}: shares of columns",
                    "must be of some number of these people",
                    "shares that no number of people gives",
                    f"Check the list of people, and the mechanism ({self.chain}).",
                )
            largest = np.array([[sizes[value].max() for value in values]], np.float64)
            smallest = np.array([[sizes[v].min() - self._missing([v]) for v in values]], np.float64)
            parts = len(self._body())
        elif of == "all":
            largest = np.full((1, 1), float(self.people))
            smallest = largest - self._missing(self.levels)
            parts *= len(self._body())
        else:
            largest = self.totals[list(at)][:, None]
            smallest = largest - np.array([[self._hidden(self.rows[j], self.totals[j])] for j in at])
        return self._times(smallest - parts * down, largest + parts * up, ends, self.totals[list(at)])

    def _times(
        self, smallest: Floats, largest: Floats, shares: Ends, totals: Vector
    ) -> tuple[Floats, Floats]:
        """A share of a number of people between two; where that number may be below zero, it says nothing."""
        bottom, top = self._any_number(totals)
        ends = [np.maximum(size, 0.0) * end for size in (smallest, largest) for end in shares]
        unsure = (smallest <= 0) & (not self.chain.whole)
        least = np.where(unsure, bottom, np.maximum(np.minimum.reduce(ends), bottom))
        return least, np.where(unsure, top, np.maximum.reduce(ends))

    def _any_number(self, totals: Vector) -> tuple[float, Floats]:
        """What may be published of so many people."""
        down, up = self.chain.moves
        return 0.0 if self.chain.whole else -down, totals[:, None] + up

    def _hidden(self, row: Row, total: float) -> float:
        """How many people may be missing from what a row's shares are of: those in its hidden cells."""
        hidden = [v for v in self.levels if v in row.cells and math.isnan(row.cells[v].number)]
        unseen = len(self.levels) - len(row.numbers(self.levels)) - len(hidden)
        short = not _may_reach([row.cells[v] for v in self.levels if v in row.cells], row.per)
        hides = hidden or (unseen and self.chain.hides)
        if not hides or (short and unseen < (1 if hidden else 2)):
            return 0.0
        most = self._most_hidden(total) if hidden else self._most_unseen(total)
        return float(min(most * (len(hidden) + unseen), total))

    def _most_hidden(self, total: float) -> float:
        """How many of so many people a hidden cell can hold."""
        return float(self.chain.error(np.full((1, 1), np.nan), np.array([total])).high.item())

    def _most_unseen(self, total: float) -> float:
        """The same of a cell whose column is not printed: not because it is hidden, if it cannot be."""
        try:
            return self._most_hidden(total)
        except InputError:
            return total

    def _missing(self, values: Sequence[str]) -> float:
        """The same where shares are of a column or of all: people in any hidden cell."""
        body = self._body()
        cells = [(self.rows[j].cells.get(value), self.totals[j]) for j in body for value in values]
        unseen = [total for cell, total in cells if cell is None]
        hidden = [total for cell, total in cells if cell is not None and math.isnan(cell.number)]
        printed = [cell for cell, _ in cells if cell is not None and not math.isnan(cell.number)]
        per = max((cell.per for cell in printed), default=1.0)
        if not (hidden or unseen) or (not unseen and not _may_reach(printed, per)):
            return 0.0
        return sum(map(self._most_hidden, hidden)) + sum(map(self._most_unseen, unseen))

    def _body(self) -> list[int]:
        depth = max(len(row.conditions) for row in self.rows)
        return [j for j, row in enumerate(self.rows) if len(row.conditions) == depth]

    def _columns_add_up(self) -> bool:
        """Whether the shares of each printed value add up over rows that hold everybody once."""
        body = self._body()
        if any(self._is_part(row) for row in self.rows if not row.conditions):
            return False
        printed = {v for j in body for v in self.levels if v in self.rows[j].cells}
        if len(body) < 2 or self.totals[body].sum() != self.people or not printed:
            return False
        for value in printed:
            cells = [self.rows[j].cells.get(value) for j in body]
            numbers = [cell for cell in cells if cell is not None and not math.isnan(cell.number)]
            if len(numbers) < len(body) or not _may_sum_to(numbers, self.rows[body[0]].per):
                return False
        return True

    def _is_part(self, row: Row) -> bool:
        """Whether shares of everybody are not the whole, as those of columns would be."""
        cells = [row.cells[v] for v in self.levels if v in row.cells]
        return any(
            not math.isnan(cell.number) and not cell.holds(cell.per, SLACK * cell.per) for cell in cells
        )

    def _sizes(self) -> dict[str, NDArray[np.int64]] | None:
        """For every value the numbers of people that its column can be of; ``None`` if there are none."""
        found = {value: self._sizes_of(value) for value in self.levels}
        for _ in self.levels:
            for value in self.levels:
                others = [found[other] for other in self.levels if other != value]
                if any(other.size == 0 for other in others) or not found[value].size:
                    return None
                least = self.people - sum(int(other.max()) for other in others)
                most = self.people - sum(int(other.min()) for other in others)
                found[value] = found[value][(found[value] >= least) & (found[value] <= most)]
        return found if all(sizes.size for sizes in found.values()) else None

    def _sizes_of(self, value: str) -> NDArray[np.int64]:
        sizes = np.arange(self.people + 1)
        low, high = self.sizes.get(value, (0.0, math.inf))
        possible = (sizes >= low) & (sizes <= high)
        down, up = self.chain.moves
        body = self._body()
        fewest, most_ = np.zeros(sizes.size), np.zeros(sizes.size)
        missing = self._missing([value])
        for j in body:
            cell, total = self.rows[j].cells.get(value), self.totals[j]
            if cell is None or math.isnan(cell.number):
                most_ += total
                continue
            share = tuple(
                np.array([[end / cell.per]]) for end in (cell.number - cell.down, cell.number + cell.up)
            )
            reach = len(body)
            possible &= sizes + reach * up > 0  # a share of nobody is not printed
            fewer, more = (np.asarray(sizes + by, np.float64) for by in (-missing - reach * down, reach * up))
            ends = self._times(fewer[:, None], more[:, None], share, np.array([total]))
            least = np.maximum(np.ceil(ends[0][:, 0] - up - 1e-6), 0.0)
            most = np.minimum(np.floor(ends[1][:, 0] + down + 1e-6), total)
            possible &= least <= most
            fewest, most_ = fewest + least, most_ + most
        if self.totals[body].sum() == self.people:
            possible &= (fewest <= sizes) & (sizes <= most_)
        return sizes[possible]


def _may_reach(cells: Sequence[Printed], per: float) -> bool:
    """Whether printed shares can be the whole, by their digits."""
    return sum(cell.number + cell.up for cell in cells if not math.isnan(cell.number)) >= per - SLACK * per


def _may_sum_to(cells: Sequence[Printed], per: float) -> bool:
    """Whether shares can add up to the whole, by their digits."""
    return _may_reach(cells, per) and sum(cell.number - cell.down for cell in cells) <= per + SLACK * per
