"""Upper limits for non-negative sparse matrices that hold despite rounding.

Facts about a matrix G without negative entries, each checked in numbers that are rounded outwards:

- For any positive v the spectral radius is at most ``max_i (G v)_i / v_i`` and at least the smallest of these
  ratios (Collatz, Wielandt). Where G is symmetric, ``v'Gv / v'v`` is another lower limit.
- The radius of G is at least that of ``sqrt(G_ij G_ji)``, which is symmetric.
- If ``x >= G x + b`` and ``x, b >= 0``, then ``sum_k G^k b <= x``: put the right side in for the x on the
  right, again and again. So whatever way x was found, one multiplication proves it.

Everything is done for all connected groups of people at once, and said group by group: groups whose radius
is 1 or more do not spoil the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from dalenius.knowledge.correlation.model import Floats

UNIT = 2.0**-53
"""The relative error of one rounding."""

LEAST = 2.0**-1074
"""The smallest positive number: more than what one product below the range of numbers loses."""

FAINT = 1e-290
"""Entries of a vector are kept above: with room for their products."""

CLOSE = 1e-12
"""Relative width at which a radius is known well enough."""

POWERS = 400
"""Multiplications spent on groups whose radius is not yet known to be below 1, or not."""

WORK = 20_000_000
"""Products spent on how large a radius is, once it is known on which side of 1 it lies."""

CHECK_EVERY = 10

PRECISION = 1e-13
"""What a solution may lack, relative to the largest right side; the rest is added as a margin."""

KRYLOV, REFINEMENTS = 500, 4
"""Steps of the solver, and restarts from what it left."""

Labels = NDArray[np.int32]


@dataclass(frozen=True)
class Radius:
    """Limits of the spectral radius of each connected group: it is in ``low .. high`` for sure."""

    low: Floats
    high: Floats

    @property
    def overall(self) -> tuple[float, float]:
        """Limits of the largest radius of any group."""
        return float(self.low.max(initial=0.0)), float(self.high.max(initial=0.0))


@dataclass(frozen=True)
class Influences:
    """A matrix of influences, finite and not negative, and the group of each person in it.

    The matrix has entries i, j and j, i together or neither, in sorted order.
    """

    matrix: csr_array
    group: Labels
    groups: int

    def __len__(self) -> int:
        return int(self.group.size)

    @cached_property
    def entries(self) -> NDArray[np.int64]:
        """How many entries each row has."""
        return np.diff(self.matrix.indptr).astype(np.int64)

    def above(self, x: Floats) -> Floats:
        """An upper limit of the product with ``x >= 0``: a row of k entries loses at most k + 1 roundings."""
        k = self.entries
        result: Floats = (self.matrix @ x) * (1 + 2 * UNIT * (k + 4)) + 2 * k * LEAST
        return result

    def keep(self, groups: NDArray[np.bool_]) -> tuple[Influences, NDArray[np.intp]]:
        """The same for some groups alone, and who is in them; the groups keep their numbers."""
        if groups.all():
            return self, np.arange(len(self))
        people = np.flatnonzero(groups[self.group])
        return Influences(self.matrix[people][:, people], self.group[people], self.groups), people

    @cached_property
    def _other(self) -> Floats:
        """The entry j, i in the place of every entry i, j."""
        other = self.matrix.T.tocsr()
        other.sort_indices()
        return other.data

    @property
    def symmetric(self) -> bool:
        """Whether influence is mutual."""
        return np.array_equal(self._other, self.matrix.data)

    def symmetrised(self) -> Influences:
        """The geometric mean of the two influences between any two people."""
        data = np.sqrt(self.matrix.data * self._other)
        places = (data, self.matrix.indices, self.matrix.indptr)
        return replace(self, matrix=csr_array(places, shape=self.matrix.shape))

    def largest(self, values: Floats) -> Floats:
        """The largest value in each group; 0 in empty ones."""
        result = np.zeros(self.groups)
        np.maximum.at(result, self.group, values)
        return result

    def smallest(self, values: Floats) -> Floats:
        """The smallest value in each group; infinite in empty ones."""
        result = np.full(self.groups, np.inf)
        np.minimum.at(result, self.group, values)
        return result


def radius(influences: Influences) -> Radius:
    """Enclose the spectral radius of every group."""
    low, high = np.zeros(influences.groups), np.full(influences.groups, np.inf)
    patience = _patience(influences)
    steps = max(patience, POWERS)
    twin = influences if influences.symmetric else influences.symmetrised()
    others = None if twin is influences else _powers(twin, steps)
    for step, v in _powers(influences, steps):
        ratio = influences.above(v) / v * (1 + 4 * UNIT)
        high = np.minimum(high, influences.largest(ratio))
        low = np.maximum(low, _quotient(twin, v if others is None else next(others)[1]))
        low = np.maximum(low, _least_ratio(influences, v))
        known, decided = high - low <= CLOSE * high, (high < 1) | (low >= 1)
        if (known | (decided & (step >= patience))).all():
            break
    return Radius(low, high)


def _patience(influences: Influences) -> int:
    return min(1000, max(3 * CHECK_EVERY, WORK // max(influences.matrix.nnz, 1)))


def _powers(influences: Influences, steps: int) -> Iterator[tuple[int, Floats]]:
    """Positive vectors that come ever closer to one that G only stretches.

    Powers of G plus a multiple of the identity: alone, G would swing for ever between the two sides of a
    tree. The upper limit never gets worse (where G v <= r v, also G (G v) <= r (G v)).
    """
    v = np.ones(len(influences))
    widest = influences.largest(influences.matrix @ v)
    shift = np.where(widest > 0, 0.3 * widest, 1.0)[influences.group]
    for step in range(steps + 1):
        if step % CHECK_EVERY == 0:
            v = np.maximum(v / influences.largest(v)[influences.group], FAINT)
            yield step, v
        v = influences.matrix @ v + shift * v


def _least_ratio(influences: Influences, v: Floats) -> Floats:
    k = influences.entries
    below = np.maximum(influences.matrix @ v - 2 * k * LEAST, 0) * (1 - 2 * UNIT * (k + 4))
    return influences.smallest(below / v)


def _quotient(influences: Influences, v: Floats) -> Floats:
    """``v'Gv / v'v`` of a symmetric matrix, less the roundings of two sums over a group, one over a row."""
    groups, group = influences.groups, influences.group
    widest = influences.largest(influences.entries.astype(np.float64))
    lost = 2 * np.bincount(group, minlength=groups) + widest
    top = np.bincount(group, v * (influences.matrix @ v), minlength=groups)
    bottom = np.bincount(group, v * v, minlength=groups)
    result: Floats = np.maximum(1 - 2 * UNIT * (lost + 16), 0) * top / bottom
    return result


def resolvent(influences: Influences, radius: Radius, b: Floats) -> Floats:
    """An upper limit of ``b + G b + G G b + ...``, everybody's; infinite where the radius may be 1 or more.

    Two approximate solutions of ``x = G x + .``, one for b and one for 1; the second, times what the first
    lacks, lifts the first to where ``x >= G x + b`` is certain.
    """
    part, people = influences.keep(radius.high < 1)
    own = b[people]
    lift = _solve(part, np.ones(people.size), 0.25)
    margin = part.smallest(lift * (1 - 4 * UNIT) - part.above(lift))
    x = _solve(part, own, PRECISION * own.max(initial=0.0))
    lack = part.largest((part.above(x) + own) * (1 + 4 * UNIT) - x)
    with np.errstate(divide="ignore", invalid="ignore"):  # no margin: nothing is certain
        times = np.where(margin > 0, lack / margin, np.inf) * (1 + 4 * UNIT)
    result = np.full(len(influences), np.inf)
    result[people] = (x + times[part.group] * lift) * (1 + 4 * UNIT)
    return result


def _solve(influences: Influences, b: Floats, residual: float) -> Floats:
    """Approximate the positive solution of ``x = G x + b``, by refinement until no entry lacks more."""
    from scipy.sparse.linalg import LinearOperator, bicgstab

    n = len(influences)
    operator = LinearOperator((n, n), matvec=lambda x: x - influences.matrix @ x, dtype=np.float64)
    x = np.maximum(b, 0)
    for _ in range(REFINEMENTS):
        lack = b - operator.matvec(x)
        if np.abs(lack).max(initial=0.0) <= residual:
            break
        x = np.maximum(x + bicgstab(operator, lack, rtol=0.0, atol=residual, maxiter=KRYLOV)[0], b)
    return x
