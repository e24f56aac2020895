"""Conditions on original rows as expressions of an engine: they accept the same rows there as in memory.

Engines say *unknown* where a value is missing; here that is *no*, so that the opposite of a condition holds
exactly where the condition does not. Keyed hashes are refused: no engine computes them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

import ibis

from dalenius.errors import InputError, nearest_column
from dalenius.records.leaves import Between, Equals, HashBelow, HashBit, Leaf, Like, OfColumn
from dalenius.records.predicate import Predicate, fold, misplaced
from dalenius.records.row_columns import NumberKind, read_number
from dalenius.records.schema import MISSING

_EPOCH = datetime(1970, 1, 1)


def compile_condition(predicate: Predicate, table: Any) -> Any:
    """Write a condition as an Ibis expression that is true or false for every row of a table.

    Raises
    ------
    InputError
        For a column that is not in the table, for a hash, and for what a column's kind cannot be asked.

    Examples
    --------
    >>> from dalenius.records.predicate import Not
    >>> import pyarrow as pa
    >>> people = ibis.memtable(pa.table({"age": [32, 47, None]}))
    >>> accepted = people.filter(compile_condition(Not(Between("age", 30, 40)), people))
    >>> accepted.to_pyarrow()["age"].to_pylist()
    [47, None]
    """

    def leaf(part: Leaf) -> Any:
        if isinstance(part, HashBelow | HashBit):
            raise misplaced(part)
        if part.column not in table.columns:
            fix = nearest_column(part.column, table.columns)
            raise InputError(f"column {part.column!r}", "must be in the table", "no such column", fix)
        return _test(part, table[part.column]).fill_null(False)

    return fold(predicate, leaf, ibis.literal(True))


def _test(part: OfColumn, column: Any) -> Any:
    if isinstance(part, Like):
        return _like(part, column)
    kind = column.type()
    if isinstance(part, Between):
        value, limit = _by_size(part, column)
        return _between(part, value, limit)
    value = column if kind.is_string() else _number(column)
    levels = (part.level,) if isinstance(part, Equals) else part.levels
    wanted = [_literal(level, column) for level in levels if level != MISSING]
    known = [literal for literal in wanted if literal is not None]
    matched = value.isin(known) if known else ibis.literal(False)
    return matched.fill_null(False) | value.isnull() if MISSING in levels else matched


def _literal(level: str, column: Any) -> Any:
    """A label as a value of the column; None if it cannot be one."""
    kind = column.type()
    if kind.is_string():
        return level
    value = read_number(level, _kind(column))
    if math.isnan(value):
        return None
    return _moment(value, column) if kind.is_temporal() else value


def _kind(column: Any) -> NumberKind:
    kind = column.type()
    if kind.is_boolean():
        return "bool"
    if kind.is_integer():
        return "integer"
    if kind.is_floating() or kind.is_decimal():
        return "float"
    if kind.is_date() or kind.is_timestamp():
        return "date"
    raise InputError(f"column {column.get_name()!r}", "must hold numbers, dates or text", str(kind))


def _number(column: Any) -> Any:
    """A column as numbers or moments, null where missing: NaN is missing, and engines call it the largest."""
    if _kind(column) == "date":
        return column if _zone(column) else column.cast("timestamp")
    value = column.cast("int8") if column.type().is_boolean() else column
    return _without_nan(value.cast("float64"))


def _without_nan(value: Any) -> Any:
    return value.isnan().ifelse(ibis.null("float64"), value)


def _zone(column: Any) -> str | None:
    kind = column.type()
    zone: str | None = kind.timezone if kind.is_timestamp() else None
    return zone


def _by_size(part: Between, column: Any) -> tuple[Any, Callable[[float], Any]]:
    """What is compared with the limits, and how a limit is written."""
    if column.type().is_string():
        return _without_nan(column.try_cast("float64")), float
    if _kind(column) == "date":
        return _number(column), lambda limit: _moment(limit, column)
    return _number(column), float


def _moment(microseconds: float, column: Any) -> Any:
    try:
        moment = _EPOCH + timedelta(microseconds=int(microseconds))
    except (OverflowError, ValueError):
        moment = None
    if moment is None or int(microseconds) != microseconds:
        rule = "must be a whole number of microseconds between the years 1 and 9999"
        raise InputError(f"date for column {column.get_name()!r}", rule, f"{microseconds!r}")
    return ibis.timestamp(moment.isoformat(), timezone="UTC" if _zone(column) else None)


def _between(part: Between, value: Any, limit: Callable[[float], Any]) -> Any:
    test = value.notnull()
    if part.low is not None:
        low = limit(part.low)
        test &= value >= low if part.with_low else value > low
    if part.high is not None:
        high = limit(part.high)
        test &= value <= high if part.with_high else value < high
    return test


def _like(part: Like, column: Any) -> Any:
    """Compare the length, and each run of characters that the mask spells out: engines differ in patterns."""
    kind = column.type()
    if not (kind.is_string() or kind.is_integer()):
        rule = "must be text or whole numbers to be compared with a mask in an engine"
        raise InputError(f"column {column.get_name()!r}", rule, str(kind), "Read the rows into memory.")
    text = column if kind.is_string() else column.cast("string")
    length = len(part.mask)
    test = text.length() >= length if part.longer else text.length() == length
    at = 0
    for free, run in groupby(part.mask, lambda character: character == "*"):
        spelt = "".join(run)
        if not free:
            test &= text.substr(at, len(spelt)) == spelt
        at += len(spelt)
    return test
