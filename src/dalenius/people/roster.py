"""A list of people as an attacker has it: a name for each, and public columns as codes.

Public columns as whole-number codes: what an attacker's list of people looks like in memory.

A list of people as an attacker has it: a name for each, and their public columns as codes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, nearest_column
from dalenius.matrices.answers import Vector
from dalenius.people.schema import Column
from dalenius.plural import people

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
        names = [c.name for c in self.columns]
        raise InputError(
            f"column {name!r}",
            "must be one of the public columns",
            "no such column",
            nearest_column(name, names),
        )

    def select(self, names: tuple[str, ...]) -> CodedColumns:
        """Keep these columns, in this order; all of them as they stand are not copied."""
        if names == tuple(column.name for column in self.columns):
            return self
        keep = [self.position(name) for name in names]
        return CodedColumns(tuple(self.columns[j] for j in keep), self.codes[:, keep])


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
    """

    id_name: str
    ids: Ids
    attributes: CodedColumns
    numbers: Mapping[str, Vector] = field(default_factory=dict)

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
        return Roster(self.id_name, self.ids[which], CodedColumns(self.attributes.columns, codes), numbers)

    def knowing(self, names: tuple[str, ...]) -> Roster:
        """Keep these columns, in this order."""
        numbers = {name: values for name, values in self.numbers.items() if name in names}
        return Roster(self.id_name, self.ids, self.attributes.select(names), numbers)

    @staticmethod
    def of_names(id_name: str, ids: Ids) -> Roster:
        """Make a roster of people about whom nothing but the name is known.

        Examples
        --------
        >>> len(Roster.of_names("client", np.array(["a", "b"])))
        2
        """
        return Roster(id_name, ids, CodedColumns((), np.zeros((ids.size, 0), np.int32)))
