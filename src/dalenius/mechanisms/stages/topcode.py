"""Top-coding: large counts are published as one limit, "100 or more"."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.grammar import Options
from dalenius.mechanisms.base import SLACK, Floats, Reading, Stage


@dataclass(frozen=True)
class Topcode(Stage):
    """Publish ``at`` in place of every number above it."""

    at: int

    before_noise: ClassVar[bool] = False

    @staticmethod
    def parse(options: Options) -> Topcode:
        """Read ``topcode:at=100``."""
        options.only("at")
        return Topcode(options.whole("at", least=1))

    def __str__(self) -> str:
        return f"topcode:at={self.at}"

    @property
    def draws(self) -> bool:
        """Nothing is drawn."""
        return False

    @property
    def moves(self) -> tuple[float, float]:
        """Down to the limit from anywhere."""
        return math.inf, 0.0

    def protect(self, values: Floats, table: NDArray[np.int64], *, rng: np.random.Generator) -> Floats:
        """Cut each number at the limit; what is suppressed stays suppressed."""
        return np.minimum(values, float(self.at))

    def read(self, reading: Reading, *, counts: bool) -> Reading:
        """Read the limit as itself or anything above it; nothing above it can have been published."""
        reached = (reading.high >= self.at - SLACK) & (reading.low <= self.at + SLACK)
        impossible = reading.low > self.at + SLACK
        return replace(
            reading,
            low=np.where(impossible, np.inf, reading.low),
            high=np.where(impossible, -np.inf, np.where(reached, np.inf, reading.high)),
        )
