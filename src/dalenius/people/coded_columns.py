"""Public columns as whole-number codes: what an attacker's list of people looks like in memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, nearest_column
from dalenius.people.schema import Column

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
