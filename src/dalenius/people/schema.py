"""What the columns of a table of people are, their cut points, and a list of people as an attacker has it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, nearest_column
from dalenius.matrices.answers import Vector
from dalenius.shown import hides_people, people

PARTS = 5
"""Automatic bins hold about a fifth of the people each: few enough that tables stay readable."""


def label_number(x: float) -> str:
    """Write a number as shortly as it can be read back; whole ones without a point.

    Examples
    --------
    >>> label_number(32.0), label_number(0.1), label_number(float("inf"))
    ('32', '0.1', 'inf')
    """
    if math.isfinite(x) and x == int(x) and abs(x) < 1e15:
        return str(int(x))
    return repr(float(x))


def label_bins(edges: Sequence[float]) -> tuple[str, ...]:
    """Name the bins between cut points; each holds its left end.

    Examples
    --------
    >>> label_bins([20, 30])
    ('below 20', '20 to under 30', '30 or more')
    """
    marks = [label_number(edge) for edge in edges]
    between = [f"{low} to under {high}" for low, high in pairwise(marks)]
    return (f"below {marks[0]}", *between, f"{marks[-1]} or more")


def check_edges(name: str, edges: Sequence[float]) -> tuple[float, ...]:
    """Return the cut points as numbers, or refuse them unless they rise and are finite.

    Examples
    --------
    >>> check_edges("age", [20, 30])
    (20.0, 30.0)
    """
    what = f"bins for {name!r}"
    try:
        numbers = tuple(float(edge) for edge in edges)
    except (TypeError, ValueError):
        raise InputError(
            what, "must be a list of numbers", repr(edges), "Write for example [20, 30, 50]."
        ) from None
    got = ", ".join(map(label_number, numbers)) or "none"
    if not numbers:
        raise InputError(what, "must have at least one cut point", got, "Write for example [20, 30, 50].")
    if not all(map(math.isfinite, numbers)):
        raise InputError(
            what, "must be finite numbers", got, "The first and last bins are open by themselves."
        )
    if any(low >= high for low, high in pairwise(numbers)):
        raise InputError(what, "must rise from one cut point to the next", got, "Sort them and drop repeats.")
    return numbers


def round_edges(quantiles: Sequence[float], low: float) -> tuple[float, ...]:
    """Round quantiles to the coarsest of 1, 2, 5 times a power of ten that keeps them apart.

    Cut points at or below ``low``, the smallest value, are dropped: nobody would be below them.

    Examples
    --------
    >>> round_edges([23.1, 31.9, 40.2, 55.7], low=18)
    (24.0, 32.0, 40.0, 56.0)
    >>> round_edges([0, 0, 0, 3], low=0)
    (3.0,)
    """
    points = sorted({float(q) for q in quantiles if math.isfinite(q) and q > low})
    if len(points) < 2:
        return tuple(points)
    apart = min(b / 2 - a / 2 for a, b in pairwise(points))
    if not 1e-300 < apart < 1e300 or max(map(abs, points)) / apart > 2.0**53:
        return tuple(points)  # numbers at the ends of what a computer holds have no round ones near them
    step = _nice_below(apart)
    # Dividing by the inverse keeps 0.3 at 0.3, where 3 * 0.1 would give 0.30000000000000004.
    rounded = (round(x / step) * step if step >= 1 else round(x / step) / round(1 / step) for x in points)
    return tuple(sorted({x for x in rounded if x > low}))


def _nice_below(x: float) -> float:
    power = 10.0 ** math.floor(math.log10(x))
    return max(m * power for m in (1, 2, 5) if m * power <= x * (1 + 1e-9))


MISSING = "(missing)"
"""The level of a missing value, in a column where missing is a value of its own."""


class Role(StrEnum):
    """What a column is to the attacker."""

    ID = "id"
    PUBLIC = "public"
    SECRET = "secret"  # noqa: S105  (a role, not a password)
    IGNORED = "ignored"


class Kind(StrEnum):
    """What values a column takes."""

    BINARY = "binary"
    CATEGORICAL = "categorical"
    NUMERIC = "numeric"


@hides_people("name")
@dataclass(frozen=True)
class Column:
    """One column: its levels are the labels of the codes 0, 1, 2, ...

    A numeric column is binned: ``edges`` are the inner cut points, level 0 is everything below the first,
    the last level everything from the last edge on (each bin holds its left end). ``stated`` says that the
    levels were given beforehand; otherwise they are those that occur, and so tell something about people.
    """

    name: str
    role: Role
    kind: Kind
    levels: tuple[str, ...] = ()
    edges: tuple[float, ...] = ()
    stated: bool = field(default=False, compare=False)

    def to_json(self) -> dict[str, Any]:
        """Return the column as plain values."""
        return {
            "name": self.name,
            "role": str(self.role),
            "kind": str(self.kind),
            "levels": list(self.levels),
            "edges": list(self.edges),
            "stated": self.stated,
        }

    @staticmethod
    def from_json(value: dict[str, Any]) -> Column:
        """Read a column back from plain values.

        Raises
        ------
        TypeError
            If its name or a level is not text, or an edge not a number.
        """
        texts, edges = [value["name"], *value["levels"]], tuple(value["edges"])
        if not all(isinstance(text, str) for text in texts) or any(isinstance(edge, str) for edge in edges):
            raise TypeError("a column has words for levels and numbers for edges")
        return Column(
            name=value["name"],
            role=Role(value["role"]),
            kind=Kind(value["kind"]),
            levels=tuple(value["levels"]),
            edges=edges,
            stated=value.get("stated") is True,
        )


@dataclass(frozen=True)
class Schema:
    """The columns of a table, in order. Exactly one is the secret; at most one is the id."""

    columns: tuple[Column, ...]

    @property
    def secret(self) -> Column:
        """The secret column."""
        return next(c for c in self.columns if c.role is Role.SECRET)

    @property
    def id(self) -> Column | None:
        """The id column; without one, people are named by their row number."""
        return next((c for c in self.columns if c.role is Role.ID), None)

    @property
    def public(self) -> tuple[Column, ...]:
        """The columns the attacker may know."""
        return tuple(c for c in self.columns if c.role is Role.PUBLIC)

    def column(self, name: str) -> Column:
        """Return the column of that name, or say which was probably meant."""
        for column in self.columns:
            if column.name == name:
                return column
        names = [c.name for c in self.columns]
        raise InputError(
            f"column {name!r}", "must be in the data", "no such column", nearest_column(name, names)
        )


Codes = NDArray[np.int32]


@dataclass(frozen=True, repr=False)
class CodedColumns:
    """Columns and, for every record, the code of its level in each.

    Parameters
    ----------
    columns
        What each column is.
    codes
        One row per record, one column per column; ``codes[i, j]`` indexes ``columns[j].levels``.
    """

    columns: tuple[Column, ...]
    codes: Codes

    def __post_init__(self) -> None:
        if self.codes.ndim != 2 or self.codes.shape[1] != len(self.columns):
            raise InputError("codes", f"must have {len(self.columns)} columns", f"shape {self.codes.shape}")

    def __len__(self) -> int:
        return int(self.codes.shape[0])

    def __repr__(self) -> str:
        return f"CodedColumns({len(self):,} records; {', '.join(column.name for column in self.columns)})"

    def position(self, name: str) -> int:
        """Where a column stands."""
        for j, column in enumerate(self.columns):
            if column.name == name:
                return j
        fix = nearest_column(name, [c.name for c in self.columns])
        if not fix.startswith("Did"):  # the table is the right one, and the column may be in it
            fix = "The secret, the id and what is ignored are none of them."
        raise InputError(f"column {name!r}", "must be one of the public columns", "no such column", fix)

    def select(self, names: tuple[str, ...]) -> CodedColumns:
        """Keep these columns, in this order; all of them as they stand are not copied."""
        if names == tuple(column.name for column in self.columns):
            return self
        keep = [self.position(name) for name in names]
        return CodedColumns(tuple(self.columns[j] for j in keep), self.codes[:, keep])


def distinct(codes: Codes) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find different rows: where each stands first, and which of them every row is.

    Examples
    --------
    >>> first, group = distinct(np.array([[1, 2], [0, 3], [1, 2]], np.int32))
    >>> first.tolist(), group.tolist()
    ([1, 0], [1, 0, 1])
    """
    with_one = np.hstack([np.zeros((len(codes), 1), np.int32), codes])  # rows of no columns are all alike
    # most significant byte first, so that the order of bytes is that of numbers
    rows = (
        np.ascontiguousarray(with_one.astype(">i4")).view(np.dtype((np.void, 4 * with_one.shape[1]))).ravel()
    )
    _, first, group = np.unique(rows, return_index=True, return_inverse=True)
    return first, group.ravel()


Ids = NDArray[np.str_]


@dataclass(frozen=True, repr=False)
class Roster:
    """People and their public columns.

    Parameters
    ----------
    id_name
        What the column of names is called.
    ids
        One name a person, all different.
    attributes
        The public columns, one row per person in the order of ``ids``; may have no columns.
    numbers
        The numbers behind public columns that are cut into bins, by name; not a number where missing.
    people
        How many people each line is, where a line is a record that several share; one if not given.
    """

    id_name: str
    ids: Ids
    attributes: CodedColumns
    numbers: Mapping[str, Vector] = field(default_factory=dict)
    people: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        if len(self.attributes) != self.ids.size:
            raise InputError("public columns", "must have one row per person", f"{len(self.attributes)} rows")
        for name, values in self.numbers.items():
            if values.shape != self.ids.shape:
                raise InputError(f"numbers of {name!r}", "must be one per person", f"shape {values.shape}")
        repeated = self.ids.size - np.unique(self.ids).size
        if repeated:
            raise InputError(
                f"column {self.id_name!r}", "must name every person once", f"{repeated} repeated names"
            )

    def __len__(self) -> int:
        return int(self.ids.size)

    def __repr__(self) -> str:
        names = ", ".join(column.name for column in self.attributes.columns)
        return f"Roster({people(len(self))}; {names or 'nothing but names'})"

    def take(self, which: NDArray[np.intp]) -> Roster:
        """Keep these people, in this order; everybody as they stand is not copied."""
        if np.array_equal(which, np.arange(len(self))):
            return self
        codes = self.attributes.codes[which]
        numbers = {name: values[which] for name, values in self.numbers.items()}
        people = None if self.people is None else self.people[which]
        columns = CodedColumns(self.attributes.columns, codes)
        return Roster(self.id_name, self.ids[which], columns, numbers, people)

    def knowing(self, names: tuple[str, ...]) -> Roster:
        """Keep these columns, in this order."""
        numbers = {name: values for name, values in self.numbers.items() if name in names}
        known = Roster(self.id_name, self.ids, self.attributes.select(names), numbers, self.people)
        return known if self.people is None else known.merged()

    def merged(self) -> Roster:
        """Put lines together that are alike in all columns: what remains are different records."""
        first, group = distinct(self.attributes.codes)
        each = np.ones(len(self), np.int64) if self.people is None else self.people
        people = np.bincount(group, each, first.size).astype(np.int64)
        columns = CodedColumns(self.attributes.columns, self.attributes.codes[first])
        return Roster("record", np.arange(first.size).astype(np.str_), columns, {}, people)

    @property
    def size(self) -> int:
        """How many people there are."""
        return len(self) if self.people is None else int(self.people.sum())

    @staticmethod
    def of_names(id_name: str, ids: Ids) -> Roster:
        """Make a roster of people about whom nothing but the name is known.

        Examples
        --------
        >>> len(Roster.of_names("client", np.array(["a", "b"])))
        2
        """
        return Roster(id_name, ids, CodedColumns((), np.zeros((ids.size, 0), np.int32)))
