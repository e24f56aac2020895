"""Where a printed table begins, what runs down it and what runs across."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dalenius.errors import InputError
from dalenius.people.schema import Column
from dalenius.printed.dimensions import (
    HeaderRow,
    fill,
    is_margin,
    levels_of,
    name_dimensions,
    names_of,
    number_of,
)
from dalenius.printed.grid import Grid, PrintedSheet
from dalenius.printed.units import COUNTS, label_values, mentions_shares, split_unit, unit_of


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
    per
        For each column of numbers what the header says of them: 0 for counts, 100 for percentages, nothing.
    secret
        What the table calls the secret, if it does.
    speaks
        Whether a line above the table speaks of shares, without saying plainly that all numbers are.
    alike
        Public columns that have the labels which were taken for values of the secret, without its name.
    knows
        Whether a text can be a label of the first column.
    """

    body: int
    down: tuple[str, ...]
    across: dict[int, dict[str, str]]
    per: dict[int, float | None]
    secret: str | None
    speaks: bool
    alike: tuple[str, ...]
    knows: Callable[[str], bool]


def find_layout(sheet: PrintedSheet, columns: Sequence[Column], secret: str | None) -> Layout | None:
    """Find the table in a sheet; ``None`` if no row begins with the name of a public column."""
    known = {column.name: column for column in columns}
    names = names_of(known, secret)
    rows = [r for r, row in enumerate(sheet.cells) if row[0] in names]
    if not rows:
        return None
    grid, bottom = _names_lowered(sheet.cells, rows[-1], names)
    sheet, header = replace(sheet, cells=grid), grid[bottom]
    if (measure := _measure(header, names, secret)) is not None:
        return _long(sheet, bottom, measure, known, secret)
    depth = next((j for j, cell in enumerate(header) if cell not in names), len(header))
    if depth == len(header):
        raise InputError(sheet.name, "must have columns of numbers beside its labels", "labels alone")
    return _crossed(sheet, bottom, depth, known, secret)


def _names_lowered(grid: Grid, bottom: int, names: set[str]) -> tuple[Grid, int]:
    """Put the names of columns into the last row of a header; some stand beside what spans that row.

    Examples
    --------
    >>> _names_lowered([["age", "ill", "ill"], ["", "no", "yes"], ["30", "4", "7"]], 0, {"age", "ill"})
    ([['', 'ill', 'ill'], ['age', 'no', 'yes'], ['30', '4', '7']], 1)
    """
    header, below = grid[bottom], grid[bottom + 1] if bottom + 1 < len(grid) else []
    depth = next((j for j, cell in enumerate(below) if cell or header[j] not in names), 0)
    labels = [cell for cell in below[depth:] if cell]
    if not depth or not labels or any(number_of(label) is not None for label in labels):
        return grid, bottom
    upper, lower = [""] * depth + header[depth:], header[:depth] + below[depth:]
    return [*grid[:bottom], upper, lower, *grid[bottom + 2 :]], bottom + 1


def _crossed(
    sheet: PrintedSheet, bottom: int, depth: int, known: dict[str, Column], secret: str | None
) -> Layout:
    grid, name = sheet.cells, sheet.name
    down = tuple(grid[bottom][:depth])
    levels = _header_rows(sheet, bottom, depth, known, secret)
    dimensions, alike = name_dimensions(levels, down, known, secret, name)
    lines = _lines(sheet, depth, levels, dimensions)
    title = _title_unit(grid[:bottom], depth)
    per: dict[int, float | None] = dict.fromkeys(range(depth, depth + len(lines)), title)
    at = next((i for i, dimension in enumerate(dimensions) if dimension not in known), None)
    if at is not None:
        labels = [line[at] for line in lines]
        margins = [not label or is_margin(label, dimensions[at]) for label in labels]
        for j, found in enumerate(label_values(labels, margins, name)):
            lines[j][at] = _without_name(found.value or "", secret)
            per[depth + j] = title if found.per is None else found.per
    across = {depth + j: dict(zip(dimensions, line, strict=True)) for j, line in enumerate(lines)}
    speaks = title is None and _speaks(grid[:bottom], depth)
    return Layout(bottom + 1, down, across, per, secret, speaks, alike, _labels_of(down[0], known))


def _lines(
    sheet: PrintedSheet, depth: int, levels: list[HeaderRow], dimensions: list[str]
) -> list[list[str]]:
    """The labels above each column of numbers, outermost first, with those filled in that are left out."""
    lines: list[list[str]] = []
    before = [""] * len(levels)
    for labels in zip(*(row.labels for row in levels), strict=True):
        line = fill(labels, before, lambda j, label: is_margin(label, dimensions[j]))
        if line is None:
            raise InputError(
                f"{sheet.name}: header of {sheet.column(depth + len(lines))}",
                "must have a label in every row, or Total",
                "one left out between two",
                "Write the level, or Total, above every column.",
            )
        lines.append(line)
        before = line
    return lines


def _title_unit(rows: Grid, depth: int) -> float | None:
    """What a line above the table says of all its numbers: that they are percentages, for one."""
    for row in rows:
        texts = [cell for cell in row if cell]
        if len(texts) == 1 and (row[0] or not any(row[:depth])):
            unit = unit_of(texts[0]) or split_unit(texts[0])[1]
            if unit:
                return unit
    return None


def _speaks(rows: Grid, depth: int) -> bool:
    """Whether one of the lines with a single text, which are titles, speaks of shares."""
    texts = [[cell for cell in row if cell] for row in rows]
    return any(len(line) == 1 and mentions_shares(line[0]) for line in texts)


def _labels_of(name: str, known: dict[str, Column]) -> Callable[[str], bool]:
    column = known.get(name)
    return lambda label: is_margin(label, name) or column is None or levels_of(column, label) is not None


def _measure(header: list[str], names: set[str], secret: str | None) -> int | None:
    """The column of counts or shares of a long table; in a cross-tab there is none."""
    words = [j for j, cell in enumerate(header) if cell not in names and _is_measure(cell)]
    strangers = [cell for j, cell in enumerate(header) if cell not in names and j not in words]
    named = secret is not None and secret in header
    if len(words) != 1 or len(strangers) != (0 if named else 1):
        return None
    # "n" alone may be a value of the secret beside "y"
    return None if header[words[0]].lower() == "n" and not named else words[0]


def _is_measure(cell: str) -> bool:
    return cell.lower() in COUNTS or unit_of(cell) is not None


def _long(
    sheet: PrintedSheet, bottom: int, measure: int, known: dict[str, Column], secret: str | None
) -> Layout:
    grid = sheet.cells
    header = grid[bottom]
    if measure != len(header) - 1:
        rule = f"must have {header[measure]!r} as its last column"
        raise InputError(sheet.name, rule, f"it as {sheet.column(measure)}")
    own = next(j for j, cell in enumerate(header[:measure]) if cell not in known)
    if header[own] != secret:
        _refuse_numbers(grid[bottom + 1 :], own, measure, f"{sheet.name}: {sheet.column(own)}")
    down = tuple(header[:measure])
    unit = unit_of(header[measure])
    knows = _labels_of(down[0], known)
    return Layout(bottom + 1, down, {measure: {}}, {measure: unit}, header[own], False, (), knows)


def _refuse_numbers(body: Grid, own: int, measure: int, where: str) -> None:
    """Ask whether numbers are values of the secret, or count people beside the numbers after them."""
    labels = [row[own] for row in body]
    others = [tuple(row[:own] + row[own + 1 : measure]) for row in body]
    if len(set(others)) == len(others) and all(number_of(label) is not None for label in labels if label):
        raise InputError(
            where,
            "must be values of the secret, or counts of people",
            "numbers, one for each line",
            "Name the secret with --secret if it is the secret; if it counts people, call the last column n.",
        )


def _without_name(value: str, secret: str | None) -> str:
    """A value of the secret that stands with its name, as in ``ill=yes``: so a remedy writes tables.

    Examples
    --------
    >>> _without_name("ill=yes", "ill"), _without_name("ill = yes", "ill"), _without_name("ill", "ill")
    ('yes', 'yes', 'ill')
    """
    name, sign, bare = value.partition("=")
    return bare.strip() if sign and secret is not None and name.strip() == secret and bare.strip() else value


def _header_rows(
    sheet: PrintedSheet, bottom: int, depth: int, known: dict[str, Column], secret: str | None
) -> list[HeaderRow]:
    """The rows of labels that run across, outermost first."""
    found: list[HeaderRow] = []
    spanner = None
    grid, names = sheet.cells, names_of(known, secret)
    for line, row in zip(sheet.rows, grid[: bottom + 1], strict=False):
        labels = row[depth:]
        texts = set(filter(None, labels))
        # a name of what runs down, merged over all rows of the header, names no row of it
        last = row is grid[bottom]
        beside = [cell for cell in row[:depth] if cell and (last or cell not in grid[bottom][:depth])]
        corner = beside[-1] if beside else ""
        alone = len(texts) == 1 and (corner not in names or texts <= names)
        if not texts or (alone and _is_title(row, depth, texts, known, names)):
            spanner = next(iter(texts & names), None)
            continue
        name = corner if corner in names and not last else spanner
        found.append(HeaderRow(line, name, labels))
        spanner = None
    return found


def _is_title(row: list[str], depth: int, texts: set[str], known: dict[str, Column], names: set[str]) -> bool:
    """A row that only says what stands below it."""
    text = next(iter(texts))
    if text in names:
        return True
    level = any(levels_of(column, text) is not None for column in known.values())
    return len(row) - depth > 1 and not level
