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

from dalenius.amounts.attack.intervals import EndSearch, members_of
from dalenius.amounts.attack.system import AmountSystem, make_system
from dalenius.amounts.attack.weights import parts_of
from dalenius.errors import SolveError
from dalenius.knowledge.amounts import AmountView, Insider
from dalenius.release.amounts import AmountRelease

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def choose_insiders(
    view: AmountView, amounts: Floats, within: float, weights: Floats | None = None
) -> tuple[Insider, ...]:
    """The two largest of every group with the people whom they may come close to, their own class first.

    Where people count by their weights, the two who count for most are tried too. Where these weights are not
    known to all, the way to the truth is not known either, and everybody is asked about.
    """
    parts = parts_of(view)
    system = make_system(parts[0])
    found = _at_the_ends(view.release, amounts, system.ranks)
    if weights is not None:
        found |= _at_the_ends(view.release, amounts * weights, ())
    people = np.array(sorted(found), np.intp)
    if system.weights.known and len(parts) == 1:
        near = _may_come_close(system, people, amounts, within)
    else:
        near = np.ones((system.classes.count,) * 2, np.bool_)
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
    of, count = system.classes.of, system.classes.count
    counted = amounts * system.weights.low
    true = np.asarray(np.bincount(of, counted, minlength=count), np.float64)
    asked = np.zeros((count, count), np.bool_)
    known_low, known_high = _known(system, insiders, counted)
    search = EndSearch(system)
    for at, people in enumerate(members_of(of)):
        room = within * np.abs(counted[people])
        for sign, others in zip((-1, 1), system.others(at, people), strict=True):
            if not np.isfinite(others).all():
                continue  # the others may have anything: nobody is bounded from below
            try:
                end, point = search.end(at, sign)
            except SolveError:
                asked[at] = True
                break
            if not np.isfinite(end):
                continue
            step = _first_step(point, true, known_low, known_high)
            shown = (1 - step) * end + step * true[at]
            if sign == -1:
                asked[at] |= shown < (others + counted[people] + room).max()
            else:
                asked[at] |= shown > (others + counted[people] - room).min()
    return asked


def _known(system: AmountSystem, insiders: NDArray[np.intp], counted: Floats) -> tuple[Floats, Floats]:
    """Between which the sum of a class lies for its insiders: the closest ends that any of them has."""
    low, high = (ends.copy() for ends in system.ends)
    for person in insiders:
        own = system.classes.of[person]
        least, most = (counted[person] + ends[0] for ends in system.others(int(own), np.array([person])))
        low[own], high[own] = max(low[own], least), min(high[own], most)
    return low, high


def _first_step(point: Floats, true: Floats, low: Floats, high: Floats) -> Floats:
    """How far each class must go from a point towards the truth until it fits what its insiders know."""
    missing = np.where(point < low, low - point, np.where(point > high, point - high, 0.0))
    way = np.abs(true - point)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(missing > 0, np.minimum(missing / way, 1.0), 0.0), np.float64)
