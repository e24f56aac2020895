"""Classes of a released table and conditions made from them, beside the original rows.

The referee alone does this: whether a condition isolates somebody is counted in the original, never in the
release, and by rows, so that two people who are the same are two.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.attacks.singling_out.candidates import Candidates, ClassMembers, Key, Matches
from dalenius.attacks.singling_out.classes import Classes
from dalenius.errors import InputError
from dalenius.records.rows import Rows

FEW = 5


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

    def __init__(self, rows: Rows, classes: Classes) -> None:
        self.rows = rows
        self._classes = classes
        self._members = ClassMembers(rows, classes.boxes, classes.released.names)

    def check(self) -> ClassCheck:
        """Compare classes with the original; refuse a release with classes that no row meets."""
        classes, found = self._classes, self._members.counts
        empty = np.flatnonzero(found == 0)
        if empty.size:
            listed = "; ".join(classes.cells(int(i)) for i in empty[:FEW])
            more = f" and {empty.size - FEW:,} more" if empty.size > FEW else ""
            raise InputError(
                "anonymised rows",
                "must generalise original rows",
                f"classes that no original row meets: {listed}{more}",
                "Give the rows that were anonymised, or the hierarchies that the labels come from.",
            )
        return ClassCheck(
            int((found == classes.sizes).sum()),
            int((found > classes.sizes).sum()),
            int((found < classes.sizes).sum()),
        )

    def judge(self, candidates: Candidates, key: Key) -> Matches:
        """Count what each condition matches."""
        return self._members.matches(candidates, key)


def people_singled_out(alone: NDArray[np.int64]) -> int:
    """How many different rows some condition matches alone (Definition 3.7)."""
    return int(np.unique(alone[alone >= 0]).size)
