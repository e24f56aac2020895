"""Conditions on columns, as a small tree that is evaluated, written down and sent, never run as code.

Of coded columns a predicate speaks of *levels*, the labels of the codes, so that publisher and attacker agree
exactly on who matches; ``Between`` keeps the levels whose whole range lies between the limits. Of original
rows it speaks of their values, see `row_match`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.hashes import Digests
from dalenius.conditions.leaves import Between, Equals, HashBelow, HashBit, In, Leaf, Like, matching_codes
from dalenius.conditions.row_match import match_values
from dalenius.errors import InputError
from dalenius.people.rows.keyed_hash import RowHashes
from dalenius.people.rows.rows import Rows
from dalenius.people.schema import CodedColumns

__all__ = [
    "And",
    "Between",
    "Equals",
    "HashBelow",
    "HashBit",
    "In",
    "Leaf",
    "Like",
    "Not",
    "Or",
    "Predicate",
    "columns_of",
    "evaluate",
    "evaluate_all",
    "fold",
    "from_json",
    "hashes",
    "matching_codes",
    "to_json",
]

Mask = NDArray[np.bool_]


class Truth(Protocol):
    """Anything that can be combined with ``&``, ``|`` and ``~``."""

    def __and__(self, other: Any, /) -> Any: ...
    def __or__(self, other: Any, /) -> Any: ...
    def __invert__(self) -> Any: ...


T = TypeVar("T", bound=Truth)


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


Predicate = Leaf | And | Or | Not


def evaluate(predicate: Predicate, people: CodedColumns | Rows) -> Mask:
    """Say for every record or row whether the predicate matches it.

    Examples
    --------
    >>> from dalenius.people.schema import Column, Kind, Role
    >>> sex = Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m"))
    >>> people = CodedColumns((sex,), np.array([[0], [1], [1]], np.int32))
    >>> evaluate(Not(Equals("sex", "f")), people)
    array([False,  True,  True])
    """
    return next(evaluate_all((predicate,), people))


def evaluate_all(predicates: Iterable[Predicate], people: CodedColumns | Rows) -> Iterator[Mask]:
    """Evaluate predicates one after the other, hashing every record once a salt or seed.

    `matching.Matcher` is for many conditions on many rows: it hashes only those that meet the other parts.
    """
    if isinstance(people, Rows):
        return _evaluate_rows(predicates, people)
    leaf = _leaf_of_codes(people)
    everybody = np.ones(len(people), np.bool_)
    return (fold(predicate, leaf, everybody) for predicate in predicates)


def _leaf_of_codes(people: CodedColumns) -> Callable[[Leaf], Mask]:
    digests = Digests(people)

    def leaf(part: Leaf) -> Mask:
        if isinstance(part, HashBit):
            return digests.bit(part.columns, part.salt, part.bit)
        if isinstance(part, HashBelow):
            raise misplaced(part)
        j = people.position(part.column)
        return np.isin(people.codes[:, j], matching_codes(part, people.columns[j]))

    return leaf


def _evaluate_rows(predicates: Iterable[Predicate], rows: Rows) -> Iterator[Mask]:
    found = RowHashes(rows)

    def leaf(part: Leaf) -> Mask:
        if isinstance(part, HashBit):
            raise misplaced(part)
        if isinstance(part, HashBelow):
            return found.below(part.columns, part.family, part.seed, part.below)
        return match_values(part, rows.column(part.column))

    everybody = np.ones(len(rows), np.bool_)
    return (fold(predicate, leaf, everybody) for predicate in predicates)


def misplaced(part: HashBelow | HashBit) -> InputError:
    """Say that a hash cannot be asked here."""
    if isinstance(part, HashBit):
        return InputError("bit of a hash", "must be asked of coded columns", "original rows")
    rule = "must be asked of original rows in memory"
    return InputError(f"{part.family} hash below a number", rule, "coded columns or an engine")


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
        case HashBit(columns) | HashBelow(columns):
            return frozenset(columns)
    return frozenset({predicate.column})


def hashes(predicate: Predicate) -> bool:
    """Say whether a predicate has a hash in it."""
    match predicate:
        case And(parts) | Or(parts):
            return any(hashes(part) for part in parts)
        case Not(part):
            return hashes(part)
    return isinstance(predicate, HashBit | HashBelow)


def to_json(predicate: Predicate) -> dict[str, Any]:
    """Return the tree as plain values, one key per node.

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
        case Between(column, low, high, closed):
            return {"between": [column, low, high, *([] if closed == "left" else [closed])]}
        case Like(column, mask, longer):
            return {"like": [column, mask, longer]}
        case HashBelow(columns, family, seed, below):
            return {"hash-below": [list(columns), family, seed, below]}
        case HashBit(columns, salt, bit):
            return {"hash-bit": [list(columns), salt, bit]}
        case And(parts):
            return {"and": [to_json(part) for part in parts]}
        case Or(parts):
            return {"or": [to_json(part) for part in parts]}
        case Not(part):
            return {"not": to_json(part)}


def from_json(value: dict[str, Any]) -> Predicate:
    """Read a tree back from plain values."""
    try:
        ((node, body),) = value.items()
        return _read_node(node, body)
    except InputError:
        raise
    except (AttributeError, IndexError, TypeError, ValueError):
        rule = "must be one node, its name with its values"
        raise InputError("predicate", rule, repr(value)[:60]) from None


def _read_node(node: str, body: Any) -> Predicate:
    match node:
        case "equals":
            return Equals(*body)
        case "in":
            return In(body[0], tuple(body[1]))
        case "between":
            return Between(*body)
        case "like":
            return Like(*body)
        case "hash-bit":
            return HashBit(tuple(body[0]), body[1], body[2])
        case "hash-below":
            return HashBelow(tuple(body[0]), *body[1:])
        case "and":
            return And(tuple(from_json(part) for part in body))
        case "or":
            return Or(tuple(from_json(part) for part in body))
        case "not":
            return Not(from_json(body))
    raise InputError("predicate", "must be one of the known nodes", repr(node))
