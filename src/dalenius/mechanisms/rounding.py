"""Rounding to multiples of a base."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.mechanisms.base import SLACK, Floats, Reading, Stage, rows_of_tables
from dalenius.records.options import Options

WAYS = ("nearest", "down", "up", "random", "controlled")


@dataclass(frozen=True)
class Rounding(Stage):
    """Publish a multiple of ``base`` in place of each number.

    ``nearest`` takes the nearest one, halves up; ``down`` the one below, ``up`` the one above.
    ``random`` takes one of the two around it, so that the expected value is the number itself.
    ``controlled`` does that and keeps every table additive: the totals of its rows and columns and its
    grand total are also multiples around the true ones.
    """

    base: int
    how: str = "nearest"

    before_noise: ClassVar[bool] = False

    @staticmethod
    def parse(options: Options) -> Rounding:
        """Read ``rounding:base=5[,how=nearest|down|up|random|controlled]``."""
        options.only("base", "how")
        return Rounding(options.whole("base", least=2), options.choice("how", WAYS, "nearest"))

    def __str__(self) -> str:
        how = "" if self.how == "nearest" else f",how={self.how}"
        return f"rounding:base={self.base}{how}"

    @property
    def draws(self) -> bool:
        """Only some ways draw."""
        return self.how in ("random", "controlled")

    def protect(self, values: Floats, table: NDArray[np.int64], *, rng: np.random.Generator) -> Floats:
        """Round each number; what is suppressed stays suppressed."""
        if self.how == "nearest":
            return np.floor(values / self.base + 0.5) * self.base
        if self.how in ("down", "up"):
            cut = np.floor if self.how == "down" else np.ceil
            return np.asarray(cut(values / self.base) * self.base, np.float64)
        if self.how == "random":
            down: Floats = np.floor(values / self.base) * self.base
            return down + self.base * (rng.random(values.shape) * self.base < values - down)
        from dalenius.mechanisms.controlled import round_table

        rounded = np.empty_like(values)
        for rows in rows_of_tables(table):
            rounded[rows] = round_table(values[rows], self.base, rng=rng)
        return rounded

    def read(self, reading: Reading, *, counts: bool) -> Reading:
        """Widen each interval to the numbers that can have been rounded into it."""
        low = self.base * np.ceil((reading.low - SLACK) / self.base)
        high = self.base * np.floor((reading.high + SLACK) / self.base)
        multiples = replace(reading, low=low, high=high)
        below, above = self._reach(counts)
        wider = multiples.within(low - below, high + above)
        # Residues 0 .. base-1 all alike: the variance of the rounding error, and where it is not centred
        # its mean; for an even base the tie always goes up, which is half a unit.
        one_sided = self.how in ("nearest", "down", "up")
        variance = (self.base**2 - counts) / (12 if one_sided else 6)
        bias = (above - below) / 2 if one_sided else 0.0
        return replace(wider, centre=reading.centre + bias, variance=reading.variance + variance)

    def _reach(self, counts: bool) -> tuple[float, float]:
        """How far below and above a published multiple the number can have been."""
        whole = 1 if counts else 0
        match self.how:
            case "nearest":
                return (self.base // 2, (self.base - 1) // 2) if counts else (self.base / 2, self.base / 2)
            case "down":
                return 0, self.base - whole
            case "up":
                return self.base - whole, 0
        return self.base - whole, self.base - whole
