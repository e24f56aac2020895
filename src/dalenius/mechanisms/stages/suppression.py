"""Small cells that are hidden, and the cells that are hidden beside them.

Suppression: small cells are not published, and on demand further ones that would give them away.

Complementary suppression: further cells are hidden so that totals do not give the small ones away.

One table at a time, a row for each combination of public levels and a column for each value of the secret;
the totals of its rows and columns are taken as known. The procedure, in this order:

1. A row or column with exactly one hidden cell gets a second: the smallest visible one, zeros last.
2. The hidden cells join rows and columns into a graph. A small cell follows from the totals exactly when
   its removal would cut that graph in two; then the smallest visible cell that joins the two parts is hidden.

Totals over one of several public columns, and the same people counted in another table, are not looked at:
what they give away is what the attack shows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from dalenius.grammar import Options
from dalenius.mechanisms.base import SLACK, Floats, Reading, Stage, rows_of_tables


@dataclass(frozen=True)
class Suppression(Stage):
    """Hide each cell below a threshold, with or without the zeros.

    With ``complementary`` further cells of each table are hidden, see `hide_more`. Without it no second
    cell protects the first: where totals are public, that is what the attack shows to be missing.
    """

    below: int
    zeros: str = "keep"
    complementary: bool = False

    before_noise: ClassVar[bool] = False
    hides: ClassVar[bool] = True

    @staticmethod
    def parse(options: Options) -> Suppression:
        """Read ``suppression:below=10[,zeros=keep|hide][,complementary=no|yes]``."""
        options.only("below", "zeros", "complementary")
        zeros = options.choice("zeros", ("keep", "hide"), "keep")
        more = options.choice("complementary", ("no", "yes"), "no") == "yes"
        return Suppression(options.whole("below", least=1 if zeros == "hide" else 2), zeros, more)

    def __str__(self) -> str:
        zeros = "" if self.zeros == "keep" else f",zeros={self.zeros}"
        more = ",complementary=yes" if self.complementary else ""
        return f"suppression:below={self.below}{zeros}{more}"

    @property
    def draws(self) -> bool:
        """Nothing is drawn."""
        return False

    def protect(self, values: Floats, table: NDArray[np.int64], *, rng: np.random.Generator) -> Floats:
        """Replace small cells by not-a-number."""
        small = values < self.below
        if self.zeros == "keep":
            small &= values != 0
        if self.complementary:
            for rows in rows_of_tables(table):
                small[rows] = hide_more(values[rows], small[rows])
        return np.where(small, np.nan, values)

    def read(self, reading: Reading, *, counts: bool) -> Reading:
        """Read a visible cell as zero or at least the threshold, a hidden one as below it.

        Where cells are hidden to protect others, a hidden one may be anything. A hidden cell
        may have been hidden by an earlier suppression instead: the interval covers both.
        """
        low, high = self._visible(reading.low, reading.high)
        least = (0.0 if self.zeros == "hide" or self.complementary else 1.0) if counts else -np.inf
        most = np.inf if self.complementary else float(self.below - 1 if counts else self.below)
        return replace(
            reading,
            low=np.where(reading.hidden, np.minimum(low, least), low),
            high=np.where(reading.hidden, np.maximum(high, most), high),
        )

    def _visible(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        large = np.maximum(low, self.below)
        if self.zeros == "hide":
            return large, high
        zero = (low <= SLACK) & (high >= -SLACK)
        only_zero = zero & (high < self.below - SLACK)
        return np.where(zero, 0.0, large), np.where(only_zero, 0.0, high)


Marks = NDArray[np.bool_]


def hide_more(values: Floats, primary: Marks) -> Marks:
    """Say which cells of one table are hidden, when these must be.

    Examples
    --------
    >>> table = np.array([[2.0, 30.0], [40.0, 20.0], [50.0, 60.0]])
    >>> hide_more(table, table < 5)
    array([[ True,  True],
           [ True,  True],
           [False, False]])
    """
    hidden = primary.copy()
    order = np.where(values == 0, np.inf, values)
    _second_in_every_line(order, hidden)
    for row, column in np.argwhere(primary):
        _close_a_cycle(order, hidden, int(row), int(column))
    return hidden


def _second_in_every_line(order: Floats, hidden: Marks) -> None:
    changed = True
    while changed:
        changed = False
        for numbers, marks in ((order, hidden), (order.T, hidden.T)):
            if marks.shape[1] < 2:
                continue
            for line in np.flatnonzero(marks.sum(axis=1) == 1):
                visible = np.flatnonzero(~marks[line])
                marks[line, visible[np.argmin(numbers[line, visible])]] = True
                changed = True


def _close_a_cycle(order: Floats, hidden: Marks, row: int, column: int) -> None:
    """Hide one more cell if this one is the only link between two parts of the hidden cells."""
    rows, columns = hidden.shape
    if rows < 2 or columns < 2:
        return
    others = hidden.copy()
    others[row, column] = False
    at, to = np.nonzero(others)
    size = rows + columns
    links = sparse.coo_array((np.ones(at.size), (at, to + rows)), shape=(size, size))
    part = connected_components(links, directed=False)[1]
    here, there = part[row], part[rows + column]
    if here == there:
        return
    of_row, of_column = part[:rows, None], part[None, rows:]
    joins = ((of_row == here) & (of_column == there)) | ((of_row == there) & (of_column == here))
    joins[row, column] = False
    found = np.argwhere(joins)
    if found.size:
        best = found[np.argmin(order[joins])]
        hidden[best[0], best[1]] = True
