"""Published tables as people print them, from CSV or xlsx.

Two shapes are read. Long: attribute columns, the secret's column, and ``count`` or ``percent``, one row a
cell. Cross-tab: attributes down, and across them the values of the secret, alone or under the levels of
further attributes in header rows above; the first cell of a header row may name its attribute. ``Total`` and
``All`` are margins, which are questions of their own. One cell may be printed as a count and as a share.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dalenius.errors import InputError
from dalenius.people.schema import Column
from dalenius.printed.dimensions import fill, is_margin, levels_of, without_total
from dalenius.printed.grid import PrintedSheet, read_grids
from dalenius.printed.headers import Layout, find_layout
from dalenius.statistics.cells import Condition
from dalenius.statistics.printed_cell import SIGNS, Printed, decimal_comma, read_cell, split_pair

MOST_PER = 1000
"""Of how many shares are at most that are below a thousand themselves."""


@dataclass(frozen=True)
class Entry:
    """One printed cell.

    Parameters
    ----------
    conditions
        Whom it counts; a level that nobody has gives an empty list of levels.
    value
        The value of the secret that it counts, ``None`` for all values together.
    printed
        What it says.
    label
        The conditions as the table writes them.
    words
        The same one by one: the column, and what the table writes.
    at
        The row and the column of the file in which it stands, counted from one.
    """

    conditions: tuple[Condition, ...]
    value: str | None
    printed: Printed
    label: str
    words: tuple[tuple[str, str], ...] = ()
    at: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class PrintedTable:
    """One table of a file.

    Parameters
    ----------
    name
        What it is called.
    secret
        What it calls the secret, if it does.
    entries
        Its cells.
    alike
        Public columns whose levels are the labels that were taken for values of the secret.
    speaks
        Whether a line above it speaks of shares.
    beside
        Public columns whose levels label the same side of it as the values of the secret: where values run
        across, those above them.
    """

    name: str
    secret: str | None
    entries: tuple[Entry, ...]
    alike: tuple[str, ...] = ()
    speaks: bool = False
    beside: tuple[str, ...] = ()

    @property
    def values(self) -> tuple[str, ...]:
        """The values of the secret that are counted, in the order of the table."""
        return tuple(dict.fromkeys(entry.value for entry in self.entries if entry.value is not None))


def read_printed(
    path: str | Path, columns: Sequence[Column], *, secret: str | None = None, per: float | None = None
) -> tuple[PrintedTable, ...]:
    r"""Read the tables of a file: one of a CSV file, one of each sheet of a workbook that has a table.

    Parameters
    ----------
    path
        The file.
    columns
        The public columns of the people, which the table speaks of.
    secret
        What the tables call the secret, if known.
    per
        What is said of numbers without a sign: 0 that they are counts, 100 percentages, 1 fractions; by
        default as their header says.

    Raises
    ------
    InputError
        If there is no table in the file, or a cell cannot be read; it names the row and column.

    Examples
    --------
    >>> import tempfile
    >>> from dalenius.people.schema import Kind, Role
    >>> age = Column("age", Role.PUBLIC, Kind.BINARY, ("30", "40"))
    >>> with tempfile.TemporaryDirectory() as place:
    ...     _ = Path(place, "t.csv").write_text("age,no,yes,Total\n30,5,<5,7\n40,8,6,14\n")
    ...     table, = read_printed(f"{place}/t.csv", [age])
    >>> [(entry.label, entry.value, entry.printed.high) for entry in table.entries][:3]
    [('age=30', 'no', inf), ('age=30', 'yes', 4.0), ('age=30', None, inf)]
    """
    path = Path(path)
    sheets = read_grids(path)
    found = []
    for sheet in sheets:
        layout = find_layout(sheet, columns, secret)
        if layout is not None:
            found.append(_read(sheet, layout, columns, per))
    if not found:
        names = ", ".join(column.name for column in columns) or "none"
        raise InputError(
            str(path),
            "must have a header that names a public column in its first cell",
            "something else",
            "Begin it with a column of the list of people, spelt as there.",
            value=" ".join(sheets[0].cells[0])[:60],
            hint=f"Public columns: {names}.",
        )
    return tuple(found)


@dataclass(frozen=True)
class _Place:
    """One cell of the body: where it is, its label in every dimension, its text."""

    sheet: PrintedSheet
    row: int
    column: int
    labels: dict[str, str]
    text: str
    paired: float | None = None
    """Of how many it is as half of a count with its share; ``None`` for a cell by itself."""

    def __str__(self) -> str:
        return self.sheet.cell(self.row, self.column)

    @property
    def sign(self) -> float:
        """Of how many its own sign says that it is."""
        return SIGNS.get(self.text[-1:], 0.0)


def _read(
    sheet: PrintedSheet, layout: Layout, columns: Sequence[Column], stated: float | None
) -> PrintedTable:
    name, by_name = sheet.name, {column.name: column for column in columns}
    places = list(_places(sheet, layout, by_name))
    units = _Units(layout, places, stated)
    shares = any(place.sign or 0 < units.of(place) <= MOST_PER for place in places)
    comma = decimal_comma((place.text for place in places), shares=shares)
    if comma is None:
        raise InputError(name, "must write decimals in one way", "some after a comma and some after a point")
    entries: dict[tuple[tuple[Condition, ...], str | None, float], Entry] = {}
    columns_of: dict[tuple[int, float | None], list[Entry]] = {}
    for place in places:
        printed = read_cell(place.text, per=units.of(place), comma=comma)
        if printed is None or (not math.isnan(printed.number) and units.unlike(place)):
            raise InputError(
                f"{name}, {place}",
                "must be a number, a percentage, both as in 12 (3.4%), a range as <5, or a mark as *",
                "other text" if printed is None else "a number without a sign among percentages",
                value=place.text,
            )
        entry = _entry(place, printed, by_name)
        if entries.setdefault((entry.conditions, entry.value, printed.per), entry) is not entry:
            raise InputError(f"{name}, {place}", "must print every cell once", "one again", value=entry.label)
        columns_of.setdefault((place.column, place.paired), []).append(entry)
    finest = [(same, min(entry.printed.shown for entry in same)) for same in columns_of.values()]
    shown = {id(entry): digit for same, digit in finest for entry in same}
    found = tuple(_with_digits(entry, shown[id(entry)]) for entry in entries.values())
    return PrintedTable(name, layout.secret, found, layout.alike, layout.speaks, _beside(layout, by_name))


def _beside(layout: Layout, known: dict[str, Column]) -> tuple[str, ...]:
    """The public columns on the side of the values of the secret; a long table has one side alone."""
    across = next(iter(layout.across.values()), {})
    if not across:
        return ()
    side = layout.down if all(name in known for name in across) else tuple(across)
    return tuple(name for name in side if name in known)


def _with_digits(entry: Entry, shown: float) -> Entry:
    """Let a cell have the digits that its column shows."""
    return replace(entry, printed=replace(entry.printed, shown=shown))


class _Units:
    """Whether cells are counts or shares: by their sign, by the header, or as it is said."""

    def __init__(self, layout: Layout, places: Sequence[_Place], stated: float | None) -> None:
        self.layout, self.stated = layout, stated
        alone = [place for place in places if place.paired is None]
        self.columns = {place.column: place.sign for place in alone if place.sign}
        self.rows = {place.row for place in alone if place.sign}
        plain = [place for place in alone if place.text[-1:].isdigit() and layout.per[place.column] is None]
        self.counted = {place.row for place in plain} - self.rows

    def of(self, place: _Place) -> float:
        """Of how many a cell is without a sign of its own; 0 for counts."""
        if place.paired is not None:
            return place.paired
        said = self.layout.per[place.column]
        if said is not None:
            return said
        if place.column in self.columns and place.row not in self.counted:
            return self.columns[place.column]
        return self.stated or 0.0

    def unlike(self, place: _Place) -> bool:
        """Whether a number has no sign where those around it have one."""
        if place.paired is not None:
            return False
        said = self.layout.per[place.column] or self.stated
        return not (place.sign or said) and place.row in self.rows and place.column in self.columns


def _places(sheet: PrintedSheet, layout: Layout, columns: dict[str, Column]) -> Iterator[_Place]:
    above = [""] * len(layout.down)
    for r in range(layout.body, len(sheet.cells)):
        row = sheet.cells[r]
        if _is_note(row, layout):
            continue
        printed = [
            without_total(columns.get(column), label) for column, label in zip(layout.down, row, strict=False)
        ]
        labels = fill(printed, above, lambda j, label: is_margin(label, layout.down[j]))
        if labels is None:
            raise InputError(
                f"{sheet.name}, {sheet.row(r)}",
                "must have a label in every column, or Total",
                "one left out between two",
                "Write the level, or Total, in every line.",
            )
        above = labels
        down = dict(zip(layout.down, labels, strict=True))
        for j, across in layout.across.items():
            pair = split_pair(row[j])
            if pair is None:
                yield _Place(sheet, r, j, down | across, row[j])
            else:
                yield _Place(sheet, r, j, down | across, pair[0], 0.0)
                yield _Place(sheet, r, j, down | across, pair[1], SIGNS.get(pair[1][-1], 100.0))


def _is_note(row: list[str], layout: Layout) -> bool:
    """A line under the table: text in its first cell only, which is no label of the table."""
    return not any(row[1:]) and len(row) > 1 and not layout.knows(row[0])


def _entry(place: _Place, printed: Printed, columns: dict[str, Column]) -> Entry:
    conditions, words, value = [], [], None
    for name, label in place.labels.items():
        column = columns.get(name)
        if column is None:
            value = None if is_margin(label, name) or not label else label
            continue
        levels = levels_of(column, label)
        if levels is None and (is_margin(label, name) or not label):
            continue
        conditions.append((name, levels or ()))
        words.append((name, label))
    order = sorted(range(len(conditions)), key=lambda j: conditions[j][0])
    named = tuple(words[j] for j in order)
    label = " & ".join(f"{name}={text}" for name, text in named) or "everybody"
    at = place.sheet.rows[place.row], place.sheet.columns[place.column]
    return Entry(tuple(conditions[j] for j in order), value, printed, label, named, at)
