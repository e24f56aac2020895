"""What is done to means besides noise: rounding to a grid, cutting off, signs, and answers made to mislead.

Numbers are means as they are printed: fractions and allele frequencies in 0 .. 1. Where the paper's means lie
in -1 .. 1 (Dwork, Smith, Steinke, Ullman, Vadhan 2015) and a parameter speaks of those, it says so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.grammar import Options
from dalenius.mechanisms.base import Floats, Reading, Stage, plain

Whole = NDArray[np.int64]

EDGE = 1e-9
"""How far a number may be from a threshold and still count as on it: means are stored in binary."""


@dataclass(frozen=True)
class Grid(Stage):
    """Round to the nearest multiple of ``step``, ties to the even multiple."""

    step: float

    before_noise: ClassVar[bool] = False
    gives_counts: ClassVar[bool] = False

    @staticmethod
    def parse(options: Options) -> Grid:
        """Read ``rounding:step=0.05``."""
        options.only("step")
        return Grid(options.number("step", above=0))

    def __str__(self) -> str:
        return f"rounding:step={plain(self.step)}"

    def protect(self, values: Floats, table: Whole, *, rng: np.random.Generator) -> Floats:
        """Round each number; what is suppressed stays suppressed."""
        steps = np.round(values / self.step, 9)  # 0.15 / 0.1 is a tie, whatever its binary digits say
        return np.rint(steps) * self.step + 0.0

    def read(self, reading: Reading, *, counts: bool) -> Reading:
        """Widen by half a step on both sides."""
        wider = reading.within(reading.low - self.step / 2, reading.high + self.step / 2)
        return replace(wider, variance=reading.variance + self.step**2 / 12)


@dataclass(frozen=True)
class Clip(Stage):
    """Cut each number off at ``low`` and ``high``."""

    low: float = 0.0
    high: float = 1.0

    @staticmethod
    def parse(options: Options) -> Clip:
        """Read ``clip[:low=0,high=1]``."""
        options.only("low", "high")
        low, high = options.number("low", 0.0), options.number("high", 1.0)
        if low >= high:
            raise InputError("clip: low", "must be below high", f"{low:g} and {high:g}")
        return Clip(low, high)

    def __str__(self) -> str:
        if (self.low, self.high) == (0.0, 1.0):
            return "clip"
        return f"clip:low={plain(self.low)},high={plain(self.high)}"

    def protect(self, values: Floats, table: Whole, *, rng: np.random.Generator) -> Floats:
        """Cut off; what is suppressed stays suppressed."""
        return np.clip(values, self.low, self.high)


@dataclass(frozen=True)
class Sign(Stage):
    """Publish only on which side of one half a fraction lies: ``(1 + scale) / 2`` or ``(1 - scale) / 2``.

    With scale 1 this is the sign of the mean in -1 .. 1, and everybody is traceable where the means of the
    population are spread smoothly. With scale 1/2, and a population whose means are all 1/4 or 3/4, nearly
    nobody is: it is the lack of smoothness that hides people, not the rounding.
    """

    scale: float = 1.0

    before_noise: ClassVar[bool] = False
    gives_counts: ClassVar[bool] = False

    @staticmethod
    def parse(options: Options) -> Sign:
        """Read ``sign[:scale=0.5]``."""
        options.only("scale")
        return Sign(options.number("scale", 1.0, above=0, most=1))

    def __str__(self) -> str:
        return "sign" if self.scale == 1 else f"sign:scale={plain(self.scale)}"

    def protect(self, values: Floats, table: Whole, *, rng: np.random.Generator) -> Floats:
        """Keep the side; exactly one half stays one half."""
        signed = np.sign(np.round(2 * values - 1, 12))
        return np.asarray((1 + self.scale * signed) / 2, np.float64)

    def read(self, reading: Reading, *, counts: bool) -> Reading:
        """Know nothing of the size of the error."""
        return unknown_error(reading)


@dataclass(frozen=True)
class Presence(Stage):
    """Say of each value only whether anybody has it, as a beacon does: 1 for yes, 0 for no.

    With ``flip`` each answer is turned over with that probability, once and for all askers: asking again
    gives the same answer.
    """

    flip: float = 0.0

    before_noise: ClassVar[bool] = False
    gives_counts: ClassVar[bool] = False

    @staticmethod
    def parse(options: Options) -> Presence:
        """Read ``presence[:flip=0.1]``."""
        options.only("flip")
        return Presence(options.number("flip", 0.0, least=0, most=0.5))

    def __str__(self) -> str:
        return "presence" if self.flip == 0 else f"presence:flip={plain(self.flip)}"

    @property
    def draws(self) -> bool:
        """Whether answers are turned over at random."""
        return self.flip > 0

    def protect(self, values: Floats, table: Whole, *, rng: np.random.Generator) -> Floats:
        """Answer; what nobody's record tells stays untold."""
        answers = np.where(np.isnan(values), np.nan, (values > EDGE).astype(np.float64))
        if self.flip == 0:
            return answers
        return np.where(rng.random(answers.shape) < self.flip, 1 - answers, answers)

    def read(self, reading: Reading, *, counts: bool) -> Reading:
        """Know nothing of the size of the error."""
        return unknown_error(reading)


@dataclass(frozen=True)
class ExtremeFlip(Stage):
    """Publish the opposite extreme of every mean beyond ``above``, in -1 .. 1, and the others as they are.

    Small error on average, and members score below outsiders: average accuracy alone does not make people
    traceable.
    """

    above: float

    before_noise: ClassVar[bool] = False
    gives_counts: ClassVar[bool] = False

    @staticmethod
    def parse(options: Options) -> ExtremeFlip:
        """Read ``extreme-flip:above=0.77``."""
        options.only("above")
        return ExtremeFlip(options.number("above", above=0, most=1))

    def __str__(self) -> str:
        return f"extreme-flip:above={plain(self.above)}"

    def protect(self, values: Floats, table: Whole, *, rng: np.random.Generator) -> Floats:
        """Turn extremes over."""
        signed = 2 * values - 1
        flipped = (1 - np.sign(signed)) / 2
        return np.where(np.abs(signed) > self.above + EDGE, flipped, values)

    def read(self, reading: Reading, *, counts: bool) -> Reading:
        """Know nothing of the size of the error."""
        return unknown_error(reading)


@dataclass(frozen=True)
class RareHidden(Stage):
    """Hide every attribute whose rarer value is had by less than a share ``rare`` of the people."""

    rare: float

    before_noise: ClassVar[bool] = False
    hides: ClassVar[bool] = True

    @staticmethod
    def parse(options: Options) -> RareHidden:
        """Read ``suppression:rare=0.01``."""
        options.only("rare")
        return RareHidden(options.number("rare", above=0, most=0.5))

    def __str__(self) -> str:
        return f"suppression:rare={plain(self.rare)}"

    def protect(self, values: Floats, table: Whole, *, rng: np.random.Generator) -> Floats:
        """Replace the means of rare values by not-a-number."""
        return np.where(np.minimum(values, 1 - values) < self.rare - EDGE, np.nan, values)


def unknown_error(reading: Reading) -> Reading:
    """Leave everything open: an error that is neither limited nor of known size."""
    everything = np.full_like(reading.low, np.inf)
    return reading.within(-everything, everything).noisy(np.inf, "unknown")
