"""What to expect of an attack on equations too large to decompose: exact for some people, drawn at random.

The variance that is left about one person is an entry of an inverse, ``e_i^T f(G) e_i``. Steps of Lanczos
from ``e_i`` bound it from both sides (Golub and Meurant 1994): Gauss's quadrature from below, that of Gauss
and Radau from above.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.matrices.answers import Vector
from dalenius.matrices.operators import Operator
from dalenius.progress import Progress, silent
from dalenius.reconstruction.attack.forecast.predict import (
    LEAST_TAU,
    ErrorSize,
    Prediction,
    inner_prior,
    right_in_groups,
    wrong_at_most,
)
from dalenius.reconstruction.attack.linalg.lanczos import Lanczos
from dalenius.reconstruction.attack.system.system import LinearSystem
from dalenius.theory.reconstruction.least_squares import least_squares_accuracy, lmmse_accuracy

PEOPLE = 24
"""How many are drawn: the share right differs by a few points from person to person at the most."""

STEPS, LOOK = 60, 5
"""Steps for each of them, and how often the bounds are looked at."""

CLOSE = 2e-3
"""Between the bounds of a share this is near enough."""

UNSEEN = 1e-6
"""Share of the largest eigenvalue below which products in single precision cannot tell one from 0."""

LEAST_SHARE = 1e-9
"""A variance is never taken as less than this share of the prior's."""


@dataclass(frozen=True)
class Sample:
    """What was found about the people drawn: each a pair of bounds, or of means of bounds.

    Parameters
    ----------
    prediction
        Shares right, see there.
    resolution
        How much of an unknown is seen, on average, at least.
    products
        Products with the matrix and its transpose that it took.
    """

    prediction: Prediction
    resolution: float
    products: int


@dataclass(frozen=True)
class _Person:
    """One person: bounds of the chance to be right, of both rules, and of what is seen at least."""

    linear: tuple[float, float]
    least_squares: tuple[float, float] | None
    seen: float
    products: int


def predict_sampled(
    system: LinearSystem,
    A: Operator,
    units: Vector,
    error: ErrorSize,
    sigma_min: float,
    *,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> Sample:
    """Predict how much is recovered, from a few people who share their unknown with nobody.

    Parameters
    ----------
    A
        The matrix of the system, perhaps in single precision.
    units
        What its rows are divided by, besides their errors.
    sigma_min
        A lower bound of the least singular value of the rows divided by ``units``; 0 if there is none, and
        then nothing is predicted for least squares.
    """
    prior = inner_prior(system)
    sd = np.sqrt(system.sizes * prior * (1 - prior))
    tau = np.maximum(error.tau, LEAST_TAU)
    weight = 1 / (units * tau) ** 2

    def precision(x: Vector) -> Vector:
        """``S A^T W A S``: in units of the prior, so that the prior is the identity."""
        return np.asarray(sd * A.apply_transpose(weight * A.apply(sd * x)), np.float64)

    n, alone = int(system.sizes.sum()), np.flatnonzero(system.sizes == 1)
    drawn = rng.permutation(alone)[:PEOPLE]
    end = (sigma_min * sd.min() / tau.max()) ** 2
    people = []
    for done, i in enumerate(drawn):
        progress(0.5 + 0.5 * done / drawn.size, "people drawn at random")
        start = np.zeros(system.unknowns)
        start[i] = 1.0
        people.append(_person(Lanczos(precision, start), float(prior[i]), float(sd[i]) ** 2, end))
    grouped = right_in_groups(system)
    left = 1 - drawn.size / max(alone.size, 1)
    linear, give = _mean([person.linear for person in people], left)
    full = [person.least_squares for person in people if person.least_squares is not None]
    squares = None
    if len(full) == len(people) and sigma_min > 0:
        squares, other = _mean(full, left)
        give = max(give, other)
    share = alone.size / n
    prediction = Prediction(
        error.kind,
        float(np.median(error.tau)),
        None if squares is None else squares * share + grouped / n,
        linear * share + grouped / n,
        wrong_at_most(n, error, sigma_min),
        len(people),
        give * share,
    )
    seen = float(np.mean([person.seen for person in people])) if people else 0.0
    return Sample(prediction, seen, sum(person.products for person in people))


def _mean(bounds: list[tuple[float, float]], left: float) -> tuple[float, float]:
    """The mean of the middles, and how far it may be off; ``left`` is the share of people not drawn."""
    if not bounds:
        return 0.0, 0.0
    low, high = np.array(bounds).T
    middle = (low + high) / 2
    error = float(middle.std(ddof=1) / middle.size**0.5) if middle.size > 1 else 0.0
    return float(middle.mean()), 2 * error * left**0.5 + float((high - low).mean()) / 2


def _person(steps: Lanczos, prior: float, variance: float, end: float) -> _Person:
    """Step until the bounds are close, or no more steps are allowed."""
    while True:
        steps.run(steps.steps + LOOK)
        found = _bounds(steps, prior, variance, end)
        pairs = [pair for pair in (found.linear, found.least_squares) if pair is not None]
        if steps.exhausted or steps.steps >= STEPS or all(high - low <= CLOSE for low, high in pairs):
            return found


def _bounds(steps: Lanczos, prior: float, variance: float, end: float) -> _Person:
    nodes, weights = steps.gauss()
    above, heavy = steps.radau(0.0)
    left = [variance * _sum(1 / (1 + x), w) for x, w in ((nodes, weights), (above, heavy))]
    chance = [lmmse_accuracy([np.clip(c, LEAST_SHARE * variance, variance)], prior) for c in left]
    full = None
    if end > 0:
        spread = [variance * _sum(1 / nodes, weights)]
        at = min(end, (1 - 1e-9) * float(nodes[0]))
        x, w = steps.radau(at)
        spread.append(variance * _sum(1 / x, w))
        right = [least_squares_accuracy(1.0, [c]) for c in spread]
        full = min(right), max(right)
    unseen = float(heavy[above <= UNSEEN * above[-1]].sum())
    return _Person((min(chance), max(chance)), full, 1 - unseen, steps.steps)


def _sum(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    return float(values @ weights)
