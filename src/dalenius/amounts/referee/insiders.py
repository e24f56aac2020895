"""Insiders: the two with the largest amounts of every group, and whom each of them may come close to.

Where more than a sum is printed about a group, the two with the smallest are tried too: whoever is below a
median of three knows what nobody else is below.

There are as many pairs of an insider and a class as classes squared, and what most insiders know tells
nothing about most classes. The referee, who knows the truth, leaves out the pairs that cannot succeed: on the
way from the point where a class is largest for anybody to the true amounts, which fit what every insider
knows, there is a first point that fits what this one knows. It shows how large the class can still be for
them; if that leaves the tolerated room above everybody in the class, and the same below, nothing is gained by
asking.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from dalenius.amounts.attack.intervals import EndSearch
from dalenius.amounts.attack.system import AmountSystem, make_system
from dalenius.errors import SolveError
from dalenius.knowledge.amounts import AmountPrior, AmountView, Insider
from dalenius.release.amounts import AmountRelease

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def choose_insiders(
    release: AmountRelease, prior: AmountPrior, amounts: Floats, within: float
) -> tuple[Insider, ...]:
    """The two largest of every group with the people whom they may come close to, their own class first."""
    system = make_system(AmountView(release, prior))
    people = np.array(sorted(_at_the_ends(release, amounts, system.ranks)), np.intp)
    near = _may_come_close(system, people, amounts, within)
    of = system.classes.of
    return tuple(
        Insider(
            int(person), float(amounts[person]), np.flatnonzero(near[:, of[person]][of] | (of == of[person]))
        )
        for person in people
    )


def _at_the_ends(release: AmountRelease, amounts: Floats, shaped: Collection[int]) -> set[int]:
    found: set[int] = set()
    for at, group in enumerate(release.groups):
        order = group.members[np.argsort(amounts[group.members], kind="stable")]
        found |= {int(person) for person in order[-2:]}
        if at in shaped:
            found |= {int(person) for person in order[:2]}
    return found


def _may_come_close(system: AmountSystem, insiders: NDArray[np.intp], amounts: Floats, within: float) -> Mask:
    """By class asked about and class of the insider: whether asking may gain anything."""
    of, sizes = system.classes.of, system.classes.sizes
    count = system.classes.count
    true = np.asarray(np.bincount(of, amounts, minlength=count), np.float64)
    asked = np.zeros((count, count), np.bool_)
    known_low, known_high = _known(system, insiders, amounts)
    tops, bottoms = (_extreme(of, amounts, count, pick) for pick in (np.maximum, np.minimum))
    search = EndSearch(system)
    for at in range(count):
        for sign, others in zip((-1, 1), system.sum_of(at, int(sizes[at]) - 1), strict=True):
            if not np.isfinite(others):
                continue  # the others may have anything: nobody is bounded from below
            try:
                end, point = search.end(at, sign)
            except SolveError:
                asked[at] = True
                break
            if not np.isfinite(end):
                continue
            step = _first_step(point, true, known_low, known_high)
            shown = (1 - step) * end + step * true[at] - others
            if sign == -1:
                asked[at] |= shown < tops[at] + within * abs(tops[at])
            else:
                asked[at] |= shown > bottoms[at] - within * abs(bottoms[at])
    return asked


def _known(system: AmountSystem, insiders: NDArray[np.intp], amounts: Floats) -> tuple[Floats, Floats]:
    """Between which the sum of a class lies for its insiders: the closest ends that any of them has."""
    low, high = (ends.copy() for ends in system.ends)
    for person in insiders:
        own = system.classes.of[person]
        least, most = system.sum_of(int(own), int(system.classes.sizes[own]) - 1)
        low[own], high[own] = max(low[own], amounts[person] + least), min(high[own], amounts[person] + most)
    return low, high


def _first_step(point: Floats, true: Floats, low: Floats, high: Floats) -> Floats:
    """How far each class must go from a point towards the truth until it fits what its insiders know."""
    missing = np.where(point < low, low - point, np.where(point > high, point - high, 0.0))
    way = np.abs(true - point)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(missing > 0, np.minimum(missing / way, 1.0), 0.0), np.float64)


def _extreme(of: NDArray[np.intp], amounts: Floats, count: int, pick: np.ufunc) -> Floats:
    found = np.full(count, -np.inf if pick is np.maximum else np.inf)
    pick.at(found, of, amounts)
    return found
