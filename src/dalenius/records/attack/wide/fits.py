"""Data sets that searches for people find: each takes a moment where an integer solver takes long.

A search ends with people who fit all cells, or with nothing: whoever asks checks what comes in whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from dalenius.records.attack.system import CellSystem
from dalenius.records.attack.wide.anneal import ALIKE, Floats, begin_search, strides_of
from dalenius.records.cells.grid import Codes, Whole

SEARCHES = 8
"""Searches, each of which may find a data set."""

IN_VAIN = 2
"""Searches that may end with nothing before no further one is tried."""

MOST_PEOPLE = 500
"""People beyond whom searches no longer fit exactly."""

KEY = 2010
"""Where the searches' randomness comes from: what is known must not depend on what was drawn before."""

MOST_STEPS = 100_000_000
"""Steps of all searches together: about ten seconds."""

MOST_WRITTEN = 10_000_000
"""Records that can be written, up to which each is given how usual it is; beyond it all are alike."""


def searched_fits(
    system: CellSystem, numbers: Iterable[int] = range(SEARCHES), log_shares: Floats | None = None
) -> Whole:
    """Data sets over the records of a system by numbered searches, one row each; none where none can be.

    ``log_shares`` says how usual each of its records is among other people: searches draw such people then.

    Examples
    --------
    >>> from dalenius.records.attack.system import make_system
    >>> from dalenius.records.cells.cell import cell
    >>> from dalenius.records.cells.columns import RecordColumns
    >>> from dalenius.records.cells.grid import grids_of
    >>> columns = RecordColumns.of({"a": ["0", "1"], "b": ["0", "1"]})
    >>> counts = [("a", "0", 1), ("a", "1", 1), ("b", "0", 1), ("b", "1", 1)]
    >>> cells = [cell(columns, {name: [level]}, n, n, name) for name, level, n in counts]
    >>> found = searched_fits(make_system(columns, grids_of(columns, cells)))
    >>> len(found), np.unique(found, axis=0).tolist()
    (8, [[0, 1, 1, 0], [1, 0, 0, 1]])
    """
    none = np.zeros((0, len(system.records)), np.int64)
    if system.choices or system.sums:
        return none
    search = begin_search(system.columns, system.grids, key=KEY, usual=_usual(system, log_shares))
    if search is None or search.people > MOST_PEOPLE:
        return none
    found: list[Whole] = []
    vain = taken = 0
    for number in numbers:
        done = search.arrays(number)
        taken += int(done["taken"])
        counts = None if done["missed"] else _counted(system, done["people"])
        if counts is not None:
            found.append(counts)
        vain += counts is None
        if vain >= IN_VAIN or taken >= MOST_STEPS:
            break
    return np.array(found) if found else none


def _usual(system: CellSystem, log_shares: Floats | None) -> Floats:
    """How usual each record is that can be written, one that cannot be as the least usual; empty if alike."""
    sizes = system.columns.sizes
    if log_shares is None or not np.ptp(log_shares) or math.prod(sizes) > MOST_WRITTEN:
        return ALIKE
    usual = np.full(math.prod(sizes), log_shares.min())
    usual[system.records @ strides_of(system.columns)] = log_shares
    return usual


def _counted(system: CellSystem, people: Codes) -> Whole | None:
    """How many people have each record of a system; ``None`` if somebody has one that cannot be."""
    both = np.concatenate([system.records, people])
    label = np.unique(both, axis=0, return_inverse=True)[1].ravel()
    have = np.bincount(label[len(system.records) :], minlength=len(both))
    counts: Whole = have[label[: len(system.records)]]
    return counts if int(counts.sum()) == len(people) else None
