"""Hierarchies of generalisation: for every value a label at every level, the last one ``*``.

Given as people have them (one line per value: ``47812;4781*;478**;*``, as ARX writes them), or made
from a column: bands of doubling width for numbers, months and years for dates, masks for codes of one length.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dalenius.errors import InputError
from dalenius.people.files.reading import read_text, split_rows
from dalenius.people.rows.columns import NumberColumn, RowColumn, TextColumn, number_text
from dalenius.people.schema import MISSING

FINEST = 64
"""Bands of the first level of numbers, about."""


@dataclass(frozen=True)
class Hierarchy:
    """Labels of every value, from the value itself to the top.

    Parameters
    ----------
    labels
        For each value its labels, as many for all; the first is the value.
    """

    labels: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        if not self.labels:
            raise InputError("hierarchy", "must have at least one value", "none")
        depths = {len(own) for own in self.labels.values()}
        if len(depths) > 1:
            got = f"{min(depths)} and {max(depths)}"
            raise InputError("hierarchy", "must have the same number of levels for all values", got)
        for level in range(1, self.depth):
            self._check_nested(level)

    def _check_nested(self, level: int) -> None:
        above: dict[str, str] = {}
        for own in self.labels.values():
            if above.setdefault(own[level - 1], own[level]) != own[level]:
                raise InputError(
                    f"hierarchy: labels of level {level}",
                    "must each lie below one label of the next level",
                    "one that lies below two",
                )

    @property
    def depth(self) -> int:
        """How many levels there are, the values themselves included."""
        return len(next(iter(self.labels.values())))

    @staticmethod
    def read(path: str | Path) -> Hierarchy:
        """Read a file with one line per value, from the value to the top, separated by ``;`` or ``,``."""
        path = Path(path)
        if not path.is_file():
            raise InputError(f"file {str(path)!r}", "must exist", "no such file")
        text = read_text(path)
        delimiter = ";" if ";" in text.partition("\n")[0] else ","
        parts = [tuple(row) for row in split_rows(path, text, delimiter) if row]
        labels = {own[0]: own for own in parts}
        if len(labels) < len(parts):
            raise InputError(f"file {path.name!r}", "must have each value once", "a value twice")
        return Hierarchy(labels)

    def levels(self, column: RowColumn) -> list[TextColumn]:
        """Write a column at every level; above the last one of the hierarchy there is ``*``."""
        text = column if isinstance(column, TextColumn) else column.as_text
        used = np.bincount(text.codes[text.codes >= 0], minlength=len(text.levels)) > 0
        missing = [
            level
            for level, there in zip(text.levels, used, strict=True)
            if there and level not in self.labels
        ]
        if missing:
            raise InputError(
                f"hierarchy of {column.name!r}",
                "must hold every value of the column",
                f"{len(missing)} that it lacks",
                "Add a line for each.",
            )
        ladders = [self.labels.get(level, ("*",) * self.depth) for level in text.levels]
        found = [_at(text, [own[level] for own in ladders]) for level in range(self.depth)]
        return found if set(found[-1].levels) == {"*"} else [*found, _at(text, ["*"] * len(ladders))]


def _at(text: TextColumn, labels: Sequence[str]) -> TextColumn:
    """Replace every value by its label; a missing value stays one until all is ``*``."""
    code_of: dict[str, int] = {}
    codes = [code_of.setdefault(label, len(code_of)) for label in labels]
    missing = code_of.setdefault("*", len(code_of)) if set(labels) <= {"*"} else -1
    return TextColumn(text.name, np.array([*codes, missing], np.int32)[text.codes], tuple(code_of))


def automatic(column: RowColumn) -> Hierarchy:
    """Make a hierarchy from what a column looks like.

    Examples
    --------
    >>> zips = TextColumn("zip", np.array([0, 1], np.int32), ("47812", "47906"))
    >>> automatic(zips).labels["47812"]
    ('47812', '4781*', '478**', '47***', '4****', '*')
    >>> ages = NumberColumn("age", np.array([0.0, 34.0, 101.0]), "integer")
    >>> automatic(ages).labels["34"]
    ('34', '[34, 36)', '[32, 36)', '[32, 40)', '[32, 48)', '[32, 64)', '[0, 64)', '*')
    """
    if isinstance(column, NumberColumn):
        if column.kind == "date":
            return _dates(column)
        return _flat(column.as_text.levels) if column.kind == "bool" else _bands(column)
    return _masks(column.levels)


def _bands(column: NumberColumn) -> Hierarchy:
    known = np.unique(column.values[~column.missing] + 0.0).tolist()
    span = known[-1] - known[0] if known else 0.0
    if span == 0:
        return _flat([number_text(x, column.kind) for x in known])
    width = 2.0 ** math.ceil(math.log2(span / FINEST))
    if column.kind == "integer":
        width = max(width, 2.0)
    widths = [width * 2**i for i in range(64) if width * 2**i <= span]
    return Hierarchy(
        {
            number_text(x, column.kind): (
                number_text(x, column.kind),
                *(_band(x, w, column) for w in widths),
                "*",
            )
            for x in known
        }
    )


def _band(value: float, width: float, column: NumberColumn) -> str:
    low = math.floor(value / width) * width
    ends = (low, low + width)
    return "[{}, {})".format(*(str(int(x)) if column.kind == "integer" else repr(x) for x in ends))


def _dates(column: NumberColumn) -> Hierarchy:
    days = column.as_text.levels
    if any(len(day) != len("1970-01-01") for day in days):
        return _flat(days)
    return Hierarchy({day: (day, f"{day[:7]}-**", f"{day[:4]}-**-**", "*") for day in days})


def _masks(levels: Sequence[str]) -> Hierarchy:
    """Codes of one length lose their last characters; other text has nothing between itself and ``*``."""
    size = len(levels[0]) if levels else 0
    if size < 2 or not all(len(level) == size and re.search(r"\d", level) for level in levels):
        return _flat(levels)
    return Hierarchy({level: (*(level[: size - i] + "*" * i for i in range(size)), "*") for level in levels})


def _flat(levels: Sequence[str]) -> Hierarchy:
    return Hierarchy({level: (level, "*") for level in levels or (MISSING,)})
