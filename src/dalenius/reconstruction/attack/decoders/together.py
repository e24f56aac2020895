"""All values of a secret at once: everybody has exactly one of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from dalenius.matrices.operators import SparseRows
from dalenius.reconstruction.attack.certain.bounds import contradiction
from dalenius.reconstruction.attack.system.build import Problem
from dalenius.reconstruction.attack.system.system import LinearSystem


def couple(systems: Sequence[LinearSystem]) -> tuple[LinearSystem, ...]:
    """Let the values of a secret know of each other: what the others leave, and what they take.

    Raises
    ------
    InputError
        If somebody would have several values, or none.
    """
    if len(systems) == 1:
        return tuple(systems)
    least = np.stack([system.least for system in systems])
    most = np.stack([system.most for system in systems])
    sizes = systems[0].sizes
    while True:
        taken, left = least.sum(axis=0), most.sum(axis=0)
        if (taken > sizes).any() or (left < sizes).any():
            raise contradiction("somebody would have several values, or none")
        lowest = np.maximum(least, sizes - (left - most))
        highest = np.minimum(most, sizes - (taken - least))
        if np.array_equal(lowest, least) and np.array_equal(highest, most):
            break
        least, most = lowest, highest
    return tuple(system.tightened(least[v], most[v]) for v, system in enumerate(systems))


def all_values(problem: Problem, systems: Sequence[LinearSystem]) -> LinearSystem:
    """One system for all values of the secret, with a row for each unknown that says so."""
    first = systems[0]
    if len(systems) == 1:
        return first
    n, sizes = first.unknowns, first.sizes.astype(np.float64)
    each = sparse.block_diag([system.A.explicit() for system in systems], format="csr")
    one_value = sparse.hstack([sparse.eye_array(n)] * len(systems), format="csr")

    def name(row: int) -> str:
        return first.label(row % sum(problem.rows)) if row < each.shape[0] else "one value per person"

    return LinearSystem(
        SparseRows(sparse.csr_array(sparse.vstack([each, one_value]))),
        centre=np.concatenate([*(system.centre for system in systems), sizes]),
        low=np.concatenate([*(system.low for system in systems), sizes]),
        high=np.concatenate([*(system.high for system in systems), sizes]),
        sd=np.concatenate([*(system.sd for system in systems), np.zeros(n)]),
        shape=first.shape,
        sizes=np.tile(first.sizes, len(systems)),
        least=np.concatenate([system.least for system in systems]),
        most=np.concatenate([system.most for system in systems]),
        prior=np.concatenate([system.prior for system in systems]),
        counting=np.concatenate([*(system.counting for system in systems), np.ones(n, np.bool_)]),
        label=name,
    )
