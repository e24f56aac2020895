"""Answers with errors: random noise, and errors of at most a stated size.

Random noise on every answer: Gaussian, Laplace and two-sided geometric.

Each is given by its scale, or by the promise it must keep; a promise becomes a scale once it is known how
far one person moves the answers (`Noise.resolve`). The samplers take a seeded generator: they are for
simulation. ``opendp`` draws a release that is meant for the world.

Answers that are wrong by at most a stated amount: the error model of the reconstruction theorems.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.grammar import LARGEST, Options
from dalenius.matrices.answers import Sensitivity
from dalenius.mechanisms.base import Floats, Promise, Reading, Stage, plain

_TEN_DIGITS = Context(prec=10, rounding=ROUND_CEILING)
"""An announced scale has ten digits; rounded up, so that it never keeps less than the promise."""

LEAST_SCALE = 1e-15


@dataclass(frozen=True)
class Noise(Stage, ABC):
    """What the three kinds of noise share.

    Parameters
    ----------
    scale
        Size of the noise, None while only the promise is known.
    budget
        The promise asked for, None where the scale was given.
    """

    scale: float | None
    budget: float | None = None

    gives_counts: ClassVar[bool] = False
    name: ClassVar[str]
    scale_key: ClassVar[str]
    budget_key: ClassVar[str]
    shape: ClassVar[str]

    def __post_init__(self) -> None:
        if self.scale is not None and not LEAST_SCALE <= self.scale <= LARGEST:
            raise InputError(
                f"{self.name}: {self.scale_key}",
                f"must be between {LEAST_SCALE:g} and {LARGEST:g}",
                f"{self.scale:g}",
                "Less is no noise to a computer, more leaves nothing to publish.",
            )

    @classmethod
    def parse(cls, options: Options) -> Self:
        """Read ``name:scale=...`` or ``name:budget=...``, exactly one of the two."""
        keys = (cls.scale_key, cls.budget_key)
        options.only(*keys)
        if len(options.values) != 1:
            raise InputError(
                f"{cls.name}:",
                f"must have either {keys[0]} or {keys[1]}",
                str(options),
                f"Write {cls.name}:{keys[0]}=4 or {cls.name}:{keys[1]}=0.5.",
            )
        if cls.scale_key in options.values:
            return cls(options.number(cls.scale_key, above=0))
        return cls(None, options.number(cls.budget_key, above=0))

    def __str__(self) -> str:
        if self.scale is None:
            return f"{self.name}:{self.budget_key}={plain(self.budget or 0)}"
        return f"{self.name}:{self.scale_key}={plain(self.scale)}"

    @property
    def promised(self) -> bool:
        """Whether its size is left to the promise."""
        return self.scale is None

    def resolve(self, sensitivity: Sensitivity) -> Self:
        """Fill in the scale that keeps the promise, rounded up to the ten digits that are announced."""
        if self.scale is not None:
            return self
        if math.isinf(sensitivity.l1):
            raise InputError(
                f"{self.name}: {self.budget_key}",
                "needs answers that one person moves by a limited amount",
                "answers that are not counts",
                f"Give the size of the noise: {self.name}:{self.scale_key}=...",
            )
        scale = self.convert(sensitivity, self.budget or 0)
        return replace(self, scale=float(_TEN_DIGITS.create_decimal(repr(scale))), budget=None)

    def protect(self, values: Floats, table: NDArray[np.int64], *, rng: np.random.Generator) -> Floats:
        """Add noise that is independent for each answer."""
        return values + self.draw(self.known_scale(), values.shape, rng)

    def read(self, reading: Reading, *, counts: bool) -> Reading:
        """Know the size of the noise, and nothing for sure."""
        return reading.noisy(self.variance(self.known_scale()), self.shape)

    def known_scale(self) -> float:
        """Return the scale, or refuse if only the promise is known."""
        if self.scale is None:
            raise InputError(
                f"{self.name}: {self.scale_key}",
                "must be known before noise is drawn or read",
                str(self),
                f"Call resolve with the sensitivity of the whole release, or write {self.scale_key}=...",
            )
        return self.scale

    @abstractmethod
    def convert(self, sensitivity: Sensitivity, value: float) -> float:
        """Turn a promise into the scale that keeps it; the same formula turns a scale into its promise."""

    @abstractmethod
    def variance(self, scale: float) -> float:
        """Return the variance of the noise."""

    @abstractmethod
    def draw(self, scale: float, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
        """Draw noise of this scale."""


@dataclass(frozen=True)
class Gaussian(Noise):
    """Normal noise: ``gaussian:sigma=4`` or ``gaussian:rho=0.5``."""

    name: ClassVar[str] = "gaussian"
    scale_key: ClassVar[str] = "sigma"
    budget_key: ClassVar[str] = "rho"
    shape: ClassVar[str] = "gaussian"

    @staticmethod
    def parse_epsilon_delta(options: Options) -> Gaussian:
        """Read ``gaussian:epsilon=1,delta=1e-6``: the least noise that keeps it (Balle and Wang 2018)."""
        from dalenius.theory.privacy import mu_from_epsilon_delta, rho_from_mu

        options.only("epsilon", "delta")
        epsilon, delta = options.number("epsilon", above=0), options.number("delta", above=0)
        return Gaussian(None, rho_from_mu(mu_from_epsilon_delta(epsilon, delta)))

    def convert(self, sensitivity: Sensitivity, value: float) -> float:
        """Return the standard deviation for a rho."""
        from dalenius.theory.privacy import gaussian_noise

        return gaussian_noise(math.sqrt(sensitivity.l2_squared), value)

    def promise(self, sensitivity: Sensitivity) -> Promise:
        """Promise rho-zero-concentrated differential privacy."""
        from dalenius.theory.privacy import gaussian_rho

        rho = self.budget
        if rho is None:
            rho = gaussian_rho(math.sqrt(sensitivity.l2_squared), self.known_scale())
        return Promise(None, rho, f"zero-concentrated differential privacy with rho = {rho:.4g}")

    def variance(self, scale: float) -> float:
        """Return sigma squared."""
        return scale**2

    def draw(self, scale: float, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
        """Draw normal noise."""
        return rng.normal(0.0, scale, shape)


@dataclass(frozen=True)
class Laplace(Noise):
    """Laplace noise: ``laplace:scale=2`` or ``laplace:epsilon=1``."""

    name: ClassVar[str] = "laplace"
    scale_key: ClassVar[str] = "scale"
    budget_key: ClassVar[str] = "epsilon"
    shape: ClassVar[str] = "laplace"

    def convert(self, sensitivity: Sensitivity, value: float) -> float:
        """Return the scale for an epsilon; sensitivity over scale is epsilon again."""
        from dalenius.theory.privacy import laplace_scale

        return laplace_scale(sensitivity.l1, value)

    def promise(self, sensitivity: Sensitivity) -> Promise:
        """Promise pure differential privacy."""
        epsilon = self.budget
        if epsilon is None:
            epsilon = self.convert(sensitivity, self.known_scale())
        return Promise(epsilon, None, f"differential privacy with epsilon = {epsilon:.4g}")

    def variance(self, scale: float) -> float:
        """Return twice the squared scale."""
        return 2 * scale**2

    def draw(self, scale: float, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
        """Draw Laplace noise."""
        return rng.laplace(0.0, scale, shape)


@dataclass(frozen=True)
class Geometric(Laplace):
    """Whole-number Laplace noise, Pr[z] proportional to exp(-abs(z) / scale): ``geometric:epsilon=1``."""

    name: ClassVar[str] = "geometric"

    def variance(self, scale: float) -> float:
        """Return ``2 r / (1 - r)^2`` for the ratio ``r = exp(-1/scale)``."""
        return 2 * math.exp(-1 / scale) / math.expm1(-1 / scale) ** 2

    def draw(self, scale: float, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
        """Draw the difference of two geometric numbers, which has this distribution."""
        stop = -math.expm1(-1 / scale)
        return (rng.geometric(stop, shape) - rng.geometric(stop, shape)).astype(np.float64)


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
