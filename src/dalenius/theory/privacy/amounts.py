"""Amounts: how far one moves what is printed of groups, and how much closer noise lets anybody come.

Two data sets are neighbours here when one person has another amount, at most so far from the true one; who is
in which group is the same in both, and public. For a distance that is a part of the amount itself that is
per-record differential privacy (Seeman, Sexton, Pujol and Machanavajjhala 2024, *Privately Answering Queries
on Skewed Data via Per-Record Differential Privacy*); for the whole range that amounts can have it holds for
everybody alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from dalenius.theory import _check
from dalenius.theory.privacy.conversions import delta_from_mu

KINDS = ("sum", "mean", "place", "sd", "variance")

MOST_CLOSER = 0.9999
"""Any noise keeps to gaining everything."""


def amount_slope(kind: str, people: int, span: float = math.inf) -> float:
    """Return by how much one number of a group moves at most when one amount in it moves by one.

    A sum by 1 and a mean by ``1/n``. A place in the order of amounts, or a number between two such places, by
    1: the k-th smallest of n is 1-Lipschitz in each. A standard deviation (squares divided by ``n - 1``) by
    ``1/sqrt(n)``: its slope is ``|x - mean| / ((n - 1) sd)``, and ``|x - mean| <= sd (n - 1) / sqrt(n)``
    (Samuelson 1968). A variance by ``2 span / n``, where amounts lie within a range of this span.

    Parameters
    ----------
    kind
        ``sum``, ``mean``, ``place``, ``sd`` or ``variance``.
    people
        How many are in the group.
    span
        The largest amount that there can be less the smallest.

    Examples
    --------
    >>> [amount_slope(kind, 4, 10.0) for kind in ("sum", "mean", "place", "sd", "variance")]
    [1.0, 0.25, 1.0, 0.5, 5.0]
    """
    n = _check.count("people", people)
    match _check.choice("kind", kind, KINDS):
        case "mean":
            return 1 / n
        case "sd":
            return 1 / math.sqrt(n)
        case "variance":
            return 2 * span / n
    return 1.0


def one_amount_moves(
    people: int, numbers: Sequence[tuple[NDArray[np.intp], float | NDArray[np.float64]]]
) -> tuple[float, float, int]:
    """Return how far one amount moves all numbers together when it moves by one, and how many of them.

    The largest over all people of the sum of slopes, which Laplace noise pays for, and of the sum of their
    squares, which Gaussian noise pays for. Every number counts in which somebody is: those of other groups,
    of other tables, of totals and of further statistics of the same group. Whatever is computed from
    numbers with noise costs nothing and is not listed.

    Parameters
    ----------
    people
        How many there are.
    numbers
        Of each number the places of the people in it, and its slope; one for each of them if they count by
        weights.

    Examples
    --------
    >>> town, everybody = np.array([0, 1]), np.array([0, 1, 2])
    >>> one_amount_moves(3, [(town, 1.0), (everybody, 1.0), (everybody, 1 / 3)])
    (2.3333333333333335, 2.111111111111111, 3)
    """
    sums, squares = np.zeros((2, _check.count("people", people)))
    counts = np.zeros(people, np.intp)
    for members, slope in numbers:
        sums[members] += np.abs(slope)
        squares[members] += np.square(slope)
        counts[members] += 1
    return float(sums.max()), float(squares.max()), int(counts.max())


def closer_from_mu(mu: float) -> float:
    """Bound how much more often anybody comes close to an amount when numbers about it have Gaussian noise.

    ``2 Phi(mu/4) - 1``, where mu is how far the ends of what is known of the amount move all numbers
    together, in units of the noise: ``(most - least) sqrt(T) / sigma`` for T sums. Let close mean anything,
    such as within 10%. With x as the amount, an attack is close as often as with the middle m in its place,
    but for the total variation of the two laws of its numbers, which is at most ``2 Phi(mu/4) - 1`` as x is
    at most half the range from m (Neyman and Pearson). With m in its place the numbers do not tell of x at
    all, and no attack is close more often than the best guess without them, whatever is believed
    beforehand of x, and known of everybody else.

    For small mu it is what a coin between the two ends gains, ``Phi(mu/2) - 1/2``; that never gains more.

    Examples
    --------
    >>> round(closer_from_mu(1.0), 6), round(closer_from_mu(0.25), 6)
    (0.197413, 0.049835)
    """
    return delta_from_mu(_check.positive("mu", mu) / 2, 0.0)


def closer_from_epsilon(epsilon: float) -> float:
    """Bound the same under pure differential privacy: ``tanh(epsilon/4)``.

    With the middle in its place it is private with half of epsilon, and then two laws differ in total
    variation by at most ``(exp(epsilon/2) - 1) / (exp(epsilon/2) + 1)``.

    Examples
    --------
    >>> round(closer_from_epsilon(1.0), 6)
    0.244919
    """
    return math.tanh(_check.positive("epsilon", epsilon) / 4)


def mu_for_closer(gain: float) -> float:
    """Return the largest mu under which nobody comes close more often by more than this.

    Examples
    --------
    >>> round(closer_from_mu(mu_for_closer(0.05)), 9)
    0.05
    """
    most = min(_check.positive("gain", gain), MOST_CLOSER)
    return 4 * float(ndtri((1 + most) / 2)) * (1 - 1e-12)
