"""What an attack comes to in each block, counted by the referee: which blocks they are stays here.

A gain that is small among all people can be large in one block of a thousand. Each block has its own
interval, which pays for all the others.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dalenius.findings.measure import Gain
from dalenius.findings.tally import Comparison, Tally, share_confidence
from dalenius.reconstruction.finding import BlockGain, ByBlock
from dalenius.shown import hides_people

MOST_WORST = 20
"""Blocks whose gains are told, without a name: those that gain most beyond chance."""

Flags = NDArray[np.bool_]
Counts = NDArray[np.int64]


@hides_people()
@dataclass(frozen=True)
class BlockCounts:
    """How many people of each block there are, and about how many of them who is right; people count once.

    Parameters
    ----------
    column, names
        The column of blocks, and what each is called.
    people, attack, baseline, only_attack, only_baseline
        People, and those about whom the attack, the better guess without it, and only one of both is right.
    certain, at_risk, missed
        People who are certain, who are certain or as good as known, and about whom no attack could be run.
    """

    column: str
    names: tuple[str, ...] = field(repr=False)
    people: Counts
    attack: Counts
    baseline: Counts
    only_attack: Counts
    only_baseline: Counts
    certain: Counts
    at_risk: Counts
    missed: Counts

    def summary(self, confidence: float) -> ByBlock:
        """Count blocks; none of them is named."""
        here = self.people > 0
        return ByBlock(
            column=self.column,
            blocks=int(here.sum()),
            empty=int((~here).sum()),
            not_attacked=int((self.missed > 0).sum()),
            people_not_attacked=int(self.missed.sum()),
            with_certain=int((self.certain > 0).sum()),
            with_people_at_risk=int((self.at_risk > 0).sum()),
            all_at_risk=int((here & (self.at_risk == self.people)).sum()),
            worst=tuple(self._worst(share_confidence(confidence, max(int(here.sum()), 1)))),
        )

    def _worst(self, level: float) -> list[BlockGain]:
        """The blocks whose own interval begins above 0, and at the highest numbers."""
        more = self.only_attack - self.only_baseline
        # the interval of a block begins above 0 only where one side outweighs the other by far
        surprise = more / np.sqrt(np.maximum(self.only_attack + self.only_baseline, 1))
        likely = np.flatnonzero((surprise > 1.5) & (more > 0))
        found = [self._gain(int(block), level) for block in likely]
        return sorted((gain for gain in found if gain.low > 0), key=lambda gain: -gain.low)[:MOST_WORST]

    def _gain(self, block: int, level: float) -> BlockGain:
        n = int(self.people[block])
        attack, baseline = Tally(int(self.attack[block]), n), Tally(int(self.baseline[block]), n)
        compared = Comparison(attack, baseline, int(self.only_attack[block]), int(self.only_baseline[block]))
        return BlockGain(baseline=baseline.rate, low=Gain.of(compared, level).low)

    def to_csv(self) -> str:
        """Write a line for each block with people: to be kept as safe as the data."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        columns = ("people", "certain", "at_risk", "attack", "baseline", "missed")
        writer.writerow(
            [self.column, "people", "certain", "at_risk", "right", "right_without", "not_attacked"]
        )
        order = np.lexsort((-self.people, -self.at_risk))
        for block in order[self.people[order] > 0]:
            writer.writerow([self.names[block], *(int(getattr(self, name)[block]) for name in columns)])
        return text.getvalue()


def count_by_block(
    column: str,
    names: tuple[str, ...],
    codes: NDArray[np.int32],
    right: tuple[Flags, Flags],
    flags: tuple[Flags, Flags, Flags],
) -> BlockCounts:
    """Count people by block.

    Parameters
    ----------
    column, names, codes
        The column, its values, and everybody's.
    right
        About whom the attack is right, and about whom the better guess without the release is.
    flags
        Who is certain, who is at risk, and about whom the attack could not be run.
    """
    attack, usual = right

    def counted(whom: Flags) -> Counts:
        return np.bincount(codes[whom], minlength=len(names))

    return BlockCounts(
        column,
        names,
        np.bincount(codes, minlength=len(names)),
        counted(attack),
        counted(usual),
        counted(attack & ~usual),
        counted(usual & ~attack),
        *(counted(each) for each in flags),
    )
