"""Attacks with a pool of reference people, of whom the attack needs the means alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dalenius.papers.settings import Parameter
from dalenius.papers.simulated.crowd import (
    OUTSIDERS,
    Mechanism,
    Records,
    Values,
    Verdict,
    Verdicts,
    draw,
    scores,
)
from dalenius.theory.tracing import traceability

COLUMNS = Parameter("d", "number of columns", 4000, 1, 10**6, whole=True)


@dataclass(frozen=True)
class ReferencePool:
    """Figure 2: weights `q - w`, cut off at `limit`; one further person z is compared with."""

    limit: float
    threshold: Callable[[Values], float]

    def accuse(self, targets: Records, q: Values, w: Values, z: Records) -> Verdict:
        """Accuse whoever scores above the threshold."""
        v = np.clip(q - w, -self.limit, self.limit)
        return scores(targets, v, z) > self.threshold(v)

    def run(self, n: int, d: int, m: int, mechanism: Mechanism) -> Callable[[np.random.Generator], Verdicts]:
        """Return a run: draw everybody, publish, accuse."""

        def run(world: np.random.Generator) -> Verdicts:
            means = world.uniform(-1.0, 1.0, d)
            members, others = draw(means, n, world), draw(means, n, world)
            (z,) = draw(means, 1, world)
            w = pool_means(means, m, world)
            q = mechanism(members, world)
            outside = self.accuse(draw(means, OUTSIDERS, world), q, w, z)
            unrelated = self.accuse(members, mechanism(others, world), w, z)
            return Verdicts(self.accuse(members, q, w, z), outside, unrelated)

        return run


def pool_means(means: Values, m: int, rng: np.random.Generator) -> Values:
    """Draw the mean of m reference people, of whom the attack needs no more."""
    return np.asarray(2 * rng.binomial(m, (1 + means) / 2) / m - 1, np.float64)


def norm_threshold(delta: float) -> Callable[[Values], float]:
    """Return the threshold that rests on the norm of the weights themselves."""
    return lambda v: traceability.norm_threshold(float(np.linalg.norm(v)), delta)
