"""What is claimed about everybody's amount: two ends, a number, and how close that must be."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dalenius.amounts.attack.estimate import estimate
from dalenius.amounts.attack.intervals import AmountEnds, find_ends
from dalenius.amounts.attack.system import make_system
from dalenius.errors import InputError, SolveError
from dalenius.knowledge.amounts import AmountView
from dalenius.progress import Progress, silent
from dalenius.shown import hides_people

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

KNOWN_AT = 0.99
"""From which probability on an amount is as good as known, if nobody says otherwise."""


@hides_people()
@dataclass(frozen=True)
class AmountClaims:
    """Everybody's ends and estimate, in the order of the list; ``classes`` of them are told apart.

    ``sure`` says whether the ends follow by arithmetic; with noise they hold but for a chance of one in a
    million, and ``likely`` are those that each noisy number leaves with the chance from which on an amount
    is as good as known.
    """

    ids: tuple[str, ...]
    ends: AmountEnds
    value: Floats
    sd: Floats
    sure: bool
    classes: int
    likely: AmountEnds

    def pinned(self, within: float) -> Mask:
        """Whose ends are so close that one number is within this part of every amount between them.

        The number 2ab / (a + b) is off by (b - a) / (a + b) of either end, and by less in between.
        """
        low, high = self.ends.low, self.ends.high
        same_sign = (low > 0) | (high < 0) | ((low == 0) & (high == 0))
        with np.errstate(invalid="ignore"):
            return np.asarray(same_sign & (high - low <= within * np.abs(low + high)), np.bool_)

    def to_csv(self) -> str:
        """A line for everybody: ends, and the number."""
        text = io.StringIO()
        write = csv.writer(text, lineterminator="\n")
        write.writerow(["id", "least", "most", "estimate", "expected_error", "searched"])
        ends = self.ends
        for at, name in enumerate(self.ids):
            numbers = (ends.low[at], ends.high[at], self.value[at], self.sd[at])
            write.writerow([name, *(f"{x:.10g}" for x in numbers), "yes" if ends.searched[at] else "no"])
        return text.getvalue()


def claim_amounts(
    view: AmountView, ids: tuple[str, ...], *, known_at: float = KNOWN_AT, progress: Progress = silent
) -> AmountClaims:
    """Bound and estimate everybody's amount from a view.

    Raises
    ------
    InputError
        If no amounts fit what is printed.
    """
    system = make_system(view)
    found = find_ends(system, view.insiders, progress=progress)
    guessed = estimate(system, view.prior)
    value = np.clip(guessed.value, found.low, found.high)
    # where the ends are closer than the spread that is left, a number between them is off by less
    near = (found.low > 0) & np.isfinite(found.high) & (found.high - found.low < guessed.sd)
    low, high = found.low[near], found.high[near]
    value[near] = 2 * low * high / (low + high)
    sure = view.release.sure
    likely = found if sure else _likely_ends(view, found, known_at, progress)
    return AmountClaims(ids, found, value, guessed.sd, sure, system.classes.count, likely)


def _likely_ends(view: AmountView, found: AmountEnds, known_at: float, progress: Progress) -> AmountEnds:
    """Everybody's ends if all noise is as small as is likely; those found where that contradicts itself."""
    try:
        system = make_system(replace(view, release=view.release.likely(1 - known_at)))
        return find_ends(system, view.insiders, progress=progress)
    except (InputError, SolveError):
        return found
