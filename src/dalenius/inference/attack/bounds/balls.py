"""Exact balls: nu of one person from the hundreds of people around them, from below and from above.

Of a group that is too wide, a ball of 120 to 400 people around one of them may be narrow enough for a
junction tree. With links that agree and fair bits, leaving out everybody beyond the rim only lowers log-odds,
and fixing them to 0 only raises these (Griffiths). With biases the log-odds of Equation 6 lie, each, between
what they are with everybody beyond the rim fixed to 1 and to 0 (Fortuin, Kasteleyn and Ginibre).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import breadth_first_order

from dalenius.inference.attack.solvers import junction
from dalenius.inference.attack.solvers.elimination import eliminations
from dalenius.knowledge.correlation.model import CorrelationModel, Floats

SIZES, WIDEST = (400, 250, 120, 60, 30), 14
"""People of a ball, the most first, and the width up to which it is solved."""


@dataclass(frozen=True)
class Ball:
    """People around one person, ready for any epsilons.

    Parameters
    ----------
    people
        Their places; the first is the one in the middle.
    rim
        What everybody beyond the rim adds to each one's field, if all are fixed to 0.
    field
        Each one's own.
    low, high
        From fields to log-odds, with the least couplings and with the largest.
    """

    people: NDArray[np.intp]
    rim: Floats
    field: Floats
    low: Callable[[Floats], Floats]
    high: Callable[[Floats], Floats]

    def nu(self, epsilon: Floats) -> tuple[float, float]:
        """Between which nu of the person in the middle lies; epsilons are everybody's in the network."""
        half = epsilon[self.people] / 2
        if not self.field.any():
            return self._odds(self.low, half, 0.0), self._odds(self.high, half, 1.0)
        up, before, down = (
            [self._odds(self.high, self.field + sign * half, rim) for rim in (-1.0, 1.0)]
            for sign in (1.0, 0.0, -1.0)
        )
        least = max(up[0] - before[1], before[0] - down[1])
        return least, max(up[1] - before[0], before[1] - down[0])

    def _odds(self, solve: Callable[[Floats], Floats], field: Floats, rim: float) -> float:
        return float(solve(field + rim * self.rim)[0])


def ball_around(model: CorrelationModel, person: int, least: Floats | None = None) -> Ball | None:
    """Find the largest ball around somebody that can be solved; None if there is none.

    Parameters
    ----------
    model
        With positive couplings, the largest that they can be.
    least
        The least that they can be; the same without. Only of fair bits.

    Examples
    --------
    >>> every = np.arange(90)
    >>> links = np.stack([every, (every + 1) % 90], axis=1)
    >>> ring = CorrelationModel("id", every, links, np.full(90, 0.5), np.zeros(90))
    >>> low, high = ball_around(ring, 7).nu(np.full(90, 0.5))
    >>> round(low, 6), round(high, 6)
    (1.283426, 1.283426)
    """
    order = breadth_first_order(model.matrix(np.ones(len(model.edges))), person, directed=False)[0]
    for size in SIZES:
        people = order[:size].astype(np.intp)
        inside = model.take(people)
        groups = list(eliminations(inside, WIDEST))
        if all(group.width <= WIDEST for group in groups):
            return _solved(model, people, inside, least)
    return None


def _solved(
    model: CorrelationModel, people: NDArray[np.intp], inside: CorrelationModel, least: Floats | None
) -> Ball:
    within = np.zeros(len(model), np.bool_)
    within[people] = True
    a, b = model.edges.T
    rim = np.zeros(len(model))
    for one, other in ((a, b), (b, a)):
        crossing = within[one] & ~within[other]
        np.add.at(rim, one[crossing], model.coupling[crossing])
    high = _solver(inside)
    low = high if least is None else _solver(replace(model, coupling=least).take(people))
    return Ball(people, rim[people], inside.field, low, high)


def _solver(inside: CorrelationModel) -> Callable[[Floats], Floats]:
    order, tree = junction.assemble(inside, list(eliminations(inside, WIDEST)))

    def solve(field: Floats) -> Floats:
        odds = np.empty(field.size)
        odds[order] = junction.log_odds(tree, field[order])
        return odds

    return solve
