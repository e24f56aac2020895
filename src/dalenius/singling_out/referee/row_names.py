"""Columns that name released rows, of which no condition speaks: are these people's names, and people's rows?

A row number says nothing, whatever it is called. A name does: that its owner is in the data, and whatever
else stands in the row that is true. So two things are asked. Are released rows called as people of the data
are, more than as others? And is a row more like the person who is called so than like others?
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dalenius.people.rows.rows import Rows, stacked
from dalenius.people.sealed import SealedRows
from dalenius.people.truth import open_rows
from dalenius.singling_out.referee.file_order import InFileOrder, in_file_order
from dalenius.singling_out.referee.pooled import Ints, Pointed, PooledRows


class Called(NamedTuple):
    """What the names of released rows say of people.

    Parameters
    ----------
    column
        The column that names rows.
    pointed
        People whom rows are called like, and nobody else is; ``None`` if the column is not known of others.
    alike
        How far rows agree with the people who are called so; ``None`` for too few.
    unjudged
        Whether rows are called as people of the data are, and nobody can say if others are, too.
    """

    column: str
    pointed: Pointed | None
    alike: InFileOrder | None
    unjudged: bool = False


def called_as(
    names: Rows, original: Rows | SealedRows, control: Rows | None, pool: PooledRows, released: Rows
) -> Called:
    """Hold what released rows are called against what people are.

    Parameters
    ----------
    names, original, control
        What released rows are called, the people behind them, and others, if that is known.
    pool, released
        The people and the released rows by all other columns.
    """
    people, rows = _same_name(open_rows(original), names)
    alike = None
    if people.size:
        these = PooledRows(pool.rows.take(people), pool.others)
        alike = in_file_order(these, released.take(rows))
    if control is None:
        return Called(names.names[0], None, alike, bool(people.size))
    everybody = stacked(open_rows(original), control)
    return Called(names.names[0], pool.counted(_same_name(everybody, names)[0]), alike)


def _same_name(people: Rows, released: Rows) -> tuple[Ints, Ints]:
    """People who alone have a name that one released row alone has, in the order of people, and that row."""
    codes = stacked(people, released).columns[0].codes
    own, theirs = codes[: len(people)], codes[len(people) :]
    size = int(codes.max(initial=-1)) + 1
    once = [np.bincount(part[part >= 0], minlength=size) == 1 for part in (own, theirs)]
    shared = once[0] & once[1]
    row_of = np.full(size, -1, np.int64)
    row_of[theirs[theirs >= 0]] = np.flatnonzero(theirs >= 0)
    found = np.flatnonzero((own >= 0) & shared[np.maximum(own, 0)])
    return found, row_of[own[found]]
