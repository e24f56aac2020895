"""Laws of the population's means: where the share of people with an attribute comes from.

An attribute is worth -1 or +1, its mean over the population is `p` in [-1, 1], and `p` is drawn from a
law of its own, one draw per attribute. Three kinds: `Beta`, `Atoms` and `Density`, the last made from a
formula or from the means of a dataset. Whether tracing must succeed depends on how smooth that law is
(see `strong`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalenius.errors import InputError
from dalenius.theory import _check

Vector = NDArray[np.float64]

CELLS = 20_000
"""Of a density given by a formula; leaves an error of about 1e-6 in `gamma`."""

SPECTRUM_CELLS = 4_096
"""Of a density made from data, far finer than any bandwidth that data justify."""


@dataclass(frozen=True)
class Beta:
    """`p = 2 f - 1` with `f` from Beta(u, v): density proportional to `(1+p)^(u-1) (1-p)^(v-1)`.

    Examples
    --------
    >>> Beta(1, 1).moments()
    (0.6666666666666666, 0.5333333333333333)
    """

    u: float = 1.0
    v: float = 1.0

    def __post_init__(self) -> None:
        _check.positive("u", self.u)
        _check.positive("v", self.v)

    def moments(self) -> tuple[float, float]:
        """Return `E[1-p^2]` and `E[(1-p^2)^2]`."""
        u, v, total = self.u, self.v, self.u + self.v
        first = 4 * u * v / (total * (total + 1))
        return first, first * 4 * (u + 1) * (v + 1) / ((total + 2) * (total + 3))


UNIFORM = Beta(1.0, 1.0)
"""Every mean in [-1, 1] as likely as any other."""


@dataclass(frozen=True, eq=False)
class Atoms:
    """Finitely many possible means.

    Parameters
    ----------
    means
        The values, in [-1, 1].
    weights
        Their probabilities; equal if not given.

    Examples
    --------
    >>> Atoms([-0.5, 0.5]).moments()
    (0.75, 0.5625)
    """

    means: ArrayLike
    weights: ArrayLike | None = None

    def __post_init__(self) -> None:
        means = pm1_means("means", self.means)
        weights = np.ones(means.size) if self.weights is None else _check.vector("weights", self.weights)
        if weights.size != means.size or np.any(weights < 0) or weights.sum() <= 0:
            rule = f"must be {means.size} numbers, none below 0, not all 0"
            raise InputError("weights", rule, repr(self.weights), "Give one weight a mean.")
        object.__setattr__(self, "means", means)
        object.__setattr__(self, "weights", weights / weights.sum())

    def moments(self) -> tuple[float, float]:
        """Return `E[1-p^2]` and `E[(1-p^2)^2]`."""
        means, weights = self.points()
        spread = 1 - means**2
        return float(weights @ spread), float(weights @ spread**2)

    def points(self) -> tuple[Vector, Vector]:
        """Return the means and their weights, which sum to 1."""
        return np.asarray(self.means, np.float64), np.asarray(self.weights, np.float64)


@dataclass(frozen=True, eq=False)
class Density:
    """A density that is constant on each of many cells of equal width.

    Parameters
    ----------
    low, high
        The support, within [-1, 1].
    heights
        The density in each cell; its integral is 1.
    smoothing
        How it was made from data; empty for a formula.

    Examples
    --------
    >>> [round(moment, 8) for moment in density_of(lambda p: 1 + 0 * p).moments()]
    [0.66666667, 0.53333333]
    """

    low: float
    high: float
    heights: Vector
    smoothing: str = ""

    @property
    def width(self) -> float:
        """Width of a cell."""
        return (self.high - self.low) / self.heights.size

    @property
    def edges(self) -> Vector:
        """The ends of the cells, one more than there are cells."""
        return np.linspace(self.low, self.high, self.heights.size + 1)

    @property
    def middles(self) -> Vector:
        """The middle of each cell."""
        edges = self.edges
        return (edges[1:] + edges[:-1]) / 2

    def moments(self) -> tuple[float, float]:
        """Return `E[1-p^2]` and `E[(1-p^2)^2]`."""
        means, weights = self.points()
        spread = 1 - means**2
        return float(weights @ spread), float(weights @ spread**2)

    def points(self) -> tuple[Vector, Vector]:
        """Return the middles of the cells and their probabilities."""
        return self.middles, self.heights * self.width


Prior = Beta | Atoms | Density


def density_of(
    formula: Callable[[Vector], Vector], low: float = -1.0, high: float = 1.0, *, cells: int = CELLS
) -> Density:
    """Tabulate a density on [low, high]; it is scaled to integral 1.

    Parameters
    ----------
    formula
        Takes an array of means, gives the density there, up to a factor. Called inside the interval,
        never at its ends; where it is infinite there, `Beta` is exact and this is not (an error of 4e-4
        for Beta(1/2, 1/2)).
    low, high
        The support.
    cells
        Cells of equal width.

    Examples
    --------
    >>> density_of(lambda p: 1 - p**2).heights.size
    20000
    """
    low, high = interval(low, high)
    edges = np.linspace(low, high, _check.count("cells", cells, at_least=2) + 1)
    heights = _check.vector("formula", formula((edges[1:] + edges[:-1]) / 2))
    if heights.size != cells or np.any(heights < 0) or not heights.any():
        rule = "must give one number of at least 0 for each mean, not all 0"
        raise InputError("formula", rule, f"{heights.size} numbers for {cells}", "Vectorise it.")
    return Density(low, high, heights / (heights.sum() * (high - low) / cells))


def spectrum_of(means: ArrayLike, *, bandwidth: float | None = None) -> Density:
    """Estimate the law of the population's means from the column means of a dataset.

    A Gaussian kernel of this bandwidth on each mean, folded back at -1 and +1. The law of finitely many
    means as they stand is atomic and never strong (see `strong.gamma`): a mechanism that knew the list
    could answer with its nearest entry. What is computed from the estimate is a statement about
    attributes drawn from the *smoothed* law, and says which smoothing in ``smoothing``.

    Parameters
    ----------
    means
        Column means in [-1, 1], one per attribute (`2 f - 1` of a frequency f).
    bandwidth
        Standard deviation of the kernel. If not given, the rule of Silverman (1986), section 3.4.2:
        0.9 times the smaller of standard deviation and interquartile range / 1.34, times `d^(-1/5)`.

    Examples
    --------
    >>> estimate = spectrum_of(np.linspace(-0.9, 0.9, 1000))
    >>> estimate.smoothing
    'Gaussian kernel of bandwidth 0.1176 on 1,000 means, folded at -1 and +1'
    """
    values = pm1_means("means", means)
    h = _silverman(values) if bandwidth is None else _check.positive("bandwidth", bandwidth)
    width = 2 / SPECTRUM_CELLS
    if h < 2 * width:
        rule = f"must be at least {2 * width:.4g}"
        fix = "Give more spread-out means, or Atoms for a law of a few fixed values."
        raise InputError("bandwidth", rule, f"{h:.4g}", fix)
    counts = np.histogram(values, SPECTRUM_CELLS, (-1.0, 1.0))[0].astype(np.float64)
    heights = _folded(counts, h / width)
    said = f"Gaussian kernel of bandwidth {h:.4g} on {values.size:,} means, folded at -1 and +1"
    return Density(-1.0, 1.0, heights / (heights.sum() * width), said)


def quantiles(prior: Prior, count: int = 400) -> Vector:
    """Return as many equally likely means as wished: the law at (i + 1/2)/count.

    Examples
    --------
    >>> np.round(quantiles(UNIFORM, 4), 9).tolist(), quantiles(Atoms([-0.5, 0.5]), 2).tolist()
    ([-0.75, -0.25, 0.25, 0.75], [-0.5, 0.5])
    """
    levels = (np.arange(_check.count("count", count)) + 0.5) / count
    if isinstance(prior, Beta):
        from scipy.special import betaincinv

        return np.asarray(2 * betaincinv(prior.u, prior.v, levels) - 1, np.float64)
    means, weights = prior.points()
    order = np.argsort(means)
    at = np.searchsorted(np.cumsum(weights[order]), levels)
    return np.asarray(means[order][np.minimum(at, means.size - 1)], np.float64)


def _silverman(values: Vector) -> float:
    lower, upper = np.percentile(values, [25, 75])
    spreads = [float(values.std()), float(upper - lower) / 1.34]
    usable = [spread for spread in spreads if spread > 0]
    return float(0.9 * min(usable, default=0.0) / values.size**0.2)


def _folded(counts: Vector, h: float) -> Vector:
    """Smooth a histogram with a kernel of h cells on a circle of the range and its mirror image."""
    circle = np.concatenate([counts, counts[::-1]])
    frequency = np.fft.rfftfreq(circle.size)
    smooth = np.fft.irfft(np.fft.rfft(circle) * np.exp(-2 * (np.pi * frequency * h) ** 2), circle.size)
    return np.maximum(smooth[: counts.size], 0.0)


def pm1_means(name: str, means: ArrayLike) -> Vector:
    """Return means within [-1, 1]."""
    values = _check.vector(name, means)
    if np.any(np.abs(values) > 1):
        worst = repr(float(values[np.argmax(np.abs(values))]))
        raise InputError(name, "must lie in [-1, 1]", worst, "A frequency f is the mean 2 f - 1.")
    return values


def interval(low: float, high: float) -> tuple[float, float]:
    """Return the ends of an interval within [-1, 1]."""
    low, high = _check.number("low", low), _check.number("high", high)
    if not -1 <= low < high <= 1:
        rule = "must satisfy -1 <= low < high <= 1"
        raise InputError("low, high", rule, f"{low!r}, {high!r}", "Means of -1/+1 lie in [-1, 1].")
    return low, high
