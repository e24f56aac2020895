"""Contingency tables of the secret with public columns (Kasiviswanathan et al. 2013, section 3)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.errors import InputError, TooLargeError
from dalenius.grammar import Options
from dalenius.matrices.answers import Sensitivity
from dalenius.matrices.operators import Operator, SparseRows
from dalenius.people.schema import CodedColumns, Column, Roster

CELL_LIMIT = 50_000_000
"""Cells above which a workload of tables is refused: a gigabyte of answers."""

ENTRY_LIMIT, LEVEL_LIMIT = 20_000_000, 4_000
"""People times tables above which the matrix is not written out; and levels up to which that is possible."""


@dataclass(frozen=True)
class Tables:
    """For every set of public columns, how many people have each combination of levels and each secret.

    Parameters
    ----------
    columns
        The public columns that appear, with their levels.
    sets
        Which of them form a table with the secret; the empty set is the histogram of the secret.
    """

    columns: tuple[Column, ...]
    sets: tuple[tuple[str, ...], ...]

    kind = "tables"
    counts_all_values = True

    def __post_init__(self) -> None:
        if self.rows > CELL_LIMIT:
            raise TooLargeError(
                "tables",
                f"must have at most {CELL_LIMIT:,} cells together",
                f"{self.rows:,} cells",
                "Publish fewer columns (attributes=a+b), a smaller k, or coarser bins.",
            )

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """The number of levels along each side of each table."""
        levels = {c.name: len(c.levels) for c in self.columns}
        return [tuple(levels[name] for name in names) for names in self.sets]

    @property
    def rows(self) -> int:
        """How many combinations of levels there are in all tables."""
        return sum(map(math.prod, self.shapes))

    @property
    def table(self) -> NDArray[np.int64]:
        """Which table each row is a part of."""
        sizes = [math.prod(shape) for shape in self.shapes]
        return np.repeat(np.arange(len(sizes)), sizes)

    def sensitivity(self, values: int) -> Sensitivity:
        """One record replaced leaves one cell of each table and enters another."""
        changed = 2.0 * len(self.sets)
        return Sensitivity(changed, changed)

    def labels(self) -> Iterator[str]:
        """Name every row, such as ``age=32 & sex=f``."""
        levels = {c.name: c.levels for c in self.columns}
        for names in self.sets:
            for combination in itertools.product(*(levels[name] for name in names)):
                yield " & ".join(f"{n}={v}" for n, v in zip(names, combination, strict=True)) or "everybody"

    def fingerprint(self, roster: Roster) -> NDArray[np.int32]:
        """What the tables can tell people apart by."""
        return roster.attributes.select(tuple(c.name for c in self.columns)).codes

    def operator(self, roster: Roster) -> Operator:
        """One row per combination of levels, a 1 for each person who has it."""
        people = self._recoded(roster)
        levels = [len(c.levels) for c in self.columns]
        widest = max((len(names) for names in self.sets), default=0)
        if len(self.sets) * len(roster) > ENTRY_LIMIT and sum(levels) <= LEVEL_LIMIT:
            from dalenius.matrices.table_cells import WAYS
            from dalenius.matrices.tables import TableRows

            if widest <= WAYS:
                place = {c.name: j for j, c in enumerate(self.columns)}
                sets = [[place[name] for name in names] for names in self.sets]
                return TableRows(people.codes, levels, sets)
        cells = [
            self._cells(people, names, shape) for names, shape in zip(self.sets, self.shapes, strict=True)
        ]
        starts = np.concatenate([[0], np.cumsum([math.prod(shape) for shape in self.shapes])])
        row = np.concatenate([c + start for c, start in zip(cells, starts[:-1], strict=True)])
        person = np.tile(np.arange(len(roster)), len(self.sets))
        ones = np.ones(row.size)
        return SparseRows(sparse.csr_array((ones, (row, person)), shape=(self.rows, len(roster))))

    def _cells(
        self, people: CodedColumns, names: tuple[str, ...], shape: tuple[int, ...]
    ) -> NDArray[np.intp]:
        """The cell of one table that each person is in."""
        if not names:
            return np.zeros(len(people), np.intp)
        codes = [people.codes[:, people.position(name)] for name in names]
        return np.ravel_multi_index(codes, shape)

    def _recoded(self, roster: Roster) -> CodedColumns:
        """The roster's codes in the levels of this statistic: both sides may have listed them differently."""
        names = tuple(c.name for c in self.columns)
        theirs = roster.attributes.select(names)
        if all(t.levels == o.levels for t, o in zip(theirs.columns, self.columns, strict=True)):
            return CodedColumns(self.columns, theirs.codes)
        codes = [
            recode(theirs.codes[:, j], theirs.columns[j], column) for j, column in enumerate(self.columns)
        ]
        return CodedColumns(self.columns, np.stack(codes, axis=1))

    def to_json(self) -> dict[str, Any]:
        """Return the statistic as plain values."""
        return {"kind": self.kind, "sets": [list(s) for s in self.sets]}

    @staticmethod
    def from_json(value: dict[str, Any], columns: tuple[Column, ...]) -> Tables:
        """Read the statistic back."""
        sets = tuple(tuple(s) for s in value["sets"])
        used = {name for s in sets for name in s}
        return Tables(tuple(c for c in columns if c.name in used), sets)


def recode(codes: NDArray[np.int32], theirs: Column, ours: Column) -> NDArray[np.int32]:
    """Translate codes between two lists of levels of one column."""
    if theirs.levels == ours.levels:
        return codes
    place = {level: i for i, level in enumerate(ours.levels)}
    unknown = [level for level in theirs.levels if level not in place]
    used = {theirs.levels[code] for code in np.unique(codes)}
    if missing := used.intersection(unknown):
        raise InputError(
            f"column {ours.name!r}",
            "must have only levels that the release names",
            f"{len(missing):,} other levels",
            "Bin or spell the column as the release does.",
            value=min(missing),
        )
    return np.array([place.get(level, -1) for level in theirs.levels], np.int32)[codes]


def tables_of(columns: Sequence[Column], k: int) -> Tables:
    """Every table of the secret with ``k`` of these public columns.

    Examples
    --------
    >>> from dalenius.people.schema import Kind, Role
    >>> columns = [Column(c, Role.PUBLIC, Kind.BINARY, ("0", "1")) for c in "abc"]
    >>> tables_of(columns, 2).sets
    (('a', 'b'), ('a', 'c'), ('b', 'c'))
    """
    if not 0 <= k <= len(columns):
        raise InputError(
            "tables: k",
            f"must be at most the number of public columns ({len(columns)})",
            str(k),
            "Use a smaller k or make more columns public.",
        )
    names = tuple(c.name for c in columns)
    return Tables(tuple(columns), tuple(itertools.combinations(names, k)))


def ask_tables(options: Options, roster: Roster, rng: np.random.Generator) -> Tables:
    """Make ``tables:k=2[,attributes=a+b+c]``."""
    columns = roster.attributes
    if names := options.words("attributes"):
        columns = columns.select(names)
    return tables_of(columns.columns, options.whole("k", least=0))


def ask_histogram(options: Options, roster: Roster, rng: np.random.Generator) -> Tables:
    """Make ``histogram[:column=a]``."""
    names = options.words("column")
    return Tables(roster.attributes.select(names).columns, (names,))
