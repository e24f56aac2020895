"""A release taken apart: its tables one by one, and what may be left out together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from dalenius.findings.explanation import PartKind
from dalenius.reconstruction.together import blocks_together
from dalenius.release.release import Block, Release
from dalenius.shown import hides_people
from dalenius.statistics.cells import CellCounts
from dalenius.statistics.statistic import Among, Statistic
from dalenius.statistics.tables import Tables

MOST_TABLES = 40
"""Tables up to which each is left out by itself; of more, all those with a column are left out together."""

MOST_COLUMNS = 40
"""Columns up to which that is done."""


@hides_people("name")
@dataclass(frozen=True)
class OneTable:
    """One table of a release, or another statistic that cannot be taken apart.

    Parameters
    ----------
    name
        Such as ``age*sex``; where several releases are attacked together, with the release before it.
    columns
        The public columns in it.
    release
        Which of the releases it is of.
    block
        Its numbers.
    is_table
        Whether it is a table.
    source
        Which block of the release it is a part of.
    """

    name: str
    columns: tuple[str, ...]
    release: int
    block: Block
    is_table: bool = True
    source: int = 0


@dataclass(frozen=True)
class Portion:
    """What is left out at once: the places of its tables."""

    kind: PartKind
    name: str
    tables: frozenset[int]


def tables_in(releases: Sequence[Release]) -> list[OneTable]:
    """Take releases that are attacked together apart, as far as they can be.

    Numbers keep what was done to them; what a mechanism was told about the whole is in its parameters.
    """
    found = [
        one
        for j, release in enumerate(releases)
        for k, block in enumerate(blocks_together(release, releases) if len(releases) > 1 else release.blocks)
        for one in _tables_of(block, j, k)
    ]
    if len(releases) > 1:
        found = [replace(one, name=f"{releases[one.release].name}: {one.name}") for one in found]
    repeated = {name for name, times in Counter(one.name for one in found).items() if times > 1}
    seen: Counter[str] = Counter()
    for j, one in enumerate(found):
        if one.name in repeated:
            seen[one.name] += 1
            found[j] = replace(one, name=f"{one.name} ({seen[one.name]})")
    return found


def only(release: Release, tables: Sequence[OneTable]) -> Release:
    """Return the release with these tables alone; it promises nothing, since nobody will publish it.

    Tables of one block are one block again, which decoders take for what it was.
    """
    blocks = (
        _joined([one.block for one in found])
        for _, found in groupby(tables, key=lambda one: (one.release, one.source))
    )
    return replace(release, blocks=tuple(blocks), promise=None)


def apart(release: Release, tables: Sequence[OneTable]) -> Release:
    """Return the release with a block for each of these tables."""
    return replace(release, blocks=tuple(one.block for one in tables), promise=None)


def _joined(blocks: list[Block]) -> Block:
    first = blocks[0]
    if len(blocks) == 1 or (statistic := _together([block.statistic for block in blocks])) is None:
        return first

    def stacked(key: str) -> NDArray[np.float64] | None:
        parts = [getattr(block, key) for block in blocks]
        return None if parts[0] is None else np.concatenate(parts)

    return replace(
        first,
        statistic=statistic,
        answers=np.concatenate([block.answers for block in blocks]),
        low=stacked("low"),
        high=stacked("high"),
        least=stacked("least"),
        most=stacked("most"),
    )


def _together(asked: list[Statistic]) -> Statistic | None:
    """Parts of one statistic as one again; nothing where they are no such parts."""
    first = asked[0]
    if isinstance(first, Among):
        inner = _together([one.asked for one in asked if isinstance(one, Among)])
        return replace(first, asked=inner) if isinstance(inner, CellCounts) else None
    tables = [one for one in asked if isinstance(one, Tables)]
    if len(tables) == len(asked):
        columns = {column.name: column for one in tables for column in one.columns}
        return Tables(tuple(columns.values()), tuple(names for one in tables for names in one.sets))
    cells = [one for one in asked if isinstance(one, CellCounts)]
    if len(cells) == len(asked):
        columns = {column.name: column for one in cells for column in one.columns}
        named = tuple(name for one in cells for name in one.names)
        return CellCounts(tuple(columns.values()), tuple(cell for one in cells for cell in one.cells), named)
    return None


def portions(tables: Sequence[OneTable], releases: Sequence[Release]) -> tuple[list[Portion], str | None]:
    """Say what to leave out, the largest first, and what is not tried."""
    found = []
    if len(releases) > 1:
        found = [
            _portion("release", release.name, [t.release == j for t in tables])
            for j, release in enumerate(releases)
        ]
    columns = list(dict.fromkeys(column for one in tables for column in one.columns))
    by_column = [_portion("column", column, [column in one.columns for one in tables]) for column in columns]
    left_out = None
    if len(tables) > MOST_TABLES:
        left_out = f"each of the {len(tables):,} tables by itself: too many; they were left out by column"
        if len(columns) > MOST_COLUMNS:
            by_column = sorted(by_column, key=lambda one: -len(one.tables))[:MOST_COLUMNS]
            left_out += f", and only {MOST_COLUMNS} of {len(columns):,} columns were tried"
    else:
        found += [
            Portion("table" if one.is_table else "question", one.name, frozenset([j]))
            for j, one in enumerate(tables)
        ]
    several = [one for one in by_column if 1 < len(one.tables) < len(tables)]
    return [*found, *several], left_out


def _portion(kind: PartKind, name: str, inside: Sequence[bool]) -> Portion:
    return Portion(kind, name, frozenset(int(j) for j in np.flatnonzero(inside)))


def _tables_of(block: Block, release: int, source: int) -> Iterator[OneTable]:
    statistic = block.statistic
    if (asked := _printed(statistic)) is not None:
        yield from _printed_tables(block, asked, release, source)
        return
    if not isinstance(statistic, Tables):
        columns = _columns_of(statistic)
        name = "*".join(columns) if columns else statistic.kind
        yield OneTable(name, columns, release, block, is_table=bool(columns), source=source)
        return
    table = statistic.table
    for j, names in enumerate(statistic.sets):
        one = Tables(tuple(c for c in statistic.columns if c.name in names), (names,))
        rows = np.asarray(table == j)
        name = "*".join(names) or "everybody"
        yield OneTable(name, names, release, _some_rows(block, one, rows), source=source)


def _printed(statistic: Statistic) -> CellCounts | None:
    asked = statistic.asked if isinstance(statistic, Among) else statistic
    return asked if isinstance(asked, CellCounts) else None


def _printed_tables(block: Block, asked: CellCounts, release: int, source: int) -> Iterator[OneTable]:
    """The cells of printed tables, table by table: a margin is of the first that has its columns."""
    of = [frozenset(name for name, _ in cell) for cell in asked.cells]
    whole = [names for names in dict.fromkeys(of) if not any(names < other for other in of)]
    table = np.array([next(j for j, names in enumerate(whole) if own <= names) for own in of])
    for j, names in enumerate(whole):
        rows = np.flatnonzero(table == j)
        cells = tuple(asked.cells[row] for row in rows)
        columns = tuple(dict.fromkeys(name for cell in cells for name, _ in cell))
        one: CellCounts | Among = CellCounts(
            tuple(column for column in asked.columns if column.name in names),
            cells,
            tuple(asked.names[row] for row in rows),
        )
        one = replace(block.statistic, asked=one) if isinstance(block.statistic, Among) else one
        name = "*".join(columns) or "everybody"
        yield OneTable(name, columns, release, _some_rows(block, one, table == j), source=source)


def _columns_of(statistic: Statistic) -> tuple[str, ...]:
    """The columns of tables, in their order; none of what is no table."""
    asked = statistic.asked if isinstance(statistic, Among) else statistic
    if isinstance(asked, Tables):
        return tuple(column.name for column in asked.columns)
    return ()


def _some_rows(block: Block, statistic: Statistic, rows: NDArray[np.bool_]) -> Block:
    def cut(numbers: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
        return None if numbers is None else numbers[rows]

    return replace(
        block,
        statistic=statistic,
        answers=block.answers[rows],
        low=cut(block.low),
        high=cut(block.high),
        least=cut(block.least),
        most=cut(block.most),
    )
