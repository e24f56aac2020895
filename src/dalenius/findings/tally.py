"""Counts first: tries and hits, two attackers on the same people; intervals for several looks."""

from __future__ import annotations

import math
from collections.abc import Callable
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


def total(which: NDArray[np.bool_], people: NDArray[np.int64] | None = None) -> int:
    """How many are meant; where each line is several ``people``, how many people.

    Examples
    --------
    >>> total(np.array([True, False, True])), total(np.array([True, False, True]), np.array([5, 1, 2]))
    (2, 7)
    """
    return int(which.sum()) if people is None else int(people[which].sum())


def count(right: NDArray[np.bool_], people: NDArray[np.int64] | None = None) -> Tally:
    """Count who was guessed right; each line is one person, or so many ``people``.

    Examples
    --------
    >>> count(np.array([True, False, True])), count(np.array([True, False]), np.array([5, 1]))
    (Tally(hits=2, trials=3), Tally(hits=5, trials=6))
    """
    return Tally(total(right, people), right.size if people is None else int(people.sum()))


def compare(
    attack_right: NDArray[np.bool_],
    baseline_right: NDArray[np.bool_],
    people: NDArray[np.int64] | None = None,
) -> Comparison:
    """Compare two guesses about the same people; each line is one of them, or so many ``people``.

    Examples
    --------
    >>> compare(np.array([True, True, False]), np.array([True, False, False])).only_attack
    1
    """
    return Comparison(
        attack=count(attack_right, people),
        baseline=count(baseline_right, people),
        only_attack=total(attack_right & ~baseline_right, people),
        only_baseline=total(baseline_right & ~attack_right, people),
    )


EXACT = "Clopper-Pearson (exact)"


SCORE = "Tango score interval for paired proportions"

APART = "Newcombe interval for two proportions, from Wilson's"


_HALVINGS = 60  # each halves the bracket: the ends are right to the last digit of a float


MUCH = 0.5
"""Of what guessing gets wrong, how much a column tells that tells much."""

FEWEST_TOLD = 20
"""People whom a column must tell more of than guessing does: fewer may be luck."""


def told_alone(counts: NDArray[np.int64]) -> tuple[float, float] | None:
    """Say of a column that tells much of a secret by itself how much, and what guessing without it gets.

    A person is told who has the commonest secret among the others with the same value of the column; where
    secrets are as common, nobody is.

    Parameters
    ----------
    counts
        How many people have each value of the column (rows) and each secret.

    Examples
    --------
    >>> told_alone(np.array([[90, 3], [4, 53]]))
    (0.9533333333333334, 0.6266666666666667)
    >>> told_alone(np.array([[50, 30], [44, 26]])) is None
    True
    """
    people, usual = int(counts.sum()), int(counts.sum(axis=0).max())
    told = _commonest_among_others(counts)
    if told - usual < max(MUCH * (people - usual), FEWEST_TOLD):
        return None
    return told / people, usual / people


def _commonest_among_others(counts: NDArray[np.int64]) -> int:
    """How many have the secret that is commonest among the others of their row."""
    if counts.shape[1] == 1:
        return int(counts.sum())
    second, first = np.partition(counts, -2, axis=1)[:, -2:].T
    return int(first[first - second > 1].sum())


@dataclass(frozen=True)
class Interval:
    """An interval that holds the true value with the stated confidence, by the named method.

    Parameters
    ----------
    value
        The estimate.
    low, high
        The ends.
    confidence
        How often intervals made this way hold the true value.
    method
        How it was made.
    """

    value: float
    low: float
    high: float
    confidence: float
    method: str


def share_confidence(confidence: float, looks: int) -> float:
    """Return the confidence that each of several intervals needs so that all hold together (Bonferroni).

    Examples
    --------
    >>> round(share_confidence(0.95, 5), 10)
    0.99
    """
    _check_confidence(confidence)
    if looks < 1:
        raise InputError("looks", "must be 1 or more", str(looks), "Count every attack that was tried.")
    return 1 - (1 - confidence) / looks


MOST_TRIALS = 10**15
"""People or rounds that anybody can have counted."""


def clopper_pearson(hits: int, trials: int, confidence: float) -> Interval:
    """Return the exact interval of a proportion (Clopper and Pearson 1934): never too narrow.

    Its ends are quantiles of the beta distribution. Nothing tried leaves everything possible, 0 to 1.

    Examples
    --------
    >>> interval = clopper_pearson(0, 10, 0.95)
    >>> round(interval.high, 6) == round(1 - 0.025**0.1, 6)
    True
    """
    from scipy.special import betaincinv

    _check_confidence(confidence)
    if not 0 <= hits <= trials <= MOST_TRIALS:
        rule = f"must lie between 0 and trials, which are at most {MOST_TRIALS:g}"
        raise InputError(
            "hits", rule, f"{float(min(hits, MOST_TRIALS)):g} of {float(min(trials, MOST_TRIALS)):g}"
        )
    tail = (1 - confidence) / 2
    low = float(betaincinv(hits, trials - hits + 1, tail)) if hits else 0.0
    high = float(betaincinv(hits + 1, trials - hits, 1 - tail)) if hits < trials else 1.0
    return Interval(hits / trials if trials else 0.0, low, high, confidence, EXACT)


def paired_difference(trials: int, only_attack: int, only_baseline: int, confidence: float) -> Interval:
    """Return the score interval of a difference between two proportions on the same people.

    All differences that a score test does not reject: Tango (1998), Equivalence test and confidence interval
    for the difference in proportions for the paired-sample design, Statistics in Medicine 17, 891-908. At
    0 that test is McNemar's. One of the intervals recommended by Fagerland, Lydersen and Laake (2014),
    Statistics in Medicine 33, 2850-2875; unlike the normal interval it keeps a width when nobody differs.

    Parameters
    ----------
    trials
        People compared.
    only_attack, only_baseline
        People about whom one is right and the other wrong.

    Notes
    -----
    The ends are found by bisection, not by the secant method of the paper: slower, but it cannot diverge.
    The method is approximate: summed exactly over all outcomes for 40 to 100 people, a 95% interval held the
    truth with probability 0.933 at worst.

    Examples
    --------
    >>> interval = paired_difference(21, 7, 1, 0.95)
    >>> round(interval.value, 3), round(interval.low, 3), round(interval.high, 3)
    (0.286, 0.026, 0.517)
    """
    from scipy.special import ndtri

    _check_confidence(confidence)
    if min(trials, only_attack, only_baseline) < 0 or only_attack + only_baseline > trials:
        got = f"{only_attack} and {only_baseline} of {trials}"
        raise InputError("people who differ", "must be 0 or more, and together at most trials", got)
    if trials == 0:
        return Interval(0.0, -1.0, 1.0, confidence, SCORE)
    value = (only_attack - only_baseline) / trials
    far = float(ndtri((1 + confidence) / 2))

    def rejected(difference: float) -> bool:
        return abs(_score(trials, only_attack, only_baseline, difference)) > far

    return Interval(value, _edge(rejected, value, -1.0), _edge(rejected, value, 1.0), confidence, SCORE)


def difference_apart(one: Tally, other: Tally, confidence: float) -> Interval:
    """Return the interval of a difference between two proportions of different people.

    Newcombe (1998), Interval estimation for the difference between independent proportions, Statistics in
    Medicine 17, 873-890, method 10: the ends of Wilson's intervals, added as variances are. It keeps a width
    where nobody was right on either side, and the sizes of the two may differ as they like.

    Examples
    --------
    >>> interval = difference_apart(Tally(56, 70), Tally(48, 80), 0.95)
    >>> round(interval.value, 4), round(interval.low, 4), round(interval.high, 4)
    (0.2, 0.0524, 0.3339)
    """
    _check_confidence(confidence)
    if not (one.trials and other.trials):
        return Interval(0.0, -1.0, 1.0, confidence, APART)
    (low, high), (least, most) = _wilson(one, confidence), _wilson(other, confidence)
    value = one.rate - other.rate
    down = math.hypot(one.rate - low, most - other.rate)
    up = math.hypot(high - one.rate, other.rate - least)
    return Interval(value, value - down, value + up, confidence, APART)


def _wilson(own: Tally, confidence: float) -> tuple[float, float]:
    from scipy.special import ndtri

    z, n, p = float(ndtri((1 + confidence) / 2)), own.trials, own.rate
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    wide = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return middle - wide, middle + wide


def mcnemar(only_attack: int, only_baseline: int) -> float:
    """Return the exact two-sided p-value of McNemar's test: are the two equally often right?

    Under equality each person on whom they differ is a fair coin.

    Examples
    --------
    >>> mcnemar(5, 0)
    0.0625
    """
    from scipy.special import bdtr

    if min(only_attack, only_baseline) < 0:
        raise InputError("people who differ", "must be 0 or more", f"{only_attack} and {only_baseline}")
    differ = only_attack + only_baseline
    return min(1.0, 2 * float(bdtr(min(only_attack, only_baseline), differ, 0.5)))


def _score(trials: int, more: int, less: int, difference: float) -> float:
    """Tango's statistic for one supposed difference, with the nuisance rate at its likeliest value."""
    a = 2.0 * trials
    b = -more - less + (2 * trials - more + less) * difference
    c = -less * difference * (1 - difference)
    rate = (math.sqrt(max(b * b - 4 * a * c, 0.0)) - b) / (2 * a)
    variance = trials * (2 * rate + difference * (1 - difference))
    gap = more - less - trials * difference
    if gap == 0:
        return 0.0
    return gap / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, gap)


def _edge(rejected: Callable[[float], bool], inside: float, outside: float) -> float:
    if not rejected(outside):
        return outside
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        if rejected(middle):
            outside = middle
        else:
            inside = middle
    return inside


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise InputError(
            "confidence", "must lie strictly between 0 and 1", f"{confidence:g}", "Use for example 0.95."
        )
