"""How many people meet a boolean function of some public bits and the secret."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.errors import InputError, TooLargeError
from dalenius.grammar import Options
from dalenius.matrices.answers import LinearForm, Sensitivity
from dalenius.people.schema import Column, Roster
from dalenius.statistics.counts.boolean import BooleanFunction, function_of
from dalenius.statistics.tables import recode

ENTRY_LIMIT = 400_000_000
"""Sets of columns times people above which the equations are refused: 400 MB as bytes."""


@dataclass(frozen=True)
class BooleanCounts:
    """For every set of k public bits, how many people the function is true of.

    Parameters
    ----------
    columns
        The public columns that appear, each of two levels: the first is 0, the second 1.
    function
        The function; its inputs are the columns of a set in their order, then the secret.
    sets
        The sets of columns.
    """

    columns: tuple[Column, ...]
    function: BooleanFunction
    sets: tuple[tuple[str, ...], ...]

    kind = "boolean"

    def __post_init__(self) -> None:
        refuse_other_than_bits(self.columns)
        known = {column.name for column in self.columns}
        for names in self.sets:
            if len(names) != self.function.k or len(set(names)) < len(names) or not known.issuperset(names):
                raise InputError(
                    f"set {'+'.join(names)!r}",
                    f"must name {self.function.k} different columns for {self.function.name}",
                    f"{len(names)}",
                    "Give as many as the function has public bits.",
                )

    @property
    def rows(self) -> int:
        """How many sets there are."""
        return len(self.sets)

    def sensitivity(self, values: int) -> Sensitivity:
        """One record replaced moves each count by at most one."""
        return Sensitivity(float(self.rows), float(self.rows))

    def labels(self) -> Iterator[str]:
        """Name every count, such as ``majority of a, b and the secret``."""
        for names in self.sets:
            yield f"{self.function.name} of {', '.join(names)} and the secret"

    def fingerprint(self, roster: Roster) -> NDArray[np.int32]:
        """What the counts can tell people apart by."""
        return roster.attributes.select(tuple(c.name for c in self.columns)).codes

    def compute(self, roster: Roster, secret: NDArray[np.float64]) -> NDArray[np.float64]:
        """Count, one set at a time."""
        f0, f2 = self.function.f0, self.function.f2
        inputs = self._inputs(roster)
        return np.array([float(f0[x].sum(dtype=np.int64) + f2[x] @ secret) for x in inputs])

    def linear(self, roster: Roster, answers: NDArray[np.float64]) -> LinearForm:
        """Each count is `sum f0(x) + sum f2(x) s`: a row of -1, 0 and 1, and a public offset."""
        entries = self.rows * len(roster)
        if entries > ENTRY_LIMIT:
            raise TooLargeError(
                "boolean counts",
                f"must have at most {ENTRY_LIMIT:,} sets of columns times people",
                f"{entries:,}",
                "Name fewer attributes, or attack a part of the people.",
            )
        f0, f2 = self.function.f0, self.function.f2
        rows = np.empty((self.rows, len(roster)), np.int8)
        offset = np.empty(self.rows)
        for j, x in enumerate(self._inputs(roster)):
            rows[j] = f2[x]
            offset[j] = f0[x].sum(dtype=np.int64)
        same = sparse.eye_array(self.rows, format="csr")
        return LinearForm(rows, answers - offset, same, same, np.ones(self.rows, np.bool_))

    def _inputs(self, roster: Roster) -> Iterator[NDArray[np.intp]]:
        """Everybody's combination of public bits, as a place in the truth table, one set at a time."""
        theirs = roster.attributes.select(tuple(c.name for c in self.columns))
        bits = {
            c.name: recode(theirs.codes[:, j], theirs.columns[j], c).astype(np.intp)
            for j, c in enumerate(self.columns)
        }
        for names in self.sets:
            place = np.zeros(len(roster), np.intp)
            for name in names:
                place = 2 * place + bits[name]
            yield place

    def to_json(self) -> dict[str, Any]:
        """Return the statistic as plain values."""
        table = "".join(map(str, self.function.truth_table))
        return {
            "kind": self.kind,
            "function": self.function.name,
            "table": table,
            "sets": [list(names) for names in self.sets],
        }

    @staticmethod
    def from_json(value: dict[str, Any], columns: tuple[Column, ...]) -> BooleanCounts:
        """Read the statistic back."""
        function = BooleanFunction(tuple(int(c) for c in value["table"]), str(value["function"]))
        sets = tuple(tuple(names) for names in value["sets"])
        used = {name for names in sets for name in names}
        return BooleanCounts(tuple(c for c in columns if c.name in used), function, sets)


def refuse_other_than_bits(columns: Sequence[Column]) -> None:
    """Refuse columns that do not have two levels, naming them."""
    if others := [column.name for column in columns if len(column.levels) != 2]:
        raise InputError(
            f"columns {', '.join(map(repr, others))}",
            "must have two levels to be bits of a boolean function",
            f"{len(next(c for c in columns if c.name == others[0]).levels)} levels in {others[0]!r}",
            "Leave them out (attributes=a+b), or bin them into two.",
        )


def counts_of(columns: Sequence[Column], function: BooleanFunction) -> BooleanCounts:
    """Make the counts of a function over all sets of as many of these columns as it has public bits.

    Examples
    --------
    >>> from dalenius.people.schema import Kind, Role
    >>> from dalenius.statistics.counts.boolean import named_function
    >>> columns = [Column(c, Role.PUBLIC, Kind.BINARY, ("0", "1")) for c in "abc"]
    >>> counts_of(columns, named_function("and", 2)).rows
    3
    """
    refuse_other_than_bits(columns)
    if len(columns) < function.k:
        raise InputError(
            "boolean: k",
            f"must be at most the number of columns of two levels ({len(columns)})",
            str(function.k),
            "Use a smaller k or make more columns public.",
        )
    names = tuple(c.name for c in columns)
    return BooleanCounts(tuple(columns), function, tuple(itertools.combinations(names, function.k)))


def ask_boolean(options: Options, roster: Roster, rng: np.random.Generator) -> BooleanCounts:
    """Make ``boolean:function=majority,k=2[,attributes=a+b+c]``."""
    function, columns = function_of(options), roster.attributes.columns
    if names := options.words("attributes"):
        return counts_of(roster.attributes.select(names).columns, function)
    bits = [column for column in columns if len(column.levels) == 2]
    if len(bits) < function.k:
        refuse_other_than_bits(columns)
    return counts_of(bits, function)
