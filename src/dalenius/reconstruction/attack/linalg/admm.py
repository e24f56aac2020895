"""Smallest sum of misses from products with the matrix alone, and a proof of how small it can be.

The alternating direction method of multipliers (Boyd et al. 2011, sections 3 and 6) on
``min sum_j dist((A x)_j, [low_j, high_j]) / scale_j`` over ``least <= x <= most``: split into ``z = A x`` and
``v = x``, which makes every part simple; the one linear system a round is solved roughly by conjugate
gradients from where the round before ended. The multipliers of ``z`` are a point of the dual program, whose
value nothing can be below: solution and bound together certify how far from the optimum the solution is.
"""

from __future__ import annotations

import numpy as np

from dalenius.accelerate import one_blas_thread
from dalenius.errors import SolveError
from dalenius.matrices.answers import Vector
from dalenius.matrices.operators import single
from dalenius.progress import Progress, silent
from dalenius.reconstruction.attack.linalg.programs import LEAST_MISS, LeastMisses, Misses, relative_gap

GAP = 1e-3
"""Relative distance from the optimum at which to stop: moves fewer than one guess in two hundred."""

ITERATIONS, CHECK = 2_000, 10
"""Rounds at the most, and between two looks at the gap."""

RELAXATION = 1.6

PULL = 0.3
"""Weight of ``v = x`` beside ``z = A x``, in units of the mean square of a column."""

THRESHOLD = 0.6
"""Penalty times median miss; between a third and one makes no difference."""

SHARE = 0.3
"""Part of the mean miss that the median may not be below when the penalty is made."""

INNER, ROUGH = 8, 0.1
"""Steps of conjugate gradients a round at the most, and the share of the squared gradient to leave."""

CARE, MOST_CARE = 150, 6
"""Rounds after which both are taken once more, up to so often: rough steps swing on ill-conditioned rows."""

SINGLE = 1e-6
"""Gradient, relative to what is left to fit, at which products in single precision are only rounding."""


def least_misses(
    program: Misses,
    start: Vector,
    *,
    rng: np.random.Generator,
    gap: float = GAP,
    iterations: int = ITERATIONS,
    progress: Progress = silent,
) -> LeastMisses:
    """Minimise the sum of scaled misses until the certified relative gap is reached.

    Parameters
    ----------
    program
        What to minimise.
    start
        Where to begin; moved into the box.
    rng
        For estimating the mean square of a column.
    gap
        Where to stop; the result says which gap was reached, also when the rounds ran out before.
    iterations
        Rounds at the most.
    progress
        Told how far the work is.

    Raises
    ------
    SolveError
        If the numbers stop being finite.
    """
    # one BLAS thread: threads that spin between the products take the cores from them
    with one_blas_thread():
        state = _State(program, start, rng)
        for it in range(1, iterations + 1):
            state.round()
            if it % CHECK and it < iterations:
                continue
            if state.reached(gap) or it == iterations:
                found = state.certified(it)
                if found.gap <= gap or it == iterations:
                    return found
            state.adapt()
            progress(it / iterations, f"LP decoding, certified within {state.gap:.1e} of the optimum")
    raise SolveError("LP decoding needs at least one round")


class _State:
    """The iterates: ``x`` and its image, the split copies ``z`` and ``v``, their scaled multipliers."""

    def __init__(self, program: Misses, start: Vector, rng: np.random.Generator) -> None:
        self.exact = program
        fast = single(program.A)
        self.program = Misses(fast, program.low, program.high, program.scale, program.least, program.most)
        self.low, self.high = program.low / program.scale, program.high / program.scale
        finite = np.isfinite(self.low) & np.isfinite(self.high)
        self.middle = np.full_like(self.low, np.nan)
        self.middle[finite] = (self.low[finite] + self.high[finite]) / 2
        self.x = np.clip(start, program.least, program.most)
        self.image = self.apply(self.x)
        self.z = np.clip(np.where(finite, self.middle, self.image), self.low, self.high)
        self.u = np.zeros_like(self.z)
        self.v, self.w = self.x.copy(), np.zeros_like(self.x)
        probe = np.where(rng.random(self.x.size) < 0.5, -1.0, 1.0)
        self.pull = PULL * float(np.mean(self.apply(probe) ** 2)) * self.z.size / self.x.size
        self.rho, self.rounds = 0.0, 0
        self.best, self.value, self.bound, self.gap = self.v, np.inf, -np.inf, np.inf
        self.dual = self.u

    def apply(self, x: Vector) -> Vector:
        """Multiply by the scaled matrix."""
        return self.program.A.apply(x) / self.program.scale

    def round(self) -> None:
        """One round: ``x`` for both copies, then each copy for ``x``, then the multipliers."""
        self._fit()
        self.rounds += 1
        if not np.isfinite(self.image).all():
            raise SolveError("LP decoding did not stay with finite numbers")
        if self.rho == 0.0:
            self.rho = self._penalty()
        step = 1 / self.rho
        t = RELAXATION * self.image + (1 - RELAXATION) * self.z + self.u
        # the multiplier is what the nearest point of the interval lacks, cut where the distance is linear
        self.u = np.clip(t - self.high, 0.0, step) - np.clip(self.low - t, 0.0, step)
        self.z = t - self.u
        t = RELAXATION * self.x + (1 - RELAXATION) * self.v + self.w
        self.v = np.clip(t, self.program.least, self.program.most)
        self.w = t - self.v

    def _fit(self) -> None:
        """Move ``x`` towards least squares of ``A x = z - u`` and ``x = v - w``, by conjugate gradients."""
        rest, beside = self.z - self.u - self.image, self.v - self.w
        slope = self._slope(rest, beside)
        p, square = slope, float(slope @ slope)
        first = square
        care = min(1 + self.rounds // CARE, MOST_CARE)
        least = SINGLE**2 * float(rest @ rest) * self.pull * self.x.size / self.z.size
        for _ in range(INNER * care):
            if square <= max(least, ROUGH**care * first):
                break
            image = self.apply(p)
            alpha = square / (float(image @ image) + self.pull * float(p @ p))
            self.x = self.x + alpha * p
            self.image = self.image + alpha * image
            rest = rest - alpha * image
            slope = self._slope(rest, beside)
            before, square = square, float(slope @ slope)
            p = slope + square / before * p

    def _slope(self, rest: Vector, beside: Vector) -> Vector:
        return self.program.A.apply_transpose(rest / self.program.scale) + self.pull * (beside - self.x)

    def _penalty(self) -> float:
        """The penalty at which about half of the rows miss by more than the threshold of their multiplier."""
        miss = np.abs(self.image - self.middle)
        known = miss[np.isfinite(miss)]
        if not known.size:
            return THRESHOLD
        return THRESHOLD / max(float(np.median(known)), SHARE * float(np.mean(known)), LEAST_MISS / 10)

    def adapt(self) -> None:
        """Change the penalty when the misses have become twice or half of what it was made for."""
        wanted = self._penalty()
        if not 0.5 < wanted / self.rho < 2.0:
            self.u, self.w = self.u * (self.rho / wanted), self.w * (self.rho / wanted)
            self.rho = wanted

    def reached(self, gap: float) -> bool:
        """Look at the certificate, in single precision, and keep the best of both sides."""
        value, dual = self.program.value(self.v), self.rho * self.u
        bound = self.program.bound(dual)
        if value < self.value:
            self.best, self.value = self.v, value
        if bound > self.bound:
            self.dual, self.bound = dual, bound
        self.gap = relative_gap(self.value, self.bound, self.z.size)
        return self.gap <= gap

    def certified(self, iterations: int) -> LeastMisses:
        """The best solution and bound so far, both computed again in double precision."""
        value, bound = self.exact.value(self.best), self.exact.bound(self.dual)
        return LeastMisses(self.best, value, max(bound, 0.0), self.dual, iterations)
