"""How near guesses of a number come to the truth, beside the best guess without a release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalenius.errors import InputError
from dalenius.findings.tally import Tally
from dalenius.matrices.answers import Vector


@dataclass(frozen=True)
class RealScore:
    """The errors of guesses of a number.

    Parameters
    ----------
    rmse
        Root mean squared error of the guesses.
    baseline_rmse
        That of guessing everybody's mean: the standard deviation of the secret, an oracle's guess.
    within
        People whose guess is within the tolerance.
    baseline_within
        The same for the mean.
    """

    rmse: float
    baseline_rmse: float
    within: Tally
    baseline_within: Tally


def score_real(guess: Vector, truth: Vector, tolerance: float) -> RealScore:
    """Count and measure.

    Examples
    --------
    >>> score = score_real(np.array([0.0, 2.0]), np.array([0.0, 4.0]), 0.5)
    >>> score.rmse**2, score.baseline_rmse, score.within.hits
    (2.0000000000000004, 2.0, 1)
    """
    if guess.shape != truth.shape or truth.ndim != 1 or truth.size == 0:
        raise InputError("guess", "must be one number per person", f"shape {guess.shape} for {truth.shape}")
    if tolerance <= 0:
        raise InputError("tolerance", "must be above 0", f"{tolerance:g}")
    miss, usual = np.abs(guess - truth), np.abs(truth - truth.mean())
    return RealScore(
        rmse=float(np.sqrt(np.mean(miss**2))),
        baseline_rmse=float(np.sqrt(np.mean(usual**2))),
        within=Tally(int((miss <= tolerance).sum()), truth.size),
        baseline_within=Tally(int((usual <= tolerance).sum()), truth.size),
    )
