"""What the Markov chains walk over: everybody who is open, and the rows that they are counted in.

A count outside its interval costs `STEEP` in log likelihood for every person that it is off: on edges any
harder a chain stays where it is, and on squares of the distance it comes down to an edge and not across. So
a few of a thousand counts are off by one, and what is stated errs towards doubt. Noise is never read as
smaller than `LEAST_NOISE` for the same reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.matrices.answers import Vector
from dalenius.reconstruction.attack.decoders import _chain_kernels as kernels
from dalenius.reconstruction.attack.system.system import EDGE, LinearSystem

Table = NDArray[np.float64]

STEEP = 3.0
"""What every person costs by whom a count is outside its interval."""

LEAST_NOISE = 0.35
"""Counts: the smallest noise."""

DOUBT, SHARP_DOUBT = 0.004, 0.01
"""Share of the prior in what is stated, and where there are intervals only: eight chains cannot tell that
nothing else fits."""

WHOLE = 1e-9
"""What a sum of rounded numbers may lack of a whole one."""


@dataclass
class _Chain:
    """Everybody's value, what it makes of every row, and what one person more or less would cost there."""

    value: NDArray[np.int64]
    state: Table


class ChainModel:
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
        self.start, self.row = columns.indptr.astype(np.uint32), columns.indices.astype(np.uint32)
        noisy = np.concatenate([s.sd > 0 for s in self.systems])
        laplace = np.concatenate([np.full(s.sd.size, s.shape == "laplace") for s in self.systems])
        centre, low, high, sd = (
            np.concatenate([getattr(s, name) for s in self.systems])
            for name in ("centre", "low", "high", "sd")
        )
        scale = np.maximum(sd, LEAST_NOISE) / np.where(laplace, 2**0.5, 1.0)
        low = np.where(noisy, centre, np.ceil(low - WHOLE))
        high = np.where(noisy, centre, np.floor(high + WHOLE))
        self.says = np.stack([low, high, np.where(noisy, 1 / scale, STEEP), laplace | ~noisy], axis=1)
        rows = max(blocks, key=lambda block: block.nnz)
        together = sparse.csr_array(rows[np.diff(rows.indptr) > 1])
        rows_of = sparse.csr_array(together.T)
        paired = np.flatnonzero(np.diff(rows_of.indptr)).astype(np.uint32)
        self.pairs: kernels.Pairs = (
            paired,
            rows_of.indptr.astype(np.uint32),
            rows_of.indices.astype(np.uint32),
            together.indptr.astype(np.uint32),
            together.indices.astype(np.uint32),
        )

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

    def walk(
        self, chain: _Chain, coldness: Vector, random: NDArray[np.uint64], chance: Table | None = None
    ) -> Vector:
        """Walk one round for each coldness, adding probabilities to ``chance`` if it is given.

        Returns
        -------
        Vector
            How badly the secrets of every round fit: minus the logarithm of prior and likelihood.
        """
        unused = np.empty((0, 0)) if chance is None else chance
        weighed = (self.start, self.row, self.says, self.log_prior)
        return kernels.walk(
            (chain.value, chain.state), weighed, self.pairs, coldness, random, unused, chance is not None
        )

    def stated(self, chance: Table) -> list[Vector]:
        """Shares of every unknown that is open, by value; known ones as they are."""
        shares = []
        for v, system in enumerate(self.systems):
            sums = np.bincount(self.of, chance[:, v], system.unknowns)
            forced = np.where(np.bincount(self.of, minlength=system.unknowns) > 0, 0.0, system.least)
            share = np.clip(sums + forced, system.least, system.most) / system.sizes
            doubt = SHARP_DOUBT if system.sharp else DOUBT
            shares.append((1 - doubt) * share + doubt * system.prior)
        return shares
