"""Classes of a released table and conditions made from them, beside the original rows.

The referee alone does this: whether a condition isolates somebody is counted in the original, never in the
release, and by rows, so that two people who are the same are two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.boxes.conjunctions import RowsInBoxes
from dalenius.conditions.leaves import Between
from dalenius.errors import InputError
from dalenius.people.rows.columns import TextColumn
from dalenius.people.rows.rows import Rows
from dalenius.people.sealed import SealedRows
from dalenius.people.truth import open_rows
from dalenius.release.rows.classes import Classes
from dalenius.singling_out.attack.candidates import Candidates, ClassMembers, Key, Matches


@dataclass(frozen=True)
class ClassCheck:
    """How the classes of a release fit the original rows.

    Parameters
    ----------
    agree
        Classes that as many original rows meet as the release has rows in them.
    more
        Classes that more rows meet: recodings that overlap, or rows that are suppressed.
    fewer
        Classes that fewer rows meet: the release is not a generalisation of these rows.
    """

    agree: int
    more: int
    fewer: int


class OriginalRows:
    """The original rows beside the classes of a release, to count what many conditions match in them."""

    def __init__(self, rows: Rows | SealedRows, classes: Classes) -> None:
        rows = open_rows(rows)
        self.rows = rows
        self._classes = classes
        self._refuse_ranges_of_words()
        self._members = ClassMembers(rows, classes.boxes, classes.released.names)

    def _refuse_ranges_of_words(self) -> None:
        """Released cells such as 10-12 may be words: whoever has the original rows knows."""
        boxes = self._classes.boxes
        for name, leaves in zip(boxes.columns, boxes.leaves, strict=True):
            column = self.rows.column(name)
            words = isinstance(column, TextColumn) and bool(np.isnan(column.labels.numbers).all())
            if words and any(isinstance(leaf, Between) for leaf in leaves):
                raise InputError(
                    f"column {name!r}",
                    "must hold numbers where its released cells are ranges",
                    "words",
                    "Give a population or a hierarchy with these values: cells such as 10-12 are words then.",
                )

    def check(self) -> ClassCheck:
        """Compare classes with the original; refuse a release with classes that no row meets."""
        classes, found = self._classes, self._members.counts
        empty = int((found == 0).sum())
        if empty:
            raise InputError(
                "anonymised rows",
                "must generalise original rows",
                f"{empty:,} of {len(classes):,} classes that no original row meets",
                "Give the rows that were anonymised, or the hierarchies that the labels come from. Rows with "
                "noise, microaggregated, swapped or relabelled ones are attacked by: dalenius single-out "
                "triple.",
            )
        return ClassCheck(
            int((found == classes.sizes).sum()),
            int((found > classes.sizes).sum()),
            int((found < classes.sizes).sum()),
        )

    def meets(self, rows: NDArray[np.int64], of_class: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each of these original rows meets the class beside it; a suppressed row, -1, fits all."""
        members = self._members.members
        pairs = np.repeat(np.arange(len(self._classes)), members.counts) * len(self.rows) + members.rows
        return np.isin(of_class * len(self.rows) + rows, pairs) | (of_class < 0)

    def within(self, candidates: Candidates) -> RowsInBoxes:
        """Which rows meet each condition, hashes apart."""
        return self._members.within(candidates.boxes, candidates.of_class)

    def judge(self, candidates: Candidates, key: Key) -> Matches:
        """Count what each condition matches."""
        return self._members.matches(candidates, key)


def people_singled_out(alone: NDArray[np.int64]) -> int:
    """How many different rows some condition matches alone (Definition 3.7)."""
    return int(np.unique(alone[alone >= 0]).size)


def fitting(finer: Sequence[RowsInBoxes]) -> int:
    """How many finer records can be those of different original rows, all at once.

    Cells of classes may overlap, so that a row fits records of several. A record is right if the rows can be
    given to the records with one for each: the largest matching of records with rows.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    counts = np.concatenate([np.empty(0, np.int64), *(own.counts for own in finer)])
    rows = np.concatenate([np.empty(0, np.int64), *(own.rows for own in finer)])
    if not rows.size:
        return 0
    starts = np.concatenate([[0], np.cumsum(counts)])
    shape = (counts.size, max(int(rows.max()) + 1, counts.size))
    graph = csr_array((np.ones(rows.size, np.int8), rows, starts), shape=shape)
    return int((maximum_bipartite_matching(graph, perm_type="column") >= 0).sum())
