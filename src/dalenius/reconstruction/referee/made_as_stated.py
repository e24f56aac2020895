"""Whether the data give a release that is there already, as it is stated to have been made of them.

A release that was read from printed tables counts some values only, has a mechanism for each block, and may
hide cells by a rule that nobody states. Whether it can be made again is seen by making it of the data, and
whether its noise was drawn as stated by drawing it anew: an attack that takes exact numbers for noisy ones
finds nobody, and that would be a pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.mechanisms.as_stated import AnswersKnown, Ranked, drawn_once, independent, rank, unlike_stated
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.dataset import Dataset
from dalenius.people.schema import Roster
from dalenius.people.truth import secret_codes
from dalenius.release.publish import block_again, roster_of
from dalenius.release.release import Block, Release
from dalenius.statistics.cells import CellCounts, tables_of_questions
from dalenius.statistics.statistic import Counting

SHARES = "numbers are printed as shares or with too few digits"

HIDDEN = "cells are hidden by a rule that is not stated"

CLOSE = 1e-9

CLOSE_WEIGHTS = 1e-6
"""By how much a sum of survey weights may differ by rounding alone."""


@dataclass(frozen=True)
class MadeAgain:
    """What came of making a release again from the data.

    Parameters
    ----------
    why_not
        Why it cannot be made again of other secrets; ``None`` if it can.
    wrong
        How many published numbers are not what the data give.
    reused
        Whether numbers about different people have the same noise.
    """

    why_not: str | None = None
    wrong: int = 0
    reused: bool = False

    def reason(self, release: Release, whose: str = "[data] gives") -> str | None:
        """Say why the data do not give the release as it is stated; ``None`` if they do."""
        if self.wrong:
            return (
                f"{self.wrong:,} of {release.size:,} published numbers are not what {whose} under "
                f"{release.said!r}: check mechanism, margins, people and date."
            )
        if self.reused:
            return (
                "numbers about different people have the same noise, so that their difference has none: "
                "draw noise for every number anew."
            )
        return None


def try_again(
    people: Dataset, release: Release, *, rng: np.random.Generator, beside: Sequence[Release] = ()
) -> MadeAgain:
    """See whether the data give the printed counts; where noise is drawn, whether it was drawn as stated.

    Parameters
    ----------
    people, release
        The data, and what is said to be made of them.
    rng
        Draws what the mechanism draws.
    beside
        What else is published about them: noise that was drawn for it must not be drawn again.
    """
    why_not, wrong = None, 0
    for block in _stated(release):
        made = block_again(people, release, block, rng).answers
        least, most = _ends(block)
        hidden = np.isnan(block.answers)
        if (np.nan_to_num(most - least) > CLOSE).any():
            why_not = SHARES
        elif (hidden != np.isnan(made)).any():
            why_not = HIDDEN
        if not parse_mechanism(release.mechanism_of(block)).draws:
            off = (made < least - CLOSE) | (made > most + CLOSE)
            wrong += int((off & ~hidden & ~np.isnan(made)).sum())
    ordered = np.array(people.schema.secret.levels)[secret_codes(people)]
    noisy = look_at_noise([release, *beside], roster_of(people), ordered, rng=rng)
    return MadeAgain(why_not, wrong + noisy.wrong, noisy.reused)


def look_at_noise(
    releases: Sequence[Release], roster: Roster, secrets: NDArray[np.str_], *, rng: np.random.Generator
) -> MadeAgain:
    """See whether the noise of a release, the first, was drawn as stated, and anew beside the others.

    Everybody's secret is given by its name, in the order of the roster.
    """
    first, *others = (list(_rank_noise(each, roster, secrets, rng)) for each in releases)
    wrong = sum(int(unlike_stated(each).sum()) for each in first)
    return MadeAgain(None, wrong, bool(first) and drawn_once([*first, *(r for rs in others for r in rs)]))


def wrong_by_weights(people: Dataset, release: Release, roster: Roster) -> int:
    """How many weighted counts the data do not give: sums of weights, or numbers of people between ends.

    The roster is of the same people, in the order of the data.
    """
    from dalenius.statistics.weighted_cells import WeightedCells  # few releases are weighted

    codes, wrong = secret_codes(people), 0
    for block in release.blocks:
        asked = block.statistic
        if isinstance(asked, WeightedCells):
            made = asked.compute(roster, (codes == 1).astype(np.float64))
            if block.mechanism == "exact":
                wrong += int((np.abs(made - block.answers[:, 0]) > asked.slack + CLOSE_WEIGHTS).sum())
        elif isinstance(asked, CellCounts) and block.low is not None and block.high is not None:
            rows = asked.operator(roster)
            for at, value in enumerate(block.values):
                made = rows.apply((codes == release.secret.levels.index(value)).astype(np.float64))
                wrong += int(((made < block.low[:, at]) | (made > block.high[:, at])).sum())
    return wrong


def comparable(people: Dataset, release: Release) -> bool:
    """Whether a release speaks of columns and values that the data have."""
    known = {column.name for column in people.schema.public}
    named = {c.name for block in release.blocks for c in getattr(block.statistic, "columns", ())}
    counted = {value for block in _stated(release) for value in block.values}
    return named <= known and counted <= set(people.schema.secret.levels)


def _stated(release: Release) -> list[Block]:
    counts = [block for block in release.blocks if isinstance(block.statistic, Counting)]
    return [block for block in counts if release.mechanism_of(block) not in {"unknown", "stated"}]


def _rank_noise(
    release: Release, roster: Roster, secrets: NDArray[np.str_], rng: np.random.Generator
) -> Iterable[Ranked]:
    """Hold the errors of a release's counts against errors drawn anew."""
    number = np.random.default_rng(0).random(len(roster))
    for block in _stated(release):
        chain, asked = parse_mechanism(release.mechanism_of(block)), block.statistic
        if not independent(chain) or not isinstance(asked, Counting):
            continue
        operator = asked.operator(roster)
        have = [operator.apply((secrets == value).astype(np.float64)) for value in block.values]
        true = np.stack(have, axis=1)
        least, most = _ends(block)
        slack = np.nan_to_num(most - least) / 2
        known = AnswersKnown(block.answers, true, slack, tables_of_questions(asked), operator.apply(number))
        yield rank(known, chain, asked.table, rng=rng)


def _ends(block: Block) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return (
        block.answers if block.least is None else block.least,
        block.answers if block.most is None else block.most,
    )
