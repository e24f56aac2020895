"""Couplings of groups where all are related alike: households and the like, of any size.

By symmetry they have one coupling and one field, and only how many are 1 matters: with k of m ones and
``t = m - 2k`` the weight is ``C(m, k) exp(J (t^2 - m)/2 + h t)``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import expit, gammaln, logit, logsumexp

from dalenius.knowledge.correlation.model import Floats

MOST_STEPS, CLOSE = 200, 1e-11
PROVEN = 1e-6
"""A likelihood above 0 by this much is no rounding: no law has it."""


class OfClique(NamedTuple):
    """One coupling and one field for all, how far log-odds are from those wanted, and the likelihood.

    The likelihood is that of what was wanted: above 0 no people can have it.
    """

    coupling: float
    field: float
    gap: float
    likelihood: float


@lru_cache(maxsize=4096)
def fit_clique(members: int, agreement: float, bias: float | None) -> OfClique:
    """Find the coupling and the field with which all pairs agree like this.

    Parameters
    ----------
    bias
        The probability of a 1; without it bits are fair.

    Examples
    --------
    >>> found = fit_clique(8, 0.93, 0.05)
    >>> round(found.coupling, 9), round(found.field, 9)
    (0.213883856, 0.307996418)
    >>> fit_clique(3, 0.3, None).likelihood > 0
    True
    """
    law = _CountLikelihood(members, agreement, bias)
    theta = np.array([0.0] if bias is None else [0.0, -0.5 * logit(bias)])
    value, gradient, curvature, gap = law.at(theta)
    for _ in range(MOST_STEPS):
        if gap < CLOSE or value > PROVEN:
            break
        direction = np.linalg.lstsq(curvature, gradient, rcond=1e-15)[0]
        length, slope = 1.0, float(gradient @ direction)
        while length > 1e-9:
            found = law.at(theta + length * direction)
            if found[0] >= value + 1e-4 * length * slope - 1e-13 * (1 + abs(value)):
                break
            length /= 2
        theta = theta + length * direction
        value, gradient, curvature, gap = found
    return OfClique(float(theta[0]), float(theta[1]) if theta.size > 1 else 0.0, gap, value)


def least_agreement(members: int) -> tuple[int, int]:
    """Return how many of all pairs agree at least, whatever the values of two are: the halves are equal.

    Examples
    --------
    >>> least_agreement(3), least_agreement(8)
    ((1, 3), (12, 28))
    """
    half = members // 2
    rest = members - half
    return (half * (half - 1) + rest * (rest - 1)) // 2, members * (members - 1) // 2


class _CountLikelihood:
    """The likelihood of one agreement and bias in a group, by how many are 1."""

    def __init__(self, members: int, agreement: float, bias: float | None) -> None:
        k = np.arange(members + 1.0)
        self._ways = gammaln(members + 1) - gammaln(k + 1) - gammaln(members - k + 1)
        pairs = members * (members - 1) / 2
        # how many pairs differ, and how many are 1: the weight is -2 theta times them
        rare = [k * (members - k)] if bias is None else [k * (members - k), k]
        self._rare = np.stack(rare, axis=1)
        self._size = np.array([pairs] if bias is None else [pairs, members])
        self._goal = np.array([logit(agreement)] if bias is None else [logit(agreement), -logit(bias)])
        self._wanted = self._size * expit(-self._goal)

    def at(self, theta: Floats) -> tuple[float, Floats, Floats, float]:
        """The likelihood, its gradient and curvature, and the largest gap in log-odds."""
        weight = self._ways - 2 * self._rare @ theta
        total = float(logsumexp(weight))
        chance = np.exp(weight - total)
        mean = chance @ self._rare
        centred = (self._rare - mean) * np.sqrt(chance)[:, None]
        with np.errstate(divide="ignore"):
            odds = np.log((chance @ (self._size - self._rare)) / mean)
        value = float(-2 * self._wanted @ theta) - total
        return value, 2 * (mean - self._wanted), 4 * centred.T @ centred, _gap(odds, self._goal)


def _gap(odds: Floats, goal: Floats) -> float:
    return float(np.abs(odds - goal).max())
