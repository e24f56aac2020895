"""The columns of a table as traits: yes/no as they are, categories one answer a level, numbers as numbers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.records.answers import Vector
from dalenius.records.columns import CodedColumns
from dalenius.records.roster import Ids
from dalenius.records.schema import MISSING, Column
from dalenius.records.traits import RealTraits, Traits, coded_from_values

NO = ("0", "no", "false", "f", "n", "-1")
"""First levels whose opposite carries the name of the column."""


def traits_of_columns(
    id_name: str, ids: Ids, columns: CodedColumns, numbers: Mapping[str, Vector] | None = None
) -> Traits:
    """Turn columns into traits.

    A yes/no column is one attribute of its own name, any other column one attribute a level, named
    ``colour=red``; a person whose level is missing is missing in all of them. With ``numbers`` the columns of
    those names are taken as they are, and everything becomes real-valued.

    Parameters
    ----------
    id_name, ids
        What the column of names is called, and one name a person.
    columns
        Coded columns, one row a person.
    numbers
        Values of numeric columns by name; not a number where missing.

    Examples
    --------
    >>> from dalenius.records.schema import Kind, Role
    >>> smokes = Column("smokes", Role.PUBLIC, Kind.BINARY, ("no", "yes"))
    >>> colour = Column("colour", Role.PUBLIC, Kind.CATEGORICAL, ("blue", "green", "red"))
    >>> coded = CodedColumns((smokes, colour), np.array([[1, 0], [0, 2]], np.int32))
    >>> traits = traits_of_columns("id", np.array(["ann", "bob"]), coded)
    >>> traits.names.tolist()
    ['smokes', 'colour=blue', 'colour=green', 'colour=red']
    >>> traits.values(slice(None)).tolist()
    [[1.0, 1.0, -1.0, -1.0], [-1.0, -1.0, -1.0, 1.0]]
    """
    numbers = numbers or {}
    names: list[str] = []
    parts: list[NDArray[np.float64]] = []
    for j, column in enumerate(columns.columns):
        if column.name not in numbers:
            own, values = _answers(column, columns.codes[:, j])
            names += own
            parts.append(values)
    for name, values in numbers.items():
        names.append(name)
        parts.append(np.asarray(values, np.float64)[:, None])
    if not names:
        raise InputError("the columns", "must have at least one attribute", "none")
    table = np.hstack(parts)
    if numbers:
        return RealTraits(id_name, ids, np.array(names), table)
    return coded_from_values(id_name, ids, np.array(names), table, "binary")


def _answers(column: Column, codes: NDArray[np.int32]) -> tuple[list[str], NDArray[np.float64]]:
    """The attributes that a column becomes, and their values of -1 and +1."""
    known = [k for k, level in enumerate(column.levels) if level != MISSING]
    missing = ~np.isin(codes, known)
    levels = [column.levels[k] for k in known]
    if len(known) == 2 and levels[0].lower() in NO:
        names, chosen = [column.name], known[1:]
    elif len(known) == 2:
        # the two answers say the same thing; one attribute, named by what it counts
        names, chosen = [f"{column.name}={levels[1]}"], known[1:]
    else:
        names, chosen = [f"{column.name}={level}" for level in levels], known
    values = np.where(codes[:, None] == np.array(chosen), 1.0, -1.0)
    values[missing] = np.nan
    return names, values
