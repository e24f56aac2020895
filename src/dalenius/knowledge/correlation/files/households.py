"""Who lives together: ``id,household``. All members of a household are related to each other."""

from __future__ import annotations

import numpy as np

from dalenius.errors import InputError, TooLargeError
from dalenius.knowledge.correlation.files.columns import Codes, Columns, line, listed
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
