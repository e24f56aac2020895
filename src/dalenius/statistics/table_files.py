"""Published tables as people print them, from CSV or xlsx.

Two shapes are read. Long: attribute columns, the secret's column, and ``count`` or ``percent``, one row a
cell. Cross-tab: attributes down, and across them the values of the secret, alone or under the levels of
further attributes in header rows above; the first cell of a header row may name its attribute. ``Total`` and
``All`` are margins, which are questions of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dalenius.errors import InputError
from dalenius.records.schema import Column
from dalenius.statistics.cells import Condition
from dalenius.statistics.grid import Grid, read_grids
from dalenius.statistics.printed_cell import Printed, read_cell
from dalenius.statistics.table_headers import Layout, find_layout
from dalenius.statistics.table_labels import is_margin, levels_of


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
    """

    conditions: tuple[Condition, ...]
    value: str | None
    printed: Printed
    label: str


@dataclass(frozen=True)
class PrintedTable:
    """One table of a file: what it is called, what it calls the secret, and its cells."""

    name: str
    secret: str | None
    entries: tuple[Entry, ...]

    @property
    def values(self) -> tuple[str, ...]:
        """The values of the secret that are counted, in the order of the table."""
        return tuple(dict.fromkeys(entry.value for entry in self.entries if entry.value is not None))


def read_printed(
    path: str | Path, columns: Sequence[Column], *, secret: str | None = None
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

    Raises
    ------
    InputError
        If there is no table in the file, or a cell cannot be read; it names the row and column.

    Examples
    --------
    >>> import tempfile
    >>> from dalenius.records.schema import Kind, Role
    >>> age = Column("age", Role.PUBLIC, Kind.BINARY, ("30", "40"))
    >>> with tempfile.TemporaryDirectory() as place:
    ...     _ = Path(place, "t.csv").write_text("age,no,yes,Total\n30,5,<5,7\n40,8,6,14\n")
    ...     table, = read_printed(f"{place}/t.csv", [age])
    >>> [(entry.label, entry.value, entry.printed.high) for entry in table.entries][:3]
    [('age=30', 'no', inf), ('age=30', 'yes', 4.0), ('age=30', None, inf)]
    """
    path = Path(path)
    grids = read_grids(path)
    found = {}
    for name, grid in grids.items():
        layout = find_layout(grid, columns, secret, name)
        if layout is not None:
            found[name] = _read(name, grid, layout, columns)
    if not found:
        names = ", ".join(column.name for column in columns) or "none"
        raise InputError(
            str(path),
            "must have a header that names a public column in its first cell",
            f"{' '.join(next(iter(grids.values()))[0])[:60]!r}",
            f"Public columns: {names}.",
        )
    return tuple(found.values())


def _read(name: str, grid: Grid, layout: Layout, columns: Sequence[Column]) -> PrintedTable:
    by_name = {column.name: column for column in columns}
    entries: dict[tuple[tuple[Condition, ...], str | None], Entry] = {}
    for place, labels, text in _places(grid, layout):
        printed = read_cell(text + "%" if layout.percent and text[-1:].isdigit() else text)
        if printed is None:
            raise InputError(
                f"{name}, {place}",
                "must be a number, a percentage, a range such as <5, or a mark of suppression such as *",
                repr(text),
            )
        entry = _entry(labels, printed, layout, by_name)
        if entries.setdefault((entry.conditions, entry.value), entry) is not entry:
            raise InputError(f"{name}, {place}", "must print every cell once", f"{entry.label!r} again")
    return PrintedTable(name, layout.secret, tuple(entries.values()))


def _places(grid: Grid, layout: Layout) -> Iterator[tuple[str, dict[str, str], str]]:
    """Every cell of the body: where it is, its label in every dimension, its text."""
    above = [""] * len(layout.down)
    for r in range(layout.body, len(grid)):
        row = grid[r]
        if _is_note(row, layout):
            continue
        # a label is printed once for several rows, except the innermost one
        outer = [row[j] or above[j] for j in range(len(layout.down) - 1)]
        above = [*outer, row[len(layout.down) - 1]]
        down = dict(zip(layout.down, above, strict=True))
        for j, across in layout.across.items():
            yield f"row {r + 1}, column {j + 1}", down | across, row[j]


def _is_note(row: list[str], layout: Layout) -> bool:
    """A line under the table: text in its first cell only, which is no label of the table."""
    return not any(row[1:]) and len(row) > 1 and not layout.knows(row[0])


def _entry(labels: dict[str, str], printed: Printed, layout: Layout, columns: dict[str, Column]) -> Entry:
    conditions, words, value = [], [], None
    for name, label in labels.items():
        column = columns.get(name)
        if column is None:
            value = None if is_margin(label) or not label else label
            continue
        levels = levels_of(column, label)
        if levels is None and (is_margin(label) or not label):
            continue
        conditions.append((name, levels or ()))
        words.append(f"{name}={label}")
    order = sorted(range(len(conditions)), key=lambda j: conditions[j][0])
    label = " & ".join(words[j] for j in order) or "everybody"
    return Entry(tuple(conditions[j] for j in order), value, printed, label)
