"""Read the files of an attack on a released table so that one value means the same in all of them.

A postal code ``09101`` makes its column text in one file; in another, where no code starts with a zero, the
same column looks like numbers. What is text in one file is therefore read as text in all, and whole numbers
are decimal ones where they are in another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dalenius.mechanisms.anonymise.hierarchy import Hierarchy
from dalenius.records.row_columns import NumberColumn, TextColumn
from dalenius.records.rows import Rows, read_rows


@dataclass(frozen=True, eq=False)
class RowsFiles:
    """What was read: the released rows, and the others where there are any."""

    released: Rows
    original: Rows | None
    population: Rows | None
    holdout: Rows | None


def read_rows_files(
    released: Path,
    quasi: Sequence[str],
    *,
    original: Path | Rows | None = None,
    population: Path | None = None,
    holdout: Path | None = None,
    ignored: Sequence[str] = (),
) -> RowsFiles:
    """Read the files; cells of quasi-identifiers are text, whatever they look like.

    Parameters
    ----------
    released, original, population, holdout
        CSV or Parquet files.
    quasi
        The columns that were generalised.
    ignored
        Columns that are left out of all files.
    """
    paths = {"original": original, "population": population, "holdout": holdout}
    read = {
        name: path if isinstance(path, Rows) else read_rows(path)
        for name, path in paths.items()
        if path is not None
    }
    text = {c.name for rows in read.values() for c in rows.columns if isinstance(c, TextColumn)}
    read = {name: _as_text(paths[name], rows, text) for name, rows in read.items()}
    decimal = {name for rows in read.values() for name, kind in rows.kinds.items() if kind == "float"}
    read = {name: _as_decimal(rows, decimal) for name, rows in read.items()}
    cells = _as_text(released, read_rows(released, list(quasi)), text, quasi)
    kept = {name: _without(rows, ignored) for name, rows in read.items()}
    return RowsFiles(
        _without(cells, ignored), kept.get("original"), kept.get("population"), kept.get("holdout")
    )


def _as_text(path: Path | Rows | None, rows: Rows, text: set[str], quasi: Sequence[str] = ()) -> Rows:
    """Read a file again if a column of it must be text and is not; Parquet says itself what is text."""
    if not text & rows.kinds.keys() or not isinstance(path, Path):
        return rows
    return read_rows(path, [name for name in rows.names if name in text or name in quasi])


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


def read_hierarchies(files: Mapping[str, Path]) -> dict[str, Hierarchy] | None:
    """Read how columns were generalised; ``None`` if nothing is known of any."""
    return {name: Hierarchy.read(path) for name, path in files.items()} or None
