"""Count how often claims are right. Counts first: every rate is hits over trials."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.attacks.claims import Guesses
from dalenius.errors import InputError
from dalenius.people.roster import Ids

BINS = 15


@dataclass(frozen=True)
class Tally:
    """How many were tried, and how many of those were right.

    Examples
    --------
    >>> Tally(3, 4).rate
    0.75
    """

    hits: int
    trials: int

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.trials:
            raise InputError("hits", "must lie between 0 and trials", f"{self.hits} of {self.trials}")

    @property
    def rate(self) -> float:
        """Hits over trials; 0 where nothing was tried."""
        return self.hits / self.trials if self.trials else 0.0


@dataclass(frozen=True)
class Comparison:
    """An attack and a baseline on the same people.

    Parameters
    ----------
    attack, baseline
        How often each is right.
    only_attack, only_baseline
        About how many people one is right and the other wrong: all that a paired comparison rests on.
    """

    attack: Tally
    baseline: Tally
    only_attack: int
    only_baseline: int

    def __post_init__(self) -> None:
        both = self.attack.hits - self.only_attack
        neither = self.attack.trials - both - self.only_attack - self.only_baseline
        same_people = self.attack.trials == self.baseline.trials
        fits = both == self.baseline.hits - self.only_baseline and min(both, neither) >= 0
        if not (same_people and fits and min(self.only_attack, self.only_baseline) >= 0):
            raise InputError("comparison", "must count the same people twice", repr(self))

    @property
    def trials(self) -> int:
        """How many people were compared."""
        return self.attack.trials

    @property
    def difference(self) -> float:
        """Rate of the attack less rate of the baseline."""
        return (self.only_attack - self.only_baseline) / self.trials if self.trials else 0.0


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


def count(right: NDArray[np.bool_]) -> Tally:
    """Count who was guessed right.

    Examples
    --------
    >>> count(np.array([True, False, True]))
    Tally(hits=2, trials=3)
    """
    return Tally(int(right.sum()), right.size)


def compare(attack_right: NDArray[np.bool_], baseline_right: NDArray[np.bool_]) -> Comparison:
    """Compare two guesses about the same people.

    Examples
    --------
    >>> compare(np.array([True, True, False]), np.array([True, False, False])).only_attack
    1
    """
    return Comparison(
        attack=count(attack_right),
        baseline=count(baseline_right),
        only_attack=int((attack_right & ~baseline_right).sum()),
        only_baseline=int((baseline_right & ~attack_right).sum()),
    )


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


def calibration_error(stated: NDArray[np.float64], happened: NDArray[np.bool_]) -> float:
    """Expected calibration error: how far stated probabilities are from how often it happens.

    Fifteen equal bins of the stated probability; the gap between mean probability and frequency in each,
    averaged over claims (Guo, Pleiss, Sun and Weinberger 2017, equation 3).

    Examples
    --------
    >>> round(calibration_error(np.array([0.9, 0.9, 0.9, 0.9]), np.array([True, True, False, False])), 10)
    0.4
    """
    bin_of = np.minimum((stated * BINS).astype(np.intp), BINS - 1)
    excess = np.bincount(bin_of, weights=stated - happened, minlength=BINS)
    return float(np.abs(excess).sum() / stated.size)
