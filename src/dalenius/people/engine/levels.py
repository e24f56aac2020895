"""What values each column takes, found by asking the engine, and the code of each."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.operations as ops

from dalenius.errors import InputError
from dalenius.people.engine.engine import fetch
from dalenius.people.files.reading import MOST_CELL
from dalenius.people.schema import (
    MISSING,
    PARTS,
    Column,
    Kind,
    Role,
    check_edges,
    label_bins,
    label_number,
    round_edges,
)
from dalenius.shown import hides_people

MOST_NUMBERS = 64
"""A numeric column with more different values is binned: 64 holds days, months, ages in groups and scores,
and a table of two such columns still has only a few thousand cells."""

MOST_LEVELS = 1000
"""A text column with more different values names people rather than groups: no table is published by it."""

MOST_SECRETS = 64
"""A secret with more values is recovered value by value, which no table of counts describes."""


FEW_ROWS = 20_000
"""Rows of our own DuckDB up to which the values of all columns are listed with one question: a question takes
longer to translate than to answer. Of more rows each column is asked for its values up to a limit."""


SHORTEST = ("duckdb", "postgres", "pyspark")
"""Engines that write single-precision numbers as shortly as they can be read back."""


@dataclass(frozen=True)
class Coding:
    """A column and the raw value of each of its codes; a binned column has cut points instead."""

    column: Column
    values: tuple[float | str, ...]

    @property
    def missing_code(self) -> int | None:
        """The code of a missing value, if the column has such a level."""
        known = len(self.values) or len(self.column.edges) + 1
        return known if len(self.column.levels) > known else None

    def code(self, value: Any) -> Any:
        """Return the expression that turns a cleaned value into its code."""
        rest = None if self.missing_code is None else ibis.literal(self.missing_code)
        if self.values:
            return value.cases(*((_exact(v), k) for k, v in enumerate(self.values)), else_=rest).cast("int16")
        edges = [_exact(edge) for edge in self.column.edges]
        cuts = [(value < edge, k) for k, edge in enumerate(edges)]
        above = (value >= edges[-1], len(edges))
        return ibis.cases(*cuts, above, else_=rest).cast("int16")


def _exact(value: float | str) -> Any:
    """Write a value so that the engine reads the same one: DuckDB reads a bare 0.1 as a decimal."""
    return ibis.literal(repr(value)).cast("float64") if isinstance(value, float) else ibis.literal(value)


def clean(backend: Any, value: Any, name: str) -> Any:
    """Turn a raw column into whole numbers, numbers or text, with NaN as missing.

    Booleans become ``false`` and ``true``, dates their ISO text: one spelling in every engine.
    """
    kind = value.type()
    if kind.is_integer() or kind.is_string():
        return value
    if kind.is_boolean():
        return ibis.cases((value, "true"), (~value, "false"), else_=None)
    if kind.is_date() or kind.is_timestamp() or kind.is_uuid():
        return value.cast("string")
    # A single 0.7 is below 0.7, but whoever wrote it meant 0.7. These engines write it back as 0.7.
    if kind.is_float32() and backend.name in SHORTEST:
        value = value.cast("string")
        kind = dt.float64
    if kind.is_floating() or kind.is_decimal():
        number = value.cast("float64")
        if backend.has_operation(ops.IsNan):  # SQLite stores NaN as NULL and has no such test
            return number.isnan().ifelse(ibis.null("float64"), number)
        return number
    raise InputError(
        f"column {name!r}", "must hold numbers, text, booleans or dates", str(kind), "List it under ignored."
    )


@hides_people()
@dataclass(frozen=True)
class ColumnValues:
    """A cleaned column of rows in an engine, and its different values where they were listed already."""

    rows: Any
    value: Any
    listed: frozenset[float | str] | None = field(default=None, repr=False)

    @property
    def kind(self) -> Any:
        """What the engine holds: whole numbers, numbers or text."""
        return self.value.type()

    @property
    def table(self) -> Any:
        """The column as a table with the one column ``x``."""
        return self.rows.select(x=self.value)

    @property
    def known(self) -> Any:
        """The same, without missing values."""
        return self.table.filter(lambda table: table.x.notnull())

    def distinct(self, most: int) -> set[Any]:
        """The different values that are not missing; of more than ``most`` at least one more."""
        if self.listed is not None:
            return set(self.listed)
        return set(fetch(self.known.distinct().limit(most + 1))["x"].to_pylist())


def list_values(rows: Any, values: Mapping[str, Any]) -> dict[str, ColumnValues]:
    """Ask for the different values of all columns with one question, for a table of at most `FEW_ROWS`."""
    asked = {f"v{j}": value.collect(distinct=True) for j, value in enumerate(values.values())}
    got = fetch(rows.aggregate(**asked)).to_pylist()[0]
    return {
        name: ColumnValues(rows, value, frozenset(got[f"v{j}"] or ()))
        for j, (name, value) in enumerate(values.items())
    }


def find_coding(
    values: ColumnValues,
    name: str,
    role: Role,
    *,
    missing: int,
    edges: Sequence[float] | None,
    people: int,
    levels: Sequence[str | float] | None = None,
) -> Coding:
    """Find the levels of one column.

    Parameters
    ----------
    values
        The cleaned column.
    name, role
        What the column is.
    missing
        How many values are missing; if any are, missing is the last level.
    edges
        Cut points, if they were given.
    people
        The number of rows.
    levels
        All values that the column can take, if they were given.
    """
    numeric = values.kind.is_numeric()
    if levels is not None:
        return _stated(values, name, role, levels, missing=missing)
    last = (MISSING,) if missing else ()
    if edges is not None:
        if not numeric:
            raise InputError(
                f"bins for {name!r}", "must be for a numeric column", "a text column", "Leave them out."
            )
        return _binned(name, role, check_edges(name, edges), last, stated=not last)
    most = MOST_NUMBERS if numeric else MOST_LEVELS
    found = sorted(values.distinct(most) - {*last})
    check_values(name, found)
    if role is Role.SECRET and len(found) > MOST_SECRETS:
        _refuse_secret(name, found)
    if len(found) <= most:
        labels = tuple(label_number(v) if numeric else str(v) for v in found)
        return Coding(Column(name, role, _kind(labels + last), labels + last), tuple(found))
    if not numeric:
        fix = "List it under ignored; if it names people, give it as the id."
        if _mostly_numbers(found):
            fix = f"{_NOT_QUITE_NUMBERS} Or list it under ignored."
        elif all(_DATE.match(text) for text in found):
            fix = "It holds dates: list it under by_year, to be read by the year, or under ignored."
        raise InputError(
            f"column {name!r}", f"must have at most {MOST_LEVELS} different values to be public", "more", fix
        )
    return _binned(name, role, automatic_edges(values.known, people - missing), last)


def _stated(
    values: ColumnValues, name: str, role: Role, levels: Sequence[str | float], *, missing: int
) -> Coding:
    """Code a column by levels that were given, whether or not anybody has them.

    Raises
    ------
    InputError
        If somebody has another value, which is not shown, or the levels cannot be those of the column.
    """
    what, most = f"levels of {name!r}", MOST_SECRETS if role is Role.SECRET else MOST_LEVELS
    said = tuple(level for level in levels if level != MISSING)
    last = (MISSING,) if len(said) < len(levels) else ()
    if not said or len(set(map(str, levels))) < len(levels) or len(levels) > most:
        raise InputError(what, f"must be different, at least one and at most {most}", f"{len(levels)}")
    raw = tuple(raw_level(what, level, values.kind) for level in said)
    strange = sorted(values.distinct(MOST_LEVELS) - set(raw), key=str)
    if strange or (missing and not last):
        got = f"{len(strange)} other values" if strange else f"{missing:,} missing values"
        fix = "Add them to the levels." if strange else f"Add {MISSING!r} to the levels."
        shown = str(strange[0]) if strange else None
        raise InputError(f"column {name!r}", "must hold only the stated levels", got, fix, value=shown)
    labels = tuple(label_number(v) if not isinstance(v, str) else v for v in raw) + last
    return Coding(Column(name, role, _kind(labels), labels, stated=True), raw)


def raw_level(what: str, level: str | float, kind: Any) -> str | float:
    """A level as the engine holds it: text, or a number that may have been written as text."""
    if not kind.is_numeric():
        return str(level).lower() if isinstance(level, bool) else str(level)
    try:
        number = float(level)
    except ValueError:
        raise InputError(what, "must be numbers, as the column holds numbers", "text") from None
    if not math.isfinite(number) or (kind.is_integer() and not number.is_integer()):
        raise InputError(what, "must be numbers that the column can hold", f"{number:g}")
    return int(number) if kind.is_integer() else number


def check_values(name: str, found: Sequence[Any]) -> None:
    """Refuse a column without values, and values that no question about them can be put with."""
    what = f"column {name!r}"
    if not found:
        raise InputError(what, "must have at least one value", "missing ones", "List it under ignored.")
    if any(isinstance(value, str) and "\0" in value for value in found):
        raise InputError(what, "must hold text", "a value with the character NUL", "Take it out.")
    if any(isinstance(value, str) and len(value) > MOST_CELL for value in found):
        raise InputError(what, f"must have at most {MOST_CELL:,} characters in a value", "more")


def automatic_edges(known: Any, count: int) -> tuple[float, ...]:
    """Cut a numeric column, without its missing values, into about equal fifths at round numbers."""
    from dalenius.people.engine.order_statistics import values_at

    ranks = [count * part // PARTS for part in range(1, PARTS)]
    picked = values_at(known, [0, *ranks])
    edges = round_edges(picked[1:], low=picked[0])
    # Most values equal the smallest one: cut it off from the rest.
    return edges or (float(fetch(known.filter(known.x > picked[0]).agg(x=known.x.min()))["x"][0].as_py()),)


def _binned(
    name: str, role: Role, edges: tuple[float, ...], last: tuple[str, ...], *, stated: bool = False
) -> Coding:
    levels = label_bins(edges) + last
    kind = Kind.BINARY if len(levels) == 2 else Kind.NUMERIC
    return Coding(Column(name, role, kind, levels, edges, stated), ())


def _kind(levels: tuple[str, ...]) -> Kind:
    return Kind.BINARY if len(levels) == 2 else Kind.CATEGORICAL


def _refuse_secret(name: str, found: Sequence[Any]) -> None:
    if isinstance(found[0], str):
        fix = _NOT_QUITE_NUMBERS if _mostly_numbers(found) else "Group its values first."
    else:  # cut points of the size that most values have, which are nobody's value
        sizes = sorted(len(str(int(abs(value)))) for value in found)
        size = 10 ** (sizes[len(sizes) // 2] - 1)
        fix = f"Give bins for it, in a plan for example bins = {{ {name} = [{size}, {2 * size}] }}."
    raise InputError(
        f"secret column {name!r}", f"must have at most {MOST_SECRETS} different values", "more", fix
    )


_NOT_QUITE_NUMBERS = (
    "Most of its values are numbers: leave the others empty instead of writing NA or a dash, or list what is "
    "written there under missing_codes."
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def _mostly_numbers(texts: Sequence[str]) -> bool:
    return sum(text.lstrip("+-").replace(".", "", 1).isdigit() for text in texts) > len(texts) / 2
