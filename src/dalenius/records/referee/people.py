"""The people of a plan as records: every column counts, none is secret; for publishing and judging only."""

from __future__ import annotations

import numpy as np

from dalenius.errors import InputError, nearest
from dalenius.people.files.sheet import Sheet
from dalenius.people.schema import check_edges, label_bins
from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.grid import Codes
from dalenius.records.published.people_file import level_of
from dalenius.records.referee.truth import TruePeople

MOST_LEVELS = 10_000
"""Levels of one column: what has more is a number that wants bins, or a name."""


def people_of_sheet(
    sheet: Sheet, wanted: list[str], bins: dict[str, list[float]]
) -> tuple[RecordColumns, TruePeople]:
    """Code columns by their levels, numbers with bins by these.

    Raises
    ------
    InputError
        If a column is not there, has too many levels or an empty value.
    """
    levels: dict[str, list[str]] = {}
    codes: list[Codes] = []
    for name in wanted:
        if name not in sheet:
            raise InputError("columns", "must be in the data", repr(name), hint=nearest(name, sheet.names))
        if name in bins:
            edges = check_edges(name, bins[name])
            levels[name] = list(label_bins(edges))
            codes.append(np.searchsorted(edges, sheet.numbers(name), side="right").astype(np.int32))
            continue
        values = sheet.labels(name)
        order = np.unique(sheet.numbers(name)) if sheet.numeric(name) else None
        own, which = np.unique(values, return_inverse=True)
        if order is not None:
            by_size = np.argsort(own.astype(np.float64), kind="stable")
            own, which = own[by_size], np.argsort(by_size)[which]
        if len(own) > MOST_LEVELS:
            fix = f"Give schema.bins.{name}, or name it under schema.ignored."
            raise InputError(
                f"column {name!r}", f"must have at most {MOST_LEVELS:,} levels", f"{len(own):,}", fix
            )
        levels[name] = own.tolist()
        codes.append(which.astype(np.int32))
    return RecordColumns.of(levels), TruePeople(np.stack(codes, axis=1))


def people_in_tables(sheet: Sheet, columns: RecordColumns) -> TruePeople:
    """Code people by the levels of printed tables.

    Raises
    ------
    InputError
        If a column of the tables is not in the data, or a value is no level of them.
    """
    codes = []
    for at, name in enumerate(columns.names):
        if name not in sheet:
            raise InputError("data", "must have every column of the tables", f"no column {name!r}")
        own, which = np.unique(sheet.labels(name), return_inverse=True)
        found = np.array([level_of(columns, at, str(value)) for value in own], np.int32)
        if (found < 0).any():
            raise InputError(f"data, column {name!r}", "must have levels of the tables", "another")
        codes.append(found[which])
    return TruePeople(np.stack(codes, axis=1))
