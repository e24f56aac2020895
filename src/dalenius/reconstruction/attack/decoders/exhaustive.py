"""Every secret vector there is, weighed by how well it fits (Dwork et al. 2017, Theorem 6)."""

from __future__ import annotations

import numpy as np

from dalenius.errors import UnsupportedError
from dalenius.matrices.answers import Vector
from dalenius.progress import Progress, silent
from dalenius.reconstruction.attack._kernels import enumerate_sums
from dalenius.reconstruction.attack.cost import VISITS, Cost
from dalenius.reconstruction.attack.search.parts import contradiction
from dalenius.reconstruction.attack.system.system import (
    Decoding,
    LinearSystem,
    Whole,
    log2_vectors,
    log_prior,
)

LOG2_LIMIT = 24.0
"""Secret vectors that are tried at the most, as a power of two: 24 people who are told apart."""

LEAST_SCALE = 1e-3
"""Counts: the smallest noise that is weighed."""


def decode(system: LinearSystem, *, rng: np.random.Generator, progress: Progress = silent) -> Decoding:
    """Average over every vector that fits, by its probability.

    Where the errors have sure intervals, the vectors outside them are refused and the others weigh by
    the prior alone; where there is noise, by the likelihood of a Gaussian of its size. The theorem takes any
    vector that fits; this takes the vote of all of them, for which only twice its bound is proved (of two
    vectors within a distance of the truth, the rounded mean is within twice that).
    """
    if np.isnan(system.sd).any():
        raise UnsupportedError("exhaustive search needs to know the noise; use posterior, or say it")
    progress(0.0, "trying every secret vector")
    mean, fits, _ = search(system, keep=0)
    tried = "fit what was published" if system.sharp else "were weighed by how well they fit"
    return Decoding(mean / system.sizes, (f"{fits:,} secret vectors {tried}",))


def search(system: LinearSystem, *, keep: int) -> tuple[Vector, int, Whole]:
    """Try every vector.

    Returns
    -------
    Vector
        The average of each sum over all that fit.
    int
        How many fit.
    NDArray
        The first ``keep`` of them, smallest first with the first person as the highest digit.
    """
    if log2_vectors(system) > LOG2_LIMIT:
        raise UnsupportedError(
            f"exhaustive search tries at most 2^{LOG2_LIMIT:.0f} secret vectors, and here are "
            f"2^{log2_vectors(system):.0f}; use posterior or box"
        )
    matrix = np.ascontiguousarray(system.A.explicit().toarray())
    noisy = system.sd != 0
    # every vector is weighed: noise may be as small as it is, and only has to have a size
    precision = np.where(noisy, 1 / np.maximum(np.where(noisy, system.sd, 1.0), LEAST_SCALE) ** 2, 0.0)
    mean = np.zeros(system.unknowns)
    some = np.zeros((keep, system.unknowns), np.int64)
    total, fits = enumerate_sums(
        matrix,
        system.centre.copy(),  # some are not to be written, for which the search would be compiled once more
        np.where(noisy, -np.inf, system.low),
        np.where(noisy, np.inf, system.high),
        precision,
        system.least,
        system.most,
        log_prior(system),
        mean,
        some,
    )
    if fits == 0:
        raise contradiction("no secrets fit all of them")
    return mean / total, fits, some[: min(keep, fits)]


def cost(system: LinearSystem) -> Cost:
    """Say what it will take."""
    m, n = system.A.shape
    vectors = 2.0 ** min(log2_vectors(system), 1000)
    return Cost(vectors * (m + n) / VISITS, 20.0 * m * n)
