"""The fastest attack there is, on queries chosen for it (Dwork et al. 2017, Theorem 7)."""

from __future__ import annotations

import numpy as np

from dalenius.errors import UnsupportedError
from dalenius.matrices.answers import Vector
from dalenius.matrices.fast_products import transform
from dalenius.matrices.operators import HadamardRows
from dalenius.progress import Progress, silent
from dalenius.reconstruction.attack.cost import Cost
from dalenius.reconstruction.attack.matrix_cost import product_seconds
from dalenius.reconstruction.attack.search.parts import contradiction
from dalenius.reconstruction.attack.system.noise_scale import rounding_variance, shares
from dalenius.reconstruction.attack.system.system import Decoding, LinearSystem


def applies(system: LinearSystem) -> bool:
    """Whether the answers are those of the Hadamard queries, all of them, about everybody."""
    return isinstance(system.A, HadamardRows)


def decode(system: LinearSystem, *, rng: np.random.Generator, progress: Progress = silent) -> Decoding:
    """Invert the Hadamard matrix by one fast transform and read the solution as probabilities."""
    solution, size = invert(system)
    noise = system.sd
    if np.isnan(noise).any() or not noise.any():
        variance = np.full(system.unknowns, rounding_variance(solution, system))
    else:
        variance = np.full(system.unknowns, float((noise**2).sum()) / size**2)
    return Decoding(shares(solution, variance, system))


def invert(system: LinearSystem) -> tuple[Vector, int]:
    """The solution and the size N of the matrix.

    ``r = H (plus - minus) / N`` in counts: the padding people do not exist, so the factor is 1/N whatever the
    number of people.
    """
    if not isinstance(system.A, HadamardRows):
        raise UnsupportedError("the decoder hadamard needs the answers to the Hadamard queries")
    size = system.A.size
    signed = system.centre[:size].copy()
    signed[1:] -= system.centre[size:]
    return (transform(signed) / size)[: system.unknowns], size


def settle(system: LinearSystem) -> LinearSystem:
    """Take every secret as known if all answers are exact: the matrix has an inverse."""
    if not np.array_equal(system.low, system.high):
        return system
    known = np.rint(invert(system)[0]).astype(np.int64)
    wrong = np.flatnonzero(system.A.apply(known.astype(np.float64)) != system.centre)
    if wrong.size or ((known < system.least) | (known > system.most)).any():
        raise contradiction("no secrets fit all of them")
    return system.tightened(known, known)


def cost(system: LinearSystem) -> Cost:
    """Say what it will take."""
    return Cost(product_seconds(system.A), 80.0 * system.A.shape[0], 1)
