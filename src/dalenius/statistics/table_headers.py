"""Where a printed table begins, what runs down it and what runs across."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dalenius.errors import InputError
from dalenius.records.schema import Column
from dalenius.statistics.grid import Grid
from dalenius.statistics.table_labels import is_margin, levels_of

COUNTS = ("count", "counts", "n", "freq", "frequency", "number", "people", "persons")
PERCENTS = ("percent", "percentage", "%", "pct")

SECRET = ""
"""The dimension of the secret while its name is not known."""


@dataclass(frozen=True)
class Layout:
    """The plan of one table.

    Parameters
    ----------
    body
        The first row of numbers.
    down
        What the first columns label: public columns, and the secret in a long table.
    across
        For each column of numbers its label in every dimension that runs across.
    percent
        Whether all numbers are percentages.
    secret
        What the table calls the secret, if it does.
    knows
        Whether a text can be a label of the first column.
    """

    body: int
    down: tuple[str, ...]
    across: dict[int, dict[str, str]]
    percent: bool
    secret: str | None
    knows: Callable[[str], bool]


def find_layout(grid: Grid, columns: Sequence[Column], secret: str | None, name: str) -> Layout | None:
    """Find the table in a sheet; ``None`` if no row begins with the name of a public column."""
    known = {column.name: column for column in columns}
    names = {*known, *([] if secret is None else [secret])}
    rows = [r for r, row in enumerate(grid) if row[0] in names]
    if not rows:
        return None
    bottom = rows[-1]
    header = grid[bottom]
    if (measure := _measure(header, names, secret)) is not None:
        return _long(header, bottom, measure, known, secret, name)
    depth = next((j for j, cell in enumerate(header) if cell not in names), len(header))
    down = tuple(header[:depth])
    if depth == len(header):
        raise InputError(name, "must have columns of numbers beside its labels", ", ".join(header))
    levels = _header_rows(grid, bottom, depth, known, secret)
    dimensions = _name_dimensions(levels, down, known, secret, name)
    across = {
        j: {dimension: labels[j - depth] for dimension, (_, labels) in zip(dimensions, levels, strict=True)}
        for j in range(depth, len(header))
    }
    return Layout(bottom + 1, down, across, False, secret, _labels_of(down[0], known))


def _labels_of(name: str, known: dict[str, Column]) -> Callable[[str], bool]:
    column = known.get(name)
    return lambda label: is_margin(label) or column is None or levels_of(column, label) is not None


def _measure(header: list[str], names: set[str], secret: str | None) -> int | None:
    """The column of counts or percentages of a long table; in a cross-tab there is none."""
    words = [j for j, cell in enumerate(header) if cell.lower() in (*COUNTS, *PERCENTS) and cell not in names]
    strangers = [cell for j, cell in enumerate(header) if cell not in names and j not in words]
    named = secret is not None and secret in header
    if len(words) != 1 or len(strangers) != (0 if named else 1):
        return None
    # "n" alone may be a value of the secret beside "y"
    return None if header[words[0]].lower() == "n" and not named else words[0]


def _long(
    header: list[str], bottom: int, measure: int, known: dict[str, Column], secret: str | None, name: str
) -> Layout:
    if measure != len(header) - 1:
        raise InputError(name, f"must have {header[measure]!r} as its last column", ", ".join(header))
    own = next(cell for cell in header[:measure] if cell not in known)
    percent = header[measure].lower() in PERCENTS
    down = tuple(header[:measure])
    return Layout(bottom + 1, down, {measure: {}}, percent, own, _labels_of(down[0], known))


def _header_rows(
    grid: Grid, bottom: int, depth: int, known: dict[str, Column], secret: str | None
) -> list[tuple[str | None, list[str]]]:
    """The rows of labels that run across, outermost first: the name in their corner, and the labels.

    A label is printed once for several columns, except in the last row, where an empty cell is a margin.
    """
    found: list[tuple[str | None, list[str]]] = []
    spanner = None
    for row in grid[: bottom + 1]:
        labels = row[depth:]
        texts = set(filter(None, labels))
        names = {*known, *([] if secret is None else [secret])}
        if not texts or (len(texts) == 1 and _is_title(row, depth, texts, known, names)):
            spanner = next(iter(texts & names), None)
            continue
        corner = next((cell for cell in reversed(row[:depth]) if cell), "")
        found.append((corner if corner in names and row is not grid[bottom] else spanner, labels))
        spanner = None
    return [(name, _fill(labels) if j < len(found) - 1 else labels) for j, (name, labels) in enumerate(found)]


def _is_title(row: list[str], depth: int, texts: set[str], known: dict[str, Column], names: set[str]) -> bool:
    """A row that only says what stands below it."""
    text = next(iter(texts))
    if text in names:
        return True
    level = any(levels_of(column, text) is not None for column in known.values())
    return len(row) - depth > 1 and not level


def _fill(labels: list[str]) -> list[str]:
    filled: list[str] = []
    for label in labels:
        filled.append(label or (filled[-1] if filled else ""))
    return filled


def _name_dimensions(
    levels: list[tuple[str | None, list[str]]],
    down: tuple[str, ...],
    known: dict[str, Column],
    secret: str | None,
    table: str,
) -> list[str]:
    """The column that each header row is about: by its corner or its labels; the last is the secret."""
    secret_is_down = secret is not None and secret in down
    named = {name for name, _ in levels if name is not None}
    taken = {*down, *named}
    across_is_secret = not secret_is_down and (secret is None or secret not in named)
    result = []
    for j, (name, labels) in enumerate(levels):
        innermost = j == max((i for i, (n, _) in enumerate(levels) if n is None), default=-1)
        if name is not None:
            result.append(name)
        elif innermost and across_is_secret:
            result.append(SECRET if secret is None else secret)
        else:
            result.append(_by_labels(labels, known, taken, table))
            taken.add(result[-1])
    if not secret_is_down and all(name in known for name in result):
        raise InputError(
            table,
            "must have the values of the secret across or down",
            f"only {', '.join([*down, *result])}",
            "Name the secret with --secret.",
        )
    return result


def _by_labels(labels: list[str], known: dict[str, Column], taken: set[str], table: str) -> str:
    wanted = {label for label in labels if label and not is_margin(label)}
    fits = [
        name
        for name, column in known.items()
        if name not in taken and all(levels_of(column, label) is not None for label in wanted)
    ]
    if len(fits) != 1:
        raise InputError(
            f"{table}: header row with {', '.join(sorted(wanted)[:4])}",
            "must say which column it is about",
            f"labels that fit {' and '.join(fits) or 'no public column'}",
            "Write the name of the column in the first cell of that row.",
        )
    return fits[0]
