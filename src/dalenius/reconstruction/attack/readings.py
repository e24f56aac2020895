"""What noisy counts say of one person by a difference, whatever all others have.

Decoders of many secrets read no noise as smaller than about half a person (`LEAST_SD`): with less they settle
on secrets that fit and are not the true ones. Somebody who is alone in a cell, or in the difference of two
tables, is then hidden by noise that was never added. So every unknown is also read by itself: by the weighted
sum of rows with the least error in which all others cancel, or nearly so. What is left of the others is taken
as error, too, with a variance that no secret of theirs exceeds. Such a reading is a number with an error of
known size, and says what it says whether or not the rest was decoded rightly.

People who differ in other columns do not cancel, and yet a count of two who are both ill tells both: there is
no other way to it. So numbers about few people are read whole, too: every sum that the people of a row can
have, by how likely it is beforehand and by the noise of that number alone.
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

MOST_IN_ROW = 12
"""Open people of a number that is read whole. Of more, nearly all must have the value for it to tell."""

MOST_ROWS = 20_000
"""Numbers that are read whole, those about the fewest people first: some seconds."""

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
        by_itself = _shares(reduced, _likelihoods(reduced, pooled=True))
        share[open_] = _surer(by_itself, _shares_by_row(reduced, pooled=True))
        return _cut(np.stack([1 - share, share], axis=1))
    odds = np.full((systems[0].unknowns, len(systems)), np.nan)
    for v, system in enumerate(systems):
        reduced, open_ = system.by_itself().free()
        # a value that cannot be is left out, one that must be has been said
        odds[:, v] = np.where(system.most == 0, -np.inf, 0.0)
        found = _likelihoods(reduced, pooled=False)
        alone = reduced.sizes == 1
        one = found[:, 1] - found[:, 0] + np.log(np.clip(reduced.prior, EDGE, 1.0))
        by_itself, by_row = _shares(reduced, found), _shares_by_row(reduced, pooled=False)
        whole = _surer(by_itself, by_row) != by_itself
        several = np.log(np.clip(np.where(whole, by_row, by_itself), EDGE, 1.0))
        odds[open_, v] = np.where(alone & ~whole, one, several)
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


def _surer(one: Vector, two: Vector) -> Vector:
    """Of two shares of each unknown the one farther from one half; the first where there is no second."""
    return np.where(np.abs(np.nan_to_num(two, nan=0.5) - 0.5) > np.abs(one - 0.5), two, one)


def _shares_by_row(system: LinearSystem, *, pooled: bool) -> Vector:
    """The share of each unknown by the number about few people that says most of it; else not a number.

    Only numbers next to nobody or to all of their people are read: of others, some have the secret.
    """
    found = np.full(system.unknowns, np.nan)
    rows = sparse.csr_array(system.A.explicit())
    least, most = rows @ system.least, rows @ system.most
    at_an_end = (system.centre < least + 0.5) | (system.centre > most - 0.5)
    small = (system.sd > 0) & (system.sd < LEAST_SD) & (most - least <= MOST_IN_ROW)
    few = np.flatnonzero(at_an_end & small & (np.diff(rows.indptr) > 1))
    few = few[np.argsort((most - least)[few], kind="stable")][:MOST_ROWS]
    steep = np.zeros(len(system.sd))
    if system.shape == "laplace" and few.size:
        steep[few] = _steepness(system, system.sd[few] ** 2, 2.0 if pooled else 1.0)
    for row in few:
        who = rows.indices[rows.indptr[row] : rows.indptr[row + 1]]
        off = np.abs(np.arange(least[row], most[row] + 1) - system.centre[row])
        cost = off * steep[row] if system.shape == "laplace" else off**2 / (2 * system.sd[row] ** 2)
        found[who] = _surer(np.nan_to_num(found[who], nan=0.5), _shares_within(system, who, -cost))
    return found


def _shares_within(system: LinearSystem, who: NDArray[np.int32], likelihood: Vector) -> Vector:
    """The shares of all unknowns of one number, by how likely it is for each sum of them."""
    known = zip(log_prior(system, who.astype(np.intp)), system.most[who] - system.least[who], strict=True)
    chances = [np.exp(row[: steps + 1] - row.max()) for row, steps in known]
    weight = np.exp(likelihood - likelihood.max())
    before, after = [np.ones(1)], [np.ones(1)]
    for own, other in zip(chances[:-1], chances[:0:-1], strict=True):
        before.append(np.convolve(before[-1], own))
        after.append(np.convolve(after[-1], other))
    shares = np.empty(who.size)
    for at, (own, first, rest) in enumerate(zip(chances, before, reversed(after), strict=True)):
        joint = own * np.correlate(weight, np.convolve(first, rest), "valid")
        sums = system.least[who[at]] + np.arange(own.size)
        shares[at] = (joint * sums).sum() / joint.sum() / system.sizes[who[at]]
    return shares
