"""People whom no table tells apart: whoever is in the same groups has the same ends, if they weigh alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.release.amounts import AmountGroup, Places


@dataclass(frozen=True)
class AmountClasses:
    """Everybody's class, how many people each has, and which groups hold it (groups by classes)."""

    of: Places
    sizes: Places
    held: sparse.csr_array

    @property
    def count(self) -> int:
        """How many classes there are."""
        return int(self.sizes.size)

    def inside(self, group: int) -> Places:
        """The classes that are in a group."""
        start, end = self.held.indptr[group], self.held.indptr[group + 1]
        return np.asarray(self.held.indices[start:end], np.intp)


def find_classes(
    people: int, groups: Sequence[AmountGroup], apart: NDArray[np.float64] | None = None
) -> AmountClasses:
    """Put people together who are in the same groups, and who have the same number if some are given.

    Examples
    --------
    >>> groups = [AmountGroup("all", np.arange(3)), AmountGroup("f", np.array([0, 2]))]
    >>> classes = find_classes(3, groups)
    >>> classes.of, classes.sizes, classes.held.toarray()
    (array([0, 1, 0]), array([2, 1]), array([[1., 1.],
           [1., 0.]]))
    """
    members = np.concatenate([np.zeros(0, np.intp), *(group.members for group in groups)])
    rows = np.repeat(np.arange(len(groups)), [group.size for group in groups])
    ones = np.ones(members.size)
    by_person = sparse.csr_array(sparse.coo_array((ones, (members, rows)), shape=(people, len(groups))))
    by_person.sort_indices()
    numbered: dict[tuple[bytes, float], int] = {}
    of = np.empty(people, np.intp)
    weight = np.ones(people) if apart is None else apart
    for person in range(people):
        own = by_person.indices[by_person.indptr[person] : by_person.indptr[person + 1]]
        of[person] = numbered.setdefault((own.tobytes(), float(weight[person])), len(numbered))
    _, first = np.unique(of, return_index=True)
    return AmountClasses(of, np.bincount(of, minlength=len(numbered)), sparse.csr_array(by_person[first].T))
