"""The program behind LP decoding: a sum of misses, and what it cannot be below."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalenius.matrices.answers import Vector
from dalenius.matrices.operators import Operator

LEAST_MISS = 0.01
"""Mean miss, in scales, below which gaps are relative to it: a sum of almost nothing needs no more digits."""


@dataclass(frozen=True)
class Misses:
    """The program: rows with their intervals and scales, and the box of the unknowns."""

    A: Operator
    low: Vector
    high: Vector
    scale: Vector
    least: Vector
    most: Vector

    def value(self, x: Vector) -> float:
        """The sum of scaled misses at ``x``: no optimum is above it, if ``x`` is in the box."""
        image = self.A.apply(x)
        miss = np.maximum(np.maximum(self.low - image, image - self.high), 0.0)
        return float((miss / self.scale).sum())

    def bound(self, dual: Vector) -> float:
        """What the sum of scaled misses cannot be below, whatever the unknowns: the dual program's value.

        For ``|y| <= 1`` a miss is at least ``y (A x - c) / scale`` for some ``c`` of its interval, so the
        sum is at least the smallest value of ``(A^T (y / scale)) . x`` in the box, less the largest of
        ``(y / scale) . c``.

        Parameters
        ----------
        dual
            One number a row; what is outside of -1 .. 1, or points to an infinite end, is moved inside.
        """
        floor, ceiling = np.isneginf(self.low) - 1.0, 1.0 - np.isposinf(self.high)
        y = np.clip(dual, floor, ceiling) / self.scale
        ends = np.where(y > 0, self.high, np.where(y < 0, self.low, 0.0))
        slope = self.A.apply_transpose(y)
        return float(np.minimum(slope * self.least, slope * self.most).sum() - (y * ends).sum())


@dataclass(frozen=True)
class LeastMisses:
    """A solution with its certificate.

    Parameters
    ----------
    x
        The solution, inside of the box.
    value
        Its sum of scaled misses.
    bound
        What no solution can be below, computed in double precision.
    dual
        The point of the dual program that proves the bound.
    iterations
        How many rounds it took.
    """

    x: Vector
    value: float
    bound: float
    dual: Vector
    iterations: int

    @property
    def gap(self) -> float:
        """How far above the optimum the solution is at the most, relative to the misses."""
        return relative_gap(self.value, self.bound, self.dual.size)


def relative_gap(value: float, bound: float, rows: int) -> float:
    """The distance between a value and a bound, relative to the value or to almost nothing."""
    return (value - bound) / max(value, LEAST_MISS * rows)
