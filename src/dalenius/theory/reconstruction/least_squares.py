"""Least squares, the spectral attack, and its version with a prior (LMMSE).

The linear problem is `z = b + A s + e`: `A` has m rows (published answers) and n columns (people),
`s` is the 0/1 secret, `e` the error in counts; `G = A^T A`; `sigma_min` is the n-th singular value of
`A`. The guess is the least squares solution rounded at 1/2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from dalenius.errors import InputError
from dalenius.theory import _check
from dalenius.theory.reconstruction.rounding import rounding_wrong_bound


def least_squares_wrong_bound(m: int, error: float, sigma_min: float) -> float:
    """Bound the number of wrong bits of least squares when every answer is within `error`.

    Kasiviswanathan, Rudelson and Smith (2013), Theorem 2.1: at most `4 m error^2 / sigma_min^2`.

    Parameters
    ----------
    m
        Answers.
    error
        Largest error of any answer, in counts; the errors may be chosen by anyone.
    sigma_min
        Least singular value of `A`, above 0.

    Returns
    -------
    float
        Upper bound of the number of wrong bits; above n it says nothing.

    Notes
    -----
    The print asks for m > n where m >= n suffices, and lists the reciprocal singular values of the
    left inverse in the wrong order; neither touches the bound. It is a worst case: more queries do
    not help against chosen errors. For independent noise see `least_squares_accuracy`.

    Examples
    --------
    >>> round(least_squares_wrong_bound(4, 0.3, 1.0), 12)
    1.44
    """
    squared = _check.count("m", m) * _check.nonnegative("error", error) ** 2
    return rounding_wrong_bound(squared / _check.positive("sigma_min", sigma_min) ** 2)


def least_squares_wrong_bound_from_norm(error_norm: float, sigma_min: float) -> float:
    """Bound the number of wrong bits of least squares by the Euclidean norm of all errors.

    Kasiviswanathan, Rudelson and Smith (2013), proof of Theorem 2.1:
    `4 ||e||_2^2 / sigma_min^2`. Holds for least squares restricted to the box [0, 1]^n too, since
    projecting on a convex set that contains the truth does not enlarge the error.

    Examples
    --------
    >>> round(least_squares_wrong_bound_from_norm(0.15**0.5, 1.0), 12)
    0.6
    """
    distance = _check.nonnegative("error_norm", error_norm)
    return rounding_wrong_bound((distance / _check.positive("sigma_min", sigma_min)) ** 2)


def inverse_gram_diagonal(A: ArrayLike) -> NDArray[np.float64]:
    """Return the diagonal of `(A^T A)^-1`, one number per person.

    Times the noise variance, it is the variance of each person's least squares estimate.

    Raises
    ------
    InputError
        If the columns of `A` are linearly dependent: some secrets are then not identifiable.

    Examples
    --------
    >>> inverse_gram_diagonal([[2, 0], [0, 4]]).tolist()
    [0.25, 0.0625]
    """
    values = _check.matrix("A", A)
    _, sizes, directions = np.linalg.svd(values, full_matrices=False)
    n = values.shape[1]
    tolerance = sizes[0] * max(values.shape) * np.finfo(np.float64).eps
    rank = int(np.sum(sizes > tolerance))
    if rank < n:
        fix = "Merge people with identical columns, or use lmmse_variances."
        raise InputError("A", f"must have rank {n}", f"rank {rank}", fix)
    result: NDArray[np.float64] = np.sum((directions / sizes[:, None]) ** 2, axis=0)
    return result


def least_squares_expected_wrong_bound(tau: float, inverse_gram: ArrayLike) -> float:
    """Bound the expected number of wrong bits under independent noise of any shape.

    `4 tau^2 trace(G^-1)`, from the rounding lemma and the variance of least squares. Where the worst
    case of Kasiviswanathan, Rudelson and Smith (2013), Theorem 2.1, has m, this has at most n.

    Parameters
    ----------
    tau
        Standard deviation of the independent, mean-zero error of each count.
    inverse_gram
        Diagonal of `G^-1`, see `inverse_gram_diagonal`.

    Examples
    --------
    >>> least_squares_expected_wrong_bound(0.5, [0.125] * 8)
    1.0
    """
    variances = _check.positive_vector("inverse_gram", inverse_gram)
    return rounding_wrong_bound(_check.nonnegative("tau", tau) ** 2 * float(variances.sum()))


def least_squares_accuracy(tau: float, inverse_gram: ArrayLike) -> float:
    """Return the expected fraction of right bits of least squares under Gaussian noise.

    `mean_i Phi(1 / (2 tau sqrt((G^-1)_ii)))`: exact for independent Gaussian noise of standard
    deviation `tau` on every count, whatever the secret. In neither paper.

    Examples
    --------
    >>> round(least_squares_accuracy(1.0, [5 / 7] * 3), 10)
    0.722943435
    """
    spread = np.sqrt(_check.positive_vector("inverse_gram", inverse_gram))
    return float(np.mean(ndtr(1 / (2 * _check.positive("tau", tau) * spread))))


def lmmse_variances(A: ArrayLike, tau: float, prior: ArrayLike = 0.5) -> NDArray[np.float64]:
    """Return the diagonal of `C = (A^T A / tau^2 + diag(1/v))^-1`, with `v = prior (1 - prior)`.

    The mean squared error left about each person after the best linear rule: `v` where nothing was
    learned, near 0 where the secret is given away. Defined for every rank.

    Examples
    --------
    >>> lmmse_variances([[1.0, 0.0]], 0.5).tolist()
    [0.125, 0.25]
    """
    values = _check.matrix("A", A)
    m, n = values.shape
    probability = _prior(prior, n)
    v, noise = probability * (1 - probability), _check.positive("tau", tau) ** 2
    if m < n:  # the same by the Woodbury identity, with an m x m matrix
        weighted = values * v
        seen = np.linalg.solve(weighted @ values.T + noise * np.eye(m), weighted)
        fewer: NDArray[np.float64] = v - (weighted * seen).sum(axis=0)
        return fewer
    precision = values.T @ values / noise + np.diag(1 / v)
    result: NDArray[np.float64] = np.diagonal(np.linalg.inv(precision)).copy()
    return result


def lmmse_accuracy(variances: ArrayLike, prior: ArrayLike = 0.5) -> float:
    """Predict the fraction of right bits of LMMSE rounded at 1/2.

    The rule sees each secret through Gaussian noise of variance `w = C v / (v - C)`; with prior 1/2
    the bit is right with probability `Phi(1 / (2 sqrt w))`. A normal approximation, good to about
    0.01 also with fewer answers than people. In neither paper.

    Parameters
    ----------
    variances
        Diagonal of `C`, see `lmmse_variances`.
    prior
        Chance that the bit is 1 before the release, for all or for each person.

    Examples
    --------
    >>> round(lmmse_accuracy([0.125, 0.25]), 6)
    0.670672
    """
    left = _check.positive_vector("variances", variances)
    p = _prior(prior, left.size)
    v = p * (1 - p)
    learned = v - left
    if np.any(learned < -1e-9 * v):
        rule = "must not exceed prior (1 - prior)"
        raise InputError("variances", rule, repr(float(left.max())), "Use lmmse_variances.")
    right = np.maximum(p, 1 - p)
    some = learned > 1e-9 * v
    p, v, left, learned = p[some], v[some], left[some], learned[some]
    noise = np.sqrt(left * v / learned)
    cut = p + (0.5 - p) * v / learned
    right[some] = p * ndtr((1 - cut) / noise) + (1 - p) * ndtr(cut / noise)
    return float(right.mean())


def _prior(prior: ArrayLike, n: int) -> NDArray[np.float64]:
    values = _check.vector("prior", prior)
    if values.size not in (1, n):
        got = f"{values.size} for {n} people"
        raise InputError("prior", "must be one number, or one per person", got, "Match the people.")
    if np.any((values <= 0) | (values >= 1)):
        got = repr(float(values[(values <= 0) | (values >= 1)][0]))
        fix = "A person with prior 0 or 1 has no secret: leave them out."
        raise InputError("prior", "must lie strictly between 0 and 1", got, fix)
    return np.array(np.broadcast_to(values, (n,)))
