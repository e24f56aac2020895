"""Saddlepoints and Chernoff bounds of many records together.

For a record with score t the curve ``L(s) = K(s) - s t = sum_j ln E exp(s v_j (X_j - y_j))`` is a sum over
columns of a function of the record's value, so one pass gives it for all records at a few points s, with
its first two derivatives. L is convex; its minimum is the Chernoff exponent and the saddlepoint. Points are
added where records still lack two of them close enough on either side of their minimum; in between, L is
the quintic with the right values and derivatives at both ends.

What is certified uses no interpolation. The third derivative is at most c times the second, c the largest
step ``|v_j|`` times the range of a value, so from a computed point a

    L(s) <= L(a) + L'(a) (s - a) + L''(a) (exp(c |s - a|) - 1 - c |s - a|) / c^2,

plus what rounding can have done to the sums.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import cores, share_out
from dalenius.people.traits.traits import Traits
from dalenius.progress import Progress, silent
from dalenius.tracing.attack.tails.column_sums import column_sums
from dalenius.tracing.attack.tails.outsider import Null
from dalenius.tracing.attack.tails.record_law import Law
from dalenius.tracing.attack.tails.tails import hoeffding_proxy, kearns_saul_proxy, lugannani_rice

Values = NDArray[np.float64]

AT_ONCE = 8
"""Points of the curves that one pass computes."""

ALONE = 500_000
"""Terms of the curves below which one thread computes them: about 5 ms."""

PASSES = 60
EDGE = 1e-12
"""A score this close to its largest value, as a share of it, is at it."""


@dataclass(frozen=True)
class Moments:
    """Of every record: the score's distance from its mean, three cumulants, and how far it is from the ends.

    ``above`` and ``below`` are the distances to the largest and the least score, ``log_top`` the
    log-probability of the largest, ``scale`` the sum of all steps' sizes, ``sixth`` that of their sixth
    central moments, ``step`` the largest step of any record.
    """

    distance: Values
    variance: Values
    third: Values
    above: Values
    below: Values
    log_top: Values
    scale: Values
    sixth: Values
    step: float


def moments(traits: Traits, null: Null) -> Moments:
    """Compute them in one pass."""
    largest = [0.0]

    def terms(x: Values, part: slice) -> Values:
        law, v = null.at(x, part)
        low, high = law.ends()
        largest[0] = max(largest[0], float((np.abs(v) * (high - low)).max(initial=0.0)))
        mean = law.mean()
        off = (law.values - mean) ** 2 * law.chance
        top, bottom = np.maximum(v * low, v * high), np.minimum(v * low, v * high)
        at_top = np.where(law.values == np.where(v >= 0, high, low), law.chance, 0.0).sum(axis=0)
        sure = (high == low) | (v == 0)
        return np.stack(
            [
                v * (x - mean),
                v**2 * off.sum(axis=0),
                v**3 * (off * (law.values - mean)).sum(axis=0),
                np.where(sure, 0.0, top - v * x),
                np.where(sure, 0.0, v * x - bottom),
                np.where(sure, 0.0, np.log(np.where(sure, 1.0, at_top))),
                np.abs(v),
                v**6 * (off * (law.values - mean) ** 4).sum(axis=0),
            ]
        )

    found = column_sums(traits, terms, depth=_depth(traits, null))
    distance, variance, third, above, below, log_top, scale, sixth = found.T
    return Moments(distance, variance, third, above, below, log_top, scale, sixth, largest[0])


def proxies(traits: Traits, null: Null, tail: str) -> tuple[Values, Values]:
    """Return each score's distance from its mean, and the proxy of ``kearns-saul`` or ``hoeffding``."""
    proxy = {"kearns-saul": kearns_saul_proxy, "hoeffding": hoeffding_proxy}[tail]

    def terms(x: Values, part: slice) -> Values:
        law, v = null.at(x, part)
        return np.stack([v * (x - law.mean()), v**2 * proxy(law)])

    distance, spread = column_sums(traits, terms, depth=_depth(traits, null)).T
    return distance, spread


def _depth(traits: Traits, null: Null) -> int:
    """How many values a law lists."""
    return len(null.at(np.zeros((1, 1)), slice(0, 1))[0].chance)


@dataclass
class Curves:
    """L and its first two derivatives at a growing list of points, and the rounding of each sum."""

    traits: Traits
    null: Null
    at: Values
    value: Values
    slope: Values
    bend: Values
    error: Values
    _depth: int = field(init=False)

    def __post_init__(self) -> None:
        self._depth = _depth(self.traits, self.null)

    def add(self, points: Values) -> None:
        """Compute the curves at more points, and keep all in order."""
        sizes: dict[int, Values] = {}  # by the first column: the same columns may be asked about again

        def terms(x: Values, part: slice) -> Values:
            law, v = self.null.at(x, part)
            made = _curves(law, v, x, points)
            sizes[part.start] = np.abs(made).max(axis=1).sum(axis=1)
            return made

        found = column_sums(self.traits, terms, depth=self._depth).T.reshape(points.size, 3, -1)
        size = sum(sizes.values(), np.zeros(3 * points.size))
        rounding = (size * self.traits.d * np.finfo(float).eps).reshape(points.size, 3)
        order = np.argsort(np.concatenate([self.at, points]))
        self.at = np.concatenate([self.at, points])[order]
        self.value = np.concatenate([self.value, found[:, 0]])[order]
        self.slope = np.concatenate([self.slope, found[:, 1]])[order]
        self.bend = np.concatenate([self.bend, found[:, 2]])[order]
        self.error = np.concatenate([self.error, rounding])[order]


def _curves(law: Law, v: Values, x: Values, points: Values) -> Values:
    """``ln E exp(s v (X - x))`` of each value and two derivatives: ``(3 points, records, width)``."""
    from dalenius.tracing.attack.tails._tilt_kernels import Records, curves

    made = np.empty((points.size, 3, *x.shape))
    records = Records(np.broadcast_to(law.values, law.chance.shape), law.chance, v, x)
    threads = cores() if made.size * len(law.chance) > ALONE else 1
    share_out(lambda a, b: curves(made, records, points, a, b), x.shape[1], threads=threads)
    return made.reshape(-1, *x.shape)


@dataclass(frozen=True)
class Tilted:
    """Log p-values of every record: the saddlepoint approximation, and the certified Chernoff bound."""

    moments: Moments
    saddlepoint: Values
    chernoff: Values


def tilt_all(traits: Traits, null: Null, progress: Progress = silent) -> Tilted:
    """Find the saddlepoints of all records."""
    m = moments(traits, null)
    curves = Curves(
        traits,
        null,
        np.zeros(1),
        np.zeros((1, traits.n)),
        -m.distance[None],
        m.variance[None].copy(),
        np.zeros((1, 3)),
    )
    tolerance = EDGE * np.maximum(m.scale, 1e-300)
    top, bottom = m.above <= tolerance, m.below <= tolerance
    open_ = (m.variance > 0) & ~top & ~bottom
    found = _search(curves, m, open_, progress)
    saddle = lugannani_rice(found.s, found.value, found.bend, m.distance, m.variance, m.third)
    saddle = np.where(open_, saddle, np.where(top & (m.variance > 0), m.log_top, 0.0))
    bound = np.where(open_, _certified(curves, found, m.step), np.where(top, m.log_top, 0.0))
    bound = np.where((m.distance > 0) & (m.variance > 0), np.minimum(bound, 0.0), 0.0)
    return Tilted(m, np.minimum(saddle, 0.0), np.minimum(bound, 0.0))


@dataclass(frozen=True)
class Minima:
    """Where each curve is least, by interpolation, between which computed points, and L and L'' there."""

    s: Values
    value: Values
    bend: Values
    left: NDArray[np.intp]
    right: NDArray[np.intp]


def _search(curves: Curves, m: Moments, open_: NDArray[np.bool_], progress: Progress) -> Minima:
    """Add points until every open record has close ones on both sides of its minimum."""
    # a quintic between two points is off by (width / 2)^6 / 720 times the sixth derivative: aim at 1e-11,
    # since that grows on the way out
    rough = float(np.median(m.sixth[open_] / m.variance[open_] ** 3)) if open_.any() else 1.0
    width = float(np.clip(2 * (720e-11 / max(rough, 1e-300)) ** (1 / 6), 0.1, 2.0))
    for turn in range(PASSES):
        minima, wide = _minima(curves, width)
        wanted = _wanted(curves, minima, open_ & wide, width, m)
        if wanted.size == 0:
            break
        for start in range(0, wanted.size, AT_ONCE):
            progress(turn / PASSES, f"{wanted.size:,} more points of the curves")
            curves.add(wanted[start : start + AT_ONCE])
    return _minima(curves, width)[0]


def _minima(curves: Curves, width: float) -> tuple[Minima, NDArray[np.bool_]]:
    """Interpolate every record's minimum; and say whose points are still too far apart."""
    people = np.arange(curves.slope.shape[1])
    below = (curves.slope <= 0).sum(axis=0)  # L' increases with s
    left = np.clip(below - 1, 0, curves.at.size - 1)
    right = np.clip(below, 0, curves.at.size - 1)
    a, b = curves.at[left], curves.at[right]
    ends = [(c[left, people], c[right, people]) for c in (curves.value, curves.slope, curves.bend)]
    t, value, bend = _quintic_minimum(b - a, *ends)
    inside = b > a
    outer = np.where(below == 0, left, right)
    # beyond the last point a Newton step, no more than a doubling of the way
    steep, bent = curves.slope[outer, people], curves.bend[outer, people]
    step = -steep / np.where(bent > 0, bent, 1.0)
    most = np.where(curves.at[outer] == 0, np.inf, np.abs(curves.at[outer]) + 1e-300)
    beyond = curves.at[outer] + np.clip(step, -most, most)
    s = np.where(inside, a + t * (b - a), beyond)
    value = np.where(inside, value, curves.value[outer, people])
    bend = np.where(inside, bend, bent)
    close = np.sqrt(np.minimum(ends[2][0], ends[2][1])) * (b - a) <= width
    return Minima(s, value, np.maximum(bend, 1e-300), left, right), ~(inside & close)


def _quintic_minimum(
    h: Values, value: tuple[Values, Values], slope: tuple[Values, Values], bend: tuple[Values, Values]
) -> tuple[Values, Values, Values]:
    """Minimise the quintic through two ends, given there up to the second derivative; ``t`` in [0, 1]."""
    (p0, p1), (m0, m1), (q0, q1) = value, [x * h for x in slope], [x * h**2 for x in bend]
    e0, e1, e2 = p1 - p0 - m0 - q0 / 2, m1 - m0 - q0, q1 - q0
    c3, c4, c5 = 10 * e0 - 4 * e1 + e2 / 2, -15 * e0 + 7 * e1 - e2, 6 * e0 - 3 * e1 + e2 / 2
    low, high = np.zeros_like(h), np.ones_like(h)
    t = np.clip(np.divide(m0, m0 - m1, out=np.full_like(h, 0.5), where=m1 > m0), 0, 1)
    for _ in range(60):
        first = m0 + t * (q0 + t * (3 * c3 + t * (4 * c4 + t * 5 * c5)))
        second = q0 + t * (6 * c3 + t * (12 * c4 + t * 20 * c5))
        low, high = np.where(first <= 0, t, low), np.where(first > 0, t, high)
        newton = t - np.divide(first, second, out=np.full_like(h, np.inf), where=second > 0)
        new = np.where((newton >= low) & (newton <= high), newton, (low + high) / 2)
        if np.array_equal(new, t):
            break
        t = new
    second = q0 + t * (6 * c3 + t * (12 * c4 + t * 20 * c5))
    least = p0 + t * (m0 + t * (q0 / 2 + t * (c3 + t * (c4 + t * c5))))
    return t, least, second / np.where(h > 0, h, 1.0) ** 2


def _wanted(curves: Curves, minima: Minima, lacking: NDArray[np.bool_], width: float, m: Moments) -> Values:
    """Choose new points around the minima of records that lack them, on a grid that records share."""
    if not lacking.any():
        return np.zeros(0)
    s = minima.s[lacking]
    spacing = 0.8 * width / np.sqrt(minima.bend[lacking])
    # no finer than a thousandth of the way from 0; no coarser than half of it, or than what is close enough
    # at 0, where L'' changes by a factor of at most e within 1 / step
    near = np.minimum(0.8 * width / np.sqrt(m.variance[lacking]), 1 / m.step)
    spacing = np.clip(spacing, np.abs(s) * 1e-3, np.maximum(np.abs(s) / 2, near))
    spacing = 2.0 ** np.floor(np.log2(spacing))
    points = np.concatenate([np.floor(s / spacing) * spacing, (np.floor(s / spacing) + 1) * spacing])
    points = np.unique(points[np.isfinite(points)])
    return points[~np.isin(points, curves.at)]


def _certified(curves: Curves, minima: Minima, step: float) -> Values:
    """Bound L at the interpolated minimum from the computed points around it, or take theirs."""
    people = np.arange(minima.s.size)
    best = np.full(minima.s.size, np.inf)
    for end in (minima.left, minima.right):
        value, slope = curves.value[end, people], curves.slope[end, people]
        bend, error = curves.bend[end, people], curves.error[end]
        away = np.where(minima.s >= 0, minima.s, 0.0) - curves.at[end]
        c = step * np.abs(away)
        series = (np.expm1(np.minimum(c, 50)) - c) / np.maximum(c, 1e-4) ** 2
        growth = np.where(c > 1e-4, series, 0.5 * (1 + c))
        moved = value + slope * away + (bend + error[:, 2]) * away**2 * growth
        moved += error[:, 0] + error[:, 1] * np.abs(away)
        there = np.where(curves.at[end] >= 0, value + error[:, 0], np.inf)
        best = np.minimum(best, np.minimum(np.where(c < 50, moved, np.inf), there))
    return best
