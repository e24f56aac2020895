"""National shares of the census of 2010, rounded: sizes of blocks, ages, races and Hispanic origin.

A block is not a small nation: many of its people are alike. The races of a block are drawn around the
national shares, widely.
"""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]

BLOCK_SIZES = (
    (1, 9, 1_823_665),
    (10, 49, 2_671_753),
    (50, 99, 994_513),
    (100, 249, 540_455),
    (250, 499, 126_344),
    (500, 999, 40_492),
    (1000, 1500, 9_805),
)
"""Inhabited blocks by number of people: first, last, how many blocks."""

AGES = (
    (0, 4, 6.5), (5, 9, 6.6), (10, 14, 6.7), (15, 17, 4.2), (18, 19, 2.9), (20, 21, 2.9), (22, 24, 4.1),
    (25, 29, 6.8), (30, 34, 6.5), (35, 39, 6.5), (40, 44, 6.8), (45, 49, 7.4), (50, 54, 7.2), (55, 59, 6.4),
    (60, 64, 5.4), (65, 69, 4.0), (70, 74, 3.0), (75, 79, 2.4), (80, 84, 1.9), (85, 99, 1.8),
)  # fmt: skip
"""First and last year, and the share of people in percent."""

RACE_FLAGS = tuple(flags for flags in itertools.product((1, 0), repeat=6) if any(flags))
"""White, black, native, Asian, Pacific, other, alone or in combination."""

ALONE = {0: 72.4, 1: 12.6, 2: 0.9, 3: 4.8, 4: 0.2, 5: 6.2}
SEVERAL = 2.9
HISPANIC = {0: 0.12, 1: 0.03, 2: 0.23, 3: 0.014, 4: 0.11, 5: 0.97, 6: 0.34}
"""The share of Hispanics by race alone; 6 stands for two or more."""


@cache
def race_shares() -> NDArray[np.float64]:
    """The share of each of the 63 combinations; those of three and more races are rare."""
    shares = []
    for flags in RACE_FLAGS:
        count = sum(flags)
        if count == 1:
            shares.append(ALONE[flags.index(1)])
        else:
            common = math.prod(ALONE[at] for at, own in enumerate(flags) if own) ** 0.5
            shares.append(common * 0.08 ** (count - 2))
    found = np.array(shares)
    several = np.array([sum(flags) > 1 for flags in RACE_FLAGS])
    found[several] *= SEVERAL / found[several].sum()
    found /= found.sum()
    found.flags.writeable = False  # the same array for everybody
    return found


def draw_races(
    count: int, *, rng: np.random.Generator, shares: NDArray[np.float64] | None = None
) -> tuple[Whole, Whole]:
    """Draw a race and whether somebody is Hispanic, independently for everybody.

    Examples
    --------
    >>> race, origin = draw_races(4, rng=np.random.default_rng(1))
    >>> race.size, origin.size
    (4, 4)
    """
    race = rng.choice(len(RACE_FLAGS), count, p=race_shares() if shares is None else shares)
    alone = np.array([flags.index(1) if sum(flags) == 1 else 6 for flags in RACE_FLAGS])
    chance = np.array([HISPANIC[at] for at in range(7)])[alone[race]]
    return race.astype(np.int64), (rng.random(count) < chance).astype(np.int64)


def draw_ages(count: int, *, rng: np.random.Generator) -> Whole:
    """Draw ages in years, alike within their classes."""
    share = np.array([each[2] for each in AGES])
    which = rng.choice(len(AGES), count, p=share / share.sum())
    first, last = (np.array([each[at] for each in AGES])[which] for at in (0, 1))
    return np.asarray(rng.integers(first, last + 1), np.int64)


def draw_sizes(blocks: int, *, rng: np.random.Generator) -> Whole:
    """Draw how many people live in each of some inhabited blocks; within a class small ones are likelier."""
    weight = np.array([each[2] for each in BLOCK_SIZES], np.float64)
    which = rng.choice(len(BLOCK_SIZES), blocks, p=weight / weight.sum())
    first, last = (np.array([each[at] for each in BLOCK_SIZES])[which] for at in (0, 1))
    return np.asarray(np.exp(rng.uniform(np.log(first), np.log(last + 1))), np.int64)


def draw_block(size: int, *, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw the people of one block: sex (1 female), age in years, race, Hispanic origin."""
    shares = race_shares()
    own = rng.gamma(np.maximum(2.5 * shares, 1e-3)) + 1e-12
    race, origin = draw_races(size, rng=rng, shares=own / own.sum())
    sex = (rng.random(size) < 0.508).astype(np.int64)
    return np.stack([sex, draw_ages(size, rng=rng), race, origin], axis=1)
