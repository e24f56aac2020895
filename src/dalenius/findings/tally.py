"""Counts first: how many were tried, how many of those were right, and two attackers on the same people."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError


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
