"""Correlations of the secret with public columns: equations but for one number, which is scanned.

A correlation is divided by the standard deviation of the secret, so its equation needs to know how many
people have it. Every number of people is tried; the right one leaves equations that whole secrets fit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.matrices.answers import Vector


@dataclass(frozen=True)
class Scan:
    """What a scan over the number of people with the secret found.

    Parameters
    ----------
    total
        The number whose secrets fit best.
    guess
        Everybody's secret, 0 or 1, for that number.
    misfit
        For every number from 1 to all but one, how badly rounded secrets miss the correlations.
    """

    total: int
    guess: NDArray[np.int32]
    misfit: Vector


def scan_correlations(columns: NDArray[np.float64], correlations: Vector) -> Scan:
    """Find the secrets behind Pearson correlations with public columns.

    Also for fully standardised coefficients of single-column fits, which are the same numbers. For every
    number of people ``K`` the equations ``X_c^T s = n r sd(x) sd(s)`` and ``sum s = K`` are solved by least
    squares around ``K / n``, and what is left is measured in units of ``sd(s)``.

    Parameters
    ----------
    columns
        The public columns, one row a person.
    correlations
        One a column, as published.

    Raises
    ------
    InputError
        If the numbers are not correlations, or a column does not vary.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(size=(12, 24))
    >>> s = np.array([1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0])
    >>> r = [float(np.corrcoef(column, s)[0, 1].round(3)) for column in x.T]
    >>> scan_correlations(x, np.array(r)).guess
    array([1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0], dtype=int32)
    """
    n, d = columns.shape
    if correlations.shape != (d,) or not (np.abs(correlations) <= 1).all():
        raise InputError("correlations", f"must be {d} numbers from -1 to 1", f"shape {correlations.shape}")
    centred = columns - columns.mean(axis=0)
    sd = centred.std(axis=0)
    if (sd <= 0).any():
        raise InputError("columns", "must vary", f"{int((sd <= 0).sum())} that do not")
    unit = (centred / sd).T
    inverse = np.linalg.pinv(np.vstack([unit, np.ones(n) / n**0.5]))
    misfit, guesses = np.empty(n - 1), np.empty((n - 1, n), np.int32)
    for total in range(1, n):
        rate = total / n
        scale = (rate * (1 - rate)) ** 0.5
        # the columns are centred, so taking the mean off the secret changes only the last equation, to zero
        solved = rate + inverse @ np.append(n * correlations * scale, 0.0)
        guesses[total - 1] = solved >= 0.5
        rest = np.append(
            unit @ guesses[total - 1] / scale - n * correlations, guesses[total - 1].sum() - total
        )
        misfit[total - 1] = np.linalg.norm(rest)
    best = int(np.argmin(misfit))
    return Scan(best + 1, guesses[best], misfit)
