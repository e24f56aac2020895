"""Cells of which only a density is known: published with noise, they say how likely each count is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.matrices.answers import AnswerError
from dalenius.records.cells.grid import GroupedCells

Floats = NDArray[np.float64]

HARD = 12.0
"""How unlikely each person is that an exact row misses: e^-12."""


@dataclass(frozen=True)
class NoisyCells:
    """A grid of cells, and for each the four numbers that say how likely a count is.

    ``says`` has a row for each cell: between which counts nothing is missed, one over the scale of a miss,
    and 1 if misses are weighed by their size, 0 by their square.
    """

    grid: GroupedCells
    says: Floats


def soft(grid: GroupedCells) -> NoisyCells:
    """Exact cells, or intervals, as such: a miss is all but impossible."""
    ends = [grid.low.astype(np.float64), grid.high.astype(np.float64)]
    same = [np.full(grid.low.size, HARD), np.ones(grid.low.size)]
    return NoisyCells(grid, np.stack([*ends, *same], axis=1))


def says_of(error: AnswerError, *, geometric: bool) -> Floats:
    """What published numbers say, a row of four for each.

    Examples
    --------
    >>> from dalenius.mechanisms.parse import parse_mechanism
    >>> error = parse_mechanism("geometric:scale=2").error(np.array([[3.0]]))
    >>> says_of(error, geometric=True).round(3).tolist()
    [[3.0, 3.0, 0.5, 1.0]]
    """
    centre, sd = error.centre[:, 0], error.sd[:, 0]
    hidden = np.isnan(centre)
    spread = np.where(hidden | (sd <= 0), 1.0, sd)
    by_size = error.shape == "laplace"
    if geometric:
        inverse = 1 + 1 / spread**2
        scale = -1 / np.log(inverse - np.sqrt(inverse**2 - 1))
    else:
        scale = spread / np.sqrt(2) if by_size else spread
    ends = (np.where(hidden, bound, centre) for bound in (0.0, np.inf))
    return np.stack([*ends, 1 / scale, np.full(centre.size, float(by_size))], axis=1)
