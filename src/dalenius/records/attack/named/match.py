"""Named people beside a reconstruction: those who match one record in it alone get its other columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.records.attack.claims import RecordClaims
from dalenius.records.attack.system import CellSystem
from dalenius.records.cells.grid import Codes, Whole
from dalenius.shown import hides_people

NOBODY = -1


@hides_people()
@dataclass(frozen=True)
class NamedClaims:
    """What is said about each named person.

    Parameters
    ----------
    known, rest
        The columns that are known of them, and those that are claimed.
    people
        What is known, a row for each person; -1 where it is no level of the tables.
    putative
        Whether exactly one person of the reconstruction matches.
    claimed
        The other columns of that person; -1 where nobody is putative.
    certain
        Whether it follows by arithmetic: one person alone can match, and the record is in every data set.
    """

    known: tuple[int, ...]
    rest: tuple[int, ...]
    people: Codes
    putative: NDArray[np.bool_]
    claimed: Codes
    certain: NDArray[np.bool_]


def match_named(claims: RecordClaims, known: Sequence[int], people: Codes) -> NamedClaims:
    """Match named people with the reconstruction, by the columns that are known of them.

    Examples
    --------
    >>> from dalenius.records.attack.claims import claim_records
    >>> from dalenius.records.cells.cell import cell
    >>> from dalenius.records.cells.columns import RecordColumns
    >>> from dalenius.records.cells.grid import grids_of
    >>> from dalenius.records.cells.release import PublishedRecords
    >>> columns = RecordColumns.of({"sex": ["f", "m"], "ill": ["no", "yes"]})
    >>> counts = [({"sex": ["f"]}, 2), ({"sex": ["m"]}, 1), ({"ill": ["no"]}, 3), ({"ill": ["yes"]}, 0)]
    >>> cells = [cell(columns, where, count, count) for where, count in counts]
    >>> release = PublishedRecords("t", columns, tuple(grids_of(columns, cells)), None, 4, "exact")
    >>> claims = claim_records(release, rng=np.random.default_rng(1))
    >>> found = match_named(claims, [0], np.array([[0], [1]], np.int32))
    >>> found.putative.tolist(), found.claimed.tolist(), found.certain.tolist()
    ([False, True], [[-1], [0]], [False, True])
    """
    system = claims.bounds.system
    rest = tuple(at for at in range(len(system.columns.names)) if at not in known)
    keys, group = np.unique(system.records[:, list(known)], axis=0, return_inverse=True)
    group = group.ravel()
    guess, least, most = (
        np.bincount(group, weights=each, minlength=len(keys)).astype(np.int64)
        for each in (claims.guess, claims.bounds.lo, claims.bounds.hi)
    )
    most = np.minimum(most, _cell_limits(system, known, keys))
    number = {tuple(key): at for at, key in enumerate(keys.tolist())}
    which = np.array([number.get(tuple(person), NOBODY) for person in people.tolist()], np.int64)
    putative = (which >= 0) & (guess[which] == 1)
    own = np.full(len(keys), NOBODY, np.int64)
    there = np.flatnonzero(claims.guess > 0)
    own[group[there]] = there
    claimed = np.full((len(people), len(rest)), NOBODY, np.int32)
    at = own[which[putative]]
    claimed[putative] = system.records[at][:, list(rest)]
    certain = putative.copy()
    certain[putative] = (least == 1)[which[putative]] & (most == 1)[which[putative]]
    return NamedClaims(tuple(known), rest, people, putative, claimed, certain)


def _cell_limits(system: CellSystem, known: Sequence[int], keys: Codes) -> Whole:
    """The most people with these levels that a published cell allows which counts all of them."""
    records = np.zeros((len(keys), len(system.columns.names)), np.int32)
    records[:, list(known)] = keys
    limits = np.full(len(keys), np.iinfo(np.int64).max)
    for grid in system.grids:
        if set(grid.columns) <= set(known):
            row = grid.row_of(records)
            inside = row >= 0
            limits[inside] = np.minimum(limits[inside], grid.high[row[inside]])
    return limits
