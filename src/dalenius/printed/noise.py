"""Which numbers of printed tables have noise of their own, and which are sums of these.

What noise promises depends on how many numbers with noise of their own one person is counted in. Cells
inside a table hold everybody once; a total that is added up from them is post-processing and costs nothing,
one with noise of its own counts everybody once more. All this is read off the labels alone, never off the
numbers: the labels are public.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dalenius.matrices.answers import Sensitivity
from dalenius.people.schema import Column
from dalenius.printed.dimensions import levels_of, number_of
from dalenius.printed.files import Entry, PrintedTable, read_printed
from dalenius.printed.grid import read_grids
from dalenius.statistics.printed_cell import read_cell, read_interval

MOST_CELLS = 4_000_000
"""Combinations of labels of one table that are looked at one by one."""

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class NoisyTable:
    """Where noise is drawn in one table.

    Parameters
    ----------
    name
        What the table is called.
    own
        The cells that have noise of their own.
    sums
        The other cells, each with those of ``own`` whose sum it is.
    overlap
        In how many of ``own`` one person is counted at most.
    """

    name: str
    own: tuple[Entry, ...]
    sums: tuple[tuple[Entry, tuple[Entry, ...]], ...]
    overlap: int


def noisy_table(
    table: PrintedTable, columns: Sequence[Column], levels: Sequence[str], *, summed: bool
) -> NoisyTable | None:
    """Say where noise is drawn in a table, by its labels.

    Parameters
    ----------
    table
        The table.
    columns
        The public columns that it speaks of.
    levels
        The values that the secret can have.
    summed
        Whether margins, in which a public column is left out, are added up from the cells; or have noise of
        their own. A number over all values of the secret is added up from its row where that has them all.

    Returns
    -------
    NoisyTable or None
        ``None`` if margins cannot be sums, or the table has too many combinations of labels.
    """
    grid = _Grid.of(table, columns, levels)
    if grid is None:
        return None
    depth = max((len(entry.words) for entry in table.entries), default=0)
    own: list[Entry] = []
    parts: dict[tuple[int, int], tuple[Entry, ...]] = {}
    for entry in sorted(table.entries, key=lambda each: (each.value is None, -len(each.words))):
        outside = len(entry.words) < depth
        found = None if entry.value is not None else _of_its_row(entry, table, parts, levels)
        if found is None and outside and (summed or entry.value is None):
            inside = [each for each in own if len(each.words) == depth]
            found = grid.parts(entry, [e for e in inside if (e.value is None) == (entry.value is None)])
        if found is None and outside and summed and entry.value is not None:
            return None
        parts[entry.at] = found or (entry,)
        own += [] if found else [entry]
    sums = tuple((each, parts[each.at]) for each in table.entries if parts[each.at] != (each,))
    return NoisyTable(table.name, tuple(own), sums, grid.overlap(own))


def sensitivity_of_tables(tables: Iterable[NoisyTable]) -> Sensitivity:
    """How far one record that is replaced by any other moves the numbers with noise of their own.

    It leaves at most ``overlap`` numbers of each table and enters as many, each by one. Every table counts,
    also one that is printed a second time: its noise is another.

    Examples
    --------
    >>> sensitivity_of_tables([NoisyTable("a", (), (), 1), NoisyTable("b", (), (), 2)])
    Sensitivity(l1=6.0, l2_squared=6.0)
    """
    changed = 2.0 * sum(table.overlap for table in tables)
    return Sensitivity(changed, changed)


def numbers_with(
    table: NoisyTable, draw: Callable[[Sequence[float]], Sequence[float]]
) -> dict[tuple[int, int], int]:
    """Draw the numbers of a table: whole ones, and sums of these."""
    drawn = draw([entry.printed.number for entry in table.own])
    whole = {entry.at: round(number) for entry, number in zip(table.own, drawn, strict=True)}
    return whole | {entry.at: sum(whole[part.at] for part in parts) for entry, parts in table.sums}


def not_sums(table: NoisyTable) -> list[Entry]:
    """The cells that should be sums of printed numbers, and are not."""
    return [
        entry
        for entry, parts in table.sums
        if not math.isclose(
            entry.printed.number,
            sum(part.printed.number for part in parts),
            rel_tol=0.0,
            abs_tol=0.0 if _is_whole([entry, *parts]) else (len(parts) + 1) * entry.printed.up,
        )
    ]


def number_elsewhere(path: Path, columns: Sequence[Column], secret: str) -> str | None:
    """Say where a file has a number that no table of it reads and no label is; ``None`` if nowhere.

    It stays as it is whatever is done to the tables: noise beside it promises nothing.
    """
    known = {table.name: table for table in read_printed(path, columns, secret=secret)}
    for sheet in read_grids(path):
        table = known.get(sheet.name)
        entries = () if table is None else table.entries
        read = {entry.at for entry in entries}
        labels = {label for entry in entries for _, label in entry.words} | {entry.value for entry in entries}
        for r, row in enumerate(sheet.cells):
            for c, text in enumerate(row):
                if text in labels or (sheet.rows[r], sheet.columns[c]) in read or not text:
                    continue
                found = read_cell(text)
                if found is not None and not math.isnan(found.number):
                    return f"{sheet.name}, {sheet.cell(r, c)}"
    return None


def _is_whole(entries: Iterable[Entry]) -> bool:
    return all(entry.printed.unit >= 1 for entry in entries)


def _of_its_row(
    entry: Entry,
    table: PrintedTable,
    parts: Mapping[tuple[int, int], tuple[Entry, ...]],
    levels: Sequence[str],
) -> tuple[Entry, ...] | None:
    """What a number over all values of the secret is the sum of, where its row has each of them."""
    row = [each for each in table.entries if each.words == entry.words and each.value is not None]
    if {each.value for each in row} != {*levels}:
        return None
    return tuple(part for each in row for part in parts[each.at])


@dataclass(frozen=True)
class _Grid:
    """All combinations of labels, those alike that stand in the same cells; the last axis is the secret.

    ``at`` says which classes of a column a label stands for.
    """

    names: tuple[str, ...]
    at: Mapping[tuple[str, str], Indices]
    levels: tuple[str, ...]
    shape: tuple[int, ...]

    @staticmethod
    def of(table: PrintedTable, columns: Sequence[Column], levels: Sequence[str]) -> _Grid | None:
        known = {column.name: column for column in columns}
        labels: dict[str, dict[str, None]] = {}
        for name, label in (pair for entry in table.entries for pair in entry.words):
            labels.setdefault(name, {})[label] = None
        at: dict[tuple[str, str], Indices] = {}
        shape = []
        for name, texts in labels.items():
            classes, size = _classes(known[name], list(texts))
            at |= {(name, text): classes[text] for text in texts}
            shape.append(size)
        shape.append(len(levels))
        return (
            _Grid(tuple(labels), at, tuple(levels), tuple(shape)) if math.prod(shape) <= MOST_CELLS else None
        )

    def box(self, entry: Entry) -> tuple[Indices, ...]:
        """Which combinations a cell counts, axis by axis."""
        said = dict(entry.words)
        axes = [
            self.at[name, said[name]] if name in said else np.arange(size)
            for name, size in zip(self.names, self.shape, strict=False)
        ]
        value = range(len(self.levels)) if entry.value is None else [self.levels.index(entry.value)]
        return (*axes, np.array(value, np.intp))

    def overlap(self, entries: Iterable[Entry]) -> int:
        """In how many cells one person can stand."""
        covered = self._covered(entries)
        return int(covered.max()) if covered.size else 0

    def parts(self, whole: Entry, cells: Sequence[Entry]) -> tuple[Entry, ...] | None:
        """The cells that lie in another one, if they are all of it and have nobody in common."""
        box = self.box(whole)
        inside = tuple(each for each in cells if self._within(self.box(each), box))
        return inside if inside and (self._covered(inside)[np.ix_(*box)] == 1).all() else None

    def _within(self, part: Sequence[Indices], whole: Sequence[Indices]) -> bool:
        return all(bool(np.isin(a, b).all()) for a, b in zip(part, whole, strict=True))

    def _covered(self, entries: Iterable[Entry]) -> NDArray[np.int64]:
        covered = np.zeros(self.shape, np.int64)
        for entry in entries:
            covered[np.ix_(*self.box(entry))] += 1
        return covered


def _classes(column: Column, labels: Sequence[str]) -> tuple[dict[str, Indices], int]:
    """Which classes of values each label stands for, and how many there are; those of no label are none.

    Values that nobody has are values too: somebody else could have them. Two bands that meet where nobody
    is have that in common.
    """
    unknown = [text for text in labels if levels_of(column, text) is None and read_interval(text) is None]
    known = [number_of(level) for level in column.levels]
    ends = [end for text in labels for end in read_interval(text) or () if math.isfinite(end)]
    new = [f"{end:g}" for end in ends if end not in known] if None not in known else []
    wider = replace(column, levels=tuple(dict.fromkeys([*column.levels, *new, *unknown])))
    sets = {text: frozenset(levels_of(wider, text) or (text,)) for text in labels}
    patterns: dict[tuple[bool, ...], int] = {}
    found: dict[str, set[int]] = {text: set() for text in labels}
    for level in dict.fromkeys([*wider.levels, *(each for one in sets.values() for each in one)]):
        pattern = tuple(level in one for one in sets.values())
        if any(pattern):
            place = patterns.setdefault(pattern, len(patterns))
            for text, within in zip(sets, pattern, strict=True):
                if within:
                    found[text].add(place)
    return {text: np.array(sorted(places), np.intp) for text, places in found.items()}, len(patterns)
