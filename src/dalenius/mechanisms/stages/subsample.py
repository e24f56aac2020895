"""Counting a random part of the people."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.grammar import Options
from dalenius.mechanisms.base import Reading, Stage, plain


@dataclass(frozen=True)
class Subsample(Stage):
    """Count each person with probability ``rate``, independently of everything; publish the raw counts.

    No smaller epsilon is claimed for the secrecy of the sample: the promise stays that of the noise.
    """

    rate: float

    first_because: ClassVar[str] = "It chooses people, before anything is counted."

    @staticmethod
    def parse(options: Options) -> Subsample:
        """Read ``subsample:rate=0.5``."""
        options.only("rate")
        return Subsample(options.number("rate", above=0, most=1))

    def __str__(self) -> str:
        return f"subsample:rate={plain(self.rate)}"

    def sample_rows(self, n: int, *, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Say which of ``n`` people are counted."""
        return rng.random(n) < self.rate

    def read(self, reading: Reading, *, counts: bool) -> Reading:
        """Scale the counts up. Those in the sample are there for sure; how many are not is unknown.

        Given C people, the sample holds Binomial(C, rate) of them: the count over the rate is unbiased,
        with variance ``C (1 - rate) / rate``, for which ``count (1 - rate) / rate^2`` is the estimate.
        """
        if self.rate == 1:
            return reading
        if reading.shape == "none":
            reading = replace(reading, centre=reading.middle())
        count = np.maximum(reading.centre, 1.0)
        variance = (reading.variance + count * (1 - self.rate)) / self.rate**2
        noisy = replace(reading, variance=np.zeros_like(variance)).noisy(variance, "gaussian")
        return replace(
            noisy.within(reading.low, np.full_like(reading.high, np.inf)), centre=reading.centre / self.rate
        )
