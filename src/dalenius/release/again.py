"""Make a release once more, of the same people with other secrets, or of some of them.

A release that was read from printed tables counts some values only, has a mechanism for each block, and may
hide cells by a rule that nobody states. Whether it can be made again is seen by making it of the data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.dataset import Dataset
from dalenius.people.roster import Roster
from dalenius.release.publish import publish
from dalenius.release.release import Block, Release
from dalenius.statistics.counts.restricted import Among

SHARES = "numbers are printed as shares or with too few digits"
HIDDEN = "cells are hidden by a rule that is not stated"
CLOSE = 1e-9


@dataclass(frozen=True)
class MadeAgain:
    """What came of making a printed release again from the data.

    Parameters
    ----------
    why_not
        Why it cannot be made again of other secrets; ``None`` if it can.
    wrong
        How many printed numbers are not what the data give.
    """

    why_not: str | None = None
    wrong: int = 0


def publish_again(people: Dataset, release: Release, *, rng: np.random.Generator) -> Release:
    """Publish the same statistics under the same mechanisms about other secrets, or about fewer people."""
    if all(block.mechanism is None and block.low is None for block in release.blocks):
        statistics = [block.statistic for block in release.blocks]
        made = publish(people, statistics, release.mechanism, rng=rng, name=release.name)
        return replace(made, date=release.date)
    blocks = tuple(_block_again(people, release, block, rng) for block in release.blocks)
    return replace(release, blocks=blocks)


def publish_some(people: Dataset, release: Release, roster: Roster, *, rng: np.random.Generator) -> Release:
    """Publish a release of some of its people; ``roster`` calls them as the whole list does."""
    theirs = [
        replace(block, statistic=block.statistic.called(roster, people.ids()))
        if isinstance(block.statistic, Among)
        else block
        for block in release.blocks
    ]
    made = publish_again(people, replace(release, blocks=tuple(theirs)), rng=rng)
    pairs = zip(made.blocks, release.blocks, strict=True)
    return replace(made, blocks=tuple(replace(new, statistic=old.statistic) for new, old in pairs))


def try_again(people: Dataset, release: Release, *, rng: np.random.Generator) -> MadeAgain:
    """See whether the data give the printed numbers; where noise is drawn only what is hidden can be seen."""
    why_not, wrong = None, 0
    for block in release.blocks:
        mechanism = release.mechanism_of(block)
        if mechanism == "unknown":
            continue
        made = _block_again(people, release, block, rng).answers
        least, most = _ends(block)
        hidden = np.isnan(block.answers)
        if (np.nan_to_num(most - least) > CLOSE).any():
            why_not = SHARES
        elif (hidden != np.isnan(made)).any():
            why_not = HIDDEN
        if not parse_mechanism(mechanism).draws:
            off = (made < least - CLOSE) | (made > most + CLOSE)
            wrong += int((off & ~hidden & ~np.isnan(made)).sum())
    return MadeAgain(why_not, wrong)


def _block_again(people: Dataset, release: Release, block: Block, rng: np.random.Generator) -> Block:
    mechanism = release.mechanism_of(block)
    made = publish(people, [block.statistic], mechanism, rng=rng).blocks[0]
    columns = [made.values.index(value) for value in block.values]
    return Block(block.statistic, block.values, made.answers[:, columns], block.mechanism)


def _ends(block: Block) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return (
        block.answers if block.least is None else block.least,
        block.answers if block.most is None else block.most,
    )
