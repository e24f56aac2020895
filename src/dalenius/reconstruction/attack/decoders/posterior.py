"""Each person's probability, using the noise, the intervals and that secrets are whole numbers.

Expectation propagation (Minka 2001; for whole-number inputs of a linear channel, Opper and Winther 2005):
the posterior of all sums is kept as one Gaussian, and each unknown's prior as a Gaussian site, fitted until
the Gaussian's marginals and the exact whole-number marginals have the same mean and variance. The first
round is the best linear rule (minimum mean squared error); the following ones use integrality.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.accelerate import one_blas_thread
from dalenius.errors import UnsupportedError
from dalenius.matrices.answers import Vector
from dalenius.progress import Progress, silent
from dalenius.reconstruction.attack.cost import (
    FACTOR_SINGLE,
    MULTIPLY,
    SETTLED_AFTER,
    SPARSE,
    SPARSE_PAIRS,
    Cost,
)
from dalenius.reconstruction.attack.decoders import chains
from dalenius.reconstruction.attack.linalg.gaussian import (
    BLOCK_ENTRIES,
    DENSE,
    by_rows,
    by_unknowns,
    gram,
    some_of,
)
from dalenius.reconstruction.attack.matrix_cost import written_out
from dalenius.reconstruction.attack.system.mixture import ErrorMixture
from dalenius.reconstruction.attack.system.noise_scale import least_scale, row_scale
from dalenius.reconstruction.attack.system.system import LEAST_SD, Decoding, LinearSystem, log_prior

SIDE_LIMIT = 6_000
"""Rows or unknowns, whichever are fewer: a round factors a matrix of this side, in seconds."""

ENTRY_LIMIT = 400_000_000
"""Rows times unknowns at the most where rows are few: they are written out, 1.6 GB."""

SUM_LIMIT = 50_000_000
"""Unknowns times the values of the largest sum: each value of each sum has its probability, 0.4 GB."""

ROUNDS = 16
DAMPING = 0.5
SETTLED = 2e-3
"""Mean change of the marginals below which another round would not move a guess."""

PATIENCE = 3
"""Rounds before anything is taken as decided or settled."""

DECIDED = 1e-3
"""Variance of a sum below which it is taken as known: for one person, one chance in a thousand."""

DOUBT, SHARP_DOUBT = 0.004, 0.02
"""How often claims that propagation is sure of were wrong beyond what it stated, at the most: see docs."""

OF_CHAINS = 2 / 3
"""Share of the chains in what is stated of a yes/no secret under Laplace noise, or little Gaussian noise.

Propagation has to read a Laplace row as a Gaussian one of fitted weight, and is too sure of it; chains read
it as it is. Alone they were right about one person in 600 less; with a third of propagation about as many.
"""

LITTLE = 1.5
"""Standard deviation of Gaussian noise up to which chains are asked: with less propagation is too sure of
small cells (0.92 stated, 0.86 right), and with more it states what they state."""

LEAST_PRECISION, MOST_PRECISION = 1e-3, 1e4
FEW_ROWS = 1.5
"""Unknowns a row from which on the matrix over rows is the cheaper one."""

MOST_FITTED = 0.95
"""Share of the answers that the unknowns use up, at the most: what is left tells the size of the noise."""


def applies(system: LinearSystem) -> bool:
    """Whether the posterior can be computed in seconds to minutes, and in memory."""
    rows, unknowns = system.A.shape
    if unknowns * float(np.max(system.most - system.least, initial=0) + 1) > SUM_LIMIT:
        return False
    few = FEW_ROWS * rows < unknowns and rows <= SIDE_LIMIT and rows * unknowns <= ENTRY_LIMIT
    return few or unknowns <= SIDE_LIMIT


def check_size(system: LinearSystem) -> None:
    """Refuse a system that is too large for it."""
    if not applies(system):
        rows, unknowns = system.A.shape
        raise UnsupportedError(
            f"the posterior decoder takes {SIDE_LIMIT:,} unknowns, or that many answers about more of them, "
            f"and here are {rows:,} answers about {unknowns:,} unknowns; use box or least-squares"
        )


def decode(system: LinearSystem, *, rng: np.random.Generator, progress: Progress = silent) -> Decoding:
    """Compute every unknown's posterior mean: by Markov chains, by expectation propagation, or by both."""
    check_size(system)
    weight = of_chains(system)
    both = chains.with_the_others(system)
    shares = chains.decode(both, rng=rng, progress=progress) if weight and chains.applies(both) else None
    if shares is None:
        return _propagate(system, progress)
    if weight == 1.0:
        return Decoding(shares[0], (chains.NOTE,))
    found = _propagate(system, progress)
    mixed = weight * shares[0] + (1 - weight) * found.share
    return Decoding(mixed, (f"{chains.NOTE}, and {found.notes[0]}", *found.notes[1:]))


def of_chains(system: LinearSystem) -> float:
    """Share of the chains in what is stated of a yes/no secret: all of it where there are intervals only."""
    if system.sharp:
        return 1.0
    little = system.shape == "gaussian" and float(np.median(system.sd)) <= LITTLE
    return OF_CHAINS if little or system.shape == "laplace" else 0.0


def _propagate(system: LinearSystem, progress: Progress) -> Decoding:
    state = State(system)
    # one BLAS thread: two are at best twice as fast, and many times slower when the other core is busy
    with one_blas_thread():
        for round_ in range(ROUNDS):
            progress(round_ / ROUNDS, "posterior of every secret")
            change = state.step()
            if round_ == PATIENCE:
                early = state.mean.copy()
            if round_ >= PATIENCE:
                state.settle()
                if change < SETTLED or not state.open.any():
                    break
    return Decoding(tempered(early, state), state.notes(round_ + 1, change))


def tempered(early: Vector, state: State) -> Vector:
    """Shares as they are stated: never surer than propagation was found to deserve.

    On tables with little noise propagation goes on deciding people, round after round, and what only later
    rounds decide is right less often than it says; so half of the say is that of the fourth round. And with
    `DOUBT` of it, or `SHARP_DOUBT` where intervals are read as noise, the answer is that of the prior.
    """
    system = state.system
    doubt = SHARP_DOUBT if system.sharp else DOUBT
    return (1 - doubt) * (early + state.mean) / 2 / system.sizes + doubt * system.prior


class State:
    """The Gaussian sites (one per unknown), the weights of the rows, and the marginals they give."""

    def __init__(self, system: LinearSystem) -> None:
        self.system = system
        self.matrix = system.A.explicit()
        self.scale = row_scale(system)
        self.least = least_scale(system)
        self.weight = 1 / self.scale**2
        steps = log_prior(system)
        self.log_prior = steps
        self.sums = (system.least[:, None] + np.arange(steps.shape[1])[None, :]).astype(np.float64)
        self.mean, self.variance = _moments(steps, self.sums)
        self.site_precision = np.clip(1 / self.variance, LEAST_PRECISION, MOST_PRECISION)
        self.site_shift = self.mean * self.site_precision
        self.open = np.ones(system.unknowns, np.bool_)
        self.errors: ErrorMixture | None = None
        self.fitted = 0.0
        self._gram: NDArray[np.float32] | None = None
        self._gram_of: NDArray[np.intp] = np.empty(0, np.intp)
        self.unit = np.where(np.isnan(system.sd), self.least / LEAST_SD, 0.0)
        if self.unit.any():
            self._fit_errors(0.0)

    def gaussian(self) -> tuple[Vector, Vector]:
        """Mean and variance of every open unknown under rows and sites together."""
        open_ = np.flatnonzero(self.open)
        rest = self.system.centre - self.matrix @ np.where(self.open, 0.0, self.mean)
        precision = self.site_precision[open_]
        if FEW_ROWS * rest.size < open_.size:
            start = self.site_shift[open_] / precision
            columns = sparse.csr_array(self.matrix[:, open_])
            return by_rows(columns, self._noise(), start, 1 / precision, rest - columns @ start)
        full = self._gram_of_rows(open_).copy()
        np.fill_diagonal(full, full.diagonal() + precision.astype(np.float32))
        pull = (self.matrix.T @ (self.weight * (rest - self._shared(rest))) + self.site_shift)[open_]
        return by_unknowns(full, pull)

    def _noise(self) -> NDArray[np.float32]:
        """Covariance of the errors of all rows: their own, and what rows with unknown noise share."""
        own = np.diag((1 / self.weight).astype(np.float32))
        if self.errors is not None:
            shared = (self.errors.size * self.unit).astype(np.float32)
            own += np.outer(shared, shared)
        return own

    def _gram_of_rows(self, open_: NDArray[np.intp]) -> NDArray[np.float32]:
        """What the rows say about open unknowns; kept for these alone, since none opens again."""
        if self._gram is None:
            self._gram_of = np.arange(self.system.unknowns)
            self._gram = gram(self.matrix, self.weight)
            if self.errors is not None:
                along = (self.matrix.T @ (self.weight * self.unit)).astype(np.float32)
                self._gram -= np.outer(along, along) / np.float32(self._shared_precision())
        if open_.size < self._gram_of.size:
            self._gram = some_of(self._gram, np.searchsorted(self._gram_of, open_))
            self._gram_of = open_
        return self._gram

    def _shared(self, rest: Vector) -> Vector:
        """The error that all answers with unknown noise share, judged by what is left of them.

        Noise of unknown size need not be centred: answers are cut off at 0, or rounded down. Left out, a
        shift of a third of a count made one person in a hundred a confident mistake.
        """
        if self.errors is None:
            return np.zeros_like(rest)
        return self.unit * (self.unit @ (self.weight * rest)) / self._shared_precision()

    def _shared_precision(self) -> float:
        size = LEAST_SD if self.errors is None else self.errors.size
        return float(size**-2 + self.weight @ self.unit**2)

    def step(self) -> float:
        """One round: marginals from the Gaussian, then sites that agree with whole numbers.

        Returns the mean change of the open marginals.
        """
        precision, centre = self.cavity()
        return self.agree(*self.whole(precision, centre), precision, centre)

    def cavity(self) -> tuple[Vector, Vector]:
        """Precision and mean of what rows and all other unknowns say about each open one."""
        mean, variance = self.gaussian()
        at = np.flatnonzero(self.open)
        self.fitted = float((1 - variance * self.site_precision[at]).sum()) / max(self.system.centre.size, 1)
        precision = np.maximum(1 / variance - self.site_precision[at], LEAST_PRECISION)
        return precision, (mean / variance - self.site_shift[at]) / precision

    def whole(self, precision: Vector, centre: Vector) -> tuple[Vector, Vector]:
        """Mean and variance of each open unknown as a whole number with its prior."""
        at = np.flatnonzero(self.open)
        tilted = self.log_prior[at] - 0.5 * precision[:, None] * (self.sums[at] - centre[:, None]) ** 2
        return _moments(tilted, self.sums[at])

    def agree(self, mean: Vector, variance: Vector, precision: Vector, centre: Vector) -> float:
        """Move the sites until the Gaussian would have these marginals; returns their mean change."""
        at = np.flatnonzero(self.open)
        change = float(np.abs(mean - self.mean[at]).mean())
        self.mean[at], self.variance[at] = mean, variance
        wanted = np.clip(1 / variance - precision, LEAST_PRECISION, MOST_PRECISION)
        shift = mean * (wanted + precision) - centre * precision
        self.site_precision[at] = (1 - DAMPING) * self.site_precision[at] + DAMPING * wanted
        self.site_shift[at] = (1 - DAMPING) * self.site_shift[at] + DAMPING * shift
        self._reweigh(self.fitted)
        return change

    def settle(self) -> None:
        """Take as known the sums that are all but decided: the factorisation gets smaller."""
        self.open &= self.variance > DECIDED

    def _reweigh(self, fitted: float) -> None:
        """Where noise is not Gaussian of known size, fit the weight of every row to how far it misses.

        ``fitted`` is the share of the answers that went into the unknowns (their effective number).
        """
        if self.system.shape == "laplace":
            miss = self.system.centre - self.matrix @ self.mean
            square = miss**2 + self.matrix.power(2) @ self.variance
            # a Laplace density is a mixture of Gaussians: this is its expected precision, reduced to the
            # information that a Laplace error carries about the mean (twice that of a Gaussian)
            expected = np.sqrt(2) / (self.scale * np.sqrt(square + self.least**2))
            self.weight = expected * min(1.0, float(2 * np.mean(self.scale**-2.0) / expected.mean()))
            self._gram = None
        elif self.errors is not None:
            self._fit_errors(fitted)

    def _fit_errors(self, fitted: float) -> None:
        """Fit the errors of rows about which nothing is said; a fit misses by less than the truth does."""
        unknown = self.unit > 0
        unit = self.unit[unknown]
        rest = self.system.centre - self.matrix @ self.mean
        miss = (rest - self._shared(rest))[unknown] / unit
        if self.errors is None:
            self.errors = ErrorMixture(miss, LEAST_SD)
        square = miss**2 / (1 - np.clip(fitted, 0.0, MOST_FITTED))
        self.weight[unknown] = self.errors.fit(square) / unit**2
        self._gram = None

    def notes(self, rounds: int, change: float) -> tuple[str, ...]:
        """What a reader should know."""
        said = [f"expectation propagation, {rounds} rounds"]
        if change >= 10 * SETTLED:
            said.append(f"the marginals were still moving by {change:.3g} a round")
        if self.errors is not None:
            said.append(f"noise estimated: {self.errors}")
        return tuple(said)


def _moments(log_weight: NDArray[np.float64], sums: NDArray[np.float64]) -> tuple[Vector, Vector]:
    """Mean and variance of whole numbers with these log weights."""
    weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    mean = (weight * sums).sum(axis=1)
    variance = (weight * (sums - mean[:, None]) ** 2).sum(axis=1)
    return mean, np.maximum(variance, 1 / MOST_PRECISION)


def cost(system: LinearSystem) -> Cost:
    """One factorisation per round; the matrix of the rows once, or each round where weights are fitted."""
    m, n = system.A.shape
    entries = float(system.A.entries)
    if FEW_ROWS * m < n:
        once, memory = 0.0, 16.0 * m * n + 12.0 * m * m
        each = 4.0 * m * m * n / MULTIPLY + float(m) ** 3 / FACTOR_SINGLE
    else:
        dense = entries > DENSE * m * n
        once = 2.0 * m * n * n / MULTIPLY if dense else entries * entries / max(m, 1) / SPARSE_PAIRS
        once += entries / SPARSE
        each = float(n) ** 3 / FACTOR_SINGLE + n * n / SPARSE
        # once as it is, once of what is open, once in the order that LAPACK wants; and the weighted rows
        block = 12.0 * min(BLOCK_ENTRIES, m * n) if dense else 12.0 * n * n
        memory = 12.0 * n * n + 24 * entries + block
    fitted = system.shape in {"laplace", "unknown"}
    seconds = SETTLED_AFTER * each + (SETTLED_AFTER if fitted else 1) * once
    values = float(np.max(system.most - system.least, initial=0) + 1)
    return Cost(seconds, memory + written_out(system.A) + 48 * n * values, SETTLED_AFTER)
