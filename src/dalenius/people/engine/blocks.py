"""A column of any number of values, such as blocks of a country: coded here, not in the engine.

In the engine each value of a column is a branch of an expression, which holds a thousand of them. The values
of such a column stay what they are there, people are grouped by them, and what comes back is looked up in a
list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.compute as pc

from dalenius.errors import InputError
from dalenius.people.engine.engine import fetch
from dalenius.people.engine.levels import Coding, check_values, raw_level
from dalenius.people.schema import MISSING, Column, Kind, Role, label_number


@dataclass(frozen=True)
class ListedValues:
    """The values of a column in the order of their codes, and the code of a missing one if there is any."""

    values: pa.Array
    missing: int | None

    @staticmethod
    def of(coding: Coding) -> ListedValues:
        """List the values of a column."""
        return ListedValues(pa.array(coding.values), coding.missing_code)

    def codes(self, fetched: Any) -> Any:
        """Code fetched values; null for one that is not listed.

        Examples
        --------
        >>> ListedValues(pa.array(["a", "b"]), 2).codes(pa.array(["b", None, "c"])).to_pylist()
        [1, 2, None]
        """
        known = pc.index_in(fetched.cast(self.values.type), value_set=self.values)
        if self.missing is None:
            return known
        return pc.if_else(pc.is_null(fetched), pa.scalar(self.missing, pa.int32()), known)

    def among(self, column: Any, codes: Sequence[int]) -> Any:
        """Return the expression that says whether a value of the engine has one of these codes."""
        values = [self.values[code].as_py() for code in codes if code != self.missing]
        found = column.isin(values) if values else ibis.literal(False)
        return found | column.isnull() if self.missing in codes else found


def find_blocks(
    values: Any, name: str, *, missing: int, levels: Sequence[str | float] | None = None
) -> Coding:
    """Find the values of the column by which people are split, however many there are.

    Parameters
    ----------
    values
        The cleaned column, as a table with the one column ``x``.
    name
        What it is called.
    missing
        How many values are missing; if any are, those people are a block of their own.
    levels
        All values it can take, if they were given: nobody need have some of them.

    Raises
    ------
    InputError
        If somebody has a value that is not among those given; it is not shown.
    """
    numeric = values.x.type().is_numeric()
    found = fetch(values.filter(values.x.notnull()).distinct())["x"].to_pylist()
    check_values(name, found)
    if levels is not None:
        said = tuple(raw_level(f"levels of {name!r}", level, values.x.type()) for level in levels)
        strange = len({*found} - {*said})
        if strange or len({*said}) < len(said):
            got = f"{strange:,} other values" if strange else "a level that stands twice"
            raise InputError(
                f"column {name!r}", "must hold only the stated levels", got, "Correct the levels."
            )
        found = list(said)
    ordered = tuple(sorted(set(found)))
    labels = tuple(label_number(value) if numeric else str(value) for value in ordered)
    last = (MISSING,) if missing else ()
    kind = Kind.BINARY if len(labels + last) == 2 else Kind.CATEGORICAL
    return Coding(Column(name, Role.PUBLIC, kind, labels + last, stated=levels is not None), ordered)
