"""Read the files of an attack on a released table so that one value means the same in all of them.

A postal code ``09101`` makes its column text in one file; in another, where no code starts with a zero, the
same column looks like numbers. What is text in one file is therefore read as text in all, and whole numbers
are decimal ones where they are in another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dalenius.errors import InputError
from dalenius.mechanisms.anonymise.hierarchy import Hierarchy
from dalenius.people.files.sheet import Sheet
from dalenius.people.opening import open_sheet
from dalenius.people.rows.columns import NumberColumn, TextColumn
from dalenius.people.rows.rows import Rows, distinct
from dalenius.people.sealed import SealedRows
from dalenius.release.rows.expanded import expanded


@dataclass(frozen=True, eq=False)
class RowsFiles:
    """What was read: the released rows, the others where there are any, and what to know of them."""

    released: Rows
    original: Rows | SealedRows | None = None
    population: Rows | None = None
    holdout: Rows | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class ColumnsApart:
    """Columns that are no attributes of people.

    Parameters
    ----------
    ignored, ids
        Columns that nobody asks about, and those that name people: left out, unless the released rows have
        them. What stands in a released file is released, whatever it is called.
    count
        A column of the released rows that says for how many people each stands; by default one called count
        or so that adds up to the people of the original.
    """

    ignored: Sequence[str] = ()
    ids: Sequence[str] = ()
    count: str | None = None


def read_rows_files(
    released: Any,
    quasi: Sequence[str],
    *,
    original: Any | None = None,
    population: Any | None = None,
    holdout: Any | None = None,
    apart: ColumnsApart = ColumnsApart(),
) -> RowsFiles:
    """Read the files; cells of quasi-identifiers are text, whatever they look like.

    Parameters
    ----------
    released, original, population, holdout
        Files, frames or tables of databases, see `dalenius.people.opening.open_sheet`.
    quasi
        The columns that were generalised.
    apart
        Which columns are no attributes.
    """
    if not quasi:
        raise InputError("quasi", "must name the columns that were generalised", "none", "As in age,zip.")
    ids = apart.ids
    sources = {"original": original, "population": population, "holdout": holdout}
    named = next(iter(ids), None)
    sheets = {name: open_sheet(source, id=named) for name, source in sources.items() if source is not None}
    read = {name: sheet.rows() for name, sheet in sheets.items()}
    text = {c.name for rows in read.values() for c in rows.columns if isinstance(c, TextColumn)}
    read = {name: _as_text(sheets[name], rows, text) for name, rows in read.items()}
    decimal = {name for rows in read.values() for name, kind in rows.kinds.items() if kind == "float"}
    read = {name: _as_decimal(rows, decimal) for name, rows in read.items()}
    shown = open_sheet(released, id=named)
    cells = _as_text(shown, shown.rows(list(quasi)), text, quasi)
    original_rows = read.get("original")
    people = None if original_rows is None else (len(original_rows), original_rows.names)
    cells, note = expanded(cells, quasi, people=people, count=apart.count)
    away = [name for name in (*apart.ignored, *ids) if name not in cells.names]
    kept = {name: _without(rows, away) for name, rows in read.items()}
    warnings = [*note, *_repeated(read.get("original"), ids), *_released(apart.ignored, cells)]
    return RowsFiles(
        cells,
        kept.get("original"),
        kept.get("population"),
        kept.get("holdout"),
        tuple(warnings),
    )


def _repeated(original: Rows | None, ids: Sequence[str]) -> list[str]:
    """Say that people have several rows, where their ids tell."""
    known = [] if original is None else [name for name in ids if name in original.names]
    if original is None or not known:
        return []
    people = distinct(original.select(known)).counts.size
    said = f"The original has {len(original):,} rows of {people:,} people: what is counted are rows."
    return [said] if people < len(original) else []


def _released(ignored: Sequence[str], released: Rows) -> list[str]:
    """Say that columns are attacked which were to be ignored."""
    names = ", ".join(name for name in ignored if name in released.names)
    return (
        [f"Ignored by the plan, but released, and so attacked like other columns: {names}."] if names else []
    )


def _as_text(sheet: Sheet, rows: Rows, text: set[str], quasi: Sequence[str] = ()) -> Rows:
    """Take a column of a CSV file as text if it is text elsewhere; others say themselves what is text."""
    if not text & rows.kinds.keys():
        return rows
    return sheet.rows([name for name in rows.names if name in text or name in quasi])


def _as_decimal(rows: Rows, decimal: set[str]) -> Rows:
    """Whole numbers become decimal ones where another file has such: 3 and 3.0 are one value."""
    return Rows(
        tuple(
            replace(column, kind="float")
            if isinstance(column, NumberColumn) and column.kind == "integer" and column.name in decimal
            else column
            for column in rows.columns
        )
    )


def _without(rows: Rows, ignored: Sequence[str]) -> Rows:
    kept = [name for name in rows.names if name not in ignored]
    return rows if len(kept) == len(rows.names) else rows.select(kept)


def read_hierarchies(files: Mapping[str, Path]) -> dict[str, Hierarchy]:
    """Read how columns were generalised."""
    return {name: Hierarchy.read(path) for name, path in files.items()}
