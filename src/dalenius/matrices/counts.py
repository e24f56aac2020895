"""The true answers to a statistic on their way to a mechanism."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Sensitivity:
    """How far one person moves all answers of a release together, when their record is replaced.

    Parameters
    ----------
    l1
        Largest sum of absolute changes.
    l2_squared
        Largest sum of squared changes.
    """

    l1: float
    l2_squared: float

    def __add__(self, other: Sensitivity) -> Sensitivity:
        return Sensitivity(self.l1 + other.l1, self.l2_squared + other.l2_squared)


@dataclass(frozen=True)
class Counts:
    """True answers: one row per question, one column per value of the secret that was counted.

    Parameters
    ----------
    values
        The counts; for statistics that are not counts, any numbers.
    table
        Which table each row is a part of. Rows of one table partition the people; a row that stands alone
        (a subset count) is a table by itself.
    sensitivity
        How far one person moves these counts.
    """

    values: NDArray[np.int64] | NDArray[np.float64]
    table: NDArray[np.int64]
    sensitivity: Sensitivity
