"""The columns of a record and their levels: what a person can be, as far as the tables say."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dalenius.errors import InputError

LevelSet = tuple[int, ...]
"""Some levels of one column, by number, in order."""

Where = tuple[tuple[int, LevelSet], ...]
"""Whom a cell counts: for some columns, in order, the levels that are allowed."""


@dataclass(frozen=True)
class RecordColumns:
    """Names and levels; a record is one level of each.

    Examples
    --------
    >>> columns = RecordColumns.of({"sex": ["f", "m"], "age": ["child", "adult"]})
    >>> columns.where({"age": ["adult"]})
    ((1, (1,)),)
    >>> columns.words(((1, (1,)),)), columns.records
    ('age=adult', 4)
    """

    names: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]

    @staticmethod
    def of(levels: Mapping[str, Sequence[str]]) -> RecordColumns:
        """Make columns of levels by name.

        Raises
        ------
        InputError
            If there is no column, or one without levels, or with the same level twice.
        """
        if not levels:
            raise InputError("tables", "must have at least one column", "none")
        for name, own in levels.items():
            if not own or len(set(own)) != len(own):
                raise InputError(f"column {name!r}", "must have levels, each once", f"{len(own):,} levels")
        return RecordColumns(tuple(levels), tuple(tuple(own) for own in levels.values()))

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many levels each column has."""
        return tuple(len(own) for own in self.levels)

    @property
    def records(self) -> int:
        """How many records there could be."""
        return math.prod(self.sizes)

    def position(self, name: str) -> int:
        """Where a column is.

        Raises
        ------
        InputError
            If there is no such column.
        """
        if name not in self.names:
            raise InputError("column", f"must be one of {', '.join(self.names)}", repr(name))
        return self.names.index(name)

    def where(self, wanted: Mapping[str, Sequence[str]]) -> Where:
        """Return allowed levels by name as numbers; a column with all its levels is left out.

        Raises
        ------
        InputError
            If a column or a level is not known, or none is allowed.
        """
        found = []
        for name, labels in wanted.items():
            at = self.position(name)
            known = {label: code for code, label in enumerate(self.levels[at])}
            codes = sorted({known.get(label, -1) for label in labels})
            if not codes or codes[0] < 0:
                raise InputError(f"column {name!r}", "must have every level that a cell allows", "another")
            if len(codes) < len(known):
                found.append((at, tuple(codes)))
        return tuple(sorted(found))

    def words(self, where: Where) -> str:
        """Say whom a cell counts."""
        parts = []
        for at, codes in where:
            labels = [self.levels[at][code] for code in codes]
            more = f" and {len(labels) - 3:,} more" if len(labels) > 4 else ""
            parts.append(f"{self.names[at]}={' or '.join(labels[:3] if more else labels)}{more}")
        return " & ".join(parts) or "everybody"
