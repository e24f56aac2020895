"""What is known about the error of published answers, one entry per answer.

The error models of the reconstruction theory, side by side: an interval that holds the true answer for
sure (rounding, suppression, bounded error), a standard deviation of random noise, or neither.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
