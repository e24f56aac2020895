"""Released rows that stand for several people, as a column of them says: written out, one row per person."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from dalenius.errors import InputError
from dalenius.people.rows.columns import NumberColumn
from dalenius.people.rows.rows import Rows

COUNTS = ("count", "counts", "n", "freq", "frequency", "multiplicity")
"""What a column that counts people is called."""

MOST = 1_000_000
"""People whom one released row may stand for."""


def expanded(
    released: Rows,
    quasi: Sequence[str],
    *,
    people: tuple[int, Collection[str]] | None = None,
    count: str | None = None,
) -> tuple[Rows, list[str]]:
    """Repeat rows that stand for several people, where a column says for how many; and say so.

    Parameters
    ----------
    released, quasi
        The rows, and the columns that were made coarser.
    people
        How many people are behind them, and which columns these have; ``None`` if that is not known.
    count
        The column; by default one that is called so, is nobody's attribute and adds up to the people.

    Raises
    ------
    InputError
        If a column that was named does not hold whole numbers from 1 on.

    Examples
    --------
    >>> import pyarrow as pa
    >>> rows = Rows.of_table(pa.table({"age": ["20-29", "30-39"], "n": [2, 1]}))
    >>> expanded(rows, ["age"], people=(3, ["age"]))[0]
    Rows(3 rows; age)
    """
    names = [count] if count is not None else [name for name in released.names if name.lower() in COUNTS]
    for name in names:
        column = released.column(name)
        if count is None and (people is None or name in people[1] or name in quasi):
            continue
        times = column.values if isinstance(column, NumberColumn) else np.full(len(released), np.nan)
        whole = bool((np.isfinite(times) & (times >= 1) & (times == np.floor(times)) & (times <= MOST)).all())
        if count is not None and not whole:
            raise InputError(
                f"column {name!r}", "must hold whole numbers from 1 on, to count people", "others"
            )
        if whole and (count is not None or (people is not None and times.sum() == people[0])):
            rows = np.repeat(np.arange(len(released)), times.astype(np.int64))
            note = f"Column {name!r} says for how many people a released row stands: {rows.size:,} in all."
            kept = [other for other in released.names if other != name]
            return released.take(rows).select(kept), [note]
    return released, []
