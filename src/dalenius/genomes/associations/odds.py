"""What odds ratios and their standard errors say about the frequencies behind them.

For alleles in cases (frequency ``a``) and controls (``u``) the odds ratio is ``a (1 - u) / (u (1 - a))``, and
its logarithm has the variance ``1 / (2 A a (1 - a)) + 1 / (2 U u (1 - u))`` for A cases and U controls
(Woolf). So the odds ratio turns one frequency into the other; with the frequency of both groups it gives
both; and where no frequency is printed, the standard error gives them up to which allele is the rarer one.
Odds ratios of a logistic regression differ from these by what genotypes differ from Hardy-Weinberg
proportions; the standard errors tell by how much, variant by variant. Whatever is read off is a published
frequency with an error, which costs power and not the level.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.matrices.answers import Vector

HALVINGS = 60
"""Halvings of an interval of frequencies: as far as doubles go."""


def cases_from_controls(log_odds: Vector, controls: Vector) -> Vector:
    """Return the frequency in cases, from the one in controls and the log odds ratio.

    Examples
    --------
    >>> cases_from_controls(np.log([2.0]), np.array([0.25])).round(6)
    array([0.4])
    """
    ratio = np.exp(log_odds)
    return np.asarray(ratio * controls / (1 - controls + ratio * controls))


def groups_from_everybody(log_odds: Vector, everybody: Vector, share: Vector) -> tuple[Vector, Vector]:
    """Return the frequencies in cases and in controls, from that of both together.

    ``share`` is how many of all people are cases. The root in 0 .. 1 of a quadratic equation.

    Examples
    --------
    >>> cases, controls = groups_from_everybody(np.log([2.0]), np.array([0.3]), np.array([1 / 3]))
    >>> cases.round(6), controls.round(6)
    (array([0.4]), array([0.25]))
    """
    step = np.expm1(log_odds)
    square = (1 - share) * step
    linear = 1 + step * (share - everybody)
    root = np.sqrt(np.maximum(linear**2 + 4 * square * everybody, 0.0))
    controls = np.clip(2 * everybody / (linear + root), 0.0, 1.0)  # the form that keeps its digits
    return cases_from_controls(log_odds, controls), controls


def spread_of(cases: Vector, controls: Vector, sizes: tuple[Vector, Vector]) -> Vector:
    """Return the standard error of the log odds ratio that frequencies and numbers of people imply.

    Examples
    --------
    >>> spread_of(np.array([0.4]), np.array([0.25]), (np.array([100]), np.array([200]))).round(6)
    array([0.184842])
    """
    inverse = [
        1 / (2 * n * np.maximum(f * (1 - f), 1e-12)) for f, n in zip((cases, controls), sizes, strict=True)
    ]
    return np.asarray(np.sqrt(inverse[0] + inverse[1]))


def allelic(log_odds: Vector, error: Vector, implied: Vector) -> Vector:
    """Turn effects of a regression on genotypes into log odds ratios of alleles.

    An effect is the difference between the groups over the variance of the genotypes, which is that of two
    independent alleles times how much smaller the squared standard error is than ``implied`` by those. What
    all variants have in common there (covariates, imputation) is divided out.

    Examples
    --------
    >>> allelic(np.array([0.2, 0.2]), np.array([0.1, 0.1]), np.array([0.1, 0.1]))
    array([0.2, 0.2])
    """
    ratio = (implied / error) ** 2
    usual = np.nanmedian(ratio)
    return np.asarray(log_odds * np.clip(ratio / usual, 0.5, 2.0))


def groups_from_spread(
    log_odds: Vector, error: Vector, sizes: tuple[Vector, Vector]
) -> tuple[Vector, Vector, NDArray[np.bool_]]:
    """Return the frequencies where only the odds ratio and its standard error are printed.

    The error is least where the alleles are about equally frequent and grows to both sides, so two pairs of
    frequencies have it; returned is the one where the counted allele is the rarer one.

    Returns
    -------
    tuple
        The frequencies in cases and controls, and whether the error is too small for any: then the nearest.

    Examples
    --------
    >>> sizes = np.array([100.0]), np.array([200.0])
    >>> cases, controls, beyond = groups_from_spread(np.log([2.0]), np.array([0.184842]), sizes)
    >>> cases.round(4), controls.round(4), beyond
    (array([0.4]), array([0.25]), array([False]))
    """

    def error_at(logit: Vector) -> Vector:
        controls = 1 / (1 + np.exp(-logit))
        return spread_of(cases_from_controls(log_odds, controls), controls, sizes)

    # the error is convex in the logit: its least value first, by golden section, then the root below it
    low, high = np.full(log_odds.shape, -30.0) - np.abs(log_odds), 30.0 + np.abs(log_odds)
    golden = (np.sqrt(5) - 1) / 2
    for _ in range(2 * HALVINGS):
        inner = high - golden * (high - low), low + golden * (high - low)
        left = error_at(inner[0]) < error_at(inner[1])
        low, high = np.where(left, low, inner[0]), np.where(left, inner[1], high)
    least = (low + high) / 2
    beyond = error_at(least) > error
    below, above = least - 60.0, least
    for _ in range(HALVINGS):
        middle = (below + above) / 2
        larger = error_at(middle) > error
        below, above = np.where(larger, middle, below), np.where(larger, above, middle)
    controls = 1 / (1 + np.exp(-np.where(beyond, least, (below + above) / 2)))
    return cases_from_controls(log_odds, controls), controls, beyond
