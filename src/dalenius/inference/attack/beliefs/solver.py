"""From fields to everybody's log-odds, each connected group by the fastest way that is exact for it.

Unlike for nu, no group may be left with a bound: a belief is one number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from dalenius.inference.attack.identical import merge_identical, one_a_person
from dalenius.inference.attack.solvers import cliques, forest, grid, junction
from dalenius.inference.attack.solvers.elimination import Elimination, eliminations
from dalenius.knowledge.correlation.model import CorrelationModel, Floats

Solver = Callable[[Floats], Floats]
"""From everybody's field to everybody's log-odds of 0 against 1."""

Part = tuple[NDArray[np.intp], Solver]


def solver(model: CorrelationModel) -> Solver:
    """Prepare a network of any signs, for as many fields as are asked about.

    Raises
    ------
    TooWideError
        If some group is neither a tree, nor narrow enough, nor a grid, nor related alike.

    Examples
    --------
    >>> edges = np.array([[0, 1], [1, 2], [2, 0], [3, 4]])
    >>> model = CorrelationModel("id", np.arange(5), edges, np.array([0.5, 0.5, -0.5, 0.5]), np.zeros(5))
    >>> solver(model)(np.full(5, 0.15)).round(6)
    array([0.3     , 0.465626, 0.3     , 0.437822, 0.437822])
    """
    planted = forest.plant(model)
    if planted is not None:
        return lambda field: forest.log_odds(planted, field)
    merged = merge_identical(model)
    parts = tuple(_parts(merged.model))

    def solve(field: Floats) -> Floats:
        h = merged.field(one_a_person(model, field))
        u = np.empty(h.size)
        for people, log_odds in parts:
            u[people] = log_odds(h[people])
        return merged.by_person(u)

    return solve


def _parts(model: CorrelationModel) -> Iterator[Part]:
    group = model.components()
    links = np.bincount(group[model.edges[:, 0]], minlength=int(group.max()) + 1)
    tree = (links == np.bincount(group) - 1)[group]
    alike = cliques.are_cliques(model)
    for some, prepare in ((tree, _forest), (alike, _cliques)):
        if some.any():
            people = np.flatnonzero(some)
            yield people, prepare(model.take(people))
    rest = np.flatnonzero(~tree & ~alike)
    if rest.size:
        yield from ((rest[people], solve) for people, solve in _loopy(model.take(rest)))


def _loopy(model: CorrelationModel) -> Iterator[Part]:
    """Junction trees for all that are narrow enough; the others must be grids."""
    narrow: list[Elimination] = []
    for group in eliminations(model, junction.WIDEST, junction.MOST_BYTES):
        reason = junction.too_wide(group)
        if not reason:
            narrow.append(group)
            continue
        people = np.array(group.people)
        found = grid.recognise(model.take(people))
        if found is None:
            raise junction.TooWideError(group, reason)
        yield people, _grid(found)
    if narrow:
        people, tree = junction.assemble(model, narrow)
        yield people, lambda field: junction.log_odds(tree, field)


def _forest(model: CorrelationModel) -> Solver:
    planted = forest.plant(model)
    assert planted is not None  # noqa: S101 -- a connected group with one link fewer than people is a tree
    return lambda field: forest.log_odds(planted, field)


def _cliques(model: CorrelationModel) -> Solver:
    gathered = cliques.gather(model)
    return lambda field: cliques.log_odds(gathered, field)


def _grid(found: grid.GridNetwork) -> Solver:
    return lambda field: grid.log_odds(found, field)
