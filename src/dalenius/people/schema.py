"""What the columns of a table of people are: their role, their kind and the values they can take."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from dalenius.errors import InputError, nearest_column
from dalenius.private_repr import hides_people

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
        """Read a column back from plain values."""
        return Column(
            name=value["name"],
            role=Role(value["role"]),
            kind=Kind(value["kind"]),
            levels=tuple(value["levels"]),
            edges=tuple(value["edges"]),
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
