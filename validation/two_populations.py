"""Simulated genomes with linkage and ancestry: two populations that parted 4,000 generations ago."""

from __future__ import annotations

from collections.abc import Iterable

import msprime
import numpy as np
from numpy.typing import NDArray


def common_variants(
    each: int, seeds: Iterable[int], *, rate: float, length: float = 1e6
) -> NDArray[np.float64]:
    """Return copies less one (-1, 0, 1) of every common variant, half of the people from either population.

    Parameters
    ----------
    each
        People of a population.
    seeds
        One for each piece of the genome; variants of different pieces are not linked.
    rate
        Mutations a base and generation.
    length
        Bases of a piece.
    """
    history = msprime.Demography()
    for name in "ABC":
        history.add_population(name=name, initial_size=10_000)
    history.add_population_split(time=4_000, derived=["A", "B"], ancestral="C")
    pieces = []
    for seed in seeds:
        tree = msprime.sim_ancestry(
            {"A": each, "B": each},
            demography=history,
            sequence_length=length,
            recombination_rate=1e-8,
            random_seed=seed,
        )
        tree = msprime.sim_mutations(tree, rate=rate, random_seed=seed, model=msprime.BinaryMutationModel())
        copies = tree.genotype_matrix().reshape(-1, 2 * each, 2).sum(axis=2)
        share = copies.mean(axis=1) / 2
        pieces.append(copies[(share > 0.05) & (share < 0.95)].T - 1.0)
    return np.concatenate(pieces, axis=1)
