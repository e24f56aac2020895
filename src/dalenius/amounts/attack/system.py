"""What printed numbers say about the sums of classes, as rows of a linear program, and about single people.

Sums and means are rows themselves. The others say something linear too, though less than they could: of a
median at least half of a group is on either side; a smallest and a largest amount hold for everybody; and a
standard deviation keeps everybody within sd * sqrt(n - 1) of the mean (Samuelson's inequality, in the form
that holds whichever way the deviation was divided). So what follows is true, and may not be all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.amounts.attack.classes import AmountClasses, find_classes
from dalenius.errors import InputError
from dalenius.knowledge.amounts import AmountView
from dalenius.release.amounts import AmountGroup, PrintedAmount

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class AmountSystem:
    """Rows about the sums of classes, and the ends of one person's amount in each class.

    ``sd`` is the standard deviation of the noise of each row.
    """

    classes: AmountClasses
    A: sparse.csr_array
    low: Floats
    high: Floats
    sd: Floats
    least: Floats
    most: Floats

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """Between which the sum of every class lies, from the ends of its people alone."""
        return self.classes.sizes * self.least, self.classes.sizes * self.most


def make_system(view: AmountView) -> AmountSystem:
    """Read a release.

    Raises
    ------
    InputError
        If a printed number of people is not that of the list, or nobody's amount fits what is printed.
    """
    release, prior = view.release, view.prior
    classes = find_classes(release.people, release.groups)
    least, most = np.full(classes.count, prior.least), np.full(classes.count, prior.most)
    _for_everybody(release.groups, release.said, classes, least, most)
    if (least > most).any():
        raise InputError("tables", "must not contradict each other", "a largest amount below a smallest one")
    rows = [(said.group, *_sum(said, release.groups[said.group].size, prior.least, prior.most), said.sd)
            for said in release.said if said.statistic != "count"]  # fmt: skip
    _check_counts(release.groups, release.said)
    kept = [row for row in rows if np.isfinite(row[1]) or np.isfinite(row[2])]
    at, low, high, sd = (list(column) for column in zip(*kept, strict=True)) if kept else ([], [], [], [])
    A = sparse.csr_array(classes.held[np.array(at, np.intp)])
    return AmountSystem(
        classes, A, np.array(low, float), np.array(high, float), np.array(sd, float), least, most
    )


def _sum(said: PrintedAmount, n: int, least: float, most: float) -> tuple[float, float]:
    """Between which the sum of a group lies, because of one printed number."""
    low, high = said.low, said.high
    upper = n - n // 2  # so many are at or above the median, and as many at or below
    match said.statistic:
        case "sum":
            return low, high
        case "mean":
            return n * low, n * high
        case "median" if n <= 2:
            return n * low, n * high
        case "median":
            return upper * low + (n - upper) * least, upper * high + (n - upper) * most
        case "min":
            return -np.inf, high + (n - 1) * most
        case "max":
            return low + (n - 1) * least, np.inf
    return -np.inf, np.inf


def _for_everybody(
    groups: tuple[AmountGroup, ...],
    said: tuple[PrintedAmount, ...],
    classes: AmountClasses,
    least: Floats,
    most: Floats,
) -> None:
    """Tighten what is known about everybody in a group, in place."""
    means = {one.group: one for one in said if one.statistic == "mean"}
    for one in said:
        inside = classes.held.indices[classes.held.indptr[one.group] : classes.held.indptr[one.group + 1]]
        if one.statistic == "min":
            least[inside] = np.maximum(least[inside], one.low)
        elif one.statistic == "max":
            most[inside] = np.minimum(most[inside], one.high)
        elif one.statistic == "sd" and one.group in means:
            reach = max(one.high, 0.0) * np.sqrt(groups[one.group].size - 1)
            least[inside] = np.maximum(least[inside], means[one.group].low - reach)
            most[inside] = np.minimum(most[inside], means[one.group].high + reach)


def _check_counts(groups: tuple[AmountGroup, ...], said: tuple[PrintedAmount, ...]) -> None:
    for one in said:
        size = groups[one.group].size
        if one.statistic == "count" and one.sd == 0 and not one.low <= size <= one.high:
            raise InputError(
                f"count of {groups[one.group].label}",
                f"must be that of the list of people, {size:,}",
                f"{one.low:,g} to {one.high:,g}" if one.low < one.high else f"{one.low:,g}",
                "Give everybody who was counted, and nobody else.",
            )
