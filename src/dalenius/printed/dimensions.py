"""Which column each header row of a printed table is about: by its name, or by labels that fit only one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dalenius.errors import InputError
from dalenius.people.schema import Column
from dalenius.printed.labels import is_margin, levels_of, number_of
from dalenius.printed.units import split_unit

SECRET = ""
"""The dimension of the secret while its name is not known."""


@dataclass(frozen=True)
class HeaderRow:
    """A row of labels that run across: its line, the name in its corner or above it, and the labels."""

    line: int
    name: str | None
    labels: list[str]

    @property
    def wanted(self) -> list[str]:
        """The labels that are no margins, each once."""
        return list(dict.fromkeys(label for label in self.labels if label and not is_margin(label)))


def names_of(known: dict[str, Column], secret: str | None) -> set[str]:
    """What a cell of a header may name."""
    return {*known, *([] if secret is None else [secret])}


def name_dimensions(
    rows: Sequence[HeaderRow], down: tuple[str, ...], known: dict[str, Column], secret: str | None, table: str
) -> tuple[list[str], tuple[str, ...]]:
    """Name the column of each row; and the public columns that a row taken for the secret's could be, too.

    Raises
    ------
    InputError
        If nothing is about the secret, or rows without names can be understood in more than one way.
    """
    named = {row.name for row in rows if row.name is not None}
    is_named = secret is not None and secret in (*down, *named)
    free = {name: column for name, column in known.items() if name not in {*down, *named}}
    ways = list(_ways(rows, free, is_named, SECRET if secret is None else secret))
    if not ways:
        raise _unfit(rows, down, free, table, is_named)
    way = ways[0]
    last = max((j for j, row in enumerate(rows) if row.name is None), default=None)
    # values of the secret stand innermost, as a rule; where they do not, labels alone are not enough
    if len(ways) > 1 or (not is_named and last is not None and way[last] in known):
        raise _ask(rows, ways, table)
    for row, name in zip(rows, way, strict=True):
        if row.name is None and name in known and _are_any_numbers(row.wanted, known[name]):
            raise InputError(
                f"{table}, line {row.line} of the header",
                "must say which column it is about",
                f"numbers, which {name!r} has too",
                "Write the name of the column in the first cell of that line.",
                value=", ".join(row.wanted),
            )
    if is_named:
        return way, ()
    labels = next(row.wanted for row, name in zip(rows, way, strict=True) if name not in known)
    values = [word for word, _ in map(split_unit, labels) if word]
    alike = [name for name, column in free.items() if name not in way and _fits(column, values)]
    return way, tuple(alike)


def _ways(
    rows: Sequence[HeaderRow], free: dict[str, Column], is_named: bool, secret: str
) -> Iterator[list[str]]:
    """Every way to understand the rows without names: one of them is the secret's, unless it is named."""
    unnamed = [j for j, row in enumerate(rows) if row.name is None]
    for own in [None] if is_named else unnamed:
        fits = [
            [row.name]
            if row.name is not None
            else [secret]
            if j == own
            else [name for name, column in free.items() if _fits(column, row.wanted)]
            for j, row in enumerate(rows)
        ]
        for way in itertools.islice(itertools.product(*fits), 100):
            if len(set(way)) == len(way):
                yield list(way)


def _are_any_numbers(labels: Sequence[str], column: Column) -> bool:
    """Whether labels are numbers that many a column has: not all levels of one that has three or more."""
    whole = len(labels) > 2 and {levels_of(column, label) for label in labels} == {
        (v,) for v in column.levels
    }
    return not whole and all(number_of(label) is not None for label in labels)


def _fits(column: Column, labels: Sequence[str]) -> bool:
    return bool(labels) and all(levels_of(column, label) is not None for label in labels)


def _ask(rows: Sequence[HeaderRow], ways: list[list[str]], table: str) -> InputError:
    differ = (j for j in range(len(rows)) if len({way[j] for way in ways}) > 1)
    j = next(differ, max(j for j, row in enumerate(rows) if row.name is None))
    could = dict.fromkeys(repr(way[j]) if way[j] else "the secret" for way in ways)
    return InputError(
        f"{table}, line {rows[j].line} of the header",
        "must say which column it is about",
        f"labels that fit {' and '.join(could)}",
        "Write the name of the column in the first cell of that line.",
        value=", ".join(rows[j].wanted),
    )


def _unfit(
    rows: Sequence[HeaderRow], down: tuple[str, ...], free: dict[str, Column], table: str, is_named: bool
) -> InputError:
    unnamed = [row for row in rows if row.name is None]
    if not is_named and not unnamed:
        names = [*down, *(row.name for row in rows if row.name)]
        return InputError(
            table,
            "must have the values of the secret across or down",
            f"only {', '.join(names)}",
            "Name the secret with --secret.",
        )
    lost = next((row for row in unnamed if not any(_fits(c, row.wanted) for c in free.values())), unnamed[0])
    return InputError(
        f"{table}, line {lost.line} of the header",
        "must say which column it is about",
        "labels that fit no public column",
        "Write the name of the column in the first cell of that line.",
        value=", ".join(lost.wanted),
    )
