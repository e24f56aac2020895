"""Whether the margins of a printed table were protected by themselves, or are sums of protected cells.

A sum of rounded cells is no rounded sum: three cells of 7 are printed as 5, 5 and 5, and their total as 15
instead of 20. Such a margin says nothing that the cells do not say. Where it is not said how margins were
made, those that equal the sums of their cells are not used, unless one of their kind does not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from dalenius.matrices.answers import Vector
from dalenius.mechanisms.chain import Mechanism
from dalenius.mechanisms.stages.rounding import Rounding
from dalenius.printed.rows import Row
from dalenius.statistics.cells import Condition

Kind = frozenset[str]
"""The columns that a margin breaks people down by."""


def summed_margins(rows: Sequence[Row], totals: Vector, chain: Mechanism) -> set[int]:
    """Return the rows that may be sums of the cells that were printed in place of the true counts."""
    controlled = any(isinstance(s, Rounding) and s.how == "controlled" for s in chain.stages)
    if controlled:
        return set()
    kinds: dict[Kind, bool] = {}
    for at, families in _families(rows, totals).items():
        kind = _kind(rows[at])
        for value in rows[at].cells:
            sums = [_is_sum(rows[at], [rows[j] for j in parts], value, chain) for parts in families]
            told = [same for same in sums if same is not None]
            if value is not None and told:
                kinds[kind] = kinds.get(kind, True) and any(told)
    return {j for j, row in enumerate(rows) if row.margin and kinds.get(_kind(row), False)}


def _kind(row: Row) -> Kind:
    return frozenset(name for name, _ in row.conditions)


def _families(rows: Sequence[Row], totals: Vector) -> dict[int, list[list[int]]]:
    """For each margin of counts the sets of rows that split it by further columns, nobody being left out."""
    by_kind: dict[Kind, list[int]] = {}
    for j, row in enumerate(rows):
        if not row.per:
            by_kind.setdefault(_kind(row), []).append(j)
    found: dict[int, list[list[int]]] = {}
    for kind, margins in by_kind.items():
        for finer, members in by_kind.items():
            if not finer > kind:
                continue
            parts: dict[tuple[Condition, ...], list[int]] = {}
            for j in members:
                parts.setdefault(tuple(c for c in rows[j].conditions if c[0] in kind), []).append(j)
            for at in margins:
                own = parts.get(rows[at].conditions, [])
                if own and totals[own].sum() == totals[at]:
                    found.setdefault(at, []).append(own)
    return found


def _is_sum(margin: Row, parts: Sequence[Row], value: str | None, chain: Mechanism) -> bool | None:
    """Whether a number is the sum of those printed; ``None`` where that says nothing."""
    cell, cells = margin.cells[value], [row.cells.get(value) for row in parts]
    if math.isnan(cell.number) or any(part is None for part in cells):
        return None
    visible = [part.number for part in cells if part is not None and not math.isnan(part.number)]
    if len(visible) == len(cells) and chain.whole and chain.moves == (0.0, 0.0):
        return None  # true counts add up in any case
    digits = 0.0 if chain.whole else (len(cells) + 1) * max(cell.down, cell.up)
    return abs(sum(visible) - cell.number) <= digits
