"""What is written in a column where a value is missing: marks among numbers, and numbers nobody has."""

from __future__ import annotations

from typing import Any

from dalenius.people.describe.signs import Shape
from dalenius.people.engine.engine import fetch

MARKS = ("?", ".", "..", "-", "--", "NA", "N/A", "n/a", "na", "#N/A", "NULL", "null", "nan", "NaN")
"""What programs write in any column."""

AMONG_NUMBERS = (*MARKS, "N", "X", "x", "missing", "Missing", "unknown", "Unknown", "DK", "refused")
"""What is written between numbers; in a column of words ``N`` may be no and ``unknown`` an answer."""

BELOW_ZERO = (-1, -2, -3, -4, -5, -6, -7, -8, -9, -88, -97, -98, -99, -888, -997, -998, -999, -9999, -99999)
NINES = (99, 999, 9999, 99_999, 999_999, 9_999_999, 99_999_999)

APART = 2
"""A number of nines stands for missing if nobody has a value in the half below it."""

MOST_CODES = 6


def missing_codes(backend: Any, values: Any, shape: Shape) -> tuple[str | int, ...]:
    """Find the codes of a column, perhaps none.

    Parameters
    ----------
    backend
        The engine.
    values
        The cleaned column, as a table with the one column ``x``.
    shape
        What was counted of it.
    """
    if shape.numeric:
        return _numbers(values, shape) if shape.distinct > 2 else ()
    return _words(backend, values)


def _numbers(values: Any, shape: Shape) -> tuple[int, ...]:
    found: list[int] = []
    x = values.x
    if shape.low in BELOW_ZERO:
        below = fetch(values.filter(x < 0).distinct().limit(MOST_CODES + 1))["x"].to_pylist()
        if len(below) <= MOST_CODES and set(below) <= set(BELOW_ZERO):
            found += sorted(int(code) for code in below)
    if shape.high in NINES:
        got = fetch(values.filter(x < shape.high).aggregate(next=x.max()))["next"][0].as_py()
        if got is not None and APART * got < shape.high:
            found.append(int(shape.high))
    return tuple(found)


def _words(backend: Any, values: Any) -> tuple[str, ...]:
    """Marks in any column, and words between numbers where all else are numbers; with blanks around, too."""
    x = values.x
    bare = x.strip() if x.type().is_string() else x
    marks = fetch(values.filter(bare.isin(MARKS)).distinct())["x"].to_pylist()
    if backend.name != "duckdb":
        return tuple(sorted(marks))
    number = x.try_cast("float64")
    words = values.filter(x.notnull() & (number.isnull() | ~number.isinf() & number.isnan()))
    others = set(fetch(words.distinct().limit(MOST_CODES + 1))["x"].to_pylist())
    if (
        others
        and {str(each).strip() for each in others} <= set(AMONG_NUMBERS)
        and _has_numbers(values, number)
    ):
        return tuple(sorted(others))
    return tuple(sorted(marks))


def _has_numbers(values: Any, number: Any) -> bool:
    return bool(fetch(values.aggregate(some=number.notnull().sum()))["some"][0].as_py())
