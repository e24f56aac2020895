"""A first look at data nobody has described yet: what each column looks like, and a suggested role.

Made for writing a first plan. It suggests; what is public and what is secret is for people to decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from dalenius.errors import InputError
from dalenius.people.describe.missing_codes import missing_codes
from dalenius.people.describe.recodings import recodings
from dalenius.people.describe.signs import ColumnSign, Shape, names_people, sign_of
from dalenius.people.engine.engine import fetch
from dalenius.people.engine.levels import MOST_LEVELS, MOST_NUMBERS, automatic_edges, clean
from dalenius.people.engine.recode import recode
from dalenius.people.opening import OpenedTable, open_source
from dalenius.people.roles import MOST_PUBLIC
from dalenius.people.schema import Kind, Role, label_bins, label_number
from dalenius.progress import Progress, silent

NEAR_UNIQUE = 0.9
"""A column with this share of different values names people, even if a few values repeat."""

EXAMPLES = 5
"""How many levels are shown of a column."""

TOGETHER = 50
"""Columns that one question to the engine is about."""


@dataclass(frozen=True)
class ColumnProfile:
    """One column as it is, and what to make of it.

    ``min``, ``max`` and ``example_levels`` (the commonest, or the bins) are left empty for a column that is
    not suggested as public, which may name people. ``codes`` stand for missing values; ``sign`` says what a
    column is besides: a weight, the number of a household, dates, which are read by their year. ``same_as``
    names the column that tells the same in other words or numbers.
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
    codes: tuple[str | int, ...] = ()
    sign: ColumnSign = ColumnSign.NONE
    same_as: str = ""


def profile(
    source: Any,
    table: str | None = None,
    *,
    columns: Sequence[str] = (),
    counted: Sequence[str] = (),
    kept: Sequence[str] = (),
    memory: str = "2GB",
    progress: Progress = silent,
) -> list[ColumnProfile]:
    """Look at every column of a source.

    Parameters
    ----------
    source, table, columns, memory
        As for `open_source`.
    counted
        Columns that tables are published by, such as the secret, whatever they look like.
    kept
        Columns that stay public though another one tells the same.
    progress
        Is told how many columns were looked at.

    Examples
    --------
    >>> import pyarrow as pa
    >>> columns = profile(pa.table({"key": ["a1", "b2", "c3", "d4"], "sex": ["f", "m", "f", "f"]}))
    >>> for column in columns:
    ...     print(column.name, column.role, column.example_levels, column.reason)
    key id () every value is different
    sex public ('f', 'm') 2 different values
    """
    opened = open_source(source, table=table, memory=memory, columns=columns)
    try:
        rows = opened.table
        if len(rows.columns) > MOST_PUBLIC:
            fix = "Write a plan that names those which an attacker may know."
            rule = f"must have at most {MOST_PUBLIC:,} columns to be looked at"
            raise InputError(opened.description, rule, f"{len(rows.columns):,}", fix)
        progress(0.0, "counting")
        shapes, found = _shapes(opened), []
        for done, name in enumerate(rows.columns):
            progress(done / len(rows.columns), f"column {done + 1:,} of {len(rows.columns):,}")
            found.append(_look(opened, name, shapes.get(name), name in counted))
        return _told_once(opened, _one_id(found), counted, kept)
    finally:
        opened.engine.close()


def _shapes(opened: OpenedTable) -> dict[str, Shape]:
    """Count all columns, many with one question; a column of a type that cannot be counted is left out."""
    rows, values = opened.table, {}
    for name in rows.columns:
        try:
            values[name] = clean(opened.engine.backend, rows[name], name)
        except InputError:
            continue
    names, shapes = list(values), {}
    for start in range(0, max(1, len(names)), TOGETHER):
        part = names[start : start + TOGETHER]
        asked = {"n": rows.count()}
        for j, name in enumerate(part):
            x = values[name]
            asked |= {f"d{j}": x.nunique(), f"m{j}": x.isnull().sum(), f"l{j}": x.min(), f"h{j}": x.max()}
        got = fetch(rows.aggregate(**asked)).to_pylist()[0]
        if got["n"] == 0:
            raise InputError(opened.description, "must have at least one row", "none")
        for j, name in enumerate(part):
            counted = (got["n"], got[f"d{j}"], got[f"m{j}"] or 0, got[f"l{j}"], got[f"h{j}"])
            shapes[name] = _shape(name, rows[name].type(), values[name].type(), counted)
    return shapes


def _shape(name: str, raw: Any, kind: Any, counted: tuple[int, int, int, Any, Any]) -> Shape:
    dated = raw.is_date() or raw.is_timestamp()
    return Shape(name, *counted, kind.is_numeric(), kind.is_integer(), dated)


def _look(opened: OpenedTable, name: str, shape: Shape | None, counted: bool) -> ColumnProfile:
    backend, rows = opened.engine.backend, opened.table
    dtype = str(rows[name].type())
    if shape is None:
        reason = f"values of type {dtype} cannot be counted by"
        return ColumnProfile(name, dtype, 0, 0, "", "", (), Role.IGNORED, Kind.CATEGORICAL, (), reason)
    sign = sign_of(shape)
    if counted and sign is not ColumnSign.DATE:
        sign = ColumnSign.NONE
    values = rows.select(x=recode(backend, rows, name, by_year=sign is ColumnSign.DATE, codes=()))
    codes: tuple[str | int, ...] = ()
    if sign is ColumnSign.NONE and not _unique(shape):
        codes = missing_codes(backend, values, shape)
    if codes:
        values = rows.select(x=recode(backend, rows, name, by_year=False, codes=codes))
    if codes or sign is ColumnSign.DATE:
        shape = _again(values, shape)
    role, reason = _suggest(shape, sign)
    role = Role.PUBLIC if counted else role
    kind = Kind.BINARY if shape.distinct == 2 else Kind.CATEGORICAL
    found = ColumnProfile(
        name, dtype, shape.distinct, shape.missing, "", "", (), role, kind, (), reason, codes, sign
    )
    return found if role is not Role.PUBLIC else _shown(found, values, shape)


def _again(values: Any, shape: Shape) -> Shape:
    x = values.x
    asked = values.aggregate(d=x.nunique(), m=x.isnull().sum(), low=x.min(), high=x.max())
    got = fetch(asked).to_pylist()[0]
    counted = (shape.people, got["d"], got["m"] or 0, got["low"], got["high"])
    return _shape(shape.name, x.type(), x.type(), counted)


def _shown(column: ColumnProfile, values: Any, shape: Shape) -> ColumnProfile:
    """What may be shown of a column that names nobody: its ends, its bins or its commonest levels."""
    low, high = _label(shape.low), _label(shape.high)
    edges: tuple[float, ...] = ()
    kind = column.kind
    if shape.numeric and shape.distinct > MOST_NUMBERS:
        kind, edges = Kind.NUMERIC, automatic_edges(values.filter(values.x.notnull()), shape.known)
    levels = label_bins(edges) if edges else _levels(values)
    return replace(column, min=low, max=high, example_levels=levels, kind=kind, edges=edges)


def _unique(shape: Shape) -> bool:
    return shape.distinct > MOST_NUMBERS and shape.distinct >= NEAR_UNIQUE * shape.known and not shape.numeric


def _suggest(shape: Shape, sign: ColumnSign) -> tuple[Role, str]:
    """Suggest a role, with the reason."""
    n, distinct, missing = shape.people, shape.distinct, shape.missing
    many = f"{distinct} different values" + (f", {missing} missing" if missing else "")
    if distinct + (missing > 0) <= 1:
        return Role.IGNORED, "the same for everybody"
    if sign is ColumnSign.WEIGHT:
        return Role.IGNORED, "a survey weight by its name: nobody knows another person's"
    if sign is ColumnSign.HOUSEHOLD:
        return Role.IGNORED, "the number of a household: people who share one are not attacked together yet"
    if sign is ColumnSign.DATE:
        return Role.PUBLIC, f"dates, by year: {many}"
    whole = not shape.numeric or shape.whole  # measurements are often all different, and name nobody
    nearly = distinct > MOST_NUMBERS and distinct >= NEAR_UNIQUE * shape.known
    if whole and (nearly or (distinct == n and n > 2)) and not (shape.numeric and not names_people(shape)):
        if distinct == n and n > 2:
            return Role.ID, "every value is different"
        return Role.IGNORED, "nearly every value is different: it names people"
    if not shape.numeric and distinct > MOST_LEVELS:
        return Role.IGNORED, f"{distinct} different texts: more than a table is published by"
    amount = (
        "; taken for an amount: if it names people, list it under ignored" if shape.whole and nearly else ""
    )
    return Role.PUBLIC, many + amount


def _one_id(columns: list[ColumnProfile]) -> list[ColumnProfile]:
    """Keep the first id column; a second name of the same people is ignored."""
    ids = [column for column in columns if column.role is Role.ID]
    return [
        replace(column, role=Role.IGNORED, reason=f"names people as {ids[0].name} does")
        if column in ids[1:]
        else column
        for column in columns
    ]


def _told_once(
    opened: OpenedTable, columns: list[ColumnProfile], counted: Sequence[str], kept: Sequence[str]
) -> list[ColumnProfile]:
    """Keep one of the public columns that tell the same: one that was named, then one without bins."""
    public = [column for column in columns if column.role is Role.PUBLIC]
    public.sort(key=lambda c: (c.name not in counted, c.name not in kept, bool(c.edges)))
    values = {
        c.name: recode(
            opened.engine.backend, opened.table, c.name, by_year=c.sign is ColumnSign.DATE, codes=c.codes
        )
        for c in public
    }
    same = recodings(opened.table, values, {c.name: c.distinct + (c.missing > 0) for c in public})
    return [
        column
        if column.name not in same
        else replace(
            column,
            role=column.role if column.name in (*counted, *kept) else Role.IGNORED,
            reason=f"{column.reason}; tells the same as {same[column.name]}, in other words or numbers",
            same_as=same[column.name],
        )
        for column in columns
    ]


def _levels(values: Any) -> tuple[str, ...]:
    commonest = values.filter(values.x.notnull()).group_by("x").aggregate(people=lambda t: t.count())
    ordered = commonest.order_by([commonest.people.desc(), commonest.x.asc()]).limit(EXAMPLES)
    return tuple(_label(value) for value in fetch(ordered)["x"].to_pylist())


def _label(value: Any) -> str:
    if value is None:  # a damaged index of a database may give values, and no least one
        return ""
    return value if isinstance(value, str) else label_number(value)
