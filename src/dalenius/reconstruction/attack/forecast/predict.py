"""How many secrets an attack will get right, and how many no attack can: from equations and their errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dalenius.matrices.answers import Vector
from dalenius.reconstruction.attack.system.build import PRIOR_EDGE
from dalenius.reconstruction.attack.system.system import LinearSystem
from dalenius.theory.privacy import gaussian_noise, guess_from_rho
from dalenius.theory.reconstruction.gaussian_limits import any_attack_accuracy, noise_to_stop_all
from dalenius.theory.reconstruction.least_squares import (
    inverse_gram_diagonal,
    least_squares_accuracy,
    least_squares_wrong_bound_from_norm,
    lmmse_accuracy,
    lmmse_variances,
)

Kind = Literal["exact", "bounded", "noise", "unknown"]

LEAST_TAU = 1e-3
"""Standard deviation at which exact answers enter a prediction, so that it is defined."""

FLOAT = 1e-6
"""Half an interval that is nothing but floating point."""

EXCESS = 0.05
RHOS = (0.01, 0.1, 1.0)


@dataclass(frozen=True)
class ErrorSize:
    """The errors of the rows, in the units of the matrix.

    Parameters
    ----------
    kind
        ``exact``, ``bounded`` by intervals, random ``noise`` of known size, or ``unknown``.
    half
        Half the interval of each row; infinite where there is none.
    tau
        One standard deviation a row: the noise, or what an error anywhere in the interval has.
    gaussian
        Whether the noise is Gaussian.
    """

    kind: Kind
    half: Vector
    tau: Vector
    gaussian: bool


def read_error(system: LinearSystem, units: Vector, missed: Callable[[Vector], float]) -> ErrorSize:
    """Read the size of the errors; where nobody says it, from how far least squares misses.

    ``missed`` gives the standard deviation of what least squares leaves of a right side, for each equation
    that is left over.
    """
    half = (system.high - system.low) / 2 / units
    half = np.where(half < FLOAT, 0.0, half)
    unknown = np.isnan(system.sd)
    spread = np.where(np.isfinite(system.spread), system.spread, 0.0) / units
    if not unknown.any():
        kind: Kind = "noise" if (system.sd > 0).any() else "exact" if not half.any() else "bounded"
        return ErrorSize(kind, half, spread, system.shape == "gaussian")
    guess = missed((system.centre - system.A.apply(system.start)) / units)
    return ErrorSize("unknown", half, np.where(unknown, guess, spread), False)


@dataclass(frozen=True)
class Prediction:
    """What to expect, as shares of the people.

    Parameters
    ----------
    kind, tau
        Which errors, and their median standard deviation.
    least_squares
        Expected share right of least squares; ``None`` where the rank is too low. Exact for Gaussian noise.
    linear
        Predicted share right of the best linear rule with a prior.
    wrong_at_most
        For bounded errors, people that least squares can get wrong at the most, whoever chooses the errors.
    sampled
        How many people the two shares are estimated from; ``None`` if everybody.
    give
        How far the estimates may be off: two standard errors, and what the quadrature leaves open.
    """

    kind: Kind
    tau: float
    least_squares: float | None
    linear: float
    wrong_at_most: float | None
    sampled: int | None = None
    give: float = 0.0

    def lines(self) -> list[str]:
        """Say it in words."""
        of = {
            "exact": "exact answers",
            "bounded": "bounded errors, as if random",
            "noise": f"noise of sd {self.tau:.3g}",
            "unknown": f"errors that look like sd {self.tau:.3g}",
        }
        both = "" if self.least_squares is None else f"least squares {self.least_squares:.1%} right, "
        some = ""
        if self.sampled is not None:
            some = f" (give or take {self.give:.1%}: {self.sampled} people were drawn)"
        said = [f"predicted for {of[self.kind]}: {both}the best linear rule {self.linear:.1%}{some}"]
        if self.wrong_at_most is not None:
            said.append(
                f"whoever chooses the errors: least squares has at most {self.wrong_at_most:,.1f} wrong"
            )
        return said


def predict(
    system: LinearSystem, matrix: NDArray[np.float64], error: ErrorSize, sigma_min: float
) -> Prediction:
    """Predict how much is recovered before attacking."""
    n = int(system.sizes.sum())
    alone = system.sizes == 1
    scaled = matrix / np.maximum(error.tau, LEAST_TAU)[:, None]
    grouped = right_in_groups(system)
    prior = inner_prior(system)
    left = lmmse_variances(scaled * np.sqrt(system.sizes), 1.0, prior)
    right = lmmse_accuracy(left[alone], prior[alone]) * alone.sum() if alone.any() else 0.0
    full: float | None = None
    if sigma_min > 0:
        inverse = inverse_gram_diagonal(scaled)
        singles = least_squares_accuracy(1.0, inverse[alone]) * alone.sum() if alone.any() else 0.0
        full = float((singles + grouped) / n)
    worst = wrong_at_most(n, error, sigma_min)
    return Prediction(error.kind, float(np.median(error.tau)), full, float((right + grouped) / n), worst)


def wrong_at_most(n: int, error: ErrorSize, sigma_min: float) -> float | None:
    """Bound the mistakes of least squares under bounded errors; None where nothing is bounded."""
    if sigma_min == 0 or not np.isfinite(error.half).all() or error.kind not in ("exact", "bounded"):
        return None
    return min(float(n), least_squares_wrong_bound_from_norm(float(np.linalg.norm(error.half)), sigma_min))


def inner_prior(system: LinearSystem) -> Vector:
    """The prior, away from 0 and 1, where nothing would be left to predict."""
    return np.clip(system.prior, PRIOR_EDGE, 1 - PRIOR_EDGE)


def right_in_groups(system: LinearSystem) -> float:
    """Expected number of people right among those who share their unknown, when their sum is known."""
    return float(sum(_share_of_known_sum(int(g), p) * g for g, p in _groups(system)))


def _groups(system: LinearSystem) -> list[tuple[float, float]]:
    shared = system.sizes > 1
    return list(zip(system.sizes[shared].tolist(), system.prior[shared].tolist(), strict=True))


def _share_of_known_sum(size: int, prior: float) -> float:
    """Expected share right in a group of which only the sum is known: its commoner value is guessed."""
    if size > 1_000:  # the sum is nearly its mean
        return max(prior, 1 - prior)
    chance = np.ones(1)
    for _ in range(size):
        chance = np.convolve(chance, [1 - prior, prior])
    sums = np.arange(size + 1)
    return float(chance @ (np.maximum(sums, size - sums) / size))


@dataclass(frozen=True)
class Limits:
    """What no attack can exceed, and the noise that stops all of them.

    Parameters
    ----------
    any_attack
        Largest expected share right of any attack; only for Gaussian noise.
    noise_to_stop
        Standard deviation of Gaussian noise on every answer at which nobody is guessed better than
        1/2 + 0.05.
    noise_for_rho
        Noise that keeps rho-zero-concentrated differential privacy about the secret, for a few rho.
    """

    any_attack: float | None
    noise_to_stop: float
    noise_for_rho: dict[str, float]

    def lines(self) -> list[str]:
        """Say it in words."""
        said = (
            []
            if self.any_attack is None
            else [f"no attack at all gets more than {self.any_attack:.1%} right"]
        )
        said.append(
            f"Gaussian noise of sd {self.noise_to_stop:.3g} on every answer keeps every guess below "
            f"{0.5 + EXCESS:.0%} (prior one half)"
        )
        pairs = (f"rho {rho} (guess at most {guess_from_rho(float(rho)):.1%}): sd {tau:.3g}"
                 for rho, tau in self.noise_for_rho.items())  # fmt: skip
        return [*said, "differential privacy about the secret: " + "; ".join(pairs)]


def limits(system: LinearSystem, norms: Callable[[Vector], Vector], error: ErrorSize) -> Limits | None:
    """Bound every attack, and say which noise stops them; None if no answer depends on anybody.

    ``norms`` gives the norms of the columns, their rows divided by what it is given.
    """
    largest = float(norms(np.ones_like(error.tau)).max())
    if largest == 0:
        return None
    bound = None
    if error.kind == "noise" and error.gaussian and (error.tau > 0).all():
        prior = float(np.clip(np.average(system.prior, weights=system.sizes), PRIOR_EDGE, 1 - PRIOR_EDGE))
        bound = any_attack_accuracy(np.repeat(norms(error.tau), system.sizes), 1.0, prior)
    noise = {f"{rho:g}": gaussian_noise(largest, rho) for rho in RHOS}
    return Limits(bound, noise_to_stop_all(largest, EXCESS), noise)
