"""Whether the margins of a printed table were protected by themselves, or are sums of protected cells.

A sum of rounded cells is no rounded sum: three cells of 7 are printed as 5, 5 and 5, and their total as 15
instead of 20. Such a margin says nothing that the cells do not say. Where it is not said how margins were
made, those that equal the sums of their cells are not used, unless one of their kind does not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from dalenius.mechanisms.chain import Mechanism
from dalenius.mechanisms.rounding import Rounding
from dalenius.records.answers import Vector
from dalenius.release.printed_rows import Row

Kind = frozenset[str]
"""The columns that a margin breaks people down by."""


def summed_margins(rows: Sequence[Row], totals: Vector, chain: Mechanism) -> set[int]:
    """Return the rows that may be sums of the cells that were printed in place of the true counts."""
    controlled = any(isinstance(s, Rounding) and s.how == "controlled" for s in chain.stages)
    if controlled:
        return set()
    kinds: dict[Kind, bool] = {}
    for at, children in _families(rows, totals):
        kind = frozenset(name for name, _ in rows[at].conditions)
        for value in rows[at].cells:
            same = None if value is None else _is_sum(rows[at], [rows[j] for j in children], value, chain)
            if same is not None:
                kinds[kind] = kinds.get(kind, True) and same
    return {
        j
        for j, row in enumerate(rows)
        if row.margin and kinds.get(frozenset(name for name, _ in row.conditions), False)
    }


def _families(rows: Sequence[Row], totals: Vector) -> list[tuple[int, list[int]]]:
    """Margins and the rows that split them by one more column, where these hold all of their people."""
    places = {row.conditions: j for j, row in enumerate(rows) if not row.per}
    found: dict[tuple[int, str], list[int]] = {}
    for conditions, j in places.items():
        for k, (name, _) in enumerate(conditions):
            parent = places.get(conditions[:k] + conditions[k + 1 :])
            if parent is not None:
                found.setdefault((parent, name), []).append(j)
    return [(at, parts) for (at, _), parts in found.items() if totals[parts].sum() == totals[at]]


def _is_sum(margin: Row, parts: Sequence[Row], value: str, chain: Mechanism) -> bool | None:
    """Whether a number is the sum of those printed; ``None`` where that says nothing."""
    cell, cells = margin.cells[value], [row.cells.get(value) for row in parts]
    if math.isnan(cell.number) or any(part is None for part in cells):
        return None
    visible = [part.number for part in cells if part is not None and not math.isnan(part.number)]
    if len(visible) == len(cells) and chain.whole and chain.moves == (0.0, 0.0):
        return None  # true counts add up in any case
    digits = 0.0 if chain.whole else (len(cells) + 1) * cell.half
    return abs(sum(visible) - cell.number) <= digits
