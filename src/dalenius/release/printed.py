"""From printed tables to a release: cells become questions, marks become intervals, totals are checked.

The totals of a table over all values of the secret say nothing about anybody: how many people are in a cell
is known from the list of people. They show whether the table is about these people at all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.mechanisms.chain import Mechanism
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.records.answers import Vector
from dalenius.records.roster import Roster
from dalenius.records.schema import Column, Kind, Role
from dalenius.release.printed_checks import SLACK, Checks, Row, refuse_unlisted, rows_of
from dalenius.release.release import Block, Release
from dalenius.statistics.cells import Cells, join_cells
from dalenius.statistics.table_files import PrintedTable

_OTHER = {"1": "0", "yes": "no", "true": "false", "positive": "negative", "y": "n"}
_ORDER = (("0", "1"), ("no", "yes"), ("false", "true"), ("negative", "positive"), ("n", "y"))


def release_of_tables(
    tables: Sequence[PrintedTable],
    roster: Roster,
    *,
    mechanism: str = "exact",
    secret: str | None = None,
    group_size: int | None = None,
    levels: tuple[str, ...] | None = None,
) -> Release:
    """Make one release of printed tables about the people of a roster.

    Parameters
    ----------
    tables
        What was printed.
    roster
        The people who were counted.
    mechanism
        What is said about the printed numbers. A hidden cell that the mechanism does not explain may be
        anything.
    secret
        What the secret is called; by default as the tables do.
    group_size
        How many people percentages are of; by default the people in their row.
    levels
        The values of the secret, if more are known than these tables print.

    Raises
    ------
    InputError
        If a total disagrees with the people, a level is nobody's, somebody's level is in no table, or a
        percentage is of something unknown.
    """
    chain = parse_mechanism(mechanism)
    name = secret or next((table.secret for table in tables if table.secret), "secret")
    levels = levels or secret_levels([value for table in tables for value in table.values])
    if group_size is not None and group_size != len(roster):
        raise InputError(
            "--group-size",
            f"must be the number of people on the list ({len(roster):,})",
            f"{group_size:,}",
            "The list of people must be the one that was counted.",
        )
    blocks = [
        block
        for table in tables
        for block in _Reader(table, roster, chain, levels, group_size is not None).blocks()
    ]
    refuse_unlisted(tables, roster)
    column = Column(name, Role.SECRET, Kind.BINARY if len(levels) == 2 else Kind.CATEGORICAL, levels)
    names = ", ".join(table.name for table in tables)
    return Release(names, column, tuple(_together(blocks)), str(chain))


def _together(blocks: Sequence[Block]) -> list[Block]:
    """Cells of all tables that print the same values alike as one block: one matrix, whatever the files."""
    kinds: dict[tuple[tuple[str, ...], str | None], list[tuple[Block, Cells]]] = {}
    for block in blocks:
        if isinstance(block.statistic, Cells):
            kinds.setdefault((block.values, block.mechanism), []).append((block, block.statistic))
    return [
        Block(
            join_cells([cells for _, cells in same]),
            values,
            np.concatenate([block.answers for block, _ in same]),
            mechanism,
            np.concatenate([block.low for block, _ in same if block.low is not None]),
            np.concatenate([block.high for block, _ in same if block.high is not None]),
        )
        for (values, mechanism), same in kinds.items()
    ]


def secret_levels(values: Sequence[str]) -> tuple[str, ...]:
    """Put the values of the secret in order, the one that is looked for last; a lone one gets its opposite.

    Examples
    --------
    >>> secret_levels(["yes", "no"]), secret_levels(["HIV"]), secret_levels(["b", "a", "c"])
    (('no', 'yes'), ('not HIV', 'HIV'), ('a', 'b', 'c'))
    """
    found = list(dict.fromkeys(values))
    if not found:
        raise InputError("tables", "must count at least one value of the secret", "none")
    if len(found) == 1:
        value = found[0]
        return (_OTHER.get(value.lower(), f"not {value}"), value)
    lowered = tuple(sorted(value.lower() for value in found))
    if lowered in _ORDER:
        found.sort(key=str.lower)
    elif len(found) > 2:
        found.sort()
    return tuple(found)


class _Reader:
    """One table, the people, and what is said about its numbers."""

    def __init__(
        self,
        table: PrintedTable,
        roster: Roster,
        chain: Mechanism,
        levels: tuple[str, ...],
        of_everybody: bool,
    ) -> None:
        self.table, self.chain, self.levels, self.of_everybody = table, chain, levels, of_everybody
        self.rows = rows_of(table)
        used = {name for row in self.rows for name, _ in row.conditions}
        self.columns = tuple(c for c in roster.attributes.columns if c.name in used)
        self.column_of = {column.name: column for column in roster.attributes.columns}
        self.people = len(roster)
        statistic = self._statistic(self.rows)
        self.totals = statistic.totals(roster)
        numbers = [e.printed for e in table.entries if e.printed.percent]
        self.half = 0.5 * 10.0 ** -max((p.decimals for p in numbers), default=0)

    def blocks(self) -> list[Block]:
        """Rows that print the same values, and alike as counts or percentages, form one block."""
        checks = Checks(self.table, self.chain, self.levels, self.column_of, self.half, self.of_everybody)
        kinds: dict[tuple[tuple[str, ...], bool], list[int]] = {}
        for j, row in enumerate(self.rows):
            checks.check(row, self.totals[j])
            printed = tuple(v for v in self.levels if v in row.cells and row.cells[v].said)
            percent = any(row.cells[value].percent for value in printed)
            if printed:
                kinds.setdefault((printed, percent), []).append(j)
        return [self._block(rows, values, percent) for (values, percent), rows in kinds.items()]

    def _statistic(self, rows: Sequence[Row]) -> Cells:
        names = tuple(f"{self.table.name}: {row.label}" for row in rows)
        return Cells(self.columns, tuple(row.conditions for row in rows), names)

    def _block(self, rows: list[int], values: tuple[str, ...], percent: bool) -> Block:
        cells = [[self.rows[j].cells[value] for value in values] for j in rows]
        answers = np.array([[cell.number for cell in row] for row in cells])
        low = np.array([[cell.low for cell in row] for row in cells])
        high = np.array([[cell.high for cell in row] for row in cells])
        statistic = self._statistic([self.rows[j] for j in rows])
        if not percent:
            return Block(statistic, values, answers, None, low, high)
        low, high = self._percentages(answers, low, high, self.totals[rows])
        return Block(statistic, values, (low + high) / 2, "stated", low, high)

    def _percentages(
        self,
        answers: NDArray[np.float64],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        totals: Vector,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The counts behind percentages; a hidden one is read by the mechanism."""
        size = (np.full_like(totals, self.people) if self.of_everybody else totals)[:, None]
        least = np.ceil(size * (answers - self.half) / 100 - SLACK)
        most = np.floor(size * (answers + self.half) / 100 + SLACK)
        hidden = self.chain.error(np.full_like(answers, np.nan), totals)
        gone = np.isnan(answers)
        least = np.where(gone, np.maximum(hidden.low, low), np.maximum(least, 0.0))
        return least, np.where(gone, np.minimum(hidden.high, high), np.minimum(most, totals[:, None]))
