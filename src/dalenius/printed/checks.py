"""What is checked of printed tables before they are attacked, and how their margins were protected.

Margins were protected by themselves, or are sums of protected cells. A sum of rounded cells is no rounded
sum: three cells of 7 are printed as 5, 5 and 5, and their total as 15 instead of 20. Such a margin says
nothing that the cells do not say. Where it is not said how margins were made, those that equal the sums of
their cells are not used, unless one of their kind does not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dalenius.errors import SHOW_LEVELS, InputError, nearest
from dalenius.matrices.answers import Vector
from dalenius.mechanisms.chain import Mechanism
from dalenius.mechanisms.stages.rounding import Rounding
from dalenius.people.schema import Column, Roster
from dalenius.printed.dimensions import levels_of
from dalenius.printed.files import PrintedTable
from dalenius.printed.rows import Row
from dalenius.statistics.cells import CellCounts, Condition
from dalenius.statistics.printed_cell import Printed


def refuse_unlisted(tables: Sequence[PrintedTable], roster: Roster) -> None:
    """Refuse people with a level that no table has, where tables have the column."""
    listed: dict[str, set[str]] = {}
    for name, levels in {condition for t in tables for e in t.entries for condition in e.conditions}:
        listed.setdefault(name, set()).update(levels)
    for name, known in sorted(listed.items()):
        at = roster.attributes.position(name)
        column = roster.attributes.columns[at]
        used, people = np.unique(roster.attributes.codes[:, at], return_counts=True)
        for code, count in zip(used, people, strict=True):
            if column.levels[code] not in known:
                raise InputError(
                    f"every level of {name!r} on the list of people",
                    "must be in one of the tables",
                    f"one of {count:,} people and no such row or column",
                    "Spell the levels of the list of people as the tables do.",
                    value=column.levels[code],
                )


def refuse_public(
    table: PrintedTable, rows: Sequence[Row], roster: Roster, chains: Mapping[bool, Mechanism]
) -> None:
    """Ask about a table whose values are those of a public column, and whose numbers count that column."""
    for name in table.alike:
        column = roster.attributes.columns[roster.attributes.position(name)]
        printed = [
            (row, cell, levels_of(column, value) or ())
            for row in rows
            for value, cell in row.cells.items()
            if value is not None and not math.isnan(cell.number)
        ]
        if not printed:
            continue
        counts = _count(roster, [(*row.conditions, (name, levels)) for row, _, levels in printed])
        totals = _count(roster, [row.conditions for row, _, _ in printed])
        if all(
            _may_be(cell, count, total, chains[row.margin])
            for (row, cell, _), count, total in zip(printed, counts, totals, strict=True)
        ):
            raise InputError(
                f"{table.name}: header",
                f"must say whether it is about the secret or about {name!r}",
                f"numbers that {name!r} has, and no name",
                "Give --secret and write its name in a line above the values, if they are the secret's.",
            )


def _count(roster: Roster, cells: Sequence[tuple[Condition, ...]]) -> Vector:
    used = {name for conditions in cells for name, _ in conditions}
    columns = tuple(c for c in roster.attributes.columns if c.name in used)
    return CellCounts(columns, tuple(cells), ("",) * len(cells)).totals(roster)


def _may_be(cell: Printed, count: float, total: float, chain: Mechanism) -> bool:
    """Whether a number is that count of those people, or its share of them."""
    if cell.per:
        exact = chain.whole and chain.moves == (0.0, 0.0)
        return exact and total > 0 and cell.holds(cell.per * count / total, 1e-9 * cell.per)
    try:
        error = chain.error(np.array([[cell.number]]))
    except InputError:
        return False
    return error.shape == "none" and bool(error.low.item() <= count <= error.high.item())


@dataclass(frozen=True)
class Checks:
    """One table, what is said about its counts, and the values and levels that it may speak of.

    ``margins`` is what is said of its margins, which numbers over all values of the secret may be.
    """

    table: PrintedTable
    chain: Mechanism
    margins: Mechanism
    levels: tuple[str, ...]
    columns: Mapping[str, Column]

    def check(self, rows: Sequence[tuple[Row, float]], *, units: bool) -> None:
        """Refuse rows of counts that these people cannot have given, or that may be no counts at all.

        ``units`` says that somebody said that they are.
        """
        as_counted = self._as_counted()
        for row, total in rows:
            if as_counted:
                self._check_total(row, total)
            self._check_parts(row, total)
        if not units:
            self._refuse_unclear(rows)

    def _check_total(self, row: Row, total: float) -> None:
        """Refuse another number of people."""
        whole = row.cells.get(None)
        if whole is None or self._allows(whole, total):
            return
        if not replace(self, chain=self.margins)._allows(whole, total):
            raise self._disagrees(row, total, _shown(whole))

    def _as_counted(self) -> bool:
        """Whether totals cannot be sums of what is printed in place of the counts."""
        hidden = any(math.isnan(entry.printed.number) for entry in self.table.entries)
        # a value that is not printed at all may have been hidden in every row, and be missing from the sums
        unseen = self.chain.hides and not set(self.levels) <= set(self.table.values)
        return self.chain.whole and self.chain.moves == (0.0, 0.0) and not (hidden or unseen)

    def _check_parts(self, row: Row, total: float) -> None:
        counted = [row.cells.get(value) for value in self.levels]
        parts = [cell for cell in counted if cell is not None and cell.said]
        if len(parts) == len(self.levels):
            intervals = [self._interval(part, row.label) for part in parts]
            if not sum(i[0] for i in intervals) <= total <= sum(i[1] for i in intervals):
                raise self._disagrees(row, total, " + ".join(_shown(part) for part in parts))

    def _allows(self, cell: Printed, total: float) -> bool:
        if cell.number == total:
            return True
        try:
            low, high = self._interval(cell, "total")
        except InputError:
            return False
        return low <= total <= high

    def _interval(self, cell: Printed, label: str) -> tuple[float, float]:
        number = np.array([[cell.number]])
        whole = self.chain.whole and cell.unit <= 1
        error = self.chain.error(
            number,
            labels=lambda: [f"{self.table.name}: {label}"],
            least=number - (0.0 if whole else cell.down),
            most=number + (0.0 if whole else cell.up),
        )
        return max(float(error.low[0, 0]), cell.low), min(float(error.high[0, 0]), cell.high)

    def _disagrees(self, row: Row, total: float, got: str) -> InputError:
        return InputError(
            f"{self.table.name}: {row.label!r}",
            f"must add up to the {total:,.0f} people on the list",
            got,
            f"Check the list of people, and the mechanism ({self.chain}){self._hint()}. A table of other "
            "people, such as last month's, needs their own list: people = FILE in a plan.",
        )

    def _hint(self) -> str:
        """Say so if all numbers are multiples: somebody rounded them."""
        counted = [e.printed.number for e in self.table.entries if e.value is not None]
        numbers = [number for number in counted if not math.isnan(number)]
        for base in (10, 5, 3):
            if len(numbers) > 3 and any(numbers) and all(number % base == 0 for number in numbers):
                return f"; all counts are multiples of {base}, as with rounding:base={base}"
        return ""

    def _refuse_unclear(self, rows: Sequence[tuple[Row, float]]) -> None:
        """Ask about numbers with decimals that may be percentages or fractions, where no row shows it.

        Counts add up to the people of their row, shares to 100 or 1. Where noise was added nothing is sure
        in any case.
        """
        cells = [cell for row, _ in rows for value, cell in row.cells.items() if value is not None]
        numbers = [cell.number for cell in cells if not math.isnan(cell.number)]
        speaks = self.table.speaks and not any(entry.printed.per for entry in self.table.entries)
        decimals = all(cell.unit < 1 for cell in cells if not math.isnan(cell.number)) or speaks
        if not numbers or not decimals or max(numbers) > 100 or self._is_random():
            return
        for row, total in rows:
            whole = row.cells.get(None)
            if total not in (0, 1, 100) and (
                row.prints(self.levels) or (whole is not None and self._allows(whole, total))
            ):
                return
        raise InputError(
            self.table.name,
            "must say whether its numbers are counts, percentages or fractions",
            "numbers that may be any of them",
            "State --numbers counts, percent or fraction.",
        )

    def _is_random(self) -> bool:
        return self.chain.noise[0] != "none"

    def check_levels(self, rows: Sequence[Row]) -> None:
        """Refuse people with a level that nobody has."""
        for row in rows:
            printed = [cell for cell in row.cells.values() if cell.number > 0]
            for (name, levels), words in zip(row.conditions, row.label.split(" & "), strict=False):
                if levels or not printed:
                    continue
                if row.per or max(self._interval(printed[0], row.label)[0], 0) > 0:
                    label = words.partition("=")[2]
                    raise InputError(
                        f"{self.table.name}: every level of {name!r}",
                        "must be somebody's",
                        f"one of {printed[0].number:g} people printed, and nobody on the list",
                        SHOW_LEVELS,
                        value=label,
                        hint=nearest(label, self.columns[name].levels),
                    )


def _shown(cell: Printed) -> str:
    if not math.isnan(cell.number):
        return f"{cell.number:g}"
    return "hidden" if math.isinf(cell.high) else f"at most {cell.high:g}"


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
