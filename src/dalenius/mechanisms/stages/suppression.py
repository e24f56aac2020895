"""Suppression: small cells are not published, and on demand further ones that would give them away."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.grammar import Options
from dalenius.mechanisms.base import SLACK, Floats, Reading, Stage, rows_of_tables


@dataclass(frozen=True)
class Suppression(Stage):
    """Hide each cell below a threshold, with or without the zeros.

    With ``complementary`` further cells of each table are hidden, see `hide_more`. Without it no second
    cell protects the first: where totals are public, that is what the attack shows to be missing.
    """

    below: int
    zeros: str = "keep"
    complementary: bool = False

    before_noise: ClassVar[bool] = False
    hides: ClassVar[bool] = True

    @staticmethod
    def parse(options: Options) -> Suppression:
        """Read ``suppression:below=10[,zeros=keep|hide][,complementary=no|yes]``."""
        options.only("below", "zeros", "complementary")
        zeros = options.choice("zeros", ("keep", "hide"), "keep")
        more = options.choice("complementary", ("no", "yes"), "no") == "yes"
        return Suppression(options.whole("below", least=1 if zeros == "hide" else 2), zeros, more)

    def __str__(self) -> str:
        zeros = "" if self.zeros == "keep" else f",zeros={self.zeros}"
        more = ",complementary=yes" if self.complementary else ""
        return f"suppression:below={self.below}{zeros}{more}"

    @property
    def draws(self) -> bool:
        """Nothing is drawn."""
        return False

    def protect(self, values: Floats, table: NDArray[np.int64], *, rng: np.random.Generator) -> Floats:
        """Replace small cells by not-a-number."""
        small = values < self.below
        if self.zeros == "keep":
            small &= values != 0
        if self.complementary:
            from dalenius.mechanisms.stages.complementary import hide_more

            for rows in rows_of_tables(table):
                small[rows] = hide_more(values[rows], small[rows])
        return np.where(small, np.nan, values)

    def read(self, reading: Reading, *, counts: bool) -> Reading:
        """Read a visible cell as zero or at least the threshold, a hidden one as below it.

        Where cells are hidden to protect others, a hidden one may be anything. A hidden cell
        may have been hidden by an earlier suppression instead: the interval covers both.
        """
        low, high = self._visible(reading.low, reading.high)
        least = (0.0 if self.zeros == "hide" or self.complementary else 1.0) if counts else -np.inf
        most = np.inf if self.complementary else float(self.below - 1 if counts else self.below)
        return replace(
            reading,
            low=np.where(reading.hidden, np.minimum(low, least), low),
            high=np.where(reading.hidden, np.maximum(high, most), high),
        )

    def _visible(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        large = np.maximum(low, self.below)
        if self.zeros == "hide":
            return large, high
        zero = (low <= SLACK) & (high >= -SLACK)
        only_zero = zero & (high < self.below - SLACK)
        return np.where(zero, 0.0, large), np.where(only_zero, 0.0, high)
