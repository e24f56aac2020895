"""A release of amounts: what tables print about a number that people have, group by group.

Incomes, turnovers and ages are published as sums, means, medians and the like of groups. Each printed number
says something about its group, between two ends: exact ones where nothing is random, and otherwise ends that
noise leaves with a stated chance.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from dalenius.errors import InputError
from dalenius.mechanisms.amounts import AmountPromise

Places = NDArray[np.intp]

STATISTICS = ("count", "sum", "mean", "median", "min", "max", "sd", "variance")
"""What can be printed about the amounts of a group, beside quantiles."""

ORDERED, SPREADS = ("median", "min", "max"), ("sd", "variance")
"""Which of them are places in the order of amounts, as quantiles are, and which say how far apart."""

WEIGHTED = ("count", "sum", "mean")
"""Which of them are read where everybody counts by a survey weight; a largest amount is the same without."""

SAID = f"{', '.join(STATISTICS)} or a quantile as q25"
"""The same in words."""

_QUANTILE = re.compile(r"q(0[1-9]|[1-9][0-9])")

EVERYBODY = "everybody"
"""What the table is called that has one group, of all people."""


def percent(statistic: str) -> int | None:
    """Which part of a group is below a quantile, in hundredths; None for anything else.

    Two digits, because q1 is a quartile to some and a percentile to others.

    Examples
    --------
    >>> percent("q05"), percent("median"), percent("q1"), percent("sum")
    (5, 50, None, None)
    """
    if statistic == "median":
        return 50
    found = _QUANTILE.fullmatch(statistic)
    return None if found is None else int(found[1])


def check_statistic(text: str) -> str:
    """Return what a statistic of amounts is called here.

    Examples
    --------
    >>> check_statistic("var"), check_statistic("q90"), check_statistic("q50")
    ('variance', 'q90', 'median')
    """
    name = {"var": "variance", "q50": "median"}.get(text, text)
    if name not in STATISTICS and percent(name) is None:
        raise InputError("statistic", f"must be one of {SAID}", repr(text))
    return name


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
    ``defined`` says that it was computed here: squares divided by n - 1, and quantiles between two neighbours
    in proportion. Elsewhere either may be meant otherwise, and only what holds in any case is read.
    ``weighted`` says that everybody in it counts by their survey weight.
    """

    group: int
    statistic: str
    low: float
    high: float
    sd: float = 0.0
    defined: bool = False
    weighted: bool = False

    def __post_init__(self) -> None:
        check_statistic(self.statistic)
        if self.weighted and self.statistic not in WEIGHTED:
            raise InputError("weighted statistic", f"must be {', '.join(WEIGHTED)}", repr(self.statistic))

    @property
    def shapes(self) -> bool:
        """Whether it says more about a group than its sum does."""
        return self.statistic in SPREADS or self.statistic in ORDERED or percent(self.statistic) is not None


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
    unread
        Statistics that are printed by survey weights and that nothing here attacks.
    promise
        What its noise promises; None without noise, or where amounts decide what is hidden.
    """

    name: str
    amount: str
    people: int
    groups: tuple[AmountGroup, ...]
    said: tuple[PrintedAmount, ...]
    mechanism: str = "exact"
    hidden: int = 0
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    promise: AmountPromise | None = None

    @property
    def weighted(self) -> bool:
        """Whether anything is printed by survey weights."""
        return bool(self.unread) or any(one.weighted for one in self.said)

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
