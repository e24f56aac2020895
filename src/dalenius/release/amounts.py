"""A release of amounts: what tables print about a number that people have, group by group.

Incomes, turnovers and ages are published as sums, means, medians and the like of groups. Each printed number
says something about its group, between two ends: exact ones where nothing is random, and otherwise ends that
noise leaves with a stated chance.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from dalenius.errors import InputError

Places = NDArray[np.intp]

STATISTICS = ("count", "sum", "mean", "median", "min", "max", "sd")
"""What can be printed about the amounts of a group."""

EVERYBODY = "everybody"
"""What the table is called that has one group, of all people."""


@dataclass(frozen=True)
class AmountGroup:
    """People whom a table tells something about together: their label, where they stand in the list.

    ``table`` is what the table is called that tells of them: its columns.
    """

    label: str
    members: Places
    table: str = ""

    @property
    def size(self) -> int:
        """How many they are."""
        return int(self.members.size)


@dataclass(frozen=True)
class PrintedAmount:
    """One printed number, read: the statistic of a group lies between two ends.

    ``sd`` is the standard deviation of the noise on it, 0 where there is none: then the ends are sure.
    """

    group: int
    statistic: str
    low: float
    high: float
    sd: float = 0.0

    def __post_init__(self) -> None:
        if self.statistic not in STATISTICS:
            known = ", ".join(STATISTICS)
            raise InputError("statistic", f"must be one of {known}", repr(self.statistic))


@dataclass(frozen=True)
class AmountRelease:
    """What is printed about one amount of people who are known.

    Parameters
    ----------
    name, amount
        What the release and the amount are called.
    people
        How many people are on the list.
    groups, said
        The groups, and what is printed about them.
    mechanism
        What was done to the numbers.
    hidden
        How many cells are left out.
    notes
        What the reader or publisher has to say.
    """

    name: str
    amount: str
    people: int
    groups: tuple[AmountGroup, ...]
    said: tuple[PrintedAmount, ...]
    mechanism: str = "exact"
    hidden: int = 0
    notes: tuple[str, ...] = ()

    def of_tables(self, names: Collection[str]) -> AmountRelease:
        """What only some of the tables say."""
        return replace(self, said=tuple(one for one in self.said if self.groups[one.group].table in names))

    def likely(self, chance: float) -> AmountRelease:
        """The same with ends beyond which the noise of each number goes with this chance.

        Examples
        --------
        >>> noisy = PrintedAmount(0, "sum", 0.0, 20.0, 2.0)
        >>> release = AmountRelease("r", "pay", 1, (), (noisy,), "gaussian:sigma=2")
        >>> [(round(one.low, 2), round(one.high, 2)) for one in release.likely(0.01).said]
        [(4.85, 15.15)]
        """
        gaussian = "laplace" not in self.mechanism
        reach = float(norm.isf(chance / 2)) if gaussian else float(np.log(1 / chance) / np.sqrt(2))

        def narrowed(one: PrintedAmount) -> PrintedAmount:
            middle, half = (one.low + one.high) / 2, min(reach * one.sd, (one.high - one.low) / 2)
            return replace(one, low=middle - half, high=middle + half) if one.sd else one

        return replace(self, said=tuple(map(narrowed, self.said)))

    @property
    def sure(self) -> bool:
        """Whether all ends are sure: nothing random was added."""
        return all(one.sd == 0 for one in self.said)
