"""How likely amounts are: lognormal above a shift where that is known, normal otherwise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from dalenius.knowledge.amounts import AmountPrior

Floats = NDArray[np.float64]

TINY = 1e-300

FLOOR = 1e-3
"""Part of what is usual below which rows move nobody's mean: a lognormal amount is above its shift."""


@dataclass(frozen=True)
class AmountLaw:
    """Everybody's law: the normal centre and spread of their amount, or of its logarithm above ``shift``."""

    centre: Floats
    spread: Floats
    shift: float | None = None

    @staticmethod
    def of(mean: Floats, sd: Floats, shift: float | None) -> AmountLaw:
        """The law with these means and standard deviations.

        Examples
        --------
        >>> law = AmountLaw.of(np.array([5.0]), np.array([1.0]), 0.0)
        >>> law.below(np.array([5.0])).round(3), law.at(np.array([0.5])).round(3)
        (array([[0.539]]), array([[4.903]]))
        """
        if shift is None:
            return AmountLaw(mean, np.maximum(sd, TINY), None)
        above = np.maximum(mean - shift, TINY)
        variance = np.log1p(np.minimum(sd / above, 1e6) ** 2)
        return AmountLaw(np.log(above) - variance / 2, np.maximum(np.sqrt(variance), TINY), shift)

    @staticmethod
    def moved(prior: AmountPrior, mean: Floats, sd: Floats) -> AmountLaw:
        """What is usual after means have moved, and as much narrower as standard deviations are.

        Of a lognormal law the logarithm is: somebody in a group with little has little, but may be off by as
        large a part of it.
        """
        if prior.shift is None:
            return AmountLaw.of(mean, sd, None)
        usual = AmountLaw.of(prior.mean, prior.sd, prior.shift)
        spread = np.maximum(usual.spread * np.minimum(sd / prior.sd, 1.0), TINY)
        above = np.maximum(mean - prior.shift, FLOOR * (prior.mean - prior.shift))
        return AmountLaw(np.log(np.maximum(above, TINY)) - spread**2 / 2, spread, prior.shift)

    def take(self, people: NDArray[np.intp]) -> AmountLaw:
        """The law of some of them."""
        return AmountLaw(self.centre[people], self.spread[people], self.shift)

    def where(self, which: NDArray[np.bool_], other: AmountLaw) -> AmountLaw:
        """The law of some of them as it is, and another one for the rest."""
        centre = np.where(which, self.centre, other.centre)
        return AmountLaw(centre, np.where(which, self.spread, other.spread), self.shift)

    def below(self, numbers: Floats) -> Floats:
        """With which probability everybody is at or below numbers, a column for each."""
        if self.shift is None:
            scores = numbers
        else:
            with np.errstate(divide="ignore"):
                scores = np.log(np.maximum(numbers - self.shift, 0.0))
        return np.asarray(ndtr((scores - self.centre[:, None]) / self.spread[:, None]), np.float64)

    def at(self, parts: Floats) -> Floats:
        """Below which numbers everybody is with these probabilities."""
        scores = self.centre[:, None] + self.spread[:, None] * ndtri(np.clip(parts, 1e-12, 1 - 1e-12))
        amounts = scores if self.shift is None else self.shift + np.exp(np.minimum(scores, 700.0))
        return np.asarray(amounts, np.float64)

    def best(self, within: float) -> Floats:
        """The number that is most likely within this part of everybody's amount.

        It is near amounts from c / (1 + within) to c / (1 - within): as far below as above its middle in
        logarithms, which is the median of the law. Of a normal law the centre is taken.
        """
        if self.shift is None:
            return self.centre.copy()
        median = self.shift + np.exp(np.minimum(self.centre, 700.0))
        return np.asarray(median * np.sqrt(1 - within**2), np.float64)


def reach(numbers: Floats, within: float) -> tuple[Floats, Floats]:
    """Between which amounts a number is within this part of them.

    Examples
    --------
    >>> [ends.round(3).tolist() for ends in reach(np.array([99.0, -99.0]), 0.1)]
    [[90.0, -110.0], [110.0, -90.0]]
    """
    one, other = numbers / (1 + within), numbers / (1 - within)
    return np.minimum(one, other), np.maximum(one, other)


def guess_alone(prior: AmountPrior, within: float) -> Floats:
    """The number that is guessed without the release, by the rule by which it is guessed with it."""
    best = (
        prior.median if prior.shift is None else AmountLaw.of(prior.mean, prior.sd, prior.shift).best(within)
    )
    return np.clip(best, prior.least, prior.most)
