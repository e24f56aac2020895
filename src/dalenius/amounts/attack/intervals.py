"""Between which ends everybody's amount lies: for anybody, and for somebody in the data who knows their own.

People of one class have the same ends: the largest sum of their class less the least that the others have,
and the other way round. Somebody inside knows one amount more, their own; they are tried one by one, never
together. Where more than a sum is printed about their group, what they know of the others' sorted amounts
bounds them too. Where the point at which a program found an end agrees with what an insider knows, the end
is theirs too, and no further program is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.amounts.attack.order.ranks import others_of
from dalenius.amounts.attack.programs import Programs
from dalenius.amounts.attack.system import AmountSystem
from dalenius.errors import InputError, SolveError
from dalenius.knowledge.amounts import Insider
from dalenius.progress import Progress, silent

Floats = NDArray[np.float64]

PROGRAMS = 20_000
"""Linear programs that one release may take; what they do not reach was not searched."""


@dataclass(frozen=True)
class AmountEnds:
    """Everybody's ends: for anybody, and the closest that one insider has; and who was searched."""

    low: Floats
    high: Floats
    inside_low: Floats
    inside_high: Floats
    searched: NDArray[np.bool_]

    def both(self, other: AmountEnds) -> AmountEnds:
        """The closer of two ends that are both true."""
        return AmountEnds(
            np.maximum(self.low, other.low),
            np.minimum(self.high, other.high),
            np.maximum(self.inside_low, other.inside_low),
            np.minimum(self.inside_high, other.inside_high),
            self.searched & other.searched,
        )


class EndSearch:
    """The programs of one release, counted."""

    def __init__(self, system: AmountSystem) -> None:
        self.system, self.left = system, PROGRAMS
        least, most = system.ends
        self.programs = Programs(system.A, system.low, system.high, least, _finite(system, most))

    def end(
        self, which: int, sign: int, at: int | None = None, ends: tuple[float, float] = (-np.inf, np.inf)
    ) -> tuple[float, Floats]:
        """The least (sign 1) or largest (sign -1) sum of a class; of another class an insider says more."""
        if self.left <= 0:
            raise SolveError("linear programs", "must be left", "none")
        self.left -= 1
        found, point = self.programs.least_of(which, sign, at, ends)
        return sign * found, point


def find_ends(
    system: AmountSystem, insiders: tuple[Insider, ...] = (), *, progress: Progress = silent
) -> AmountEnds:
    """Find everybody's ends, class by class, as far as the programs go."""
    classes = system.classes
    n = classes.of.size
    low, high = system.least[classes.of].copy(), system.most[classes.of].copy()
    found = AmountEnds(low, high, low.copy(), high.copy(), np.ones(n, np.bool_))
    search = EndSearch(system)
    asking = _asking(system, insiders)
    members = members_of(classes.of)
    order = np.argsort(classes.sizes, kind="stable")  # small classes are the ones at risk
    for done, at in enumerate(order):
        progress(done / order.size, f"bounding amounts, {done:,} of {order.size:,} classes")
        people = members[at]
        try:
            _one_class(search, int(at), people, asking.get(int(at), []), found)
        except SolveError:
            found.searched[people] = False
    for insider in insiders:
        _in_own_groups(system, insider, found)
    return found


def _in_own_groups(system: AmountSystem, insider: Insider, found: AmountEnds) -> None:
    """Ends that follow from the sorted amounts of one group, less the insider's own."""
    own = system.classes.of[insider.person]
    for group in system.shaped[own]:
        others = others_of(system.ranks[group], insider.amount)
        if others is None:
            continue
        inside = np.isin(system.classes.of, system.classes.inside(group))
        inside[insider.person] = False
        found.inside_low[inside] = np.maximum(found.inside_low[inside], others.low[0])
        found.inside_high[inside] = np.minimum(found.inside_high[inside], others.high[-1])


def _one_class(
    search: EndSearch, at: int, people: NDArray[np.intp], asking: list[Insider], found: AmountEnds
) -> None:
    system = search.system
    for sign, plain, inside in ((1, found.low, found.inside_low), (-1, found.high, found.inside_high)):
        one, point = search.end(at, sign)
        side = 1 if sign == 1 else 0  # all others have as much, or as little, as they can
        best = np.fmax if sign == 1 else np.fmin
        others = system.others(at, people)[side]
        plain[people] = best(plain[people], system.amounts(people, one - others, sign))
        inside[people] = plain[people]
        for insider in asking:
            if system.classes.of[insider.person] == at:
                theirs = people[people != insider.person]
                own = system.counted(insider.person, insider.amount)[side]
                left = one - own - system.others(at, theirs, np.array([insider.person]))[side]
            else:
                theirs, left = people, _seen_from(search, at, sign, insider, point, one) - others
            inside[theirs] = best(inside[theirs], system.amounts(theirs, left, sign))


def _seen_from(search: EndSearch, at: int, sign: int, insider: Insider, point: Floats, plain: float) -> float:
    """The end of a class for an insider of another one."""
    system = search.system
    own = int(system.classes.of[insider.person])
    low, high = (
        counted + float(others[0])
        for counted, others in zip(
            system.counted(insider.person, insider.amount),
            system.others(own, np.array([insider.person])),
            strict=True,
        )
    )
    if low <= point[own] <= high:
        return plain
    try:
        return search.end(at, sign, own, (low, high))[0]
    except InputError:  # what they know does not fit the tables, which were not made as stated: of no use
        return plain


def _asking(system: AmountSystem, insiders: tuple[Insider, ...]) -> dict[int, list[Insider]]:
    """The insiders who want to know about each class."""
    found: dict[int, list[Insider]] = {}
    for insider in insiders:
        for at in np.unique(system.classes.of[insider.targets]):
            found.setdefault(int(at), []).append(insider)
    return found


def members_of(of: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """The people of every class."""
    order = np.argsort(of, kind="stable")
    return np.split(order, np.cumsum(np.bincount(of))[:-1])


def _finite(system: AmountSystem, most: Floats) -> Floats:
    """Upper ends of the sums of classes, from rows whose other classes have at least their least."""
    least, found = system.ends[0], most.copy()
    for row, share, high in _rows(system):
        own = share * least[row]
        others = own.sum() - own
        found[row] = np.minimum(found[row], np.maximum((high - others) / share, least[row]))
    return found


def _rows(system: AmountSystem) -> Iterator[tuple[NDArray[np.intp], Floats, float]]:
    """The classes of every row with an upper end, and how much of each counts in it."""
    A = system.A
    for at, high in enumerate(system.high):
        if np.isfinite(high):
            own = slice(A.indptr[at], A.indptr[at + 1])
            yield A.indices[own].astype(np.intp), A.data[own], float(high)
