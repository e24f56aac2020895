"""Publishing the counts as they are, with the precision printed beside them, or in a way nobody announced."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import UnsupportedError
from dalenius.grammar import Options
from dalenius.mechanisms.base import Floats, Reading, Stage


@dataclass(frozen=True)
class Exact(Stage):
    """The true counts."""

    @staticmethod
    def parse(options: Options) -> Exact:
        """Read ``exact``."""
        options.only()
        return Exact()

    def __str__(self) -> str:
        return "exact"

    @property
    def draws(self) -> bool:
        """Nothing is drawn."""
        return False


@dataclass(frozen=True)
class Unknown(Stage):
    """Numbers that somebody published without saying what was done to them: they can only be read."""

    gives_counts: ClassVar[bool] = False
    before_noise: ClassVar[bool] = False
    alone: ClassVar[bool] = True

    @staticmethod
    def parse(options: Options) -> Unknown:
        """Read ``unknown``."""
        options.only()
        return Unknown()

    def __str__(self) -> str:
        return "unknown"

    def protect(self, values: Floats, table: NDArray[np.int64], *, rng: np.random.Generator) -> Floats:
        """Refuse: there is nothing to apply."""
        raise UnsupportedError("the mechanism 'unknown' can be attacked but not applied")

    def read(self, reading: Reading, *, counts: bool) -> Reading:
        """Know nothing but the number itself."""
        return reading.noisy(np.nan, "unknown")


@dataclass(frozen=True)
class Stated(Stage):
    """Numbers whose intervals are printed beside them: ``<5``, ``12.5 %``. They can only be read."""

    gives_counts: ClassVar[bool] = False
    before_noise: ClassVar[bool] = False
    alone: ClassVar[bool] = True

    @staticmethod
    def parse(options: Options) -> Stated:
        """Read ``stated``."""
        options.only()
        return Stated()

    def __str__(self) -> str:
        return "stated"

    def protect(self, values: Floats, table: NDArray[np.int64], *, rng: np.random.Generator) -> Floats:
        """Refuse: there is nothing to apply."""
        raise UnsupportedError("the mechanism 'stated' can be attacked but not applied")

    def read(self, reading: Reading, *, counts: bool) -> Reading:
        """Leave everything open, for the printed intervals to close."""
        everything = np.full_like(reading.low, np.inf)
        return replace(reading, low=-everything, high=everything)
