"""Rounding to multiples of a base."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.mechanisms.base import SLACK, Floats, Reading, Stage
from dalenius.records.options import Options

WAYS = ("nearest", "random", "controlled")


@dataclass(frozen=True)
class Rounding(Stage):
    """Publish a multiple of ``base`` in place of each number.

    ``nearest`` takes the nearest one, halves up. ``random`` takes one of the two around it, so that
    the expected value is the number itself. ``controlled`` does that and keeps every table additive:
    the totals of its rows and columns and its grand total are also multiples around the true ones.
    """

    base: int
    how: str = "nearest"

    before_noise: ClassVar[bool] = False

    @staticmethod
    def parse(options: Options) -> Rounding:
        """Read ``rounding:base=5[,how=nearest|random|controlled]``."""
        options.only("base", "how")
        return Rounding(options.whole("base", least=2), options.choice("how", WAYS, "nearest"))

    def __str__(self) -> str:
        how = "" if self.how == "nearest" else f",how={self.how}"
        return f"rounding:base={self.base}{how}"

    def protect(self, values: Floats, table: NDArray[np.int64], *, rng: np.random.Generator) -> Floats:
        """Round each number; what is suppressed stays suppressed."""
        if self.how == "nearest":
            return np.floor(values / self.base + 0.5) * self.base
        if self.how == "random":
            down: Floats = np.floor(values / self.base) * self.base
            return down + self.base * (rng.random(values.shape) * self.base < values - down)
        from dalenius.mechanisms.controlled import round_table

        rounded = np.empty_like(values)
        for rows in _rows_of_tables(table):
            rounded[rows] = round_table(values[rows], self.base, rng=rng)
        return rounded

    def read(self, reading: Reading, *, counts: bool) -> Reading:
        """Widen each interval to the numbers that can have been rounded into it."""
        low = self.base * np.ceil((reading.low - SLACK) / self.base)
        high = self.base * np.floor((reading.high + SLACK) / self.base)
        multiples = replace(reading, low=low, high=high)
        nearest = self.how == "nearest"
        reach = self.base / 2 if nearest else self.base
        if not counts:
            wider = multiples.within(low - reach, high + reach)
        elif nearest:
            wider = multiples.within(np.ceil(low - reach), np.ceil(high + reach) - 1)
        else:
            wider = multiples.within(low - reach + 1, high + reach - 1)
        # Residues 0 .. base-1 all alike: the variance of the rounding error, and for an even base
        # half a unit of bias, because the tie always goes up.
        variance = (self.base**2 - counts) / (12 if nearest else 6)
        bias = 0.5 if counts and nearest and self.base % 2 == 0 else 0.0
        return replace(wider, centre=reading.centre - bias, variance=reading.variance + variance)


def _rows_of_tables(table: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    order = np.argsort(table, kind="stable")
    starts = np.flatnonzero(np.diff(table[order])) + 1
    return [rows for rows in np.split(order, starts) if rows.size]
