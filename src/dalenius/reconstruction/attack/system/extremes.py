"""Noise that is too small to hide anything, and numbers too coarse to say anything.

Noise that is too small to hide anything: whom arithmetic gives away, but for a tiny chance.

No noise with tails ever makes anybody certain, however small it is. But all errors of a release together stay
within a few standard deviations nearly always, and within that reach the release says the same as one with a
bounded error: whoever follows from that one by arithmetic is known, but for the chance of a larger error.

Numbers so coarse that they say little: recentred on what is likely, or refused as saying nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, log
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import ndtr, ndtri

from dalenius.errors import SaysNothingError
from dalenius.knowledge.view import View
from dalenius.matrices.answers import Vector
from dalenius.mechanisms.base import Stage
from dalenius.mechanisms.chain import Mechanism
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.attack.system.system import LinearSystem

if TYPE_CHECKING:
    from dalenius.mechanisms.stages.noise import Gaussian, Laplace

CHANCE = 1e-4
"""That any of the errors is larger than taken: nothing is claimed with more than 1 less this."""

MOST_REACH = 5.0
"""Counts: noise that reaches further leaves no more to arithmetic than rounding to ten does."""

LEAST_REACH = 1e-3
"""Noise that is 0 nearly always is read as this much: a bounded error has to have a size."""

WIDE_SEARCH = 0.05
"""Share of the usual search where noise does not tell whole numbers: such wide bounds force few people."""

WHOLE = 0.5
"""Below this reach a noisy count tells the whole number behind it."""


def bounded_view(view: View) -> tuple[View, bool] | None:
    """Return the view with small noise read as a bounded error, ``None`` if no noise is small.

    The second value says whether every noise is so small that it tells the whole numbers behind it.

    Examples
    --------
    >>> from dalenius.mechanisms.stages.noise import Gaussian, Laplace
    >>> round(reach_of(Gaussian(0.01), 1000), 3), round(reach_of(Laplace(0.01), 1000), 3)
    (0.053, 0.161)
    """
    release = view.release
    reaches: list[float] = []
    blocks = []
    for block in release.blocks:
        mechanism = parse_mechanism(release.mechanism_of(block))
        read = [_bounded(stage, release.size, reaches) for stage in mechanism.stages]
        if any(stage is None for stage in read):
            return None
        stages = tuple(stage for stage in read if stage is not None)
        blocks.append(replace(block, mechanism=str(Mechanism(stages))))
    if not reaches:
        return None
    bounded = replace(release, blocks=tuple(blocks), promise=None)
    return View(bounded, view.knowledge), max(reaches) < WHOLE


def reach_of(noise: Gaussian | Laplace, answers: int) -> float:
    """How large the largest of so many errors gets, but for a chance of `CHANCE` (union bound)."""
    from dalenius.mechanisms.stages.noise import Gaussian, Geometric

    scale, each = noise.known_scale(), CHANCE / answers
    if isinstance(noise, Gaussian):
        return float(-ndtri(each / 2) * scale)
    if isinstance(noise, Geometric):
        # Pr[abs(z) > t] = 2 r^(t + 1) / (1 + r) <= 2 exp(-(t + 1) / scale)
        return float(max(ceil(scale * log(2 / each)) - 1, 0))
    return float(scale * log(1 / each))


def _bounded(stage: Stage, answers: int, reaches: list[float]) -> Stage | None:
    """A stage with its noise read as a bounded error; ``None`` where it is not small, or not known."""
    if not stage.draws:
        return stage
    from dalenius.mechanisms.stages.noise import Bounded, Gaussian, Laplace

    if not isinstance(stage, Gaussian | Laplace):
        return stage
    if stage.scale is None or (reach := reach_of(stage, answers)) > MOST_REACH:
        return None
    reaches.append(reach)
    return Bounded(max(reach, LEAST_REACH))


def sharpen(claims: Guesses, bounded: Guesses, *, whole: bool) -> Guesses:
    """Take from the bounded release whom arithmetic gives away; where counts are whole, all it says.

    Nobody becomes certain, and nothing is claimed with more than ``1 - CHANCE``.
    """
    take = np.ones(len(claims.certain), np.bool_) if whole else bounded.certain
    forced = int(bounded.certain.sum())
    claims = replace(claims, to_insiders=bounded.to_insiders)  # its bounds are no wider
    if not take.any():
        return claims
    probability: NDArray[np.float64] = np.where(take[:, None], bounded.probability, claims.probability)
    probability = np.clip(probability, CHANCE / probability.shape[1], 1 - CHANCE)
    probability = probability / probability.sum(axis=1, keepdims=True)
    probability = np.where(claims.certain[:, None], claims.probability, probability)
    note = (
        f"the noise is so small that {forced:,} secrets follow by arithmetic but for a chance of {CHANCE:g}"
    )
    notes = (*claims.notes, note) if forced else claims.notes
    return replace(claims, probability=probability, notes=notes)


UNIFORM = 3**0.5
"""Half the width of an interval, in standard deviations of a number that is anywhere in it."""

FLAT = 1e-6
"""Precision, beside that of the prior, below which an interval says nothing."""

MOVED = 0.02
"""By how much everybody's probability may move before numbers are said to tell something."""

FAR = 5.0
"""Standard deviations from what the prior expects beyond which an interval speaks for itself."""


def refuse_vacuous(systems: Sequence[LinearSystem]) -> None:
    """Refuse equations without noise that tell nobody apart from what was known before.

    Such as coefficients with too few decimals, or counts that were rounded to a base above all of them.

    Raises
    ------
    SaysNothingError
        If no equation of any system moves anybody's chances.
    """
    if not all(_says_nothing(system) for system in systems):
        return
    every = all(system.counting.all() or _estimates_exclude_nothing(system) for system in systems)
    what = (
        "every secret of these people fits all of them"
        if every
        else f"everybody's chances stay within {100 * MOVED:.1f} points of what they were without them"
    )
    raise SaysNothingError(
        f"the published numbers are too coarse: with their stated error {what}, so there is "
        "nothing to reconstruct and nothing is guessed; give more digits, or a smaller rounding base, "
        "if they were published"
    )


def _says_nothing(system: LinearSystem) -> bool:
    if not system.sharp or (system.least > 0).any() or (system.most < system.sizes).any():
        return False
    counts = system.counting
    if counts.any():
        people = system.A.apply(system.sizes.astype(np.float64))
        if not ((system.low <= 0) & (system.high >= people))[counts].all():
            return False
    return bool(counts.all()) or _moves_nobody(system)


def _moves_nobody(system: LinearSystem) -> bool:
    """Whether numbers that are no counts are as wide as what is likely, and their middles move no chances.

    Everybody's chances after one step of Gaussian inference from the prior. Narrow equations are never
    called coarse, even where they confirm the prior to the last digit.
    """
    rows = np.flatnonzero(~system.counting)
    matrix = sparse.csr_array(system.A.explicit()[rows])
    variance = system.prior * (1 - system.prior) * system.sizes
    sd = np.sqrt(matrix.power(2) @ variance)
    spread = system.spread[rows]
    if not (UNIFORM * spread >= sd).all():
        return False
    told = np.flatnonzero(np.isfinite(spread) & (sd > 0))
    matrix, spread = matrix[told], spread[told]
    missed = system.centre[rows[told]] - matrix @ system.start
    covariance = (matrix * variance) @ matrix.T + sparse.diags_array(spread**2)
    shift = variance * (matrix.T @ np.linalg.solve(covariance.toarray(), missed))
    return bool((np.abs(shift) <= MOVED * system.sizes).all())


def _estimates_exclude_nothing(system: LinearSystem) -> bool:
    """Whether the intervals of the numbers that are no counts hold all that secrets can do to them."""
    rows = ~system.counting
    matrix = sparse.csr_array(system.A.explicit()[rows])
    most = system.most.astype(np.float64)
    lowest, highest = matrix.minimum(0) @ most, matrix.maximum(0) @ most
    return bool(((system.low[rows] <= lowest) & (system.high[rows] >= highest)).all())


def recentre(system: LinearSystem) -> LinearSystem:
    """Read a wide interval as the Gaussian that says as much about the secrets.

    A coefficient that was rounded to 0 gives an interval around 0 that may hold everything likely. Its middle
    would pull all secrets towards 0, and its width, read as independent noise, would promise more than it
    holds: rounding errors that large are not noise, they are what was rounded away. So the prior sum, cut to
    the interval, is matched in mean and variance by a Gaussian factor (one step of expectation propagation;
    Minka 2001), which is flat where the interval excludes nothing likely. Intervals that are narrow beside
    the prior's spread stay what they are.
    """
    wide = ~system.counting & (system.sd == 0) & np.isfinite(system.spread)
    if not wide.any():
        return system
    matrix = system.A.explicit()
    mean = matrix @ system.start
    sd = np.sqrt(matrix.power(2) @ (system.prior * (1 - system.prior) * system.sizes))
    half = UNIFORM * system.spread
    wide &= (half > sd) & (sd > 0)
    if not wide.any():
        return system
    centre, usual = system.centre.copy(), system.spread.copy()
    centre[wide], usual[wide] = _factor(centre[wide], half[wide], mean[wide], sd[wide])
    return replace(system, centre=centre, usual=usual)


def _factor(middle: Vector, half: Vector, mean: Vector, sd: Vector) -> tuple[Vector, Vector]:
    """Mean and standard deviation of the Gaussian that does to the prior what cutting it does."""
    a, b = (middle - half - mean) / sd, (middle + half - mean) / sd
    near: NDArray[np.bool_] = (a < FAR) & (b > -FAR)
    a, b = np.where(near, a, -1.0), np.where(near, b, 1.0)
    inside = ndtr(b) - ndtr(a)
    at_a, at_b = np.exp(-a * a / 2) / np.sqrt(2 * np.pi), np.exp(-b * b / 2) / np.sqrt(2 * np.pi)
    shift = (at_a - at_b) / inside
    variance = 1 + (a * at_a - b * at_b) / inside - shift**2
    precision = np.maximum(1 / variance - 1, FLAT)
    centre = np.where(precision > FLAT, mean + sd * shift / variance / precision, mean)
    return np.where(near, centre, middle), np.where(near, sd / np.sqrt(precision), half / UNIFORM)
