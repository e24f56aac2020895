"""Printing numbers with a fixed number of decimals: what is done to almost every published coefficient."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.grammar import Options
from dalenius.mechanisms.base import Floats, Reading, Stage

MOST_DIGITS = 15
"""Decimals that a floating-point number of everyday size has."""

EDGE = 1e-6
"""How far a printed number may be from a multiple, in units of the last decimal: it is stored in binary."""


@dataclass(frozen=True)
class Decimals(Stage):
    """Round each number to the nearest with ``digits`` decimals; counts have none and stay what they are."""

    digits: int

    before_noise: ClassVar[bool] = False

    @staticmethod
    def parse(options: Options) -> Decimals:
        """Read ``rounding:digits=3``."""
        options.only("digits")
        digits = options.whole("digits", least=0)
        if digits > MOST_DIGITS:
            raise InputError(
                "rounding: digits", f"must be at most {MOST_DIGITS}", str(digits), "Write exact."
            )
        return Decimals(digits)

    def __str__(self) -> str:
        return f"rounding:digits={self.digits}"

    @property
    def draws(self) -> bool:
        """Nothing is drawn."""
        return False

    def protect(self, values: Floats, table: NDArray[np.int64], *, rng: np.random.Generator) -> Floats:
        """Round each number; what is suppressed stays suppressed."""
        # adding zero turns -0.0 into 0.0, which is how it is printed
        return np.round(values, self.digits) + 0.0

    def read(self, reading: Reading, *, counts: bool) -> Reading:
        """Widen each interval by half a unit of the last decimal; which way a tie went is not assumed."""
        if counts:
            return reading
        unit = 10.0**-self.digits
        with np.errstate(invalid="ignore"):
            edge = EDGE + 1e-15 * np.abs(reading.centre) / unit
        edge = np.nan_to_num(edge, nan=EDGE)
        low, high = unit * np.ceil(reading.low / unit - edge), unit * np.floor(reading.high / unit + edge)
        wider = replace(reading, low=low, high=high).within(low - unit / 2, high + unit / 2)
        return replace(wider, variance=reading.variance + unit**2 / 12)
