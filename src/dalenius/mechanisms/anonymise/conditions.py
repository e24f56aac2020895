"""What every class of a release must meet: k rows, l diverse values, values no further than t from all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.grammar import Options
from dalenius.mechanisms.base import plain
from dalenius.people.rows.columns import NumberColumn
from dalenius.people.rows.equivalence import (
    class_entropies,
    class_equal_distances,
    class_ordered_distances,
    values_in_order,
)
from dalenius.people.rows.rows import Rows

SLACK = 1e-9
"""What rounding may add to an entropy or a distance."""


@dataclass(frozen=True)
class Conditions:
    """The conditions by their parameters.

    Parameters
    ----------
    k
        Rows a class must have, 2 or more.
    l
        How diverse the sensitive values of a class must be, by ``diversity``; 1 asks for nothing.
    t
        The largest distance between the sensitive values of a class and of all rows, by ``distance``; 1 asks
        for nothing.
    sensitive
        The column that l and t speak of.
    diversity
        ``distinct`` counts values, ``entropy`` takes the exponential of their entropy.
    distance
        ``equal`` or ``ordered`` earth mover's distance; ``auto`` is ordered for numbers and equal for text.
    """

    k: int
    l: float = 1.0  # noqa: E741 (the papers' letter)
    t: float = 1.0
    sensitive: str | None = None
    diversity: str = "distinct"
    distance: str = "auto"

    NAMES = ("k", "l", "t", "sensitive", "diversity", "distance")

    @staticmethod
    def parse(options: Options) -> Conditions:
        """Read ``k=5[,l=2][,t=0.2][,sensitive=COLUMN][,diversity=entropy][,distance=equal|ordered]``."""
        of = options.values.get("sensitive")
        if of is None and {"l", "t"} & options.values.keys():
            fix = "Name the column that l and t are about."
            raise InputError(f"{options.name}: sensitive", "must be given with l or t", str(options), fix)
        diversity = options.choice("diversity", ("distinct", "entropy"), "distinct")
        return Conditions(
            options.whole("k", least=2),
            options.whole("l", 1, least=1) if diversity == "distinct" else options.number("l", 1, least=1),
            options.number("t", 1.0, least=0, most=1),
            of,
            diversity,
            options.choice("distance", ("auto", "equal", "ordered"), "auto"),
        )

    def __str__(self) -> str:
        words = [f"k={self.k}"]
        words += [f"l={plain(self.l)}"] * (self.l > 1) + [f"t={plain(self.t)}"] * (self.t < 1)
        words += [f"sensitive={self.sensitive}"] if self.sensitive else []
        words += [f"diversity={self.diversity}"] * (self.diversity != "distinct")
        return ",".join(words + [f"distance={self.distance}"] * (self.distance != "auto"))

    def of(self, rows: Rows, quasi: Sequence[str]) -> Sensitive:
        """Look at the rows; refuse conditions that not even all rows together meet."""
        if len(rows) < self.k:
            raise InputError("k", f"must be at most the {len(rows):,} rows", str(self.k))
        if self.sensitive is None:
            return Sensitive(np.zeros(len(rows), np.intp), np.ones(1), ordered=False)
        if self.sensitive in quasi:
            raise InputError(f"sensitive {self.sensitive!r}", "must not be a quasi-identifier", "both")
        column = rows.column(self.sensitive)
        number = isinstance(column, NumberColumn)
        if self.distance == "ordered" and not number:
            fix = "Use distance=equal."
            raise InputError(f"column {column.name!r}", "must be numeric for distance=ordered", "text", fix)
        values, known = values_in_order(column)
        share = np.bincount(values, minlength=known) / len(rows)
        entropic = self.diversity == "entropy"
        most = math.exp(-float(share @ np.log(share))) if entropic else known
        if self.l > most + SLACK:
            what = f"an effective number of values of {most:.3g}" if entropic else f"{known} different values"
            raise InputError("l", f"must be at most what {column.name!r} has", f"{self.l:g} for {what}")
        return Sensitive(values, share, ordered=number and self.distance != "equal")


@dataclass(frozen=True, eq=False)
class Sensitive:
    """The sensitive values as numbers in their order, the share of each, and whether the order counts."""

    values: NDArray[np.intp]
    share: NDArray[np.float64]
    ordered: bool


def classes_that_meet(
    conditions: Conditions, sensitive: Sensitive, which: NDArray[np.intp], sizes: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Say for every class whether it meets the conditions."""
    met = sizes >= conditions.k
    if conditions.l <= 1 and conditions.t >= 1:
        return met
    known = sensitive.share.size
    pairs, counts = np.unique(which * known + sensitive.values, return_counts=True)
    of, value = np.divmod(pairs, known)
    if conditions.diversity == "distinct":
        met &= np.bincount(of) >= conditions.l
    else:
        met &= class_entropies(of, counts, sizes) >= math.log(conditions.l) - SLACK
    distances = class_ordered_distances if sensitive.ordered else class_equal_distances
    return met & (distances(of, value, counts, sizes, sensitive.share) <= conditions.t + SLACK)
