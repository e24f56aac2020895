"""Everybody's probability of each value, by Markov chains over all secrets at once.

A chain holds one value for everybody, draws each person's value anew given all others' (Geman and Geman
1984), and lets pairs of people who are counted together exchange theirs. What it visits follows the posterior
itself: the noise's own shape, intervals as intervals, and one value per person, nothing of which has to be a
Gaussian. Tables with little noise have far-apart secrets that fit equally well, which one chain would not
find: several start anew from the prior and are cooled down. The average of those that came as far down as the
best is what is stated; the others are stuck where secrets do not fit. Where most of them are, the few that
came down are no sample, and nothing is stated. Releases without noise are left to propagation for that: where
intervals all but decide the secrets, single chains were sure of people and wrong about one in five.

An interval has soft edges, of `EDGE_SD` counts, and noise is never read as smaller than that: on edges any
harder a chain stays where it is. A softer release says less, so what is stated errs towards doubt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.matrices.answers import Vector
from dalenius.matrices.operators import SparseRows
from dalenius.progress import Progress, silent
from dalenius.reconstruction.attack.decoders import _chain_kernels as kernels
from dalenius.reconstruction.attack.system.noise_scale import EDGE
from dalenius.reconstruction.attack.system.system import LinearSystem

Table = NDArray[np.float64]

CHAINS = 8
COOLING, COUNTED = 75, 75
"""Rounds in which a chain is cooled down to the release as it is, and in which it is then counted."""

FEWEST = 0.4
"""Share of those rounds below which propagation is the better choice."""

HOT = 0.1
"""How much of the release a chain sees at first: the logarithm of its likelihood counts by this factor."""

COOL = 0.75
"""Share of the cooling after which a chain sees all of it."""

LOOK = 3
"""Rounds between two looks at how well a chain fits."""

APART = 3.0
"""Standard deviations of the best chain's fit beyond which another chain is stuck, not sampling."""

EDGE_SD = 0.35
"""Counts: how soft the edges of intervals are, and the smallest noise."""

DOUBT = 0.004
"""Share of the prior in what is stated: eight chains cannot tell that nothing else fits."""

FEW_ROWS = 10
"""Unknowns a row above which so many are alike that a Gaussian says all, and at once."""

LEAST_WORK, MOST_WORK = 5e8, 3e9
"""Rows looked at in all rounds together that are always allowed, and at the most: one second, and six."""

AS_LONG = 0.3
"""Rows looked at in the time that propagation takes for one cubed unknown: twenty factorisations."""

MOST_PEOPLE = 200_000

NOTE = f"{CHAINS} Markov chains over all secrets"


def applies(systems: Sequence[LinearSystem]) -> bool:
    """Whether chains are to be run: counts with noise of a known size, and work for seconds."""
    known = all(s.counting.all() and not np.isnan(s.sd).any() and s.shape != "unknown" for s in systems)
    if not known or any(s.sharp or s.usual is not None for s in systems):
        return False
    if systems[0].sizes.sum() > MOST_PEOPLE:
        return False
    few = systems[0].unknowns > FEW_ROWS * max(s.A.shape[0] for s in systems)
    return not few and _rounds(systems) >= FEWEST


def with_the_others(system: LinearSystem) -> tuple[LinearSystem, LinearSystem]:
    """A yes/no secret as two values: what is published counts one of them, and nothing the other."""
    nothing = np.zeros(0)
    others = replace(
        system,
        A=SparseRows(sparse.csr_array((0, system.unknowns))),
        centre=nothing,
        low=nothing,
        high=nothing,
        sd=nothing,
        least=system.sizes - system.most,
        most=system.sizes - system.least,
        prior=1 - system.prior,
        counting=nothing > 0,
        usual=None,
        own=None,
    )
    return system, others


def rows_looked_at(systems: Sequence[LinearSystem]) -> float:
    """How many rows all rounds that are allowed look at: what the chains' time depends on."""
    return _work(systems) * _rounds(systems) if applies(systems) else 0.0


def _work(systems: Sequence[LinearSystem]) -> float:
    """Rows that all rounds would look at."""
    values = len(systems)
    of_one = sum(s.A.entries for s in systems) / values * float(systems[0].sizes.mean())
    # all values of everybody are weighed, two moved, and up to eight looked at in an exchange
    return of_one * (values + 10) * CHAINS * (COOLING + COUNTED)


def _rounds(systems: Sequence[LinearSystem]) -> float:
    """Share of all rounds that are allowed: they should not take much longer than propagation would."""
    as_long = AS_LONG * len(systems) * float(systems[0].unknowns) ** 3
    return min(1.0, float(np.clip(as_long, LEAST_WORK, MOST_WORK)) / (_work(systems) + 1.0))


def decode(
    systems: Sequence[LinearSystem], *, rng: np.random.Generator, progress: Progress = silent
) -> list[Vector] | None:
    """The share of every unknown that has each value; ``None`` if the chains did not come to agree.

    Parameters
    ----------
    systems
        One a value, about the same unknowns; every noisy answer in one of them only.
    rng
        Draws the chains.
    progress
        Told how far the work is.
    """
    share = _rounds(systems)
    cooling, counted = round(COOLING * share), round(COUNTED * share)
    model = _Model(systems)
    chances, misfits = [], []
    for number in range(CHAINS):
        progress(number / CHAINS, "chains over all secrets")
        chain, chance, misfit = model.start_anew(rng), np.zeros(model.log_prior.shape), []
        for round_ in range(cooling + counted):
            coldness = min(1.0, HOT ** (1 - round_ / (COOL * cooling)))
            model.round(chain, coldness, rng, chance, count=round_ >= cooling)
            if round_ >= cooling and round_ % LOOK == 0:
                misfit.append(model.misfit(chain))
        chances.append(chance / counted)
        misfits.append(misfit)
    settled = settled_chains(np.array(misfits))
    if settled.size < CHAINS / 2:
        return None
    return model.stated(np.mean([chances[c] for c in settled], axis=0))


def settled_chains(misfits: Table) -> NDArray[np.intp]:
    """Chains that came as far down as the best one: the others stayed in secrets that do not fit.

    Parameters
    ----------
    misfits
        How badly what each chain visited fits, a row a chain.

    Examples
    --------
    >>> settled_chains(np.array([[10.0, 12.0], [11.0, 9.0], [80.0, 81.0]])).tolist()
    [0, 1]
    """
    mean = misfits.mean(axis=1)
    best = int(mean.argmin())
    return np.flatnonzero(mean <= mean[best] + APART * max(float(misfits[best].std()), 1.0))


@dataclass
class _Chain:
    """Everybody's value, what it makes of every row, and what one person more or less would cost there."""

    value: NDArray[np.int64]
    state: Table


class _Model:
    """The open people, and the rows that they are in."""

    def __init__(self, systems: Sequence[LinearSystem]) -> None:
        self.systems = systems
        sizes = systems[0].sizes
        everybody = np.repeat(np.arange(sizes.size), sizes)
        allowed = np.stack([(s.most > 0)[everybody] for s in systems], axis=1)
        forced = np.stack([(s.least == sizes)[everybody] for s in systems], axis=1)
        allowed = np.where(forced.any(axis=1, keepdims=True), forced, allowed)
        open_ = allowed.sum(axis=1) > 1
        self.of = everybody[open_]
        prior = np.stack([s.prior[self.of] for s in systems], axis=1)
        self.log_prior = np.where(allowed[open_], np.log(np.clip(prior, EDGE, 1.0)), -np.inf)
        self._read_rows(allowed[~open_], everybody[~open_])

    def _read_rows(self, known: NDArray[np.bool_], of: NDArray[np.intp]) -> None:
        """Stack the rows of all values; people whose value is known are counted once for all."""
        matrices = [sparse.csr_array(s.A.explicit()) for s in self.systems]
        blocks = [sparse.csr_array(matrix[:, self.of]) for matrix in matrices]
        self.settled = np.concatenate(
            [
                matrix @ np.bincount(of[known[:, v]], minlength=matrix.shape[1]).astype(np.float64)
                for v, matrix in enumerate(matrices)
            ]
        )
        columns = sparse.csc_array(sparse.block_diag(blocks, format="csc"))
        columns.sort_indices()
        self.start, self.row = columns.indptr.astype(np.int32), columns.indices.astype(np.int32)
        noisy = np.concatenate([s.sd > 0 for s in self.systems])
        laplace = np.concatenate([np.full(s.sd.size, s.shape == "laplace") for s in self.systems])
        centre, low, high, sd = (
            np.concatenate([getattr(s, name) for s in self.systems])
            for name in ("centre", "low", "high", "sd")
        )
        scale = np.maximum(sd, EDGE_SD) / np.where(noisy & laplace, 2**0.5, 1.0)
        low, high = np.where(noisy, centre, low), np.where(noisy, centre, high)
        self.says = np.stack([low, high, 1 / scale, noisy & laplace], axis=1)
        rows = max(blocks, key=lambda block: block.nnz)
        self.together = sparse.csr_array(rows[np.diff(rows.indptr) > 1])
        self.rows_of = sparse.csr_array(self.together.T)
        self.paired = np.flatnonzero(np.diff(self.rows_of.indptr))

    def start_anew(self, rng: np.random.Generator) -> _Chain:
        """Draw everybody's value from the prior."""
        likely = self.log_prior + rng.gumbel(size=self.log_prior.shape)
        value = likely.argmax(axis=1).astype(np.int64)
        taken = np.zeros(self.log_prior.size, np.bool_)
        taken[value * self.of.size + np.arange(self.of.size)] = True
        entries = self.row[np.repeat(taken, np.diff(self.start))]
        state = np.zeros((self.settled.size, 3))
        state[:, kernels.COUNT] = self.settled + np.bincount(entries, minlength=self.settled.size)
        kernels.look(state, self.says)
        return _Chain(value, state)

    def round(
        self, chain: _Chain, coldness: float, rng: np.random.Generator, chance: Table, *, count: bool
    ) -> None:
        """Draw everybody anew, then let as many pairs exchange."""
        state = (chain.value, self.start, self.row, chain.state, self.says, self.log_prior, coldness)
        kernels.redraw(*state, rng.random(self.of.size), chance, count)
        first, second = self._pairs(rng)
        kernels.exchange(*state, first, second, rng.random(first.size))

    def misfit(self, chain: _Chain) -> float:
        """Minus the logarithm of prior and likelihood of a chain's secrets, up to a constant."""
        count, (low, high, sharpness, by_size) = chain.state[:, kernels.COUNT], self.says.T
        away = np.maximum(np.maximum(low - count, count - high), 0.0) * sharpness
        prior = np.take_along_axis(self.log_prior, chain.value[:, None], axis=1).sum()
        return float(np.where(by_size > 0, away, 0.5 * away * away).sum() - prior)

    def _pairs(self, rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """As many pairs as people: somebody, one of their rows, and somebody in it."""
        first = self.paired[rng.integers(0, max(self.paired.size, 1), self.of.size * (self.paired.size > 0))]
        row = self.rows_of.indices[_any(self.rows_of.indptr, first, rng)]
        second = self.together.indices[_any(self.together.indptr, row, rng)]
        return first.astype(np.int64), second.astype(np.int64)

    def stated(self, chance: Table) -> list[Vector]:
        """Shares of every unknown that is open, by value; known ones as they are."""
        shares = []
        for v, system in enumerate(self.systems):
            sums = np.bincount(self.of, chance[:, v], system.unknowns)
            forced = np.where(np.bincount(self.of, minlength=system.unknowns) > 0, 0.0, system.least)
            share = np.clip(sums + forced, system.least, system.most) / system.sizes
            shares.append((1 - DOUBT) * share + DOUBT * system.prior)
        return shares


def _any(start: NDArray[Any], which: NDArray[Any], rng: np.random.Generator) -> NDArray[np.intp]:
    """The place of a random entry of each of these rows of a sparse matrix."""
    return np.asarray(start[which] + rng.integers(0, start[which + 1] - start[which]), np.intp)
