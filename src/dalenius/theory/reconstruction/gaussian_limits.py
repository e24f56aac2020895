"""What no attack can exceed when Gaussian noise is added to linear statistics."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from dalenius.errors import InputError
from dalenius.theory import _check
from dalenius.theory.privacy import guess_from_mu


def any_attack_accuracy(column_norms: ArrayLike, tau: float, prior: float = 0.5) -> float:
    """Bound the expected fraction of right bits of every attack.

    Each person is guessed by someone told all other secrets: two Gaussians at distance
    `delta_i = ||A_i||_2 / tau`, best told apart as in Dwork, Smith, Steinke and Ullman (2017),
    Lemma 19 and section 4.2. Prior 1/2: `Phi(delta_i / 2)`; the bound is the mean over people.

    Parameters
    ----------
    column_norms
        Euclidean norm of each person's column of `A`. For noise with covariance `Sigma` give
        `sqrt(A_i^T Sigma^-1 A_i)` and `tau = 1`.
    tau
        Standard deviation of the independent Gaussian noise on each count.
    prior
        Chance that a bit is 1 before the release, independently for each person.

    Examples
    --------
    >>> round(any_attack_accuracy([3**0.5] * 3, 1.0), 10)
    0.8067618846
    """
    norms = _check.vector("column_norms", column_norms)
    if np.any(norms < 0):
        raise InputError("column_norms", "must be at least 0", repr(float(norms.min())), "Give norms.")
    tau, prior = _check.positive("tau", tau), _check.open_unit("prior", prior)
    untouched = max(prior, 1 - prior)
    sizes, people = np.unique(norms / tau, return_counts=True)
    best = [guess_from_mu(float(size), prior) if size > 0 else untouched for size in sizes]
    return float(np.average(best, weights=people))


def noise_to_stop_all(column_norm: float, excess: float) -> float:
    """Return the Gaussian noise at which nobody is guessed better than `1/2 + excess`.

    `max_i ||A_i||_2 / (2 Phi^-1(1/2 + excess))`, prior 1/2: the inverse of `any_attack_accuracy` for
    the most exposed person.

    Parameters
    ----------
    column_norm
        Largest Euclidean norm of a column of `A`.
    excess
        Tolerated gain over a coin flip, between 0 and 1/2.

    Examples
    --------
    >>> round(noise_to_stop_all(1.0, 0.05), 2)
    3.98
    """
    if not 0 < _check.number("excess", excess) < 0.5:
        raise InputError("excess", "must lie between 0 and 1/2", repr(excess), "Try 0.05.")
    return _check.positive("column_norm", column_norm) / float(2 * ndtri(0.5 + excess))
