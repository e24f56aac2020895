"""Complementary suppression: further cells are hidden so that totals do not give the small ones away.

One table at a time, a row for each combination of public levels and a column for each value of the secret;
the totals of its rows and columns are taken as known. The procedure, in this order:

1. A row or column with exactly one hidden cell gets a second: the smallest visible one, zeros last.
2. The hidden cells join rows and columns into a graph. A small cell follows from the totals exactly when
   its removal would cut that graph in two; then the smallest visible cell that joins the two parts is hidden.

Totals over one of several public columns, and the same people counted in another table, are not looked at:
what they give away is what the attack shows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from dalenius.mechanisms.base import Floats

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
