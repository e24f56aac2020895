"""How well claims fit the truth: are they about the same people, how calibrated and how sharp are they?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.people.roster import Ids
from dalenius.reconstruction.attack.guesses import Guesses


def check_people(claims: Guesses, truth_ids: Ids, truth: NDArray[np.int32]) -> None:
    """Refuse to score claims about other people, or the same people in another order."""
    if claims.ids.size != truth_ids.size or truth_ids.size != truth.size:
        raise InputError(
            "claims",
            "must be about the people of the truth",
            f"{claims.ids.size:,} claims, {truth_ids.size:,} names and {truth.size:,} secrets",
        )
    if truth.size == 0:
        raise InputError("truth", "must have at least one person", "none")
    other = np.flatnonzero(claims.ids != truth_ids)
    if other.size:
        raise InputError(
            "claims",
            "must name the people in the order of the truth",
            f"{other.size:,} names that differ, first in row {other[0] + 1:,}",
            f"Sort both by {claims.id_name!r}.",
        )
    if not 0 <= truth.min() <= truth.max() < len(claims.levels):
        raise InputError("truth", f"must hold codes from 0 to {len(claims.levels) - 1}", "codes outside")
    if claims.probability.shape != (truth.size, len(claims.levels)):
        raise InputError("claims", "must have a probability for each value", f"{claims.probability.shape}")
    if not np.isfinite(claims.probability).all():
        raise InputError("claims", "must have a probability for each value", "some that are no number")


def balanced_accuracy(guess: NDArray[np.int32], truth: NDArray[np.int32]) -> float:
    """Average, over the values that occur, how often the people with that value are guessed right.

    Examples
    --------
    >>> balanced_accuracy(np.array([0, 0, 0, 0]), np.array([0, 0, 0, 1]))
    0.5
    """
    return float(np.mean([(guess[truth == value] == value).mean() for value in np.unique(truth)]))


def brier(probability: NDArray[np.float64], truth: NDArray[np.int32]) -> float:
    """Half the mean squared distance between stated probabilities and the truth: 0 best, 1 worst.

    Half of Brier's (1950) sum over all values, so that for a yes/no secret it is the usual ``(p - y)^2``.

    Examples
    --------
    >>> brier(np.array([[0.5, 0.5], [0.0, 1.0]]), np.array([1, 1]))
    0.125
    """
    distance = probability.copy()
    distance[np.arange(truth.size), truth] -= 1
    return float((distance**2).sum(axis=1).mean() / 2)
