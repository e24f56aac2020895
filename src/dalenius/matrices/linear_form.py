"""Published numbers as linear equations about a 0/1 secret.

A secret with two values makes any function of one person affine in it, so anything published that is a
sum over people, or the optimum of one, becomes rows ``rows @ s = target`` (Kasiviswanathan et al. 2013,
sections 3 and 4).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

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
