"""What is done to a column before its values are found.

Dates are read by their year, codes for missing values as missing, several words as one, and codes by their
first letters. Most columns need nothing of it: they are only made clean (`levels`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import ibis

from dalenius.errors import InputError
from dalenius.people.engine.engine import fetch
from dalenius.people.engine.levels import clean

_YEAR = r"(^|[^0-9])((1[6-9]|20|21)[0-9]{2})([^0-9]|$)"
"""A year wherever it stands in a date: 1971-05-17, 17.05.1971, 5/17/1971."""


def recode(
    backend: Any,
    rows: Any,
    name: str,
    *,
    by_year: bool,
    codes: Sequence[str | float],
    merged: Mapping[str, Sequence[str]] = MappingProxyType({}),
    letters: int | None = None,
) -> Any:
    """Turn a raw column into whole numbers, numbers or text, without what stands for a missing value.

    Parameters
    ----------
    backend, rows, name
        The engine, its table and the column.
    by_year
        Whether the column holds dates, which are read by their year.
    codes
        What is written in the column where a value is missing, as in ``["N", -9]``.
    merged
        Words that are read as one, by what that one is called.
    letters
        How many of the first letters of its codes are read; ``None`` for all.

    Raises
    ------
    InputError
        For a value that is no date where dates were said to be, and codes that the column cannot hold.
    """
    if by_year:
        return _year(rows, name)
    value = clean(backend, rows[name], name)
    value = _without(backend, rows, name, value, codes) if codes else value
    value = value if letters is None else _first_letters(rows, name, value, letters)
    return _as_one(name, value, merged) if merged else value


def _first_letters(rows: Any, name: str, value: Any, letters: int) -> Any:
    """Read the beginning of codes, as of NUTS, ICD or NACE, whose levels are nested so."""
    what = f"letters of {name!r}"
    if letters < 1:
        raise InputError(what, "must be at least 1", str(letters))
    if value.type().is_integer():
        value = value.cast("string")
        long = fetch(rows.select(x=value.length()).aggregate(a=lambda t: t.x.min(), b=lambda t: t.x.max()))
        if long["a"][0].as_py() != long["b"][0].as_py():  # 01234 is 1234 as a number, and begins with a 1
            fix = "Write them as text, with their zeros in front."
            raise InputError(what, "must be of codes of equally many digits", "numbers of other lengths", fix)
    if not value.type().is_string():
        raise InputError(what, "must be of a column of codes", "a column of other numbers", "Give bins.")
    return value.left(letters)


def _as_one(name: str, value: Any, merged: Mapping[str, Sequence[str]]) -> Any:
    """Read several words as one; each of them as at most one other."""
    if value.type().is_integer():  # codes of categories: from here on they are words
        value = value.cast("string")
    if not value.type().is_string():
        fix = "Give cut points in bins."
        rule = "must be of a column of words or whole numbers"
        raise InputError(f"merged of {name!r}", rule, "a column of other numbers", fix)
    words = [word for some in merged.values() for word in some]
    if len({*words}) < len(words):
        raise InputError(f"merged of {name!r}", "must have each word once", "a word that stands twice")
    return ibis.cases(*((value.isin(list(some)), label) for label, some in merged.items()), else_=value)


def _year(rows: Any, name: str) -> Any:
    raw = rows[name]
    if raw.type().is_date() or raw.type().is_timestamp():
        return raw.year().cast("int64")
    what = f"column {name!r}"
    if not raw.type().is_string():
        raise InputError(
            what, "must hold dates to be read by year", str(raw.type()), "Leave it out of by_year."
        )
    found = raw.re_extract(_YEAR, 2)
    year = (found == "").ifelse(ibis.null("string"), found).cast("int64")
    bad = fetch(rows.aggregate(bad=(raw.notnull() & year.isnull()).sum()))["bad"][0].as_py() or 0
    if bad:
        fix = "Write dates as in 1971-05-17."
        raise InputError(what, "must hold dates to be read by year", f"{bad:,} without a year", fix)
    return year


def _without(backend: Any, rows: Any, name: str, value: Any, codes: Sequence[str | float]) -> Any:
    """Make codes missing; what remains of a column of text may be numbers, and is then read as such."""
    kind = value.type()
    if kind.is_numeric():
        known = value.isin([_number(name, code, whole=kind.is_integer()) for code in codes])
        return known.ifelse(ibis.null(str(kind)), value)
    text = value.isin([str(code) for code in codes]).ifelse(ibis.null("string"), value)
    if backend.name != "duckdb":  # no other engine here says whether a text is a number
        return text
    number = text.strip().try_cast("float64")
    told = fetch(
        rows.aggregate(
            words=(text.notnull() & number.isnull()).sum(),
            parts=(number != number.floor()).sum(),
            zeros=text.strip().re_search(r"^-?0[0-9]").sum(),
            known=text.notnull().sum(),
        )
    ).to_pylist()[0]
    if told["words"] or told["zeros"] or not told["known"]:
        return text
    return number if told["parts"] else number.cast("int64")


def _number(name: str, code: str | float, *, whole: bool) -> float | int:
    try:
        number = float(code)
    except ValueError:
        rule = "must be numbers, as the column holds numbers"
        raise InputError(f"missing_codes of {name!r}", rule, "text", "Leave the text out.") from None
    return int(number) if whole and number.is_integer() else number
