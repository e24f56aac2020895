"""Conditions on public columns, as a small tree that is evaluated, written down and sent, never run as code.

A predicate speaks of *levels*, the labels of a column's codes, so that publisher and attacker agree
exactly on who matches. ``Between`` is for numeric columns (bins) and for levels that are numbers: it
keeps the levels whose whole range lies in ``low <= x < high``.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, nearest
from dalenius.records.columns import CodedColumns
from dalenius.records.schema import Column

Mask = NDArray[np.bool_]


class Truth(Protocol):
    """Anything that can be combined with ``&``, ``|`` and ``~``."""

    def __and__(self, other: Any, /) -> Any: ...
    def __or__(self, other: Any, /) -> Any: ...
    def __invert__(self) -> Any: ...


T = TypeVar("T", bound=Truth)


@dataclass(frozen=True)
class Equals:
    """The column has this level."""

    column: str
    level: str


@dataclass(frozen=True)
class In:
    """The column has one of these levels."""

    column: str
    levels: tuple[str, ...]


@dataclass(frozen=True)
class Between:
    """The column's number is at least ``low`` and below ``high``; ``None`` leaves that side open."""

    column: str
    low: float | None
    high: float | None


@dataclass(frozen=True)
class And:
    """Every part holds; with no parts, everybody matches."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True)
class Or:
    """Some part holds; with no parts, nobody matches."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True)
class Not:
    """The part does not hold."""

    part: Predicate


Predicate = Equals | In | Between | And | Or | Not
Leaf = Equals | In | Between


def matching_codes(leaf: Leaf, column: Column) -> tuple[int, ...]:
    """Return the codes of a column that a leaf accepts: all that differs between the three leaves."""
    if isinstance(leaf, Between):
        return _codes_between(leaf, column)
    wanted = (leaf.level,) if isinstance(leaf, Equals) else leaf.levels
    for level in wanted:
        if level not in column.levels:
            raise InputError(
                f"value {level!r} of column {column.name!r}",
                "must be one of its levels",
                "no such level",
                nearest(level, column.levels),
            )
    return tuple(i for i, level in enumerate(column.levels) if level in wanted)


def _codes_between(leaf: Between, column: Column) -> tuple[int, ...]:
    low = -math.inf if leaf.low is None else leaf.low
    high = math.inf if leaf.high is None else leaf.high
    if column.edges:
        ends = (-math.inf, *column.edges, math.inf)
        for end in (low, high):
            if end not in ends:
                raise InputError(
                    f"limit {end:g} of column {column.name!r}",
                    "must be one of its bin edges",
                    f"{end:g}",
                    f"Edges: {', '.join(f'{e:g}' for e in column.edges)}.",
                )
        bins = len(column.edges) + 1
        return tuple(i for i in range(bins) if low <= ends[i] and ends[i + 1] <= high)
    return tuple(i for i, x in enumerate(_numbers(column)) if low <= x < high)


def _numbers(column: Column) -> list[float]:
    """Read the levels as numbers; a level that is not one (a missing value) lies in no range."""
    numbers = [_number(level) for level in column.levels]
    if all(math.isnan(x) for x in numbers):
        raise InputError(
            f"column {column.name!r}",
            "must be numeric to be compared by size",
            f"levels {', '.join(column.levels[:5])}",
            "Use = or in (...).",
        )
    return numbers


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def evaluate(predicate: Predicate, people: CodedColumns) -> Mask:
    """Say for every record whether the predicate matches it.

    Examples
    --------
    >>> from dalenius.records.schema import Column, Kind, Role
    >>> sex = Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m"))
    >>> people = CodedColumns((sex,), np.array([[0], [1], [1]], np.int32))
    >>> evaluate(Not(Equals("sex", "f")), people)
    array([False,  True,  True])
    """

    def leaf(part: Leaf) -> Mask:
        j = people.position(part.column)
        return np.isin(people.codes[:, j], matching_codes(part, people.columns[j]))

    return fold(predicate, leaf, np.ones(len(people), np.bool_))


def fold(predicate: Predicate, leaf: Callable[[Leaf], T], true: T) -> T:
    """Combine the values of the leaves with ``&``, ``|``, ``~``: arrays here, expressions in an engine."""
    match predicate:
        case And(parts):
            folded: T = reduce(operator.and_, (fold(part, leaf, true) for part in parts), true)
        case Or(parts):
            folded = reduce(operator.or_, (fold(part, leaf, true) for part in parts), ~true)
        case Not(part):
            folded = ~fold(part, leaf, true)
        case _:
            folded = leaf(predicate)
    return folded


def columns_of(predicate: Predicate) -> frozenset[str]:
    """Return the names of the columns that a predicate speaks of."""
    match predicate:
        case And(parts) | Or(parts):
            return frozenset[str]().union(*(columns_of(part) for part in parts))
        case Not(part):
            return columns_of(part)
    return frozenset({predicate.column})


def to_json(predicate: Predicate) -> dict[str, Any]:
    """Return the tree as plain values, one key a node.

    Examples
    --------
    >>> to_json(Not(Equals("sex", "f")))
    {'not': {'equals': ['sex', 'f']}}
    """
    match predicate:
        case Equals(column, level):
            return {"equals": [column, level]}
        case In(column, levels):
            return {"in": [column, list(levels)]}
        case Between(column, low, high):
            return {"between": [column, low, high]}
        case And(parts):
            return {"and": [to_json(part) for part in parts]}
        case Or(parts):
            return {"or": [to_json(part) for part in parts]}
        case Not(part):
            return {"not": to_json(part)}


def from_json(value: dict[str, Any]) -> Predicate:
    """Read a tree back from plain values."""
    ((node, body),) = value.items()
    match node:
        case "equals":
            return Equals(*body)
        case "in":
            return In(body[0], tuple(body[1]))
        case "between":
            return Between(*body)
        case "and":
            return And(tuple(from_json(part) for part in body))
        case "or":
            return Or(tuple(from_json(part) for part in body))
        case "not":
            return Not(from_json(body))
    raise InputError("predicate", "must be one of the known nodes", repr(node))
