"""How long a decoder will take and how much memory, from the size of a system: said before it starts.

The work is counted, not tried: products with the matrix, factorisations, rounds. Steps of iterative solvers
follow from the spectrum that random questions have: one outlier and a bulk between ``(sqrt m - sqrt n)^2``
and ``(sqrt m + sqrt n)^2`` up to a factor (for 0/1 matrices, Kasiviswanathan et al. 2013, section 2), with
``m`` the independent equations. Real questions are less regular: in the tests the products that are made are
within a factor of 4 of those foretold. Seconds are the work at fixed rates, about half of what one core of a
small server was measured to reach: fixed, so that a release is attacked in the same way everywhere. Bytes
are what comes on top of the system.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, log2, prod, sqrt

import numpy as np

from dalenius.matrices.operators import BitRows, HadamardRows, Operator, SingleBitRows, SparseRows, Stacked
from dalenius.matrices.table_rows import CHUNK, TableRows
from dalenius.reconstruction.attack.decoders import (
    box,
    chains,
    exhaustive,
    intervals,
    least_squares,
    lp,
    posterior,
    posterior_together,
)
from dalenius.reconstruction.attack.linalg import admm, cgls, gaussian
from dalenius.reconstruction.attack.linalg.gram import counts_agreement
from dalenius.reconstruction.attack.system.system import LinearSystem

BITS = 12e9
"""Entries of packed bits a second."""

SPARSE = 4e8
"""Written out entries a second."""

TABLES, PARTS_OF_TABLES = 2e10, 3e9
"""Multiplications a second for tables: among everybody, and among people gathered for three-way tables."""

TRANSFORM = 2e8
"""Butterflies of a fast Hadamard transform a second."""

CALL = 2e-5
"""Seconds that any product takes, however small."""

FACTOR_SINGLE, FACTOR_DOUBLE = 2.5e10, 1.2e10
"""Floating-point operations a second of a Cholesky factorisation and the inverse from it."""

MULTIPLY = 4e10
"""Floating-point operations a second of a matrix product."""

SPARSE_PAIRS = 1.5e8
"""Pairs of entries of a row a second, in a product of sparse matrices."""

DIRECT = 3e9
"""Floating-point operations a second of a least-squares solution by LAPACK."""

VISITS = 3e8
"""Rows of secret vectors looked at a second, in the search through all of them."""

PROGRAM = 1e6
"""Entries of a matrix a second that a linear program goes through, started from the one before it."""

BOX_STEPS = 14
"""Steps of the projected gradient, in units of the root of the condition."""

LP_PRODUCTS, LP_SHARP = 1_700, 200
"""Products of LP decoding: with noise, a unit of the bulk's root condition; and where intervals hold."""

LP_MOST = 36 * admm.ITERATIONS
"""Products of LP decoding that ran out of rounds."""

LOOKS = 2.5e8
"""Rows a second that Markov chains look at."""

ROUNDS = 7
"""Rounds of expectation propagation until it settles: 4 with many answers, 12 with few."""


@dataclass(frozen=True)
class Cost:
    """What some work will take.

    Parameters
    ----------
    seconds
        Of one core.
    bytes
        On top of what is there.
    products
        Products with the matrix or its transpose; rounds, for the posterior.
    """

    seconds: float
    bytes: float
    products: float = 0.0

    def __str__(self) -> str:
        """Say it in words.

        Examples
        --------
        >>> print(Cost(0.2, 3e5), Cost(130, 2.34e9), Cost(1e5, 1e12), sep="; ")
        under 1 s and 1 MB; about 2 min and 2.3 GB; about 28 h and 1,000 GB
        """
        return f"{say_seconds(self.seconds)} and {say_bytes(self.bytes)}"


def say_seconds(seconds: float) -> str:
    """Seconds in words, as roughly as they are known."""
    if seconds < 1:
        return "under 1 s"
    for unit, size in (("s", 1), ("min", 60), ("h", 3600)):
        if seconds < 100 * size:
            return f"about {seconds / size:.0f} {unit}"
    return f"about {seconds / 86400:,.0f} days"


def say_bytes(size: float) -> str:
    """Memory in words."""
    if size < 1e9:
        return f"{max(1, round(size / 1e6)):,} MB"
    return f"{size / 1e9:.1f} GB" if size < 1e11 else f"{size / 1e9:,.0f} GB"


def predict(decoder: str, system: LinearSystem) -> Cost:
    """What a decoder will take for a system.

    Examples
    --------
    >>> from dalenius.matrices.operators import BitRows
    >>> ones = np.ones(1_000, np.int64)
    >>> rows = np.zeros(4_000)
    >>> A = BitRows(np.zeros((4_000, 125), np.uint8), 1_000)
    >>> system = LinearSystem(
    ...     A, rows, rows, rows, rows + 1, "gaussian", ones, 0 * ones, ones, ones / 2, rows == 0)
    >>> predict("least-squares", system).products
    62.0
    """
    return _PREDICTIONS[decoder](system)


def predict_all(decoder: str, systems: Sequence[LinearSystem]) -> Cost:
    """What a decoder will take for the systems of all values of a secret.

    Seconds add up; memory is given back after each value, but of the posterior, which keeps all values.
    """
    costs = [predict(decoder, system) for system in systems]
    memory = [cost.bytes for cost in costs]
    seconds = sum(cost.seconds for cost in costs)
    if decoder == "posterior":
        seconds = _together(systems, seconds)
    return Cost(
        seconds,
        sum(memory) if decoder == "posterior" else max(memory),
        sum(cost.products for cost in costs),
    )


def _together(systems: Sequence[LinearSystem], propagation: float) -> float:
    """Seconds of the posterior: chains beside propagation, or intervals and propagation in turns."""
    if len(systems) == 1:
        one = systems[0]
        looks = chains.rows_looked_at(chains.with_the_others(one)) if one.shape == "laplace" else 0.0
        return propagation + looks / LOOKS
    if not intervals.applies(systems):
        return propagation + chains.rows_looked_at(systems) / LOOKS
    products = 2.0 * intervals.STEPS * sum(product_seconds(system.A) for system in systems)
    return posterior_together.AGAIN * propagation + (posterior_together.AGAIN + 1) * products


def _exhaustive(system: LinearSystem) -> Cost:
    m, n = system.A.shape
    vectors = 2.0 ** min(exhaustive.log2_vectors(system), 1000)
    return Cost(vectors * (m + n) / VISITS, 20.0 * m * n)


def _hadamard(system: LinearSystem) -> Cost:
    return Cost(product_seconds(system.A), 80.0 * system.A.shape[0], 1)


def _least_squares(system: LinearSystem) -> Cost:
    m, n = system.A.shape
    if m * n <= least_squares.DIRECT_LIMIT:
        return Cost(4.0 * m * n * min(m, n) / DIRECT, 48.0 * m * n)
    tolerance = cgls.TOLERANCE if n < cgls.LARGE else cgls.LARGE_TOLERANCE
    most = max(least_squares.FEWEST_STEPS, least_squares.WORK_LIMIT // max(1, system.A.entries))
    steps = min(cgls.ITERATIONS, most, round(_bulk(system.A) * log(2 / tolerance)))
    products = 2.0 * steps + 2
    seconds = products * product_seconds(system.A)
    memory = 80.0 * (m + n) + _scratch(system.A)
    if counts_agreement(system.A) and n <= least_squares.GRAM_SIDE:  # exact variances, from agreements
        seconds += float(n) ** 3 / FACTOR_DOUBLE + n * n / SPARSE
        memory = max(memory, 24.0 * n * n)
    elif m * n <= least_squares.DENSE_LIMIT:  # exact variances
        seconds += 2.0 * m * n * n / MULTIPLY + float(n) ** 3 / FACTOR_DOUBLE
        memory = max(memory, 16.0 * m * n + _written_out(system.A) + 16.0 * n * n)
    return Cost(seconds, memory, products)


def _box(system: LinearSystem) -> Cost:
    m, n = system.A.shape
    independent = _independent(system.A)
    steps: float = box.ITERATIONS
    if independent > n:
        steps = min(steps, BOX_STEPS * sqrt(n) / (1 - sqrt(n / independent)))
    products = (2 * steps + 2 * box.POWER_STEPS) * (2 if np.isnan(system.sd).any() else 1)
    return Cost(products * product_seconds(system.A), 64.0 * (m + n) + _scratch(system.A), products)


def _lp(system: LinearSystem) -> Cost:
    m, n = system.A.shape
    if n <= lp.EXACT_LIMIT:
        return Cost(20.0 * system.A.entries / PROGRAM, 4 * _written_out(system.A) + 500.0 * m)
    products: float = LP_SHARP
    if not system.sharp:
        few = _independent(system.A) <= n
        products = LP_MOST if few else min(LP_MOST, LP_PRODUCTS * _bulk(system.A))
    return Cost(products * product_seconds(system.A), 200.0 * (m + n) + _scratch(system.A), products)


def _posterior(system: LinearSystem) -> Cost:
    """A factorisation a round; the matrix of the rows once, or every round where their weights are fitted."""
    m, n = system.A.shape
    entries = float(system.A.entries)
    if posterior.FEW_ROWS * m < n:
        once, memory = 0.0, 16.0 * m * n + 12.0 * m * m
        each = 4.0 * m * m * n / MULTIPLY + float(m) ** 3 / FACTOR_SINGLE
    else:
        dense = entries > gaussian.DENSE * m * n
        once = 2.0 * m * n * n / MULTIPLY if dense else entries * entries / max(m, 1) / SPARSE_PAIRS
        once += entries / SPARSE
        each = float(n) ** 3 / FACTOR_SINGLE + n * n / SPARSE
        # once as it is, once of what is open, once in the order that LAPACK wants; and the weighted rows
        block = 12.0 * min(gaussian.BLOCK_ENTRIES, m * n) if dense else 12.0 * n * n
        memory = 12.0 * n * n + 24 * entries + block
    fitted = system.shape in {"laplace", "unknown"}
    seconds = ROUNDS * each + (ROUNDS if fitted else 1) * once
    values = float(np.max(system.most - system.least, initial=0) + 1)
    return Cost(seconds, memory + _written_out(system.A) + 48 * n * values, ROUNDS)


_PREDICTIONS = {
    "exhaustive": _exhaustive,
    "hadamard": _hadamard,
    "least-squares": _least_squares,
    "box": _box,
    "lp": _lp,
    "posterior": _posterior,
}


def programs(sums: int, entries: int) -> Cost:
    """What it takes to find the least and the most of so many sums by linear programs, at the most."""
    return Cost(sums * entries / PROGRAM, 60.0 * entries)


def _bulk(A: Operator) -> float:
    """Root of the condition of the bulk of the spectrum."""
    equations, people = sqrt(_independent(A)), sqrt(max(A.shape[1], 1))
    return (equations + people) / max(abs(equations - people), 1e-3)


def _independent(A: Operator) -> float:
    """Equations that can be independent: all, but of tables only one contrast of levels in each column."""
    if isinstance(A, Stacked):
        return sum(_independent(part) for part in A.parts)
    if isinstance(A, TableRows):
        levels: list[int] = A.levels.tolist()
        own = sum(prod(levels[c] - 1 for c in columns) for columns in A.sets)
        return float(max(1, min(A.shape[0], own + 1 + sum(levels) - len(levels))))
    return max(1.0, A.shape[0])


def product_seconds(A: Operator) -> float:
    """Seconds of one product with the matrix or its transpose."""
    if isinstance(A, Stacked):
        return sum(product_seconds(part) for part in A.parts)
    if isinstance(A, BitRows | SingleBitRows):
        return CALL + A.shape[0] * A.shape[1] / BITS
    if isinstance(A, HadamardRows):
        return CALL + A.size * log2(A.size + 1) / TRANSFORM
    if isinstance(A, TableRows):
        whole, parts = A.multiplications
        return CALL + whole / TABLES + parts / PARTS_OF_TABLES
    return CALL + A.entries / SPARSE


def _scratch(A: Operator) -> float:
    """Bytes that products need beside vectors."""
    if isinstance(A, Stacked):
        return sum(_scratch(part) for part in A.parts)
    if isinstance(A, BitRows):
        return A.shape[0] * A.shape[1] / 8
    if isinstance(A, TableRows):
        kept = float(A.levels.sum() - A.levels.size + 1)
        return 9.0 * min(CHUNK, A.shape[1]) * kept + 60 * kept * kept
    return 0.0


def _written_out(A: Operator) -> float:
    """Bytes of the matrix with its entries, where it does not have them yet, while it is made."""
    if isinstance(A, Stacked):
        return sum(_written_out(part) for part in A.parts) + 12.0 * A.entries
    if isinstance(A, SparseRows):
        return 0.0
    if isinstance(A, TableRows):
        return 48.0 * A.entries
    return 9.0 * A.shape[0] * A.shape[1] + 12 * A.entries
