"""One pass over the raw rows: how many people, how many missing values, whether ids name people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dalenius.errors import InputError
from dalenius.people.engine.engine import fetch
from dalenius.people.opening import OpenedTable


def survey(
    opened: OpenedTable, values: Mapping[str, Any], id: str | None, *, refuse_missing: bool
) -> tuple[int, dict[str, int]]:
    """Count people and missing values, and refuse what cannot be audited.

    Raises
    ------
    InputError
        For an empty table, a missing value where those are refused, an id that is missing, repeated or
        neither text nor a whole number, and a database table without an id. Only numbers are shown.
    """
    rows = opened.table
    asked = {"n": rows.count()}
    for j, value in enumerate(values.values()):
        asked[f"gap{j}"] = value.isnull().sum()
    if id is not None:
        _check_id_type(id, rows[id])
        asked |= {"no_id": rows[id].isnull().sum(), "ids": rows[id].nunique()}
    elif not opened.engine.local:
        raise InputError(
            "id",
            "must be given for a table in a database, whose rows have no order",
            "none",
            "Name the column that identifies people.",
        )
    got = fetch(rows.aggregate(**asked)).to_pylist()[0]
    if got["n"] == 0:
        raise InputError(opened.description, "must have at least one row", "none")
    gaps = {name: int(got[f"gap{j}"]) for j, name in enumerate(values)}
    if refuse_missing:
        _check_gaps(gaps, got["n"])
    if id is not None:
        _check_ids(id, got["n"], got["no_id"], got["ids"])
    return int(got["n"]), gaps


def _check_gaps(gaps: Mapping[str, int], n: int) -> None:
    missing = [f"{count} in {name!r}" for name, count in gaps.items() if count]
    if missing:
        raise InputError(
            "columns",
            "must have no missing values",
            f"{', '.join(missing)} (of {n} rows)",
            'Fill them, list the column under ignored, or say missing="value" to count them as a level.',
        )


def _check_id_type(id: str, value: Any) -> None:
    kind = value.type()
    if not (kind.is_string() or kind.is_integer() or kind.is_uuid()):
        raise InputError(f"id column {id!r}", "must be text or whole numbers", str(kind), "Convert it first.")


def _check_ids(id: str, n: int, no_id: int, distinct: int) -> None:
    if no_id:
        raise InputError(f"id column {id!r}", "must have no missing values", f"{no_id} missing (of {n} rows)")
    if distinct < n:
        raise InputError(
            f"id column {id!r}",
            "must name each person once",
            f"{n - distinct} repeated (of {n} rows)",
            "Keep one row per person, or leave the id out to count every row as a person.",
        )
