"""What arithmetic alone says about each unknown: no statistics, no probability.

``propagate`` follows single rows until nothing changes and works at any size; ``ranges`` solves two linear
programs an unknown and finds everything that the rows imply together.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.attacks.reconstruction._kernels import tighten
from dalenius.attacks.reconstruction.conflict import name_conflict
from dalenius.attacks.reconstruction.program import InfeasibleError
from dalenius.attacks.reconstruction.repeated import Repeated
from dalenius.attacks.reconstruction.system import LinearSystem
from dalenius.errors import InputError

ENTRY_LIMIT = 50_000_000
"""Matrix entries above which single rows are not followed."""

ROUNDS = 1_000

TOLERANCE = 1e-6


def propagate(system: LinearSystem) -> LinearSystem:
    """Tighten what is known about each sum by looking at one row at a time.

    If the rest of a row cannot reach the row's lower end, this unknown must make up for it; if the rest
    already uses up the upper end, it cannot add more. Every rule is exact on whole numbers.
    """
    counting = np.flatnonzero(system.counting)
    if system.A.entries > ENTRY_LIMIT:
        return system
    matrix = sparse.csr_array(system.A.explicit()[counting])
    least, most = system.least.copy(), system.most.copy()
    big = np.iinfo(np.int64).max // 4
    ends = np.nan_to_num(np.stack([system.low, system.high])[:, counting], posinf=big, neginf=-big)
    low, high = np.ceil(ends[0] - TOLERANCE).astype(np.int64), np.floor(ends[1] + TOLERANCE).astype(np.int64)
    broken = tighten(matrix.indptr, matrix.indices, low, high, least, most, ROUNDS)
    if broken >= 0:
        where = f"found at the answer to {system.label(int(counting[broken]))!r}"
        raise contradiction(name_conflict(system, where))
    return system.tightened(least, most)


def contradiction(where: str) -> InputError:
    """Say that no secrets of these people can have given these answers."""
    return InputError(
        "answers",
        "must be possible together for some secrets of these people",
        f"answers that contradict each other ({where})",
        "Check the list of people, or write the mechanism as unknown.",
    )


def ranges(system: LinearSystem) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Smallest and largest value of every unknown that fits all intervals together.

    Two linear programs for each unknown that is still open; fractional secrets are allowed, so the ranges
    are wide enough for sure.
    """
    program = Repeated(system.A.explicit(), system.low, system.high, system.least, system.most)
    smallest, largest = system.least.astype(np.float64), system.most.astype(np.float64)
    for i in np.flatnonzero(system.least < system.most):
        for sign, out in ((1.0, smallest), (-1.0, largest)):
            cost = np.zeros(system.unknowns)
            cost[i] = sign
            try:
                out[i] = sign * program.minimise(cost)[0]
            except InfeasibleError:
                raise contradiction(name_conflict(system, "no secrets fit all of them")) from None
    return smallest, largest


def tighten_by_ranges(system: LinearSystem) -> LinearSystem:
    """Tighten what is known about each sum by all rows together."""
    smallest, largest = ranges(system)
    least = np.maximum(system.least, np.ceil(smallest - TOLERANCE)).astype(np.int64)
    most = np.minimum(system.most, np.floor(largest + TOLERANCE)).astype(np.int64)
    return system.tightened(least, most)
