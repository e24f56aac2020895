"""Datafly: recode whole columns, level by level, until few enough rows are left to suppress.

Sweeney, *Achieving k-anonymity privacy protection using generalization and suppression* (2002): while more
rows than may be suppressed lie in classes that are too small, the column with most different values goes up
one level of its hierarchy. A column has the same level in all rows (full-domain recoding). Classes that do
not meet l or t count as too small ones do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dalenius.errors import InputError, nearest
from dalenius.grammar import Options
from dalenius.mechanisms.anonymise.conditions import Conditions, classes_that_meet
from dalenius.mechanisms.anonymise.hierarchy import Hierarchy, automatic
from dalenius.mechanisms.anonymise.released import AnonymisedRows, check_quasi, replace_cells
from dalenius.mechanisms.base import plain
from dalenius.people.rows.columns import Mask, TextColumn
from dalenius.people.rows.rows import Rows, distinct


@dataclass(frozen=True)
class Datafly:
    """Full-domain recoding under some conditions.

    Parameters
    ----------
    conditions
        What every class must meet.
    suppress
        The share of rows that may be suppressed instead of recoded further.
    hierarchies
        Of columns that have one; the others get one by what they look like.
    """

    conditions: Conditions
    suppress: float = 0.0
    hierarchies: Mapping[str, Hierarchy] | None = None

    @staticmethod
    def parse(options: Options, hierarchies: Mapping[str, Hierarchy] | None = None) -> Datafly:
        """Read ``datafly:k=5[,l=2,...][,suppress=0.02]``."""
        options.only(*Conditions.NAMES, "suppress")
        most = options.number("suppress", 0.0, least=0, most=1)
        return Datafly(Conditions.parse(options), most, hierarchies)

    def __str__(self) -> str:
        return f"datafly:{self.conditions}" + (f",suppress={plain(self.suppress)}" if self.suppress else "")

    def recode(self, rows: Rows, quasi: Sequence[str]) -> AnonymisedRows:
        """Recode the quasi-identifiers, row by row in the same order."""
        check_quasi(rows, quasi)
        given = self.hierarchies or {}
        for name in given:
            if name not in quasi:
                fix = nearest(name, quasi)
                raise InputError(
                    f"hierarchy of {name!r}", "must be of a quasi-identifier", "another column", fix
                )
        sensitive = self.conditions.of(rows, quasi)
        ladders = [
            (given.get(name) or automatic(rows.column(name))).levels(rows.column(name)) for name in quasi
        ]
        level = [0] * len(ladders)
        while True:
            cells = Rows(tuple(own[at] for own, at in zip(ladders, level, strict=True)))
            _, sizes, which = distinct(cells)
            small = ~classes_that_meet(self.conditions, sensitive, which, sizes)[which]
            if small.sum() <= self.suppress * len(rows):
                break
            level[_widest(ladders, level)] += 1
        return replace_cells(rows, [_without(column, small) for column in cells.columns], str(self))


def _widest(ladders: Sequence[Sequence[TextColumn]], level: Sequence[int]) -> int:
    """Which column has most different values, of those that can still go up."""
    values = [
        np.unique(own[at].codes).size if at + 1 < len(own) else 0
        for own, at in zip(ladders, level, strict=True)
    ]
    return int(np.argmax(values))


def _without(column: object, gone: Mask) -> TextColumn:
    """Put a star in the place of these cells."""
    assert isinstance(column, TextColumn)  # noqa: S101 (every level is text)
    levels = column.levels if "*" in column.levels else (*column.levels, "*")
    return TextColumn(column.name, np.where(gone, levels.index("*"), column.codes).astype(np.int32), levels)
