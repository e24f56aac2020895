"""What is usual among other people: a distribution over records, never a constraint.

Records that nobody else has keep a positive share: 70 % of the weight is how often a record was seen, 27 %
the product of how often each of its levels was, and 3 % all records alike.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.grid import Codes
from dalenius.shown import hides_people

Floats = NDArray[np.float64]

SEEN, MARGINS, ALIKE = 0.7, 0.27, 0.03


@hides_people()
@dataclass(frozen=True)
class PopulationShares:
    """Records of people who are not in the data, over some of the tables' columns.

    Parameters
    ----------
    columns
        Which of the tables' columns they have; that of units usually is none of them.
    records
        A row of levels for each person, over those columns.
    """

    columns: tuple[int, ...]
    records: Codes

    def shares(self, columns: RecordColumns, records: Codes) -> Floats:
        """How usual each record of the tables is; over the records given the shares add up to 1.

        Examples
        --------
        >>> both = RecordColumns.of({"sex": ["f", "m"], "ill": ["no", "yes"]})
        >>> others = PopulationShares((0, 1), np.array([[0, 0], [0, 0], [1, 1]], np.int32))
        >>> others.shares(both, np.array([[0, 0], [0, 1], [1, 1]], np.int32)).round(2).tolist()
        [0.61, 0.09, 0.29]
        """
        if not len(records):
            return np.zeros(0)
        own = records[:, list(self.columns)]
        seen = Counter(map(tuple, self.records.tolist()))
        found = np.array([seen[tuple(record)] for record in own.tolist()], np.float64)
        product = np.ones(len(records))
        for at, column in enumerate(self.columns):
            counts = np.bincount(self.records[:, at], minlength=columns.sizes[column])
            product *= (counts + 0.5)[own[:, at]] / (counts + 0.5).sum()
        mixed = sum(
            weight * part / part.sum()
            for weight, part in ((SEEN, found), (MARGINS, product), (ALIKE, np.ones(len(records))))
            if part.sum() > 0
        )
        shares: Floats = np.asarray(mixed / np.sum(mixed), np.float64)
        return shares
