"""What rho promises where one person's value moves a random number of records.

Given a person's value, a release is a mixture of mechanisms' outputs. Divergences are jointly convex: if two
data sets are coupled so that D records differ, the two mixtures are no further apart than outputs D records
apart are on average. For the hockey stick that reads ``delta(epsilon) <= E delta_D(epsilon)``, where
``delta_k`` is that of ``k^2 rho``; for the Kullback-Leibler divergence ``<= rho E D^2``.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dalenius.theory import _check
from dalenius.theory.privacy.conversions import delta_from_rho_tight, epsilon_from_rho_tight

Floats = NDArray[np.float64]


def deltas_of_groups(rho: float, most: int, epsilon: float) -> Floats:
    """The delta of groups of 0, 1, ... people at this epsilon, and 1 for more than ``most``.

    Examples
    --------
    >>> deltas_of_groups(0.1, 2, 3.0)[:1], float(deltas_of_groups(0.1, 2, 3.0)[-1])
    (array([0.]), 1.0)
    """
    own = [delta_from_rho_tight(k * k * rho, epsilon) for k in range(1, most + 1)]
    return np.array([0.0, *own, 1.0])


def epsilon_of_mixtures(rho: float, laws: Floats, delta: float, share: float = 1.0) -> float:
    """The epsilon that this share of people have at this delta, under any rho-zCDP mechanism.

    ``laws`` has a row per person: the chances of 0, 1, ... records, and of more than were counted. Infinite
    if those more are likelier than delta.

    Examples
    --------
    >>> one, both = np.array([[0.0, 1.0, 0.0, 0.0]]), np.array([[0.0, 0.0, 1.0, 0.0]])
    >>> round(epsilon_of_mixtures(0.1, one, 1e-6), 6), round(epsilon_from_rho_tight(0.1, 1e-6), 6)
    (2.141939, 2.141939)
    >>> round(epsilon_of_mixtures(0.1, both, 1e-6), 6), round(epsilon_from_rho_tight(0.4, 1e-6), 6)
    (4.60444, 4.60444)
    """
    rho, delta = _check.positive("rho", rho), _check.open_unit("delta", delta)
    most = laws.shape[1] - 2
    if float(np.quantile(laws[:, -1], share, method="inverted_cdf")) >= delta:
        return math.inf

    def exceeds(epsilon: float) -> bool:
        found = laws @ deltas_of_groups(rho, most, epsilon)
        return float(np.quantile(found, share, method="inverted_cdf")) > delta

    if not exceeds(0.0):
        return 0.0
    low, high = 0.0, 1.0
    while exceeds(high):
        low, high = high, 2 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if exceeds(middle) else (low, middle)
    return high


def rho_of_epsilon(epsilon: float, delta: float) -> float:
    """The rho that promises just this epsilon at this delta: `epsilon_from_rho_tight` the other way round.

    Examples
    --------
    >>> round(rho_of_epsilon(epsilon_from_rho_tight(0.1, 1e-6), 1e-6), 6)
    0.1
    """
    if not epsilon > 0:
        return 0.0
    if math.isinf(epsilon):
        return math.inf
    low, high = 0.0, epsilon
    while high - low > 1e-10 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if epsilon_from_rho_tight(middle, delta) <= epsilon else (low, middle)
    return high
