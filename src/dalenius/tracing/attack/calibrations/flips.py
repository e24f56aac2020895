"""Sign flips: a record against one reference record of the same population.

With ``a_j = (y_j - z_j) v_j`` the score is ``S = sum a_j``. If target and reference are two independent
draws of one population with independent attributes, then given the sizes ``|a_j|`` every sign is a fair
coin: nothing about means, variances or bounds is needed, so Figures 1, 2 and 3 of *Robust Traceability* are
all served. Where attributes depend on each other within blocks, the block sums take the place of the ``a_j``.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dalenius.theory.tracing.power import BD_CONSTANT
from dalenius.tracing.attack.tails import tails
from dalenius.tracing.attack.tails.exact_tails import lattice_tail
from dalenius.tracing.attack.tails.record_law import two_point

Values = NDArray[np.float64]


def block_sums(a: Values, blocks: NDArray[np.intp]) -> Values:
    """Add up within blocks, given by a number 0, 1, ... for each attribute; last axis.

    Examples
    --------
    >>> block_sums(np.array([1.0, 2.0, 4.0]), np.array([0, 1, 0]))
    array([5., 2.])
    """
    count = int(blocks.max()) + 1
    if a.ndim == 1:
        return np.bincount(blocks, weights=a, minlength=count).astype(np.float64)
    return np.stack([np.bincount(blocks, weights=row, minlength=count) for row in a])


def log_hoeffding(score: Values, length: Values) -> Values:
    """Return ``-S^2 / (2 V^2)``, V the Euclidean length of the ``a_j``; 0 unless the score is positive."""
    t = _standard(score, length)
    return -(t**2) / 2


def log_bd(score: Values, length: Values) -> Values:
    """Return the log of Bentkus and Dzindzalieta's bound, ``C Q(S/V)``, or Hoeffding's if smaller."""
    from scipy.special import log_ndtr

    t = _standard(score, length)
    return np.where(t > 0, np.minimum(-(t**2) / 2, math.log(BD_CONSTANT) + log_ndtr(-t)), 0.0)


def log_normal(score: Values, length: Values) -> Values:
    """Return the normal approximation."""
    from scipy.special import log_ndtr

    safe = np.where(length > 0, length, 1.0)
    return np.asarray(np.where(length > 0, log_ndtr(-score / safe), 0.0))


def _standard(score: Values, length: Values) -> Values:
    """Return ``S / V``, 0 where either is not positive."""
    return np.where(length > 0, np.maximum(score, 0) / np.where(length > 0, length, 1.0), 0.0)


def exact(a: Values, *, step: float | None = None) -> float:
    """Return the log-probability that random signs reach the score.

    Parameters
    ----------
    a
        The signed terms.
    step
        If every ``a_j`` is a whole multiple of this, the sum lives on a lattice and is counted there.
    """
    size = np.abs(a[a != 0])
    if size.size == 0:
        return 0.0
    law, score = two_point(np.zeros(size.size)), float(a.sum())
    if step is not None:
        p = lattice_tail(score, law, size, step)
        if p is not None:
            return max(math.log(p), tails.TINY) if p > 0 else tails.TINY
    return tails.exact(score, law, size)


def saddlepoint(a: Values) -> float:
    """Return the saddlepoint approximation of the same probability."""
    size = np.abs(a[a != 0])
    return tails.saddlepoint(float(a.sum()), two_point(np.zeros(size.size)), size) if size.size else 0.0


def monte_carlo(a: Values, *, draws: int, rng: np.random.Generator) -> Values:
    """Draw random signs: ``(1 + times the score is reached) / (draws + 1)`` for every row; a valid p-value.

    The same signs serve all rows, so the p-values of different targets are dependent.

    Parameters
    ----------
    a
        ``(targets, attributes or blocks)``.
    draws
        How many vectors of signs.
    rng
        Where they come from.
    """
    score, size = a.sum(axis=1), np.abs(a)
    slack = 1e-12 * size.sum(axis=1)
    reached = np.zeros(a.shape[0])
    rows = max(1, 4_000_000 // a.shape[1])
    for start in range(0, draws, rows):
        signs = rng.integers(0, 2, (min(rows, draws - start), a.shape[1])) * 2.0 - 1
        reached += (signs @ size.T >= score - slack).sum(axis=0)
    return np.log((1 + reached) / (draws + 1))


MOMENTS: dict[str, Callable[[Values, Values], Values]] = {
    "hoeffding": log_hoeffding,
    "bd": log_bd,
    "normal": log_normal,
}
"""Tails that need the score and the length alone."""

FLIP_TAILS = (*MOMENTS, "exact", "monte-carlo", "saddlepoint")
APPROXIMATE = frozenset({"normal", "saddlepoint"})
