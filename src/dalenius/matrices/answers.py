"""Numbers that matrices are applied to: true counts, published answers, equations about a secret.

What is known about the error of published answers, one entry per answer.

The error models of the reconstruction theory, side by side: an interval that holds the true answer for
sure (rounding, suppression, bounded error), a standard deviation of random noise, or neither.

The true answers to a statistic on their way to a mechanism.

Published numbers as linear equations about a 0/1 secret.

A secret with two values makes any function of one person affine in it, so anything published that is a
sum over people, or the optimum of one, becomes rows ``rows @ s = target`` (Kasiviswanathan et al. 2013,
sections 3 and 4).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class AnswerError:
    """For each answer: the interval of the true value, and the noise around it.

    Parameters
    ----------
    low, high
        The true answer lies in ``low .. high`` for sure; infinite where nothing is sure.
    centre
        The best single number for the true answer; not a number where the answer was suppressed.
    sd
        Standard deviation of the random noise in ``centre``: 0 where there is none, not a number where
        there may be noise of unknown size.
    shape
        What the noise looks like: ``none``, ``gaussian``, ``laplace`` or ``unknown``.
    """

    low: Vector
    high: Vector
    centre: Vector
    sd: Vector
    shape: str


@dataclass(frozen=True)
class Sensitivity:
    """How far one person moves all answers of a release together, when their record is replaced.

    Parameters
    ----------
    l1
        Largest sum of absolute changes.
    l2_squared
        Largest sum of squared changes.
    """

    l1: float
    l2_squared: float

    def __add__(self, other: Sensitivity) -> Sensitivity:
        return Sensitivity(self.l1 + other.l1, self.l2_squared + other.l2_squared)


@dataclass(frozen=True)
class Counts:
    """True answers: one row per question, one column per value of the secret that was counted.

    Parameters
    ----------
    values
        The counts; for statistics that are not counts, any numbers.
    table
        Which table each row is a part of. Rows of one table partition the people; a row that stands alone
        (a subset count) is a table by itself.
    sensitivity
        How far one person moves these counts.
    """

    values: NDArray[np.int64] | NDArray[np.float64]
    table: NDArray[np.int64]
    sensitivity: Sensitivity


Rows = NDArray[np.float64] | NDArray[np.int8]


Errors = NDArray[np.float64] | sparse.csr_array


@dataclass(frozen=True)
class LinearForm:
    """Equations ``rows @ s = target + gain @ d``, where the true numbers are the published ones plus ``d``.

    Parameters
    ----------
    rows
        One row per equation, one column per person; small whole coefficients may be bytes.
    target
        The right side, computed from the published numbers.
    gain
        How an error of each published number moves each equation, to first order.
    reach
        How far an error of each published number can move each equation at the most, whatever its
        size; ``None`` where no such bound is known, and then nothing follows for certain.
    whole
        Which equations have a whole number on their true right side, because all coefficients are whole;
        ``None`` if not one. Given only where each equation belongs to one published number, in order.
    slack
        How far each equation may be from its right side even if all numbers are exact; ``None``: not at all.
    """

    rows: Rows
    target: NDArray[np.float64]
    gain: Errors
    reach: Errors | None
    whole: NDArray[np.bool_] | None = None
    slack: NDArray[np.float64] | None = None
