"""What amounts are usual for such people, learnt from the others: the attacker's start, and the baseline.

Logarithms of amounts are predicted from the public columns by ridge regression, in five parts: nobody's
amount is among those that their own prediction was learnt from.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.knowledge.amounts import AmountPrior

Floats = NDArray[np.float64]

PARTS = 5
RIDGE = 1.0
SMALL = 0.01
"""Part of a usual amount that is added before logarithms are taken: an amount may be 0."""


@dataclass(frozen=True)
class Usual:
    """Everybody's predicted logarithm, how far it is off, and what was added beforehand."""

    centre: Floats
    spread: float
    least: float
    added: float

    def prior(self, most: float) -> AmountPrior:
        """The same as amounts, between the ends that are known."""
        back = self.least - self.added
        mean = back + np.exp(self.centre + self.spread**2 / 2)
        sd = np.exp(self.centre + self.spread**2 / 2) * np.sqrt(np.expm1(self.spread**2))
        median = back + np.exp(self.centre)
        inside = [np.clip(each, self.least, most) for each in (mean, median)]
        return AmountPrior(self.least, most, inside[0], np.maximum(sd, 1e-12), inside[1], back)

    def draw(self, most: float, rng: np.random.Generator) -> Floats:
        """Other amounts for the same people, which nobody has."""
        drawn = (
            self.least
            - self.added
            + np.exp(self.centre + self.spread * rng.standard_normal(self.centre.size))
        )
        return np.clip(drawn, self.least, most)


def learn_usual(amounts: Floats, codes: NDArray[np.intp], least: float, rng: np.random.Generator) -> Usual:
    """Predict everybody's amount from the others' by their public columns."""
    above = amounts - least
    added = SMALL * max(float(np.median(above)), 1e-12)
    logs = np.log(above + added)
    design = _design(codes)
    part = rng.permutation(amounts.size) % min(PARTS, amounts.size)
    centre = np.empty(amounts.size)
    for k in range(part.max() + 1):
        learn = part != k
        centre[~learn] = _predict(design[learn], logs[learn], design[~learn])
    off = logs - centre
    return Usual(centre, float(np.sqrt(np.mean(off**2))) or 1e-6, least, added)


def _design(codes: NDArray[np.intp]) -> Floats:
    """One column for each level of each public column."""
    columns = [np.eye(int(column.max(initial=0)) + 1)[column] for column in codes.T]
    return np.concatenate([np.zeros((len(codes), 0)), *columns], axis=1)


def _predict(design: Floats, logs: Floats, others: Floats) -> Floats:
    """Ridge regression around the mean."""
    if not len(logs):
        return np.zeros(len(others))
    centre = logs.mean()
    matrix = design.T @ design + RIDGE * np.eye(design.shape[1])
    return np.asarray(centre + others @ np.linalg.solve(matrix, design.T @ (logs - centre)), np.float64)
