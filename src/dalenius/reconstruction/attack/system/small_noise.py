"""Noise that is too small to hide anything: whom arithmetic gives away, but for a tiny chance.

No noise with tails ever makes anybody certain, however small it is. But all errors of a release together stay
within a few standard deviations nearly always, and within that reach the release says the same as one with a
bounded error: whoever follows from that one by arithmetic is known, but for the chance of a larger error.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil, log

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from dalenius.knowledge.view import View
from dalenius.mechanisms.base import Stage
from dalenius.mechanisms.chain import Mechanism
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.mechanisms.stages.noise import Bounded, Gaussian, Geometric, Laplace
from dalenius.reconstruction.attack.guesses import Guesses

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
    scale, each = noise.known_scale(), CHANCE / answers
    if isinstance(noise, Gaussian):
        return float(-ndtri(each / 2) * scale)
    if isinstance(noise, Geometric):
        # Pr[abs(z) > t] = 2 r^(t + 1) / (1 + r) <= 2 exp(-(t + 1) / scale)
        return float(max(ceil(scale * log(2 / each)) - 1, 0))
    return float(scale * log(1 / each))


def _bounded(stage: Stage, answers: int, reaches: list[float]) -> Stage | None:
    """A stage with its noise read as a bounded error; ``None`` where it is not small, or not known."""
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
