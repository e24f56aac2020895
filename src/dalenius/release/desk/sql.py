"""Conditions as the text of SQL, for a desk that is a database: nothing here connects to one.

Columns are compared with the levels the attacker knows, in the plain SQL that DuckDB and PostgreSQL share;
hashes need a function ``md5`` that gives lower-case hexadecimal digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from dalenius.conditions.hashes import SEPARATOR
from dalenius.conditions.predicate import HashBelow, HashBit, Leaf, Predicate, fold, matching_codes, misplaced
from dalenius.people.schema import MISSING, CodedColumns, Column
from dalenius.release.desk.desk import Source
from dalenius.release.desk.terms import Terms

Execute = Callable[[str], Sequence[Sequence[float | None]]]
"""Runs one statement and returns its rows."""


class _Sql:
    """A condition as text, combined like a truth value."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __and__(self, other: _Sql) -> _Sql:
        return _Sql(f"({self.text} AND {other.text})")

    def __or__(self, other: _Sql) -> _Sql:
        return _Sql(f"({self.text} OR {other.text})")

    def __invert__(self) -> _Sql:
        return _Sql(f"(NOT {self.text})")


def to_sql(predicate: Predicate, columns: Sequence[Column]) -> str:
    """Write a condition as SQL; it is true or false, never null, for every person with known levels.

    Examples
    --------
    >>> from dalenius.people.schema import Kind, Role
    >>> town = Column("town", Role.PUBLIC, Kind.CATEGORICAL, ("Bern", "Zug"))
    >>> print(to_sql(HashBit(("town",), "s1", 5), [town]))
    (substr(md5('s1|' || CAST("town" AS VARCHAR)), 2, 1) IN ('4','5','6','7','c','d','e','f'))
    """
    known = CodedColumns(tuple(columns), np.zeros((0, len(columns)), np.int32))

    def leaf(part: Leaf) -> _Sql:
        if isinstance(part, HashBit):
            return _Sql(_hash_bit(part, [known.columns[known.position(name)] for name in part.columns]))
        if isinstance(part, HashBelow):
            raise misplaced(part)
        column = known.columns[known.position(part.column)]
        tests = [_test(column, code) for code in matching_codes(part, column)]
        return _Sql(f"({' OR '.join(tests)})" if tests else "(1 = 0)")

    return fold(predicate, leaf, _Sql("(1 = 1)")).text


def _hash_bit(part: HashBit, columns: list[Column]) -> str:
    """One of the 32 digits of the hash, compared with those that have the bit."""
    digit, place = divmod(part.bit, 4)
    accepted = ",".join(f"'{value:x}'" for value in range(16) if value >> (3 - place) & 1)
    text = f" || '{SEPARATOR}' || ".join(_label(column) for column in columns)
    return f"(substr(md5({_quoted(part.salt + SEPARATOR)} || {text}), {digit + 1}, 1) IN ({accepted}))"


def _label(column: Column) -> str:
    """The level of a person as text. Engines write numbers in ways of their own, so those are spelt out."""
    plain = [level for level in column.levels if level != MISSING]
    if not column.edges and not all(_is_number(level) for level in plain):
        text = f"CAST({_name(column)} AS VARCHAR)"
        return f"COALESCE({text}, {_quoted(MISSING)})" if MISSING in column.levels else text
    cases = [f"WHEN {_test(column, j)} THEN {_quoted(level)}" for j, level in enumerate(column.levels)]
    return f"(CASE {' '.join(cases)} END)"


def _test(column: Column, code: int) -> str:
    """Whether a person has a level: false, not null, where the value is missing."""
    name, level = _name(column), column.levels[code]
    if level == MISSING:
        return f"{name} IS NULL"
    if column.edges:
        ends = (-math.inf, *column.edges, math.inf)
        low, high = ends[code], ends[code + 1]
        test = " AND ".join(
            [f"{name} >= {low!r}"] * math.isfinite(low) + [f"{name} < {high!r}"] * math.isfinite(high)
        )
    else:
        test = f"{name} = {_quoted(level)}"
    return f"({name} IS NOT NULL AND {test})" if MISSING in column.levels else f"({test})"


def _is_number(level: str) -> bool:
    try:
        return math.isfinite(float(level))
    except ValueError:
        return False


def _name(column: Column) -> str:
    escaped = column.name.replace('"', '""')
    return f'"{escaped}"'


def _quoted(text: str) -> str:
    escaped = text.replace("'", "''")
    return f"'{escaped}'"


def sql_source(execute: Execute, table: str, terms: Terms) -> Source:
    """Ask a database: each question is one ``SELECT count(*)``, as an analyst would type it.

    Parameters
    ----------
    execute
        Runs a statement and returns its rows; with a DB-API connection,
        ``lambda text: connection.execute(text).fetchall()``.
    table
        The table of people.
    terms
        What is known about the columns. A secret may be text or numbers.

    Examples
    --------
    >>> from dalenius.conditions.predicate import And
    >>> from dalenius.people.schema import Kind, Role
    >>> ill = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))
    >>> sql_source(lambda text: print(text) or [[3]], "people", Terms(ill, ()))((And(()),))
    SELECT count(*) FROM "people" WHERE (1 = 1) AND ("ill" = 'yes')
    [[3]]
    """
    codes = [terms.secret.levels.index(value) for value in terms.values]
    place = ".".join(f'"{part}"' for part in table.replace('"', '""').split("."))

    def answer(predicates: tuple[Predicate, ...]) -> list[list[float | None]]:
        conditions = [to_sql(predicate, terms.columns) for predicate in predicates]
        ask = f"SELECT count(*) FROM {place} WHERE"  # noqa: S608  (every name and value is quoted above)
        return [
            [execute(f"{ask} {condition} AND {_test(terms.secret, code)}")[0][0] for code in codes]
            for condition in conditions
        ]

    return answer
