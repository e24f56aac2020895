"""Counts over sets of named people: explicit, random, or the rows of a Hadamard matrix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, TooLargeError
from dalenius.grammar import Options
from dalenius.matrices.answers import Sensitivity
from dalenius.matrices.operators import BitRows, HadamardRows, Operator
from dalenius.people.schema import Ids, Roster
from dalenius.shown import hides_people, people
from dalenius.statistics.cells import Overlapping

BIT_LIMIT = 64_000_000_000
"""Queries times people above which a workload is refused: 8 GB as packed bits."""


@hides_people()
@dataclass(frozen=True)
class Subsets(Overlapping):
    """How many people of each set have the secret.

    Parameters
    ----------
    ids
        The people that the sets are about.
    members
        One row per query, a bit for each person of ``ids`` that it counts.
    names
        What each query is called.
    """

    ids: Ids
    members: BitRows
    names: tuple[str, ...]

    kind = "subsets"
    counts_all_values = False

    @property
    def rows(self) -> int:
        """How many queries there are."""
        return self.members.shape[0]

    def sensitivity(self, values: int) -> Sensitivity:
        """One secret changed moves every query that counts the person: the value left and the one taken."""
        queries = self.members.apply_transpose(np.ones(self.rows)).max(initial=0.0)
        changed = float(queries) * min(2, values)
        return Sensitivity(changed, changed)

    def labels(self) -> Iterator[str]:
        """Name every query."""
        return iter(self.names)

    def fingerprint(self, roster: Roster) -> NDArray[np.int32]:
        """Which queries count each person, packed; a member who is not on the roster is refused."""
        self.refuse_strangers(roster)
        rows = self.operator(roster)
        dense = np.unpackbits(rows.packed, axis=1, count=rows.shape[1])
        return np.ascontiguousarray(np.packbits(dense, axis=0).T).astype(np.int32)

    def operator(self, roster: Roster) -> BitRows:
        """One row per query, in the order of the roster, which may list only some of the people."""
        if np.array_equal(self.ids, roster.ids):
            return self.members
        source, named = self._places(roster)
        dense = self.members.rows(0, self.rows)
        moved = np.zeros((self.rows, len(roster)), np.uint8)
        moved[:, named] = dense[:, source[named]]
        return BitRows(np.packbits(moved, axis=1), len(roster))

    def _places(self, roster: Roster) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Where each person of a roster stands among ours, and whether they do at all."""
        order = np.argsort(self.ids)
        at = np.minimum(np.searchsorted(self.ids, roster.ids, sorter=order), self.ids.size - 1)
        return order[at], self.ids[order[at]] == roster.ids

    def refuse_strangers(self, roster: Roster) -> None:
        """Refuse a list of everybody that leaves out somebody who is counted."""
        if np.array_equal(self.ids, roster.ids):
            return
        source, named = self._places(roster)
        counted = self.members.apply_transpose(np.ones(self.rows)) > 0
        counted[source[named]] = False
        if strangers := int(counted.sum()):
            raise InputError(
                "queries",
                "must count only people on the list",
                f"{people(strangers)} not on it",
                "Add them to the list of people or leave them out of the queries.",
            )

    def to_json(self) -> dict[str, Any]:
        """Return the statistic as plain values; its members are kept beside it."""
        return {"kind": self.kind}


@hides_people()
@dataclass(frozen=True)
class HadamardQueries(Overlapping):
    """The counting queries of the Hadamard attack (Dwork et al. 2017, Theorem 7) about these people."""

    ids: Ids

    kind = "hadamard"
    counts_all_values = False

    @property
    def rows(self) -> int:
        """Twice the padded number of people, less the one query that counts nobody."""
        return HadamardRows(self.ids.size).shape[0]

    def sensitivity(self, values: int) -> Sensitivity:
        """Each person is in exactly one of each pair of queries."""
        changed = float(HadamardRows(self.ids.size).size * min(2, values))
        return Sensitivity(changed, changed)

    def labels(self) -> Iterator[str]:
        """Name every query by the row of the matrix and the sign it counts."""
        size = HadamardRows(self.ids.size).size
        yield from (f"plus {j}" for j in range(size))
        yield from (f"minus {j}" for j in range(1, size))

    def fingerprint(self, roster: Roster) -> NDArray[np.int32]:
        """Everybody is told apart."""
        return np.arange(len(roster), dtype=np.int32)[:, None]

    def operator(self, roster: Roster) -> Operator:
        """One row per query."""
        if not np.array_equal(self.ids, roster.ids):
            raise InputError(
                "list of people",
                "must be the one the Hadamard queries were made for",
                f"{len(roster)} other people",
            )
        return HadamardRows(len(roster))

    def to_json(self) -> dict[str, Any]:
        """Return the statistic as plain values; the people are kept beside it."""
        return {"kind": self.kind}


def random_subsets(ids: Ids, queries: int, *, rng: np.random.Generator) -> Subsets:
    """Sets that hold each person with probability one half (Dwork et al. 2017, Theorem 8).

    Examples
    --------
    >>> random_subsets(np.array(["a", "b", "c"]), 5, rng=np.random.default_rng(1)).rows
    5
    """
    if queries * ids.size > BIT_LIMIT:
        raise TooLargeError(
            "random subsets",
            f"must be at most {BIT_LIMIT:,} queries x people",
            f"{queries:,} x {ids.size:,} ({queries * ids.size / 8e9:.1f} GB)",
            "Ask fewer queries.",
        )
    packed = rng.integers(0, 256, (queries, -(-ids.size // 8)), np.uint8)
    if spare := -ids.size % 8:
        packed[:, -1] &= 0xFF << spare & 0xFF
    return Subsets(ids, BitRows(packed, ids.size), tuple(str(j) for j in range(queries)))


def subsets_from_pairs(names: NDArray[np.str_], members: Ids, ids: Ids) -> Subsets:
    """Make sets from one (query, person) pair for each person a query counts.

    Parameters
    ----------
    names, members
        The pairs.
    ids
        Everybody the sets may be about.
    """
    queries, query = np.unique(names, return_inverse=True)
    order = np.argsort(ids)
    at = order[np.minimum(np.searchsorted(ids, members, sorter=order), ids.size - 1)]
    stranger = ids[at] != members
    if stranger.any():
        raise InputError(
            "queries",
            "must count only people on the list",
            f"{people(np.unique(members[stranger]).size)} not on it",
            "Add them to the list of people or leave them out of the queries.",
            hint=f"The first of them is in query {str(names[stranger][0])!r}.",
        )
    dense = np.zeros((queries.size, ids.size), np.bool_)
    dense[query, at] = True
    return Subsets(ids, BitRows.from_dense(dense), tuple(str(q) for q in queries))


def ask_random_subsets(options: Options, roster: Roster, rng: np.random.Generator) -> Subsets:
    """Make ``random-subsets:m=400``."""
    return random_subsets(roster.ids, options.whole("m", least=1), rng=rng)


def ask_hadamard(options: Options, roster: Roster, rng: np.random.Generator) -> HadamardQueries:
    """Make ``hadamard``."""
    return HadamardQueries(roster.ids)
