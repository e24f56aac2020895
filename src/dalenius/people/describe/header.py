"""Whether the first line of a CSV file names columns, or is the first person."""

from __future__ import annotations

import csv
import re
from itertools import islice
from pathlib import Path

from dalenius.errors import InputError
from dalenius.people.files.read_file import CSV
from dalenius.people.files.reading import open_text, refusing
from dalenius.people.files.strict_csv import look_through
from dalenius.people.files.written_values import MARKS

LOOKED_AT = 1_000
"""Rows that the first line is compared with."""

_NUMBER = re.compile(
    r"\s*[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)([eE][+-]?[0-9]+)?\s*|[0-9]{4}-[0-9]{2}-[0-9]{2}.*"
)


FIX = (
    "Name the columns with --columns a,b,c, or number them with --no-header (c1, c2, ...); if it is "
    "a header after all, say --header."
)
"""What to do where a plan is to be written."""


def check_header(source: str, fix: str = FIX) -> None:
    """Refuse a CSV file whose first line looks like a person: whoever stands there would be lost.

    A name looks like a value if it is a number or a date above numbers or dates, or if somebody below has it
    as a value. It takes half of the columns: a table of years has numbers for names, too.

    Raises
    ------
    InputError
        With what to do; the line itself is not shown.
    """
    path = Path(source)
    if not path.name.lower().endswith(CSV) or not path.is_file():
        return
    with refusing(f"file {path.name!r}", "plain CSV"):
        delimiter, _ = look_through(path)
        with open_text(path) as file:
            rows = list(islice(csv.reader(file, delimiter=delimiter), LOOKED_AT + 1))
    if len(rows) < 3:
        return
    first, below = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
    alike = sum(_is_value(name, [row[j] for row in below]) for j, name in enumerate(first))
    if first and 2 * alike >= len(first):
        raise InputError(
            f"file {path.name!r}",
            "must start with a line of column names",
            f"a first line like the others in {alike} of {len(first)} columns: probably a person",
            fix,
        )


def _is_value(name: str, below: list[str]) -> bool:
    values = [value for value in below if value.strip() not in MARKS]
    if name.strip() in {value.strip() for value in values}:
        return True
    numbers = sum(_NUMBER.fullmatch(value) is not None for value in values)
    return bool(values) and _NUMBER.fullmatch(name) is not None and numbers >= 0.9 * len(values)


def numbered_columns(source: str) -> list[str]:
    """Name the columns of a CSV file that has no names: c1, c2 and so on."""
    path = Path(source)
    if not path.name.lower().endswith(CSV):
        rule = "must be a CSV file to have no header"
        raise InputError(f"file {path.name!r}", rule, "another kind of file", "Leave --no-header out.")
    with refusing(f"file {path.name!r}", "plain CSV"):
        delimiter, _ = look_through(path)
        with open_text(path) as file:
            first = next(csv.reader(file, delimiter=delimiter), [])
    return [f"c{j}" for j in range(1, len(first) + 1)]
