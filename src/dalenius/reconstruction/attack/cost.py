"""How long a decoder will take and how much memory, and what it may take unless it was asked for.

How long a decoder will take and how much memory, from the size of a system: said before it starts.

The work is counted, not tried: products with the matrix, factorisations, rounds. Steps of iterative solvers
follow from the spectrum that random questions have: one outlier and a bulk between ``(sqrt m - sqrt n)^2``
and ``(sqrt m + sqrt n)^2`` up to a factor (for 0/1 matrices, Kasiviswanathan et al. 2013, section 2), with
``m`` the independent equations. Real questions are less regular: in the tests the products that are made are
within a factor of 4 of those foretold. Seconds are the work at fixed rates, about half of what one core of a
small server was measured to reach: fixed, so that a release is attacked in the same way everywhere. Bytes
are what comes on top of the system.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dalenius.errors import InputError
from dalenius.reconstruction.attack.system.system import LinearSystem
from dalenius.registry import Registry

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

LOOKS = 2.5e8
"""Rows a second that Markov chains look at where everybody is in few; several times as many elsewhere."""

SETTLED_AFTER = 7
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


_COSTS = Registry[Callable[[LinearSystem], Cost]](
    __package__,
    {
        "exhaustive": "decoders.exhaustive:cost",
        "hadamard": "decoders.hadamard:cost",
        "least-squares": "decoders.least_squares:cost",
        "box": "decoders.box:cost",
        "lp": "decoders.lp:cost",
        "posterior": "decoders.posterior:cost",
    },
)
"""Every decoder says itself what it will take."""

_TOGETHER = Registry[Callable[[Sequence[LinearSystem], float], float]](
    __package__, {"posterior": "decoders.posterior_together:seconds_together"}
)
"""Of decoders that take all values of a secret together: seconds, from those of each value by itself."""


def predict(decoder: str, system: LinearSystem) -> Cost:
    """What a decoder will take for a system.

    Examples
    --------
    >>> import numpy as np
    >>> from dalenius.matrices.operators import BitRows
    >>> ones = np.ones(1_000, np.int64)
    >>> rows = np.zeros(4_000)
    >>> A = BitRows(np.zeros((4_000, 125), np.uint8), 1_000)
    >>> system = LinearSystem(
    ...     A, rows, rows, rows, rows + 1, "gaussian", ones, 0 * ones, ones, ones / 2, rows == 0)
    >>> predict("least-squares", system).products
    62.0
    """
    return _COSTS[decoder](system)


def predict_all(decoder: str, systems: Sequence[LinearSystem]) -> Cost:
    """What a decoder will take for the systems of all values of a secret.

    Seconds add up; memory is given back after each value, but of the posterior, which keeps all values.
    """
    costs = [predict(decoder, system) for system in systems]
    memory = [cost.bytes for cost in costs]
    seconds = sum(cost.seconds for cost in costs)
    products = sum(cost.products for cost in costs)
    if decoder in _TOGETHER:
        return Cost(_TOGETHER[decoder](systems, seconds), sum(memory), products)
    return Cost(seconds, max(memory), products)


def programs(sums: int, entries: int) -> Cost:
    """What it takes to find the least and the most of so many sums by linear programs, at the most."""
    return Cost(sums * entries / PROGRAM, 60.0 * entries)


SECONDS = 120.0
"""Predicted seconds that ``auto`` spends on all values of the secret together."""

SEARCH = 0.1
"""Part of them that the search for certain secrets may take, beyond following single rows."""

SHARE = 0.5
"""Part of the machine's memory that ``auto`` takes."""

ELSEWHERE = 4e9
"""Bytes of memory where the machine does not say."""

CGROUP = Path("/sys/fs/cgroup/memory.max")


def machine_memory() -> float:
    """Bytes of memory that this machine has, or that its container allows."""
    if not hasattr(os, "sysconf"):
        return ELSEWHERE
    found = float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    allowed = CGROUP.read_text(encoding="ascii").strip() if CGROUP.is_file() else "max"
    return min(found, float(allowed)) if allowed.isdecimal() else found


@dataclass(frozen=True)
class ComputeBudget:
    """Seconds and bytes that a decoder may be predicted to take.

    Examples
    --------
    >>> ComputeBudget(60, 1e9).misses(Cost(300, 1e8))
    'about 5 min'
    >>> ComputeBudget(60, 1e9).misses(Cost(3, 1e8)) is None
    True
    """

    seconds: float = SECONDS
    bytes: float = field(default_factory=lambda: SHARE * machine_memory())

    def __post_init__(self) -> None:
        if not self.seconds > 0 or not self.bytes > 0:
            got = f"{self.seconds:g} s and {self.bytes:g} bytes"
            raise InputError("budget", "must have seconds and bytes above 0", got)

    def misses(self, cost: Cost) -> str | None:
        """What of a cost does not fit, in words; ``None`` if all does."""
        words = [say_seconds(cost.seconds)] if cost.seconds > self.seconds else []
        if cost.bytes > self.bytes:
            words.append(say_bytes(cost.bytes))
        return " and ".join(words) or None
