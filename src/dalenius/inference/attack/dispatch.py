"""Choose a solver for each group of people: an exact one where the group allows it, else a proven bound.

Bits are relabelled so that linked people rather agree. What is left falls into connected groups, and each
goes to the fastest way that is exact for it. Groups whose links contradict each other get the linear program
if they are few people, and otherwise, like groups that are too wide, the best of the bounds.
"""

from __future__ import annotations

import numpy as np

from dalenius.errors import InputError
from dalenius.inference.attack.bounds.cutset import cuts
from dalenius.inference.attack.solver_parts import (
    People,
    SolvablePart,
    groups_of,
    of_bounds,
    of_cliques,
    of_forest,
    of_grid,
    of_junction_tree,
    of_programs,
    people_are,
)
from dalenius.inference.attack.solvers import cliques, forest, grid, junction
from dalenius.inference.attack.solvers.elimination import Elimination, eliminations
from dalenius.knowledge.correlation.joint import from_model
from dalenius.knowledge.correlation.model import CorrelationModel
from dalenius.knowledge.correlation.signs import fix_signs, frustrated
from dalenius.progress import Progress, silent

FEW = 10
"""The most people of a group that gets the linear program: some seconds a group."""

MOST_PROGRAMS = 300
"""The most groups that get it: a minute, if they are small."""

WIDE = 14
"""From this width a grid's transfer matrix is faster than a junction tree."""


def split(
    model: CorrelationModel, *, below: bool = True, progress: Progress = silent
) -> tuple[list[SolvablePart], tuple[str, ...]]:
    """Prepare a network without identical people; return its parts, and what was done to it, in words.

    Without ``below`` couplings are the most that they can be, and nothing is said from below.
    """
    torn = frustrated(model)
    if not torn.any():
        return _affiliated(model, slice(None), below, progress)
    sound = np.flatnonzero(~torn)
    parts, notes = _affiliated(model.take(sound), sound, below, progress) if sound.size else ([], ())
    return [*parts, *_frustrated(model, np.flatnonzero(torn))], notes


def _affiliated(
    model: CorrelationModel, people: People | slice, below: bool, progress: Progress
) -> tuple[list[SolvablePart], tuple[str, ...]]:
    """Groups whose links can all be made to agree: positively affiliated, so Theorem 3.4 applies."""
    signed = fix_signs(model)
    turned = int(signed.flipped.sum())
    note = f"{people_are(turned)} relabelled, 0 for 1, so that all linked people rather agree"
    notes = (note,) if turned else ()
    progress(0.0, "looking for cycles")
    planted = forest.plant(signed.model)
    if planted is not None:
        return [of_forest(signed.model, planted, people)], notes
    everybody = np.arange(len(model)) if isinstance(people, slice) else people
    group = signed.model.components()
    links = np.bincount(group[signed.model.edges[:, 0]], minlength=int(group.max()) + 1)
    tree = (links == np.bincount(group) - 1)[group]
    parts = []
    if tree.any():
        part = signed.model.take(np.flatnonzero(tree))
        planted = forest.plant(part)
        assert planted is not None  # noqa: S101 -- a connected group with one link fewer than people is a tree
        parts.append(of_forest(part, planted, everybody[tree]))
    loopy = np.flatnonzero(~tree)
    return [*parts, *_loopy(signed.model.take(loopy), everybody[loopy], below, progress)], notes


def _loopy(model: CorrelationModel, people: People, below: bool, progress: Progress) -> list[SolvablePart]:
    """Groups with cycles: all related alike, narrow enough for a junction tree, a grid, or too wide."""
    alike = cliques.are_cliques(model)
    parts = []
    if alike.any():
        parts.append(of_cliques(model.take(np.flatnonzero(alike)), people[alike]))
    rest = np.flatnonzero(~alike)
    model, people = model.take(rest), people[rest]
    narrow, wide, done = [], [], 0
    for group in eliminations(model, junction.WIDEST, junction.MOST_BYTES):
        done += len(group.people)
        progress(done / people.size, "looking for an order of elimination")
        rectangle = _rectangle(model, group)
        if rectangle is not None:
            parts.append(of_grid(*rectangle, people[group.people]))
        elif junction.too_wide(group):
            wide.append(group)
        else:
            narrow.append(group)
    if narrow:
        some, tree = junction.assemble(model, narrow)
        parts.append(of_junction_tree(tree, people[some]))
    if wide:
        some = np.sort(np.concatenate([group.people for group in wide]))
        progress(1.0, "cutting groups that are too wide")
        part = model.take(some)
        parts.append(of_bounds(part, people[some], _too_wide(wide), cuts(part), below=below))
    return parts


def _rectangle(
    model: CorrelationModel, group: Elimination
) -> tuple[CorrelationModel, grid.GridNetwork] | None:
    if group.width < WIDE and group.order:
        return None
    part = model.take(np.array(group.people))
    found = grid.recognise(part)
    return None if found is None else (part, found)


def _frustrated(model: CorrelationModel, people: People) -> list[SolvablePart]:
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
    parts = [of_programs(model, tables, people)] if tables else []
    if rest.size:
        why = "a cycle of their links has an odd number of negative agreements, so no exact formula applies"
        parts.append(of_bounds(model.take(rest), people[rest], why))
    return parts


def _too_wide(groups: list[Elimination]) -> str:
    worst = max(groups, key=lambda group: group.width)
    which = f"their group of {len(worst.people):,} people"
    if len(groups) > 1:
        which = f"{groups_of(len(groups))}, the worst of {len(worst.people):,} people"
    return f"a junction tree is too large in {which}: {junction.too_wide(worst)}"
