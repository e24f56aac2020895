"""Numbers so coarse that they say little: recentred on what is likely, or refused as saying nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from dalenius.attacks.reconstruction.system import LinearSystem
from dalenius.errors import UnsupportedError
from dalenius.records.answers import Vector

UNIFORM = 3**0.5
"""Half the width of an interval, in standard deviations of a number that is anywhere in it."""

FLAT = 1e-6
"""Precision, beside that of the prior, below which an interval says nothing."""

FAR = 5.0
"""Standard deviations from what the prior expects beyond which an interval speaks for itself."""


def refuse_vacuous(system: LinearSystem) -> None:
    """Refuse equations without noise that every secret fits, such as coefficients with too few decimals.

    Counts are left to the decoders: a table that says nothing still has a size, and a baseline.

    Raises
    ------
    UnsupportedError
        If no equation excludes anything, nor makes anything less likely: its error is usually as large as all
        that secrets can do to it.
    """
    if not system.sharp or system.counting.any():
        return
    matrix = system.A.explicit()
    least, most = system.least.astype(np.float64), system.most.astype(np.float64)
    up, down = matrix.maximum(0), matrix.minimum(0)
    lowest, highest = up @ least + down @ most, up @ most + down @ least
    open_ = (system.low <= lowest) & (system.high >= highest)
    if (open_ & (2 * UNIFORM * system.spread >= highest - lowest)).all():
        raise UnsupportedError(
            f"the {system.centre.size:,} published numbers are too coarse: with their stated error every "
            "secret of these people fits all of them, so there is nothing to reconstruct; give more digits "
            "if they were published"
        )


def recentre(system: LinearSystem) -> LinearSystem:
    """Read a wide interval as the Gaussian that says as much about the secrets.

    A coefficient that was rounded to 0 gives an interval around 0 that may hold everything likely. Its middle
    would pull all secrets towards 0, and its width, read as independent noise, would promise more than it
    holds: rounding errors that large are not noise, they are what was rounded away. So the prior sum, cut to
    the interval, is matched in mean and variance by a Gaussian factor (one step of expectation propagation;
    Minka 2001), which is flat where the interval excludes nothing likely. Intervals that are narrow beside
    the prior's spread stay what they are.
    """
    wide = ~system.counting & (system.sd == 0) & np.isfinite(system.spread)
    if not wide.any():
        return system
    matrix = system.A.explicit()
    mean = matrix @ system.start
    sd = np.sqrt(matrix.power(2) @ (system.prior * (1 - system.prior) * system.sizes))
    half = UNIFORM * system.spread
    wide &= (half > sd) & (sd > 0)
    if not wide.any():
        return system
    centre, usual = system.centre.copy(), system.spread.copy()
    centre[wide], usual[wide] = _factor(centre[wide], half[wide], mean[wide], sd[wide])
    return replace(system, centre=centre, usual=usual)


def _factor(middle: Vector, half: Vector, mean: Vector, sd: Vector) -> tuple[Vector, Vector]:
    """Mean and standard deviation of the Gaussian that does to the prior what cutting it does."""
    a, b = (middle - half - mean) / sd, (middle + half - mean) / sd
    near: NDArray[np.bool_] = (a < FAR) & (b > -FAR)
    a, b = np.where(near, a, -1.0), np.where(near, b, 1.0)
    inside = ndtr(b) - ndtr(a)
    at_a, at_b = np.exp(-a * a / 2) / np.sqrt(2 * np.pi), np.exp(-b * b / 2) / np.sqrt(2 * np.pi)
    shift = (at_a - at_b) / inside
    variance = 1 + (a * at_a - b * at_b) / inside - shift**2
    precision = np.maximum(1 / variance - 1, FLAT)
    centre = np.where(precision > FLAT, mean + sd * shift / variance / precision, mean)
    return np.where(near, centre, middle), np.where(near, sd / np.sqrt(precision), half / UNIFORM)
