"""From a view to linear systems, one for each value of the secret, and all values at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.errors import InputError
from dalenius.knowledge.view import View
from dalenius.matrices.answers import Vector
from dalenius.matrices.operators import SparseRows, Stacked
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.reconstruction.attack.search.parts import contradiction
from dalenius.reconstruction.attack.system.equations import Equations, Groups, read_block
from dalenius.reconstruction.attack.system.extremes import recentre
from dalenius.reconstruction.attack.system.system import LinearSystem, RowReading
from dalenius.statistics.statistic import Statistic

MANY = 20
"""People from which on the rate in a count is near the rate among all."""

PRIOR_EDGE = 0.01
"""A common prior guessed from the release stays this far from 0 and 1."""


@dataclass(frozen=True)
class Problem:
    """The systems of a view and how their unknowns belong to people.

    Parameters
    ----------
    levels
        The values of the secret, one system each; a yes/no secret has one system, for its second value.
    group
        For every person, the unknown that they are part of.
    rows
        How many rows of each system come from each block.
    """

    levels: tuple[str, ...]
    systems: tuple[LinearSystem, ...]
    group: NDArray[np.intp]
    rows: tuple[int, ...]


def build(view: View) -> Problem:
    """Turn every published answer into an equation about secrets.

    The answers of all blocks stand under each other; answers about the other values of the secret are
    turned around, since the number of people in a row is public: those without a value are all but those
    with it.
    """
    roster, release = view.knowledge.roster, view.release
    if not release.blocks:
        raise InputError("release", "must have at least one statistic", "none")
    prints = [block.statistic.fingerprint(roster) for block in release.blocks]
    first, group, sizes = alike(prints, roster.people)
    groups = Groups(roster, first, sizes)
    levels = release.secret.levels
    wanted = range(1, 2) if len(levels) == 2 else range(len(levels))
    readings = [
        read_block(block, groups, parse_mechanism(release.mechanism_of(block)), levels)
        for block in release.blocks
    ]
    parts = [[reading(levels[v]) for reading in readings] for v in wanted]
    systems = [
        _system(of_value, groups, _prior_of_groups(view, v, group, sizes))
        for v, of_value in zip(wanted, parts, strict=True)
    ]
    rows = tuple(part.centre.size for part in parts[0])
    systems = [recentre(system) for system in systems]
    label = partial(_label, [block.statistic for block in release.blocks], np.cumsum(rows))
    return Problem(levels, tuple(replace(system, label=label) for system in systems), group, rows)


def alike(
    fingerprints: list[NDArray[np.int32]], people: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Put people together whom no question tells apart.

    Returns the first person of each group, the group of each person, and the groups' sizes. Groups stand
    in the order of their first person, so that with everybody told apart nobody changes places. Where each
    line is several ``people``, sizes are of people.
    """
    _, first, group, sizes = np.unique(
        _as_bytes(fingerprints), return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    group = rank[group.ravel()]
    if people is None:
        return first[order], group, sizes[order]
    return first[order], group, np.bincount(group, people, first.size).astype(np.intp)


def _as_bytes(fingerprints: list[NDArray[np.int32]]) -> NDArray[np.void]:
    """Everybody's fingerprints as one string of bytes: equal where they are, small, and quick to sort.

    Codes of few levels, which most are, take one byte each. A byte that is the same for all stands in front,
    for questions that tell nobody apart.
    """
    parts = [np.zeros((len(fingerprints[0]), 1), np.uint8)]
    for codes in fingerprints:
        small = codes.size == 0 or (codes.min() >= 0 and codes.max() <= np.iinfo(np.uint8).max)
        narrow = codes.astype(np.uint8 if small else np.int32, order="C")
        parts.append(narrow.view(np.uint8))
    rows = np.concatenate(parts, axis=1)
    return rows.view(np.dtype((np.void, rows.shape[1]))).ravel()


def _prior_of_groups(
    view: View, value: int, group: NDArray[np.intp], sizes: NDArray[np.intp]
) -> Vector | None:
    prior = view.knowledge.prior
    if prior is None:
        return None
    people = view.knowledge.roster.people
    own = prior[:, value] if people is None else prior[:, value] * people
    return np.bincount(group, weights=own, minlength=sizes.size) / sizes


def _system(parts: list[Equations], groups: Groups, prior: Vector | None) -> LinearSystem:
    A = parts[0].A if len(parts) == 1 else Stacked([part.A for part in parts])
    shapes = {part.shape for part in parts} - {"none"}
    if prior is None:
        prior = np.full(groups.sizes.size, _common_rate(parts, groups.sizes))
    whole = groups.sizes.astype(np.int64)
    return LinearSystem(
        A,
        np.concatenate([part.centre for part in parts]),
        np.concatenate([part.low for part in parts]),
        np.concatenate([part.high for part in parts]),
        np.concatenate([part.sd for part in parts]),
        shape="none" if not shapes else shapes.pop() if len(shapes) == 1 else "unknown",
        sizes=whole,
        least=np.zeros_like(whole),
        most=whole,
        prior=prior,
        counting=np.concatenate([np.full(part.centre.size, part.totals is not None) for part in parts]),
        usual=_usual(parts),
        own=_own(parts),
    )


def _usual(parts: list[Equations]) -> Vector | None:
    if all(part.usual is None for part in parts):
        return None
    return np.concatenate(
        [np.full(part.centre.size, np.inf) if part.usual is None else part.usual for part in parts]
    )


def _own(parts: list[Equations]) -> RowReading | None:
    if all(part.own is None for part in parts):
        return None
    each = [RowReading(part.centre, part.sd) if part.own is None else part.own for part in parts]
    return RowReading(np.concatenate([one.centre for one in each]), np.concatenate([one.sd for one in each]))


def _common_rate(parts: list[Equations], sizes: NDArray[np.intp]) -> float:
    """The share of people with the secret, as the counts have it; one half if nothing is counted.

    Where errors are of unknown size it is a median, which a few wild answers do not move; counts of a few
    people have rates of 0 and 1, whose median says nothing, and are added up instead, none beyond its total.
    A hidden cell that may be anything has no rate: its middle would pull all towards one half.

    The rows that say something are no sample: a small group that is printed as all ill says little about
    those whose rows were rounded to nothing. People in no such row stand for one half, as many of them as are
    in one at most.
    """
    counted = [_that_say_something(part, part.totals) for part in parts if part.totals is not None]
    if not counted or not any(totals.any() for _, totals in counted):
        return 0.5
    counts, totals = (np.concatenate(column) for column in zip(*counted, strict=True))
    rate = counts.sum() / totals.sum()
    if any(part.shape == "unknown" for part in parts):
        many = totals >= MANY
        if totals[many].sum() >= totals.sum() / 2:
            rate = _weighted_median(counts[many] / totals[many], totals[many])
        else:
            rate = np.clip(counts, 0.0, totals).sum() / totals.sum()
    inside = _in_rows_that_say_something(parts)
    covered = sizes[inside].sum()
    others = min(sizes[~inside].sum(), covered)
    rate = (rate * covered + 0.5 * others) / (covered + others)
    return float(np.clip(rate, PRIOR_EDGE, 1 - PRIOR_EDGE))


def _that_say_something(part: Equations, totals: Vector) -> tuple[Vector, Vector]:
    """The counts of rows with noise, or with less than all people in their interval, and their totals."""
    told = _says_something(part, totals)
    return part.centre[told], totals[told]


def _says_something(part: Equations, totals: Vector) -> NDArray[np.bool_]:
    return np.asarray((part.sd != 0) | (part.high - part.low < totals), np.bool_)


def _in_rows_that_say_something(parts: list[Equations]) -> NDArray[np.bool_]:
    """Which unknowns are counted in such a row."""
    rows = [
        part.A.apply_transpose(_says_something(part, part.totals).astype(np.float64))
        for part in parts
        if part.totals is not None
    ]
    return np.asarray(np.sum(rows, axis=0) > 0, np.bool_)


def _weighted_median(values: Vector, weights: Vector) -> float:
    order = np.argsort(values)
    below = weights[order].cumsum()
    return float(values[order[np.searchsorted(below, below[-1] / 2)]])


def _label(statistics: list[Statistic], ends: NDArray[np.intp], row: int) -> str:
    """Name a row of the system by the question that it answers; ``ends`` of the rows of each statistic."""
    at = int(np.searchsorted(ends, row, side="right"))
    start = int(ends[at - 1]) if at else 0
    return next(islice(statistics[at].labels(), row - start, None))


def couple(systems: Sequence[LinearSystem]) -> tuple[LinearSystem, ...]:
    """Let the values of a secret know of each other: what the others leave, and what they take.

    Raises
    ------
    InputError
        If somebody would have several values, or none.
    """
    if len(systems) == 1:
        return tuple(systems)
    least = np.stack([system.least for system in systems])
    most = np.stack([system.most for system in systems])
    sizes = systems[0].sizes
    while True:
        taken, left = least.sum(axis=0), most.sum(axis=0)
        if (taken > sizes).any() or (left < sizes).any():
            raise contradiction("somebody would have several values, or none")
        lowest = np.maximum(least, sizes - (left - most))
        highest = np.minimum(most, sizes - (taken - least))
        if np.array_equal(lowest, least) and np.array_equal(highest, most):
            break
        least, most = lowest, highest
    return tuple(system.tightened(least[v], most[v]) for v, system in enumerate(systems))


def all_values(problem: Problem, systems: Sequence[LinearSystem]) -> LinearSystem:
    """One system for all values of the secret, with a row for each unknown that says so."""
    first = systems[0]
    if len(systems) == 1:
        return first
    n, sizes = first.unknowns, first.sizes.astype(np.float64)
    each = sparse.block_diag([system.A.explicit() for system in systems], format="csr")
    one_value = sparse.hstack([sparse.eye_array(n)] * len(systems), format="csr")

    def name(row: int) -> str:
        return first.label(row % sum(problem.rows)) if row < each.shape[0] else "one value per person"

    return LinearSystem(
        SparseRows(sparse.csr_array(sparse.vstack([each, one_value]))),
        centre=np.concatenate([*(system.centre for system in systems), sizes]),
        low=np.concatenate([*(system.low for system in systems), sizes]),
        high=np.concatenate([*(system.high for system in systems), sizes]),
        sd=np.concatenate([*(system.sd for system in systems), np.zeros(n)]),
        shape=first.shape,
        sizes=np.tile(first.sizes, len(systems)),
        least=np.concatenate([system.least for system in systems]),
        most=np.concatenate([system.most for system in systems]),
        prior=np.concatenate([system.prior for system in systems]),
        counting=np.concatenate([*(system.counting for system in systems), np.ones(n, np.bool_)]),
        label=name,
    )
