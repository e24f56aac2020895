"""Links one by one: ``a,b[,agreement][,type]``."""

from __future__ import annotations

import numpy as np

from dalenius.errors import InputError
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
from dalenius.knowledge.correlation.files.households import household_pairs
from dalenius.knowledge.correlation.links import Links
from dalenius.people.files.read_file import Source


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
