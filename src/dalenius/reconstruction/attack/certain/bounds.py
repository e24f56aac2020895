"""What arithmetic alone says about each unknown: no statistics, no probability.

Single rows are followed until nothing changes, at any size; what all rows imply together is searched after
that (`search`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.errors import InputError
from dalenius.matrices.answers import Vector
from dalenius.matrices.operators import take_rows
from dalenius.reconstruction.attack.linalg._kernels import tighten
from dalenius.reconstruction.attack.system.system import LinearSystem, Whole

ENTRY_LIMIT = 50_000_000
"""Matrix entries up to which all rows are followed at once: a gigabyte; above, those that say something."""

ROUNDS = 1_000

TOLERANCE = 1e-6


def propagate(system: LinearSystem) -> LinearSystem:
    """Tighten what is known about each sum by looking at one row at a time.

    If the rest of a row cannot reach the row's lower end, this unknown must make up for it; if the rest
    already uses up the upper end, it cannot add more. Every rule is exact on whole numbers.
    """
    counting = np.flatnonzero(system.counting)
    big = np.iinfo(np.int64).max // 4
    ends = np.nan_to_num(np.stack([system.low, system.high]), posinf=big, neginf=-big)
    low, high = np.ceil(ends[0] - TOLERANCE).astype(np.int64), np.floor(ends[1] + TOLERANCE).astype(np.int64)
    if system.A.entries <= ENTRY_LIMIT:
        return _follow(system, sparse.csr_array(system.A.explicit()[counting]), counting, low, high)
    people = system.A.apply(np.ones(system.unknowns))
    for _ in range(ROUNDS):
        rows = _telling(system, counting, low, high, people)
        before = system
        if rows.size:
            system = _follow(system, take_rows(system.A, rows), rows, low, high)
        if np.array_equal(before.least, system.least) and np.array_equal(before.most, system.most):
            return system
    return system


def _follow(
    system: LinearSystem, matrix: sparse.csr_array, rows: NDArray[np.intp], low: Whole, high: Whole
) -> LinearSystem:
    """Follow some rows, written out, until nothing changes."""
    least, most = system.least.copy(), system.most.copy()
    broken = tighten(matrix.indptr, matrix.indices, low[rows], high[rows], least, most, ROUNDS)
    if broken >= 0:
        raise _broken(system, int(rows[broken]))
    return system.tightened(least, most)


def _telling(
    system: LinearSystem, counting: NDArray[np.intp], low: Whole, high: Whole, people: Vector
) -> NDArray[np.intp]:
    """The rows that tighten something now: less is left to them than one of their sums could take.

    Of more than can be written out, those with the least left: each tells more than the next.
    """
    least, most = (system.A.apply(sums.astype(np.float64)) for sums in (system.least, system.most))
    left = np.minimum(high - least, most - low)[counting]
    if (left < 0).any():
        raise _broken(system, int(counting[np.argmax(left < 0)]))
    widest = int((system.most - system.least).max(initial=0))
    tells = np.flatnonzero((left < widest) & (least < most)[counting])
    order = tells[np.argsort(left[tells], kind="stable")]
    fits = np.cumsum(people[counting[order]]) <= ENTRY_LIMIT
    return np.sort(counting[order[fits]])


def _broken(system: LinearSystem, row: int) -> InputError:
    from dalenius.reconstruction.attack.certain.conflict import name_conflict

    return contradiction(name_conflict(system, f"found at the answer to {system.label(row)!r}"))


def contradiction(where: str) -> InputError:
    """Say that no secrets of these people can have given these answers."""
    return InputError(
        "answers",
        "must be possible together for some secrets of these people",
        f"answers that contradict each other ({where})",
        "Check the list of people, or write the mechanism as unknown.",
    )
