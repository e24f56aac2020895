"""How likely everybody's amounts are, given all that is printed; and the number that is most likely near.

What sums and means say has moved everybody's law already. It is cut to the ends that hold for sure, and where
more than a sum is printed about a group of theirs, it becomes a mixture over the places in the order of that
group. The number that is told is the one that is most likely near enough; without the release, one is chosen
by the same rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from dalenius.amounts.attack.law import AmountLaw, reach
from dalenius.amounts.attack.order.places import PlacedMixture, Segments
from dalenius.amounts.attack.order.ranks import Ranks

Floats = NDArray[np.float64]

LIKELY = 0.9
"""With which probability an amount lies between the likely ends."""

FEW = 5
"""People of whom no part of what is possible is unlikely, where their spread is known: few amounts with given
squares are mostly far from the mean."""

CLEARLY, CLEARLY_NOISY = 0.01, 0.05
"""By how much more likely a number must be near than the usual one to be told instead: of numbers that noise
has moved one of several seems likely more often than it is."""


@dataclass(frozen=True)
class AmountPosterior:
    """Everybody's number, the probability that it is near, how far off it may be, and likely ends."""

    value: Floats
    near: Floats
    sd: Floats
    low: Floats
    high: Floats


def cut_law(
    law: AmountLaw, sd: Floats, ends: tuple[Floats, Floats], told: tuple[Floats, float]
) -> AmountPosterior:
    """Everybody's law between their ends.

    ``told`` are the numbers that are guessed without the release, which stay unless others are clearly more
    likely near, and the part of an amount that is near.
    """
    usual, within = told
    below = law.below(np.stack(ends, axis=1))
    lowest, highest = below[:, :1], below[:, 1:]
    both = np.clip(np.stack([usual, law.best(within)], axis=1), ends[0][:, None], ends[1][:, None])
    first, last = (law.below(numbers) for numbers in reach(both, within))
    inside = np.minimum(last, highest) - np.maximum(first, lowest)
    near = np.clip(inside / np.maximum(highest - lowest, 1e-12), 0.0, 1.0)
    rows, best = np.arange(len(both)), (near[:, 1] > near[:, 0] + CLEARLY).astype(np.intp)
    tails = np.array([(1 - LIKELY) / 2, (1 + LIKELY) / 2])
    likely = np.clip(law.at(lowest + tails * (highest - lowest)), ends[0][:, None], ends[1][:, None])
    return AmountPosterior(both[rows, best], near[rows, best], sd.copy(), likely[:, 0], likely[:, 1])


def place_people(
    alone: AmountPosterior,
    laws: tuple[AmountLaw, AmountLaw],
    ends: tuple[Floats, Floats],
    groups: Sequence[tuple[Ranks, NDArray[np.intp]]],
    close: tuple[float, float],
) -> AmountPosterior:
    """Look at everybody in the order of each group of theirs of which it is known.

    ``laws`` are theirs, and those that are usual without the release. Of several groups the one counts in
    which a number is most likely near. ``close`` are the part of an amount that is near, and by how much more
    likely another number must be near to be told.
    """
    names = [field.name for field in fields(AmountPosterior)]
    found = replace(alone, **{name: getattr(alone, name).copy() for name in names})
    placed = np.zeros(alone.value.size, np.bool_)
    for ranks, members in groups:
        kinds, which, people = _alike(laws, ends, members)
        own = ends[0][kinds], ends[1][kinds]
        segments = Segments.of(ranks)
        mixture = PlacedMixture(segments, (laws[0].take(kinds), laws[1].take(kinds)), own, people)
        said = _told(mixture, alone.value[kinds], segments.candidates(ranks.total), own, close)
        if ranks.size <= FEW and np.isfinite(ranks.squares[1]):
            said = replace(said, low=own[0].copy(), high=own[1].copy())
        better = ~placed[members] | (said.near[which] > found.near[members])
        placed[members] = True
        for name in names:
            getattr(found, name)[members[better]] = getattr(said, name)[which[better]]
    return found


def _alike(
    laws: tuple[AmountLaw, AmountLaw], ends: tuple[Floats, Floats], members: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """One of all who have the same law and ends, which of these everybody is like, and how many are."""
    parts = [*(part for law in laws for part in (law.centre, law.spread)), *ends]
    _, first, which, people = np.unique(
        np.stack([part[members] for part in parts], axis=1),
        axis=0,
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    return members[first], which.ravel(), people.astype(np.float64)


def _told(
    mixture: PlacedMixture,
    usual: Floats,
    numbers: Floats,
    ends: tuple[Floats, Floats],
    close: tuple[float, float],
) -> AmountPosterior:
    """The number that is most likely near: the usual one, unless another is clearly more likely so."""
    may = np.clip(np.concatenate([usual[:, None], np.tile(numbers, (usual.size, 1))], axis=1),
                  ends[0][:, None], ends[1][:, None])  # fmt: skip
    within, clearly = close
    near = mixture.near(may, within)
    best = np.argmax(near - clearly * (np.arange(may.shape[1]) > 0), axis=1)
    rows = np.arange(usual.size)
    value = may[rows, best]
    low, high = mixture.between(((1 - LIKELY) / 2, (1 + LIKELY) / 2))
    return AmountPosterior(value, near[rows, best], mixture.spread(value), low, high)
