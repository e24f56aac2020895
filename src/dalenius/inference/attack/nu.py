"""Nu of everybody in a network: how far any mechanism with these epsilons can move the odds of anybody's bit.

``eps_a <= nu_a <= the sum of eps over the group of a``: at least, because a mechanism may look only at a; at
most, by group privacy. Every number is held against both before it is given out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path

from dalenius.accelerate import share_out
from dalenius.errors import InputError, SolveError
from dalenius.inference.attack.bounds.events import epsilons
from dalenius.inference.attack.dispatch import split
from dalenius.inference.attack.identical import Merged, merge_identical
from dalenius.inference.attack.solver_parts import (
    BOUNDS,
    LAST_EXACT,
    METHODS,
    SolvablePart,
    SolvedNu,
    people_are,
)
from dalenius.inference.attack.solvers import forest
from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.people.schema import Ids
from dalenius.progress import Progress, silent
from dalenius.shown import hides_people

MANY, LARGE = 200_000, 200e6
"""People, and bytes of tables, from which nu is slow to find."""

AT_ONCE = 1 << 16
"""People whose numbers are checked at once: few enough to stay near the processor."""


@hides_people()
@dataclass(frozen=True)
class Nus:
    """What each person is really promised.

    Parameters
    ----------
    ids, epsilon
        The people, and what their data is released with.
    nu
        How far the odds of their bit can move, in logarithms; an upper bound where `bound` says so.
    method, methods
        How it was found: a place in `methods`.
    bound, bounds
        What the number is, such as exact-eq6 or bound-B-bin: a place in `bounds`.
    notes
        How many people were solved in which way, and why; what bounds rest on.
    """

    ids: Ids
    epsilon: Floats
    nu: Floats
    method: NDArray[np.int8]
    bound: NDArray[np.int8]
    notes: tuple[str, ...]
    methods: tuple[str, ...] = METHODS
    bounds: tuple[str, ...] = BOUNDS

    @property
    def worst(self) -> int:
        """The place of the person with the largest nu."""
        return int(self.nu.argmax())

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Whose number is exact."""
        return np.array([name.startswith("exact") for name in self.bounds])[self.bound]


@dataclass(frozen=True)
class Prepared:
    """A network of which nu can be asked for many epsilons.

    ``above``, where couplings are only enclosed: who is linked, directly or not, with people whose couplings
    are those in use at the most. What is exact for the latter is a bound for the stated law.
    """

    model: CorrelationModel
    merged: Merged
    parts: tuple[SolvablePart, ...]
    notes: tuple[str, ...]
    above: NDArray[np.bool_] | None = None

    @property
    def slow(self) -> bool:
        """Whether finding nu takes seconds each time: nobody should ask more often than needed."""
        return len(self.model) > MANY or sum(part.tables for part in self.parts) > LARGE

    def nus(self, epsilon: float | Floats, *, progress: Progress = silent) -> Nus:
        """Find nu of everybody."""
        own = epsilons(epsilon, len(self.model))
        eps = self.merged.epsilon(own)
        method = np.empty(eps.size, np.int8)
        found = []
        for at, part in enumerate(self.parts):
            progress(at / len(self.parts), f"nu by {part.method}")
            found.append(solve(part, eps[part.people]))
            method[part.people] = METHODS.index(part.method)
        nu, bound, notes = _put_together(self.parts, found, eps.size)
        group = slice(None) if self.merged.alone else self.merged.group
        nu, method, bound = nu[group], method[group], bound[group]
        if self.above is not None:
            bound = np.where(self.above & (bound <= LAST_EXACT), BOUNDS.index("bound-eq6"), bound)
            bound = bound.astype(np.int8)
        return Nus(self.model.ids, own, nu, method, bound, (*self.notes, *notes))

    def nu_of(self, person: int, epsilon: Floats) -> float:
        """Find nu of one person, which takes only the part they are in."""
        eps, who = self.merged.epsilon(epsilon), int(self.merged.group[person])
        part, place = next((part, place) for part in self.parts if (place := _place(part, who)) is not None)
        return float(solve(part, eps[part.people]).nu[place])


def _place(part: SolvablePart, who: int) -> int | None:
    """Where somebody is in a part, if they are."""
    if isinstance(part.people, slice):
        return who
    found = np.flatnonzero(part.people == who)
    return int(found[0]) if found.size else None


def _put_together(parts: tuple[SolvablePart, ...], found: list[SolvedNu], people: int) -> SolvedNu:
    if len(parts) == 1 and isinstance(parts[0].people, slice):
        return found[0]  # ten million numbers need not be copied
    nu, bound = np.empty(people), np.empty(people, np.int8)
    for part, some in zip(parts, found, strict=True):
        nu[part.people], bound[part.people] = some.nu, some.bound
    return SolvedNu(nu, bound, tuple(note for some in found for note in some.notes))


def inferential_privacy(
    model: CorrelationModel, epsilon: float | Floats, *, progress: Progress = silent
) -> Nus:
    """Return nu of everybody, exactly where the network allows it, otherwise the best bound.

    It is a statement about the worst mechanism with these epsilons, not about the one at hand. Several
    releases: `add_up` their epsilons first.

    Parameters
    ----------
    model
        Who is related to whom.
    epsilon
        For all, or one per person; 0 for people whose data is not used.

    Raises
    ------
    InputError
        If an epsilon is missing, negative or not finite.

    Examples
    --------
    >>> star = CorrelationModel("id", np.array(["a", "b", "c"]), np.array([[0, 1], [0, 2]]), np.full(2, 0.5),
    ...                         np.zeros(3))
    >>> nus = inferential_privacy(star, np.array([0.5, 0.5, 0.0]))
    >>> nus.nu.round(6), nus.bounds[nus.bound[0]], nus.notes
    (array([0.727336, 0.727336, 0.324868]), 'exact-eq6',
     ('3 people are in groups without cycles: exact, by propagation',))
    """
    epsilon = epsilons(epsilon, len(model))
    return prepare(model, progress=progress).nus(epsilon, progress=progress)


def prepare(model: CorrelationModel, least: Floats | None = None, *, progress: Progress = silent) -> Prepared:
    """Look at a network once, so that nu can be found for many epsilons.

    Parameters
    ----------
    least
        Where couplings are only enclosed: the least that they can be; the model's are the most.
    """
    merged = merge_identical(model)
    parts: list[SolvablePart] = []
    notes: tuple[str, ...] = ()
    if len(merged.model):
        parts, notes = split(merged.model, below=least is None, progress=progress)
    if not merged.alone:
        gone = len(model) - len(merged.model)
        notes = (f"{people_are(gone)} identical to somebody else: their epsilons add up", *notes)
    above = None if least is None else _only_above(model, least)
    return Prepared(model, merged, tuple(parts), (*notes, *(part.why for part in parts)), above)


def _only_above(model: CorrelationModel, least: Floats) -> NDArray[np.bool_]:
    """Who is in a group with a coupling that is not known."""
    group = model.components()
    unknown = group[model.edges[least != model.coupling, 0]]
    return np.asarray(np.isin(group, unknown))


def solve(part: SolvablePart, epsilon: Floats) -> SolvedNu:
    """Find nu of one part, held against what is proven about any nu.

    Raises
    ------
    SolveError
        If a number is below its epsilon or above the sum of its group: the solver is wrong.
    """
    found, sums = part.solve(epsilon), part.sums(epsilon)
    share_out(
        lambda i, j: _hold(part, found.nu[i:j], epsilon[i:j], sums, slice(i, j)),
        epsilon.size,
        threads=forest.threads(epsilon.size),
    )
    return found


def _hold(part: SolvablePart, nu: Floats, epsilon: Floats, sums: Floats, people: slice) -> None:
    """Hold some of the numbers against their epsilons and the sums of their groups, a few at a time."""
    group = None if part.group is None else part.group[people]
    for start in range(0, nu.size, AT_ONCE):
        few = slice(start, start + AT_ONCE)
        own, least, most = nu[few], epsilon[few], sums if group is None else sums[group[few]]
        if not ((own >= least).all() and (own <= most).all()):
            _check(part, own, least, most)
            if part.exact:  # bounds are rounded up on purpose
                np.clip(own, least, most, out=own)


def _check(part: SolvablePart, nu: Floats, least: Floats, most: Floats) -> None:
    """Refuse numbers that are further off than rounding explains."""
    low = nu < least - part.rounding * np.maximum(1.0, least)
    high = ~(nu <= most + part.rounding * np.maximum(1.0, most))
    if low.any() or high.any():
        at = int(np.flatnonzero(low | high)[0])
        proven = f"epsilon {least[at]:.9g} and the sum of the group {most[at % most.size]:.9g}"
        raise SolveError(
            f"{part.method}: nu came out as {nu[at]:.9g}, not between {proven}. This is a fault of the "
            "method, not of the data: please report it."
        )


def by_distance(
    model: CorrelationModel | Prepared,
    epsilon: float | Floats,
    person: int,
    furthest: int,
    *,
    progress: Progress = silent,
) -> Floats:
    """Return nu of one person if only people up to a distance are in the data: 0, 1, ... furthest.

    The first number is for the person alone, the next adds those they are linked with, and so on; what the
    later ones add is what the release of distant people's data does to this person.

    Examples
    --------
    >>> chain = CorrelationModel("id", np.arange(4), np.array([[0, 1], [1, 2], [2, 3]]), np.full(3, 0.5),
    ...                          np.zeros(4))
    >>> by_distance(chain, 0.5, 0, 4).round(6)
    array([0.5     , 0.727336, 0.824868, 0.864945, 0.864945])
    """
    network = model.model if isinstance(model, Prepared) else model
    if not 0 <= person < len(network):
        raise InputError("person", f"must be a place from 0 to {len(network) - 1:,}", f"{person}")
    if furthest < 0:
        raise InputError("the furthest distance", "must be at least 0", f"{furthest}")
    eps, distance = epsilons(epsilon, len(network)), _distances(network, person)
    if isinstance(model, Prepared):
        prepared, who = model, person
    else:  # only their own group matters
        people = np.flatnonzero(np.isfinite(distance))
        prepared, who = prepare(network.take(people), progress=progress), int(np.searchsorted(people, person))
        eps, distance = eps[people], distance[people]
    steps = min(furthest, int(distance[np.isfinite(distance)].max()))
    found = [float(eps[who])]  # a mechanism about one person: relatives add nothing
    for k in range(1, steps + 1):
        progress(k / (steps + 1), f"nu with people up to distance {k}")
        found.append(prepared.nu_of(who, np.where(distance <= k, eps, 0.0)))
    return np.array(found + [found[-1]] * (furthest - steps))


def _distances(model: CorrelationModel, person: int) -> Floats:
    """Over how many links everybody is reached; infinite for other groups."""
    real = model.coupling != 0
    links = replace(model, edges=model.edges[real], coupling=model.coupling[real]).matrix(np.ones(real.sum()))
    distance: Floats = shortest_path(links, directed=False, unweighted=True, indices=person)
    return distance
