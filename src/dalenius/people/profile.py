"""A first look at data nobody has described yet: what each column looks like, and a suggested role.

Made for writing a first plan. It suggests; what is public and what is secret is for people to decide.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from dalenius.errors import InputError
from dalenius.people.bins import label_bins, label_number
from dalenius.people.engine.engine import fetch
from dalenius.people.engine.levels import MOST_LEVELS, MOST_NUMBERS, automatic_edges, clean
from dalenius.people.opening import open_source
from dalenius.people.roles import MOST_PUBLIC
from dalenius.people.schema import Kind, Role

NEAR_UNIQUE = 0.9
"""A column with this share of different values names people, even if a few values repeat."""

EXAMPLES = 5
"""How many levels are shown of a column."""


@dataclass(frozen=True)
class ColumnProfile:
    """One column as it is, and what to make of it.

    ``min``, ``max`` and ``example_levels`` (the commonest, or the bins) are left empty for a column that is
    not suggested as public, which may name people.
    """

    name: str
    dtype: str
    distinct: int
    missing: int
    min: str
    max: str
    example_levels: tuple[str, ...]
    role: Role
    kind: Kind
    edges: tuple[float, ...]
    reason: str


def profile(source: Any, table: str | None = None, *, memory: str = "2GB") -> list[ColumnProfile]:
    """Look at every column of a source.

    Parameters
    ----------
    source, table, memory
        As for ``read``.

    Examples
    --------
    >>> import pyarrow as pa
    >>> columns = profile(pa.table({"key": ["a1", "b2", "c3", "d4"], "sex": ["f", "m", "f", "f"]}))
    >>> for column in columns:
    ...     print(column.name, column.role, column.example_levels, column.reason)
    key id () every value is different
    sex public ('f', 'm') 2 different values
    """
    opened = open_source(source, table=table, memory=memory)
    try:
        rows = opened.table
        n = int(fetch(rows.aggregate(n=rows.count()))["n"][0].as_py())
        if n == 0:
            raise InputError(opened.description, "must have at least one row", "none")
        if len(rows.columns) > MOST_PUBLIC:
            fix = "Write a plan that names those which an attacker may know."
            rule = f"must have at most {MOST_PUBLIC:,} columns to be looked at"
            raise InputError(opened.description, rule, f"{len(rows.columns):,}", fix)
        columns = [_look(opened.engine.backend, rows, name, n) for name in rows.columns]
    finally:
        opened.engine.close()
    return _one_id(columns)


def _look(backend: Any, rows: Any, name: str, n: int) -> ColumnProfile:
    dtype = str(rows[name].type())
    try:
        values = rows.select(x=clean(backend, rows[name], name))
    except InputError:
        reason = f"values of type {dtype} cannot be counted by"
        return ColumnProfile(name, dtype, 0, 0, "", "", (), Role.IGNORED, Kind.CATEGORICAL, (), reason)
    x = values.x
    got = fetch(values.aggregate(distinct=x.nunique(), missing=x.isnull().sum(), low=x.min(), high=x.max()))
    seen = got.to_pylist()[0]
    distinct, missing = seen["distinct"], seen["missing"]
    role, reason = _suggest(distinct, missing, n, x.type())
    kind = Kind.BINARY if distinct == 2 else Kind.CATEGORICAL
    if role is not Role.PUBLIC:
        return ColumnProfile(name, dtype, distinct, missing, "", "", (), role, kind, (), reason)
    low, high = _label(seen["low"]), _label(seen["high"])
    edges: tuple[float, ...] = ()
    if x.type().is_numeric() and distinct > MOST_NUMBERS:
        kind, edges = Kind.NUMERIC, automatic_edges(values.filter(x.notnull()), n - missing)
    levels = label_bins(edges) if edges else _levels(values)
    return ColumnProfile(name, dtype, distinct, missing, low, high, levels, role, kind, edges, reason)


def _suggest(distinct: int, missing: int, n: int, dtype: Any) -> tuple[Role, str]:
    """Suggest a role, with the reason."""
    whole = not dtype.is_floating()  # measurements are often all different, and name nobody
    if distinct + (missing > 0) <= 1:
        return Role.IGNORED, "the same for everybody"
    if whole and distinct == n and n > 2:
        return Role.ID, "every value is different"
    if whole and distinct > MOST_NUMBERS and distinct >= NEAR_UNIQUE * (n - missing):
        return Role.IGNORED, "nearly every value is different: it names people"
    if dtype.is_string() and distinct > MOST_LEVELS:
        return Role.IGNORED, f"{distinct} different texts: more than a table is published by"
    return Role.PUBLIC, f"{distinct} different values" + (f", {missing} missing" if missing else "")


def _one_id(columns: list[ColumnProfile]) -> list[ColumnProfile]:
    """Keep the first id column; a second name of the same people is ignored."""
    ids = [column for column in columns if column.role is Role.ID]
    return [
        replace(column, role=Role.IGNORED, reason=f"names people as {ids[0].name} does")
        if column in ids[1:]
        else column
        for column in columns
    ]


def _levels(values: Any) -> tuple[str, ...]:
    commonest = values.filter(values.x.notnull()).group_by("x").aggregate(people=lambda t: t.count())
    ordered = commonest.order_by([commonest.people.desc(), commonest.x.asc()]).limit(EXAMPLES)
    return tuple(_label(value) for value in fetch(ordered)["x"].to_pylist())


def _label(value: Any) -> str:
    return value if isinstance(value, str) else label_number(value)
