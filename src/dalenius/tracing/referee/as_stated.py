"""Whether means that were published already carry the noise that is stated of them.

A promise rests on noise that was drawn. Whoever has the members has their true means: if the published ones
lie nearer to them than the stated noise leaves them, less was drawn, and nothing is promised.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import bdtrc

from dalenius.mechanisms.as_stated import CHANCE
from dalenius.people.sealed import SealedTraits
from dalenius.release.means import MeansRelease
from dalenius.release.means_publish import publish_means

NEAR = (0.1, 0.01, 1e-4)
"""Parts of a standard deviation; errors within are counted. Many means tell by the first, one by the last."""

DENSEST = 2**0.5
"""An error lies within t standard deviations with probability at most so many t: no law here is denser than
Laplace's."""

STEPS = 50
"""Numbers with two decimals may be rounded to 0.5: so many of their last digits."""

TOO_NEAR = (
    "The published means lie nearer to the true ones than the stated noise would leave them: less was drawn, "
    "so nothing is promised, and the means are read as if nothing were known of their noise."
)


def believed(release: MeansRelease, people: SealedTraits) -> MeansRelease:
    """Return the release, without its noise and its promise where the people in it refute them."""
    if not release.sigma:
        return release
    drawn = np.random.default_rng(0)  # exact means draw nothing
    true = publish_means(people, "exact", rng=drawn)
    order = np.argsort(true.names)
    at = order[np.searchsorted(true.names, release.names, sorter=order)]
    # what was cut off to the range of fractions lies near the truth however large the noise was
    kept = np.ones(release.size, np.bool_) if release.kind == "real" else np.abs(release.means) < 1
    errors = np.abs(release.means - true.means[at])[kept] / release.sigma
    rounded = _step(release) / 2 / release.sigma  # rounding after the noise may bring a mean so much nearer
    chances = [
        float(bdtrc(near - 1, errors.size, min(DENSEST * (part + rounded), 1.0)))
        for part in NEAR
        if (near := int((errors <= part).sum()))
    ]
    if min(chances, default=1.0) * len(NEAR) > CHANCE:
        return release
    return replace(release, mechanism="unknown", sigma=None, promise=None)


def _step(release: MeansRelease) -> float:
    """Return what the means may be rounded to, by the decimals that all have; 0 if they have many."""
    real = release.kind == "real"
    printed = release.means if real else release.fractions
    for digits in range(7):
        if np.allclose(printed, np.round(printed, digits), rtol=0, atol=1e-9):
            return STEPS * 10.0**-digits * (1 if real else 2)
    return 0.0
