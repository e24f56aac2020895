"""Files beside the tables: other people, who must not be those attacked, and named people."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dalenius.errors import InputError, nearest
from dalenius.records.attack.ranked.others import PopulationShares
from dalenius.records.cells.columns import RecordColumns
from dalenius.records.published.people_file import header_of, read_people

NOT_OTHERS = "must be people who are not in the tables"


def read_others(
    path: Path, columns: RecordColumns, unit: int | None, truth: Path | None = None
) -> tuple[PopulationShares, tuple[str, ...]]:
    """Read other people, and say whom was left out and what could not be checked.

    People of the units attacked are left out, since they are in the tables.

    Raises
    ------
    InputError
        If a column is missing, nobody is left, or they are the people attacked.
    """
    if truth is not None and _same(path, truth):
        raise InputError("--population", NOT_OTHERS, "the file of --truth")
    wanted = [at for at in range(len(columns.names)) if at != unit]
    placed = unit is not None and columns.names[unit] in header_of(path)
    found = read_people(path, columns, [*wanted, unit] if placed and unit is not None else wanted)
    inside = np.zeros(len(found.records), np.bool_)
    notes = []
    if placed:
        inside = found.records[:, -1] >= 0
        if inside.any():
            notes.append(f"{path.name}: {int(inside.sum()):,} people of the units attacked are left out.")
    else:
        notes.append(
            f"{path.name}: it has no column of units, so that nobody could check whether it holds people "
            "who are in the tables."
        )
    own = found.records[~inside][:, : len(wanted)]
    if not len(own):
        raise InputError("--population", NOT_OTHERS, "nobody from elsewhere")
    usable = (own >= 0).all(axis=1)
    if not usable.all():
        notes.append(f"{path.name}: {int((~usable).sum()):,} people with other levels are left out.")
    if not usable.any():
        raise InputError("--population", "must have levels of the tables", "nobody with such levels")
    return PopulationShares(tuple(wanted), own[usable]), tuple(notes)


def _same(path: Path, other: Path) -> bool:
    return path.resolve() == other.resolve() or (
        path.is_file() and other.is_file() and path.read_bytes() == other.read_bytes()
    )


def parse_on(text: str | None, columns: RecordColumns, unit: int | None) -> tuple[int, ...]:
    """Read ``block,sex,age``: the columns that are known of named people.

    Raises
    ------
    InputError
        If one is no column of the tables, none is left to be claimed, or the column of units is not known.

    Examples
    --------
    >>> parse_on("sex", RecordColumns.of({"sex": ["f", "m"], "ill": ["no", "yes"]}), None)
    (0,)
    """
    if not text:
        raise InputError(
            "--on", "must say which columns --named is matched on", "none", "As in block,sex,age."
        )
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in columns.names:
            rule = f"must be columns of the tables: {', '.join(columns.names)}"
            raise InputError("--on", rule, repr(name), hint=nearest(name, columns.names))
    found = tuple(sorted({columns.position(name) for name in names}))
    if len(found) == len(columns.names):
        raise InputError("--on", "must leave a column to be found out", "all columns")
    if unit is not None and unit not in found:
        raise InputError("--on", f"must have {columns.names[unit]!r}, the column of units", repr(text))
    return found
