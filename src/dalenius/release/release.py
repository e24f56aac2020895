"""A release: the questions, the published answers, and what the publisher says about the mechanism."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.mechanisms.base import Promise
from dalenius.people.schema import Column
from dalenius.shown import hides_people, several
from dalenius.statistics.statistic import Statistic


@hides_people("mechanism")
@dataclass(frozen=True)
class Block:
    """The published answers to one statistic.

    Parameters
    ----------
    statistic
        What was asked.
    values
        The values of the secret that were counted.
    answers
        One row per question, one column per value; not a number where the answer was suppressed.
    mechanism
        What was done to these answers; ``None`` for what was done to the whole release.
    low, high
        What is printed about the true counts besides, such as ``<5``; of the shape of ``answers``.
    least, most
        Between which numbers the mechanism published each answer, where print tells no more: the digits of a
        percentage, and what it is of. ``answers`` has the middle.
    """

    statistic: Statistic
    values: tuple[str, ...]
    answers: NDArray[np.float64]
    mechanism: str | None = None
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None
    least: NDArray[np.float64] | None = None
    most: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        expected = (self.statistic.rows, len(self.values))
        if self.answers.shape != expected:
            raise InputError(
                "answers",
                "must be one for each question",
                f"{several(self.answers.shape[0], 'answer')} to {several(expected[0], 'question')}",
                "Queries and answers must name the same queries.",
            )
        if np.isinf(self.answers).any():
            raise InputError("answers", "must be finite", "an infinite answer")
        for limits in (self.low, self.high, self.least, self.most):
            if limits is not None and limits.shape != expected:
                raise InputError("printed limits", "must be one per answer", f"shape {limits.shape}")

    def of_another_time(self) -> Block | None:
        """The numbers as near those of now: with an error that nobody knows; nothing if one is hidden."""
        if np.isnan(self.answers).any():
            return None
        return Block(self.statistic, self.values, self.answers, "unknown")


@hides_people("name", "mechanism", "date")
@dataclass(frozen=True)
class Release:
    """Everything that is published about one group of people.

    Parameters
    ----------
    name
        What the release is called.
    secret
        The column that was counted, with the values it can take.
    blocks
        The answers, statistic by statistic.
    mechanism
        What is said to have been done to the answers, in the grammar of mechanisms; ``unknown`` if nothing
        is said.
    promise
        What the mechanism promises, if anything.
    seeded
        Whether something in it was drawn from a seed, and so can be drawn again: such a release is for
        trying out, not for the world.
    date
        Of when it is, as text in the order of time; empty if it is of the same time as the data.
    """

    name: str
    secret: Column
    blocks: tuple[Block, ...]
    mechanism: str = "unknown"
    promise: Promise | None = None
    seeded: bool = False
    date: str = ""

    @property
    def size(self) -> int:
        """How many numbers are published."""
        fresh = [block for block in self.blocks if not getattr(block.statistic, "again", False)]
        return sum(block.answers.size for block in fresh or self.blocks)

    @property
    def said(self) -> str:
        """What is said about the mechanism, in words: each one once, where blocks differ."""
        texts = dict.fromkeys(block.mechanism or self.mechanism for block in self.blocks)
        return " or ".join(texts) or self.mechanism

    def mechanism_of(self, block: Block) -> str:
        """What is said to have been done to the answers of a block."""
        return block.mechanism or self.mechanism
