"""What noisy counts say of one person by a difference, whatever all others have.

Decoders of many secrets read no noise as smaller than about half a person (`LEAST_SD`): with less they settle
on secrets that fit and are not the true ones. Somebody who is alone in a cell, or in the difference of two
tables, is then hidden by noise that was never added. So every unknown is also read by itself: by the weighted
sum of rows with the least error in which all others cancel, or nearly so. What is left of the others is taken
as error, too, with a variance that no secret of theirs exceeds. Such a reading is a number with an error of
known size, and says what it says whether or not the rest was decoded rightly.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve

from dalenius.matrices.answers import Vector
from dalenius.reconstruction.attack.system.system import EDGE, LEAST_SD, LinearSystem, log_prior

Table = NDArray[np.float64]

MOST_SIDE = 1_500
"""A matrix of this side is inverted in about a second. Where there are more unknowns and more rows, unknowns
are read by cells of their own only."""

MANY = 2_000
"""Unknowns that are read at a time, so that no table of all rows by all unknowns is held."""

LEAST_SCALE = 1e-3
"""Counts: what an exact row is taken to be wrong by, so that it can be weighed."""

SURE = 1e-4
"""Nothing is claimed with more than 1 less this."""


def applies(systems: Sequence[LinearSystem]) -> bool:
    """Whether there is noise of a known size that decoders read as larger than it is."""
    return all(
        system.shape in {"gaussian", "laplace"}
        and bool(system.counting.all())
        and not np.isnan(system.sd).any()
        and bool(((system.sd > 0) & (system.sd < LEAST_SD)).any())
        for system in systems
    )


def read_each(systems: Sequence[LinearSystem]) -> Table:
    """Everybody's chance of each value by the reading of their own unknown.

    Parameters
    ----------
    systems
        One a value of the secret, or one alone for the second value of two.

    Returns
    -------
    NDArray
        A row per unknown, a column per value: the mean over its people; not a number where it is known.
    """
    if len(systems) == 1:
        share = np.full(systems[0].unknowns, np.nan)
        reduced, open_ = systems[0].free()
        share[open_] = _shares(reduced, _likelihoods(reduced, pooled=True))
        return _cut(np.stack([1 - share, share], axis=1))
    odds = np.full((systems[0].unknowns, len(systems)), np.nan)
    for v, system in enumerate(systems):
        reduced, open_ = system.by_itself().free()
        # a value that cannot be is left out, one that must be has been said
        odds[:, v] = np.where(system.most == 0, -np.inf, 0.0)
        found = _likelihoods(reduced, pooled=False)
        alone = reduced.sizes == 1
        one = found[:, 1] - found[:, 0] + np.log(np.clip(reduced.prior, EDGE, 1.0))
        several = np.log(np.clip(_shares(reduced, found), EDGE, 1.0))
        odds[open_, v] = np.where(alone, one, several)
    known = np.any([system.least == system.sizes for system in systems], axis=0)
    weight = np.exp(odds - odds.max(axis=1, keepdims=True))
    return _cut(np.where(known[:, None], np.nan, weight / weight.sum(axis=1, keepdims=True)))


def _cut(chance: Table) -> Table:
    cut = np.clip(chance, SURE / chance.shape[1], 1 - SURE)
    return np.asarray(cut / cut.sum(axis=1, keepdims=True), np.float64)


def _likelihoods(system: LinearSystem, *, pooled: bool) -> Table:
    """For each unknown, the logarithm of how likely its reading is by each sum from its least on.

    Of two values, what is left by the first is ``pooled`` with what is said of the second.
    """
    steps = int((system.most - system.least).max(initial=1)) + 1
    sums = system.least[:, None] + np.arange(steps)[None, :].astype(np.float64)
    said = system.A.shape[0] > 0 and system.unknowns > 0
    if not said:
        return np.zeros_like(sums)
    reading, variance = _readings(system)
    off = np.abs(sums - reading[:, None])
    if system.shape == "laplace":
        return np.asarray(-off * _steepness(system, variance, 2.0 if pooled else 1.0)[:, None], np.float64)
    return np.asarray(-(off**2) / (2 * variance)[:, None], np.float64)


def _steepness(system: LinearSystem, variance: Vector, answers: float) -> Vector:
    """What a count more or less costs a reading of so many answers under Laplace noise, in log likelihood.

    Sums of Laplace errors have lighter tails than one of the same variance. Of small geometric noise, which
    leaves whole numbers whole, the variance says too little: it is nearly always 0, and else 1.
    """
    if not (2 * system.centre == np.round(2 * system.centre)).all():
        return np.asarray(np.sqrt(2 / variance), np.float64)
    noise = answers * variance  # of one answer: the mean of two has half of it, and is twice as steep
    ratio = (1 + noise - np.sqrt(1 + 2 * noise)) / noise
    return np.asarray(-answers * np.log(ratio), np.float64)


def _readings(system: LinearSystem) -> tuple[Vector, Vector]:
    """The best linear reading of each unknown, and the variance of its error.

    The others are anything within their range: their prior is a Gaussian whose variance is the square of it,
    at least four times what theirs can be.
    """
    scale = np.where(system.sd > 0, system.sd, np.maximum((system.high - system.low) / 2, LEAST_SCALE))
    weight = 1 / np.maximum(scale, LEAST_SCALE) ** 2
    if min(system.unknowns, system.A.shape[0]) > MOST_SIDE:
        return _by_own_cells(system, weight)
    precision = 1 / (system.most - system.least).astype(np.float64) ** 2
    start = (system.least + system.most) / 2
    posterior = _by_unknowns if system.unknowns <= MOST_SIDE else _by_rows
    mean, own = posterior(system, weight, start, precision)
    own = np.maximum(own, EDGE)
    of_rows = np.maximum(1 / own - precision, EDGE)
    return (mean / own - start * precision) / of_rows, 1 / of_rows


def _by_unknowns(
    system: LinearSystem, weight: Vector, start: Vector, precision: Vector
) -> tuple[Vector, Vector]:
    """The mean and the variance of every unknown, by a matrix of all pairs of them."""
    matrix = system.A.explicit().toarray()
    full = (matrix.T * weight) @ matrix + np.diag(precision)
    covariance = cho_solve(cho_factor(full, lower=True), np.eye(system.unknowns))
    mean = start + covariance @ (matrix.T @ (weight * (system.centre - matrix @ start)))
    return mean, covariance.diagonal()


def _by_rows(system: LinearSystem, weight: Vector, start: Vector, precision: Vector) -> tuple[Vector, Vector]:
    """The same by a matrix of all pairs of rows, which many people have few of (Woodbury's identity)."""
    rows = sparse.csr_array(system.A.explicit())
    by_unknown = sparse.csr_array((rows * (1 / precision)).T)  # the variance of each times the rows it is in
    spread = (rows @ by_unknown).toarray() + np.diag(1 / weight)
    inverse = cho_solve(cho_factor(spread, lower=True), np.eye(spread.shape[0]))
    mean = start + by_unknown @ (inverse @ (system.centre - rows @ start))
    told = [
        np.asarray(part.multiply(part @ inverse).sum(axis=1)).ravel()
        for part in (by_unknown[at : at + MANY] for at in range(0, system.unknowns, MANY))
    ]
    return mean, 1 / precision - np.concatenate(told)


def _by_own_cells(system: LinearSystem, weight: Vector) -> tuple[Vector, Vector]:
    """The readings by those rows alone that count nobody else."""
    rows = sparse.csr_array(system.A.explicit())
    alone = np.flatnonzero(np.diff(rows.indptr) == 1)
    own = sparse.csc_array(rows[alone])
    of_rows = np.maximum(own.T @ weight[alone], EDGE)
    return (own.T @ (weight * system.centre)[alone]) / of_rows, 1 / of_rows


def _shares(system: LinearSystem, likelihood: Table) -> Vector:
    """The expected share of each unknown's people who have the secret."""
    steps = log_prior(system)
    log_weight = steps + likelihood[:, : steps.shape[1]]
    weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
    sums = system.least[:, None] + np.arange(steps.shape[1])[None, :]
    return np.asarray((weight * sums).sum(axis=1) / weight.sum(axis=1) / system.sizes, np.float64)
