"""What is claimed about everybody's amount: two ends, a number, and how close that must be."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dalenius.amounts.attack.estimate import estimate, spread_by_squares
from dalenius.amounts.attack.intervals import AmountEnds
from dalenius.amounts.attack.law import AmountLaw, guess_alone
from dalenius.amounts.attack.order.noise import usual_noise
from dalenius.amounts.attack.order.ranks import Ranks
from dalenius.amounts.attack.posterior import CLEARLY, CLEARLY_NOISY, AmountPosterior, cut_law, place_people
from dalenius.amounts.attack.system import AmountSystem, find_ranks, make_system
from dalenius.amounts.attack.weights import ends_of, parts_of
from dalenius.errors import InputError, SolveError
from dalenius.knowledge.amounts import AmountView
from dalenius.progress import Progress, silent
from dalenius.shown import hides_people

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

WITHIN = 0.1
"""Which part of an amount is close, if nobody says otherwise."""

KNOWN_AT = 0.99
"""From which probability on an amount is as good as known, if nobody says otherwise."""


@hides_people()
@dataclass(frozen=True)
class AmountClaims:
    """Everybody's ends and posterior, in the order of the list; ``classes`` of them are told apart.

    ``sure`` says whether the ends follow by arithmetic; with noise they hold but for a chance of one in a
    million, and ``likely`` are those that each noisy number leaves with the chance from which on an amount
    is as good as known.
    """

    ids: tuple[str, ...]
    ends: AmountEnds
    guessed: AmountPosterior
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
        """A line for everybody: ends, the number, how likely it is near, and likely ends."""
        text = io.StringIO()
        write = csv.writer(text, lineterminator="\n")
        write.writerow(["id", "least", "most", "estimate", "expected_error", "searched",
                        "near", "likely_least", "likely_most"])  # fmt: skip
        ends, said = self.ends, self.guessed
        for at, name in enumerate(self.ids):
            numbers = (ends.low[at], ends.high[at], said.value[at], said.sd[at])
            likely = (f"{said.near[at]:.4f}", f"{said.low[at]:.10g}", f"{said.high[at]:.10g}")
            searched = "yes" if ends.searched[at] else "no"
            write.writerow([name, *(f"{x:.10g}" for x in numbers), searched, *likely])
        return text.getvalue()


def claim_amounts(
    view: AmountView,
    ids: tuple[str, ...],
    *,
    within: float = WITHIN,
    known_at: float = KNOWN_AT,
    progress: Progress = silent,
) -> AmountClaims:
    """Bound everybody's amount from a view, and tell the number that is most likely within a part of it.

    Raises
    ------
    InputError
        If no amounts fit what is printed.
    """
    parts = parts_of(view)
    found = ends_of(parts, progress=progress)
    system = make_system(parts[0])
    guessed = _guess(parts[0], system, found, within)
    # where the ends are closer than the spread that is left, a number between them is off by less
    near = (found.low > 0) & np.isfinite(found.high) & (found.high - found.low < guessed.sd)
    low, high = found.low[near], found.high[near]
    guessed.value[near] = 2 * low * high / (low + high)
    sure = view.release.sure
    likely = found if sure else _likely_ends(view, found, known_at, progress)
    return AmountClaims(ids, found, guessed, sure, system.classes.count, likely)


def _guess(view: AmountView, system: AmountSystem, found: AmountEnds, within: float) -> AmountPosterior:
    """Everybody's posterior: moved by sums, cut to their ends, and placed in the order of their groups."""
    groups, prior, ends = view.release.groups, view.prior, (found.low, found.high)
    moved = estimate(system, prior)
    printed = spread_by_squares(moved, view.release)
    sd = np.where(np.isnan(printed), moved.sd, printed)
    law = AmountLaw.moved(prior, moved.mean, moved.sd).where(
        np.isnan(printed), AmountLaw.of(moved.mean, sd, prior.shift)
    )
    usual = AmountLaw.of(prior.mean, prior.sd, prior.shift)
    alone = cut_law(law, sd, ends, (guess_alone(prior, within), within))
    ranks = system.ranks if view.release.sure else _typical(view, system, law)
    orders = [(own, groups[at].members) for at, own in ranks.items()]
    clearly = CLEARLY if view.release.sure else CLEARLY_NOISY
    return place_people(alone, (law, usual), ends, orders, (within, clearly))


def _typical(view: AmountView, system: AmountSystem, law: AmountLaw) -> Mapping[int, Ranks]:
    """What noisy numbers say of sorted amounts if their noise is as large as it mostly is."""
    said = [usual_noise(one, law.take(view.release.groups[one.group].members)) for one in view.release.said]
    try:
        return find_ranks(replace(view, release=replace(view.release, said=tuple(said))))
    except InputError:  # noise has changed their order
        return system.ranks


def _likely_ends(view: AmountView, found: AmountEnds, known_at: float, progress: Progress) -> AmountEnds:
    """Everybody's ends if all noise is as small as is likely; those found where that contradicts itself."""
    try:
        likely = replace(view, release=view.release.likely(1 - known_at))
        return ends_of(parts_of(likely), progress=progress)
    except (InputError, SolveError):
        return found
