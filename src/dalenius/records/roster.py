"""A list of people as an attacker has it: a name for each, and their public columns as codes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.records.columns import CodedColumns

Ids = NDArray[np.str_]


@dataclass(frozen=True)
class Roster:
    """People and their public columns.

    Parameters
    ----------
    id_name
        What the column of names is called.
    ids
        One name a person, all different.
    attributes
        The public columns, one row a person in the order of ``ids``; may have no columns.
    """

    id_name: str
    ids: Ids
    attributes: CodedColumns

    def __post_init__(self) -> None:
        if len(self.attributes) != self.ids.size:
            raise InputError("public columns", "must have one row a person", f"{len(self.attributes)} rows")
        repeated = self.ids.size - np.unique(self.ids).size
        if repeated:
            raise InputError(
                f"column {self.id_name!r}", "must name every person once", f"{repeated} repeated names"
            )

    def __len__(self) -> int:
        return int(self.ids.size)

    def take(self, which: NDArray[np.intp]) -> Roster:
        """Keep these people, in this order."""
        codes = self.attributes.codes[which]
        return Roster(self.id_name, self.ids[which], CodedColumns(self.attributes.columns, codes))

    @staticmethod
    def of_names(id_name: str, ids: Ids) -> Roster:
        """Make a roster of people about whom nothing but the name is known.

        Examples
        --------
        >>> len(Roster.of_names("client", np.array(["a", "b"])))
        2
        """
        return Roster(id_name, ids, CodedColumns((), np.zeros((ids.size, 0), np.int32)))
