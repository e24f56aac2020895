"""Links as files: one by one, and households.

Who lives together: ``id,household``. All members of a household are related to each other.

Links one by one: ``a,b[,agreement][,type]``.
"""

from __future__ import annotations

import numpy as np

from dalenius.errors import InputError, TooLargeError
from dalenius.knowledge.correlation.agreements import Rules, faults, rule
from dalenius.knowledge.correlation.files.columns import (
    MISSING,
    Codes,
    Columns,
    Floats,
    first_lines,
    line,
    listed,
    read_columns,
)
from dalenius.knowledge.correlation.links import Links
from dalenius.people.files.read_file import Source
from dalenius.people.schema import Ids

MOST_PAIRS = 50_000_000
"""More pairs than this do not fit: a household of ten thousand people is none."""


def household_pairs(columns: Columns) -> tuple[Ids, Codes]:
    """Return the people and the pairs that live together.

    Somebody may live in several households, on several lines.
    """
    ids, (person,) = columns.people("id")
    _, (home,) = columns.people("household")
    order = np.lexsort((person, home))
    person, home = person[order], home[order]
    again = np.flatnonzero((person[1:] == person[:-1]) & (home[1:] == home[:-1])) + 1
    if again.size:
        first = line(np.sort(order[again])[0])
        raise InputError(
            f"{columns.name}: column 'id'",
            "must name a member of a household once",
            f"somebody again in {first}" + (f" and {again.size - 1:,} more" if again.size > 1 else ""),
            value=listed(np.unique(ids[person[again]]).tolist()),
        )
    start = np.flatnonzero(np.r_[True, home[1:] != home[:-1]])
    size = np.diff(np.r_[start, home.size])
    pairs = int((size * (size - 1) // 2).sum())
    if pairs > MOST_PAIRS:
        raise TooLargeError(
            f"{columns.name}: households",
            f"must have at most {MOST_PAIRS:,} pairs of members",
            f"{pairs:,}; the largest has {size.max():,} members",
            "Give the edges that matter instead.",
        )
    return ids, _pairs(person, start, size)


def _pairs(person: Codes, start: Codes, size: Codes) -> Codes:
    """All pairs of each run of people, runs of one size at a time."""
    found = [np.empty((0, 2), np.int64)]
    for members in np.unique(size[size > 1]):
        first = start[size == members]
        a, b = np.triu_indices(members, 1)
        found.append(
            np.stack([person[first[:, None] + a], person[first[:, None] + b]], axis=-1).reshape(-1, 2)
        )
    return np.concatenate(found)


def read_edges(source: Source, rules: Rules) -> Links:
    """Read links; a line without an agreement has the one that was given for its type, or for all.

    Raises
    ------
    InputError
        For somebody linked with themselves, a pair with two agreements, an agreement that cannot be, or none.
    """
    columns = read_columns(source, ("a", "b"), ("agreement", "type"))
    ids, (a, b) = columns.people("a", "b")
    _refuse_loops(columns.name, ids[a[a == b]].tolist(), np.flatnonzero(a == b))
    seen = first_lines(np.stack([a, b], axis=1).ravel(), ids.size) // 2
    types, kind = _types(columns)
    agreement = _agreements(columns, types, kind, rules)
    edges = np.stack([a, b], axis=1)
    return Links(ids, edges, agreement, types, kind, columns.name, columns.notes, seen).once()


def _refuse_loops(file: str, names: list[str], at: Codes) -> None:
    if names:
        raise InputError(
            f"{file}: columns 'a' and 'b'",
            "must name two different people",
            f"somebody with themselves in {line(at[0])}"
            + (f" and {at.size - 1:,} more" if at.size > 1 else ""),
            value=listed(sorted(set(names))),
        )


def _types(columns: Columns) -> tuple[tuple[str, ...], Codes]:
    """The types of the file, and each link's; ``""`` where a line says none."""
    if "type" not in columns:
        return ("",), np.zeros(len(columns), np.int64)
    names, (kind,) = columns.labels("type")
    known = [str(name) for name in names]
    if (kind == MISSING).any():
        known.append("")
        kind = np.where(kind == MISSING, len(known) - 1, kind)
    return tuple(known), kind


def _agreements(columns: Columns, types: tuple[str, ...], kind: Codes, rules: Rules) -> Floats:
    said = columns.numbers("agreement")
    silent = np.isnan(said)
    bad, fix = faults(np.where(silent, 0.5, said), rules.identical)
    if bad.size:
        raise InputError(
            f"{columns.name}: agreement in {line(bad[0])}",
            rule(rules.identical),
            f"{said[bad[0]]:g}" + (f", and {bad.size - 1:,} more lines" if bad.size > 1 else ""),
            fix,
        )
    for code in np.unique(kind[silent]):
        own = silent & (kind == code)
        where = f"{columns.name}: type in {line(np.flatnonzero(own)[0])}"
        said = np.where(own, rules.of(types[code], where), said)
    return said


def household_links(source: Source, rules: Rules) -> Links:
    """Link all members of each household, with the agreement of the type ``household``."""
    columns = read_columns(source, ("id", "household"))
    ids, pairs = household_pairs(columns)
    agreement = np.full(len(pairs), rules.of("household"))
    kind = np.zeros(len(pairs), np.int64)
    return Links(ids, pairs, agreement, ("household",), kind, columns.name, columns.notes).once()
