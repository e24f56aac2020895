"""What each published number says by itself, before any other number is looked at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.knowledge.view import View
from dalenius.matrices.answers import Vector
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.reconstruction.attack.system.build import Problem
from dalenius.reconstruction.attack.system.equations import read_counts
from dalenius.statistics.statistic import Counting


@dataclass(frozen=True)
class Alone:
    """By value of the secret, the interval of every row of a system; all people where nothing was printed.

    ``printed`` says where a cell is there at all, be it hidden; ``totals`` how many people are in each row.
    """

    low: dict[str, Vector]
    high: dict[str, Vector]
    printed: dict[str, NDArray[np.bool_]]
    totals: Vector

    def of(self, value: str) -> tuple[Vector, Vector]:
        """The interval of the count of one value in each row."""
        return self.low[value], self.high[value]


def read_alone(view: View, problem: Problem) -> Alone:
    """Read every number by itself."""
    system = problem.systems[0]
    totals = system.A.apply(system.sizes.astype(np.float64))
    low = {value: np.zeros_like(totals) for value in problem.levels}
    high = {value: totals.copy() for value in problem.levels}
    printed = {value: np.zeros(totals.size, np.bool_) for value in problem.levels}
    start = 0
    for block, rows in zip(view.release.blocks, problem.rows, strict=True):
        here = slice(start, start + rows)
        start += rows
        if not isinstance(block.statistic, Counting):
            continue
        error = read_counts(block, totals[here], parse_mechanism(view.release.mechanism_of(block)))
        for column, value in enumerate(block.values):
            low[value][here], high[value][here] = error.low[:, column], error.high[:, column]
            printed[value][here] = True
    return Alone(low, high, printed, totals)
