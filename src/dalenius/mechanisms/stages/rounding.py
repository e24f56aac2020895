"""Rounding to multiples of a base, and to decimals, as almost every published coefficient is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.grammar import Options
from dalenius.mechanisms.base import SLACK, Floats, Reading, Stage, rows_of_tables

WAYS = ("nearest", "down", "up", "random", "controlled")

TIES = ("even", "up", "away", "unknown")
"""Where a number half-way between two multiples goes: to the even multiple (numpy, pandas, R, Python), up,
away from zero (spreadsheets, most databases), or nobody says."""


@dataclass(frozen=True)
class Rounding(Stage):
    """Publish a multiple of ``base`` in place of each number.

    ``nearest`` takes the nearest one; ``ties`` says where halves go. While that is not said, numbers are read
    as if they had gone either way; applied, they go up, and `applied` says so.
    ``down`` takes the one below, ``up`` the one above.
    ``random`` takes one of the two around it, so that the expected value is the number itself.
    ``controlled`` does that and keeps every table additive: the totals of its rows and columns and its
    grand total are also multiples around the true ones.
    """

    base: int
    how: str = "nearest"
    ties: str = "unknown"

    before_noise: ClassVar[bool] = False

    @staticmethod
    def parse(options: Options) -> Rounding:
        """Read ``rounding:base=5[,how=nearest|down|up|random|controlled][,ties=even|up|away|unknown]``."""
        options.only("base", "how", "ties")
        how = options.choice("how", WAYS, "nearest")
        if how != "nearest" and "ties" in options.values:
            raise InputError(
                "rounding: ties",
                "must be given only where numbers go to the nearest multiple",
                str(options),
                "Leave ties out.",
            )
        return Rounding(options.whole("base", least=2), how, options.choice("ties", TIES, "unknown"))

    def __str__(self) -> str:
        how = "" if self.how == "nearest" else f",how={self.how}"
        ties = "" if self.ties == "unknown" else f",ties={self.ties}"
        return f"rounding:base={self.base}{how}{ties}"

    @property
    def moves(self) -> tuple[float, float]:
        """Half a base to either side, or a whole one where it does not go to the nearest."""
        match self.how:
            case "nearest":
                return self.base / 2, self.base / 2
            case "down":
                return float(self.base), 0.0
            case "up":
                return 0.0, float(self.base)
        return float(self.base), float(self.base)

    @property
    def makes_whole(self) -> bool:
        """Multiples of a whole number."""
        return True

    def applied(self) -> Self:
        """Say where halves go, if there are any: an odd base has none between counts."""
        open_ = self.how == "nearest" and self.ties == "unknown" and self.base % 2 == 0
        return replace(self, ties="up") if open_ else self

    @property
    def draws(self) -> bool:
        """Only some ways draw."""
        return self.how in ("random", "controlled")

    def protect(self, values: Floats, table: NDArray[np.int64], *, rng: np.random.Generator) -> Floats:
        """Round each number; what is suppressed stays suppressed."""
        if self.how == "nearest":
            return self._nearest(values / self.base) * self.base
        if self.how in ("down", "up"):
            cut = np.floor if self.how == "down" else np.ceil
            return np.asarray(cut(values / self.base) * self.base, np.float64)
        if self.how == "random":
            down: Floats = np.floor(values / self.base) * self.base
            return down + self.base * (rng.random(values.shape) * self.base < values - down)
        from dalenius.mechanisms.stages.controlled import round_table

        rounded = np.empty_like(values)
        for rows in rows_of_tables(table):
            rounded[rows] = round_table(values[rows], self.base, rng=rng)
        return rounded

    def _nearest(self, steps: Floats) -> Floats:
        if self.ties == "even":
            return np.rint(steps)
        if self.ties == "away":
            return np.copysign(np.floor(np.abs(steps) + 0.5), steps)
        return np.floor(steps + 0.5)

    def read(self, reading: Reading, *, counts: bool) -> Reading:
        """Widen each interval to the numbers that can have been rounded into it."""
        low = self.base * np.ceil((reading.low - SLACK) / self.base)
        high = self.base * np.floor((reading.high + SLACK) / self.base)
        multiples = replace(reading, low=low, high=high)
        below, above = self._reach(low, high, counts)
        wider = multiples.within(low - below, high + above)
        # Residues 0 .. base-1 all alike: the variance of the rounding error, and where it is not centred its
        # mean: half a unit if the ties of an even base go up. Ties that go both ways spread a little more.
        one_sided = self.how in ("nearest", "down", "up")
        both_ways = self.how == "nearest" and self.base % 2 == 0 and self.ties in ("even", "unknown")
        variance = (self.base**2 + counts * (2 if both_ways else -1)) / (12 if one_sided else 6)
        bias = (above - below) / 2 if one_sided and not both_ways else 0.0
        return replace(wider, centre=reading.centre + bias, variance=reading.variance + variance)

    def _reach(self, low: Floats, high: Floats, counts: bool) -> tuple[float | Floats, float | Floats]:
        """How far below and above a published multiple the number can have been."""
        whole = 1 if counts else 0
        match self.how:
            case "nearest":
                return self._reach_of_nearest(low, high) if counts else (self.base / 2, self.base / 2)
            case "down":
                return 0, self.base - whole
            case "up":
                return self.base - whole, 0
        return self.base - whole, self.base - whole

    def _reach_of_nearest(self, low: Floats, high: Floats) -> tuple[float | Floats, float | Floats]:
        """The same for counts, which know ties: an even multiple has both of its own, an odd one neither."""
        half, tie = self.base // 2, 1 - self.base % 2
        match self.ties:
            case "unknown":
                return half, half
            case "even":
                return half - tie * self._odd(low), half - tie * self._odd(high)
        return half, half - tie  # counts are not negative: away from zero is up

    def _odd(self, multiple: Floats) -> Floats:
        with np.errstate(invalid="ignore"):  # an open end is no multiple
            return np.asarray(np.abs(multiple / self.base) % 2 == 1, np.float64)


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

    @property
    def makes_whole(self) -> bool:
        """Without decimals."""
        return self.digits == 0

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
