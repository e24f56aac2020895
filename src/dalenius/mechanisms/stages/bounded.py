"""Answers that are wrong by at most a stated amount: the error model of the reconstruction theorems."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.grammar import Options
from dalenius.mechanisms.base import Floats, Reading, Stage, plain


@dataclass(frozen=True)
class Bounded(Stage):
    """Add to each answer an error in ``-error .. error``.

    ``uniform`` draws it evenly from that interval; ``extreme`` takes one of its ends by a fair coin.
    """

    error: float
    how: str = "uniform"

    gives_counts: ClassVar[bool] = False

    @staticmethod
    def parse(options: Options) -> Bounded:
        """Read ``bounded:error=3[,how=uniform|extreme]``."""
        options.only("error", "how")
        how = options.choice("how", ("uniform", "extreme"), "uniform")
        return Bounded(options.number("error", above=0), how)

    def __str__(self) -> str:
        how = "" if self.how == "uniform" else f",how={self.how}"
        return f"bounded:error={plain(self.error)}{how}"

    @property
    def moves(self) -> tuple[float, float]:
        """The bound."""
        return self.error, self.error

    def protect(self, values: Floats, table: NDArray[np.int64], *, rng: np.random.Generator) -> Floats:
        """Add the errors."""
        if self.how == "uniform":
            return values + rng.uniform(-self.error, self.error, values.shape)
        return values + self.error * (2.0 * rng.integers(2, size=values.shape) - 1.0)

    def read(self, reading: Reading, *, counts: bool) -> Reading:
        """Widen by the bound on both sides."""
        wider = reading.within(reading.low - self.error, reading.high + self.error)
        variance = self.error**2 / (3 if self.how == "uniform" else 1)
        return replace(wider, variance=reading.variance + variance)
