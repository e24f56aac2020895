"""Margins that may be sums of protected cells: they say nothing that the cells do not say."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dalenius.records.cells.columns import RecordColumns, Where

Kind = tuple[int, ...]


def summed_cells(
    columns: RecordColumns, wheres: Sequence[Where], numbers: Sequence[float], margin: Sequence[bool]
) -> set[int]:
    """Return the margins of a table that are not to be used, since they may be sums of what is printed.

    Margins over the same columns were made in the same way: one that is no sum of the visible numbers below
    it shows that none of them is.

    Examples
    --------
    >>> columns = RecordColumns.of({"sex": ["f", "m"]})
    >>> wheres = [((0, (0,)),), ((0, (1,)),), ()]
    >>> summed_cells(columns, wheres, [5, 10, 15], [False, False, True])
    {2}
    >>> summed_cells(columns, wheres, [5, math.nan, 15], [False, False, True])
    set()
    """
    inner = [j for j, own in enumerate(margin) if not own]
    kinds: dict[Kind, list[int]] = {}
    for j, own in enumerate(margin):
        if own:
            kinds.setdefault(tuple(at for at, _ in wheres[j]), []).append(j)
    found: set[int] = set()
    for same in kinds.values():
        if all(_may_be_sum(wheres, numbers, j, inner) for j in same):
            found.update(same)
    return found


def _may_be_sum(wheres: Sequence[Where], numbers: Sequence[float], at: int, inner: Sequence[int]) -> bool:
    if math.isnan(numbers[at]):
        return True
    wanted = {column: set(levels) for column, levels in wheres[at]}
    total = 0.0
    for j in inner:
        own = dict(wheres[j])
        inside = all(column in own and set(own[column]) <= levels for column, levels in wanted.items())
        if inside and not math.isnan(numbers[j]):
            total += numbers[j]
    return abs(total - numbers[at]) < 1e-9
