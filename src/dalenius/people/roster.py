"""A list of people as an attacker has it: a name for each, and their public columns as codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.matrices.answers import Vector
from dalenius.people.coded_columns import CodedColumns
from dalenius.plural import people

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
