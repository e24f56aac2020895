"""Which people's nu is found how: exactly wherever their group allows it, by a proven bound elsewhere.

Identical people are merged, links that say nothing are dropped, bits are relabelled. What is left falls into
connected groups, and each goes to the fastest way that is exact for it; Theorem 3.4 (as fields of plus and
minus eps/2) serves all whose links can be made to agree. The others get the linear program if they are few,
and otherwise, like groups that are too wide, the best of the bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.attacks.inference import cliques, forest, grid, influence, junction, program
from dalenius.attacks.inference.elimination import Elimination, eliminations
from dalenius.errors import InputError, SolveError
from dalenius.knowledge.correlation.joint import JointPrior, from_model
from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.knowledge.correlation.signs import fix_signs, frustrated
from dalenius.progress import Progress, silent

People = NDArray[np.intp]

METHODS = ("forest", "cliques", "grid", "junction tree", "linear program", "influence bounds")
"""The ways nu is found."""

BOUNDS = ("exact-eq6", "exact-lp", *(f"bound-{name}" for name in influence.NAMES))
"""What a number is: exact by Equation 6 or by the linear program, or which bound."""

FEW = 10
"""The most people of a group that gets the linear program: some seconds a group."""

MOST_PROGRAMS = 300
"""The most groups that get it: a minute, if they are small."""

WIDE = 14
"""From this width a grid's transfer matrix is faster than a junction tree."""


class Found(NamedTuple):
    """Nu of some people, of each what the number is (a place in `BOUNDS`), and what a bound rests on."""

    nu: Floats
    bound: NDArray[np.int8]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Part:
    """Some connected groups of people, prepared for one way.

    Parameters
    ----------
    people
        Their places in the network.
    method
        One of `METHODS`.
    solve
        From their epsilons to nu.
    group_sum
        From their epsilons to the sum over each one's group: no nu is larger.
    why
        How many they are and why they are solved this way, for a reader.
    linear
        Whether nu of twice the epsilons is twice as large.
    """

    people: People | slice
    method: str
    solve: Callable[[Floats], Found]
    group_sum: Callable[[Floats], Floats]
    why: str
    linear: bool = False


def split(model: CorrelationModel, *, progress: Progress = silent) -> tuple[list[Part], tuple[str, ...]]:
    """Prepare a network without identical people; return its parts, and what was done to it, in words."""
    torn = frustrated(model)
    if not torn.any():
        return _affiliated(model, slice(None), progress)
    sound = np.flatnonzero(~torn)
    parts, notes = _affiliated(model.take(sound), sound, progress) if sound.size else ([], ())
    return [*parts, *_frustrated(model, np.flatnonzero(torn))], notes


def _affiliated(
    model: CorrelationModel, people: People | slice, progress: Progress
) -> tuple[list[Part], tuple[str, ...]]:
    """Groups whose links can all be made to agree: positively affiliated, so Theorem 3.4 applies."""
    signed = fix_signs(model)
    turned = int(signed.flipped.sum())
    note = f"{people_are(turned)} relabelled, 0 for 1, so that all linked people rather agree"
    notes = (note,) if turned else ()
    progress(0.0, "looking for cycles")
    planted = forest.plant(signed.model)
    if planted is not None:
        return [_forest(signed.model, planted, people)], notes
    everybody = np.arange(len(model)) if isinstance(people, slice) else people
    group = signed.model.components()
    links = np.bincount(group[signed.model.edges[:, 0]], minlength=int(group.max()) + 1)
    tree = (links == np.bincount(group) - 1)[group]
    parts = []
    if tree.any():
        part = signed.model.take(np.flatnonzero(tree))
        planted = forest.plant(part)
        assert planted is not None  # noqa: S101 -- a connected group with one link fewer than people is a tree
        parts.append(_forest(part, planted, everybody[tree]))
    loopy = np.flatnonzero(~tree)
    return [*parts, *_loopy(signed.model.take(loopy), everybody[loopy], progress)], notes


def _loopy(model: CorrelationModel, people: People, progress: Progress) -> list[Part]:
    """Groups with cycles: all related alike, narrow enough for a junction tree, a grid, or too wide."""
    alike = cliques.are_cliques(model)
    parts = []
    if alike.any():
        parts.append(_cliques(model.take(np.flatnonzero(alike)), people[alike]))
    rest = np.flatnonzero(~alike)
    model, people = model.take(rest), people[rest]
    narrow, wide, done = [], [], 0
    for group in eliminations(model, junction.WIDEST):
        done += len(group.people)
        progress(done / people.size, "looking for an order of elimination")
        rectangle = _rectangle(model, group)
        if rectangle is not None:
            parts.append(_grid(*rectangle, people[group.people]))
        elif junction.too_wide(group):
            wide.append(group)
        else:
            narrow.extend(group.people)
    if narrow:
        some = np.sort(narrow)
        parts.append(_junction(model.take(some), people[some]))
    if wide:
        some = np.concatenate([group.people for group in wide])
        parts.append(_bounded(model.take(some), people[some], _too_wide(wide)))
    return parts


def _rectangle(model: CorrelationModel, group: Elimination) -> tuple[CorrelationModel, grid.Grid] | None:
    if group.width < WIDE:
        return None
    part = model.take(np.array(group.people))
    found = grid.recognise(part)
    return None if found is None else (part, found)


def _frustrated(model: CorrelationModel, people: People) -> list[Part]:
    """Groups with a contradictory cycle: the linear program if they are few people, the bounds otherwise."""
    model = model.take(people)
    group = model.components()
    size = np.bincount(group)
    # sizes are taken as a whole, the smallest first: people in like groups get like numbers
    few = (size <= FEW) & (np.cumsum(np.bincount(size))[size] <= MOST_PROGRAMS)
    tables, left = [], [np.flatnonzero(~few[group])]
    for label in np.flatnonzero(few):
        some = np.flatnonzero(group == label)
        try:
            tables.append((some, from_model(model.take(some))))
        except InputError:  # links so strong that the table's probabilities cannot be written down
            left.append(some)
    rest = np.sort(np.concatenate(left))
    parts = [_program(model, tables, people)] if tables else []
    if rest.size:
        why = "a cycle of their links has an odd number of negative agreements, so no exact formula applies"
        parts.append(_bounded(model.take(rest), people[rest], why))
    return parts


def shift(log_odds: Callable[[Floats], Floats], field: Floats, epsilon: Floats) -> Floats:
    """Equation 6: how far fields of plus and minus eps/2 shift the log-odds, whichever is more.

    The paper's remark 3.7 prints fields of plus and minus eps; half of it is what its own (19) says. Without
    fields the two shifts are the same.
    """
    up = log_odds(field + epsilon / 2)
    if not field.any():
        return up
    before = log_odds(field)
    return np.maximum(up - before, before - log_odds(field - epsilon / 2))


def _exact(values: Floats) -> Found:
    return Found(values, np.full(values.size, BOUNDS.index("exact-eq6"), np.int8))


def _forest(model: CorrelationModel, planted: forest.Forest, people: People | slice) -> Part:
    return Part(
        people,
        "forest",
        lambda eps: _exact(forest.odds_shift(planted, model.field, eps)),
        lambda eps: _sum_of_trees(planted, eps),
        f"{people_are(len(model))} in groups without cycles: exact, by propagation",
    )


def _sum_of_trees(planted: forest.Forest, epsilon: Floats) -> Floats:
    """The sum over everybody's tree; trees are numbered one after the other, each from its root."""
    roots = np.flatnonzero(planted.parent < 0)
    if roots.size == 1:
        return np.broadcast_to(epsilon.sum(), epsilon.shape)
    by_number = epsilon if planted.order is None else epsilon[planted.order]
    sums = np.repeat(np.add.reduceat(by_number, roots), np.diff(np.r_[roots, len(planted)]))
    if planted.order is None:
        return sums
    result = np.empty_like(sums)
    result[planted.order] = sums
    return result


def _sum_of_groups(model: CorrelationModel) -> Callable[[Floats], Floats]:
    group = model.components()
    return lambda eps: np.bincount(group, eps).astype(np.float64)[group]


def _cliques(model: CorrelationModel, people: People) -> Part:
    gathered = cliques.gather(model)
    groups = sum(len(members) for members in gathered.members)
    return Part(
        people,
        "cliques",
        lambda eps: _exact(shift(lambda h: cliques.log_odds(gathered, h), model.field, eps)),
        _sum_of_groups(model),
        f"{people_are(len(model))} in {_groups(groups)} where all are related alike: exact, by counting",
    )


def _grid(model: CorrelationModel, found: grid.Grid, people: People) -> Part:
    rows, columns = found.place.shape
    return Part(
        people,
        "grid",
        lambda eps: _exact(shift(lambda h: grid.log_odds(found, h), model.field, eps)),
        _sum_of_groups(model),
        f"{len(model):,} people stand in a grid of {rows} by {columns}: exact, by a transfer matrix",
    )


def _junction(model: CorrelationModel, people: People) -> Part:
    tree = junction.triangulate(model)
    return Part(
        people,
        "junction tree",
        lambda eps: _exact(shift(lambda h: junction.log_odds(tree, h), model.field, eps)),
        _sum_of_groups(model),
        f"{people_are(len(model))} in {_groups(tree.first.size - 1)} with cycles: exact, by a junction tree "
        f"of width {tree.width} ({tree.bytes / 1e6:,.1f} megabytes)",
    )


def _program(model: CorrelationModel, tables: list[tuple[People, JointPrior]], people: People) -> Part:
    everybody = np.concatenate([some for some, _ in tables])
    model, ends = model.take(everybody), np.cumsum([len(joint) for _, joint in tables])

    def solve(epsilon: Floats) -> Found:
        parts = zip(
            np.split(epsilon, ends[:-1]), np.split(np.arange(epsilon.size), ends[:-1]), tables, strict=True
        )
        found = [_worst(model.take(at), joint, eps) for eps, at, (_, joint) in parts]
        return Found(
            np.concatenate([each.nu for each in found]),
            np.concatenate([each.bound for each in found]),
            tuple(dict.fromkeys(note for each in found for note in each.notes)),
        )

    return Part(
        people[everybody],
        "linear program",
        solve,
        _sum_of_groups(model),
        f"{people_are(len(model))} in {_groups(len(tables))} with a cycle that has an odd number of negative "
        "agreements: exact, by the linear program",
    )


def _worst(model: CorrelationModel, joint: JointPrior, epsilon: Floats) -> Found:
    try:
        nu = program.worst_case(joint, epsilon).nu
    except SolveError:  # beyond the solver's digits: a proven bound, not a guess
        return _best_bound(model, epsilon)
    return Found(nu, np.full(nu.size, BOUNDS.index("exact-lp"), np.int8))


def _bounded(model: CorrelationModel, people: People, why: str) -> Part:
    return Part(
        people,
        "influence bounds",
        lambda eps: _best_bound(model, eps),
        _sum_of_groups(model),
        f"{len(model):,} people have only an upper bound, the best of six: {why}",
        linear=True,
    )


def _best_bound(model: CorrelationModel, epsilon: Floats) -> Found:
    found = influence.bounds(model, epsilon)
    code = np.zeros(epsilon.size, np.int8)
    for name in influence.NAMES:
        code[found.best_name == name] = BOUNDS.index(f"bound-{name}")
    return Found(found.best, code, found.notes)


def _too_wide(groups: list[Elimination]) -> str:
    worst = max(groups, key=lambda group: group.width)
    which = f"their group of {len(worst.people):,} people"
    if len(groups) > 1:
        which = f"{_groups(len(groups))}, the worst of {len(worst.people):,} people"
    return f"a junction tree is out of reach in {which}: {junction.too_wide(worst)}"


def people_are(count: int) -> str:
    """So many people, with their verb."""
    return "1 person is" if count == 1 else f"{count:,} people are"


def _groups(count: int) -> str:
    return "1 group" if count == 1 else f"{count:,} groups"
