"""Newton's method for a few people, by writing out every combination of their values.

Conjugate gradients lose their way where people nearly always agree: covariances then differ by many orders of
magnitude. With all combinations at hand Newton's equations are solved by an orthogonal factorisation of the
weighted table itself, which squares no such differences.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr, solve_triangular
from scipy.special import expit, logsumexp

from dalenius.knowledge.correlation.model import Floats, Pairs

FEW = 10
"""The most people: a thousand combinations."""

MOST_STEPS = 100


def fit_few(
    people: int, edges: Pairs, goal: Floats, theta: Floats, close: float
) -> tuple[Floats, Floats, float]:
    """Return parameters with the wanted log-odds as far as found, their log-odds, and the likelihood.

    Parameters
    ----------
    goal
        Log-odds of agreement, one per edge; then of 0, one per person, unless all bits are fair.
    theta
        Couplings, then fields: where to start.
    close
        How close is close enough, in log-odds; steps go on as long as they halve what is left.

    Examples
    --------
    >>> square = np.array([[0, 1], [1, 2], [2, 3], [3, 0]])
    >>> fit_few(4, square, np.full(4, np.log(3)), np.zeros(4), 1e-9)[0].round(9)
    array([0.46656601, 0.46656601, 0.46656601, 0.46656601])
    """
    bits = (np.arange(2**people)[:, None] >> np.arange(people)) & 1
    rare = (bits[:, edges[:, 0]] ^ bits[:, edges[:, 1]]).astype(np.float64)
    if goal.size > len(edges):
        rare = np.c_[rare, bits]
    state, before = _at(rare, goal, theta), np.inf
    for _ in range(MOST_STEPS):
        chance, found, value = state
        gap = float(np.abs(found - goal).max())
        if gap <= close and gap >= before / 2:
            break
        before = gap
        # sigma(-a) - sigma(-b) without loss where both are close to 0 or to 1
        gradient = 2 * expit(-found) * expit(goal) * -np.expm1(np.minimum(found - goal, 700.0))
        direction = _newton(rare, chance, gradient)
        length, slope = 1.0, float(gradient @ direction)
        while True:
            state = _at(rare, goal, theta + length * direction)
            enough = value + 1e-4 * length * slope - 1e-13 * (1 + abs(value))
            if state[2] >= enough or length < 1e-12:
                break
            length /= 2
        theta = theta + length * direction
    return theta, state[1], state[2]


def _at(rare: Floats, goal: Floats, theta: Floats) -> tuple[Floats, Floats, float]:
    """The chance of each combination, all log-odds, and the likelihood."""
    weight = -2 * rare @ theta
    total = float(logsumexp(weight))
    chance = np.exp(weight - total)
    tiny = np.finfo(float).tiny
    found = np.log(np.maximum(chance @ (1 - rare), tiny)) - np.log(np.maximum(chance @ rare, tiny))
    return chance, found, float(-2 * expit(-goal) @ theta) - total


def _newton(rare: Floats, chance: Floats, gradient: Floats) -> Floats:
    """Solve Newton's equations; what no combination tells apart is left alone."""
    table = 2 * np.sqrt(chance)[:, None] * (rare - chance @ rare)
    size = np.sqrt((table**2).sum(axis=0))
    size[size == 0] = 1.0
    upper, order = qr(table / size, mode="r", pivoting=True)
    steep = np.abs(np.diag(upper))
    rank = int((steep > 1e-13 * steep[0]).sum())
    upper, wanted = upper[:rank, :rank], (gradient / size)[order][:rank]
    solved = solve_triangular(upper, solve_triangular(upper, wanted, trans=1))
    direction = np.zeros(gradient.size)
    direction[order[:rank]] = solved
    result: Floats = direction / size
    return result
