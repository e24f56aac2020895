"""From a view to linear systems, one for each value of the secret (for yes/no: one)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from dalenius.attacks.reconstruction.system import LinearSystem
from dalenius.errors import InputError
from dalenius.knowledge.view import View
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.records.answers import AnswerError, Vector
from dalenius.records.operators import Operator, Stacked
from dalenius.release.release import Block
from dalenius.statistics.statistic import Statistic

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
    """

    levels: tuple[str, ...]
    systems: tuple[LinearSystem, ...]
    group: NDArray[np.intp]


def build(view: View) -> Problem:
    """Turn every published answer into an equation about secrets.

    The answers of all blocks stand under each other; answers about the other values of the secret are
    turned around, since the number of people in a row is public (spec: count of s=0 is total minus count
    of s=1).
    """
    roster, release = view.knowledge.roster, view.release
    if not release.blocks:
        raise InputError("release", "must have at least one statistic", "none")
    first, group, sizes = _alike([block.statistic.fingerprint(roster) for block in release.blocks])
    distinct = roster.take(first)
    operators = [block.statistic.operator(distinct) for block in release.blocks]
    people = sizes.astype(np.float64)
    mechanism = parse_mechanism(release.mechanism)
    readings = []
    for block, operator in zip(release.blocks, operators, strict=True):
        totals = operator.apply(people)
        error = mechanism.error(block.answers, totals, labels=block.statistic.labels)
        readings.append((block, totals, error))
    levels = release.secret.levels
    wanted = range(1, 2) if len(levels) == 2 else range(len(levels))
    A = operators[0] if len(operators) == 1 else Stacked(operators)
    systems = [
        _system(A, readings, levels[v], sizes, _prior_of_groups(view, v, group, sizes)) for v in wanted
    ]
    return Problem(levels, tuple(systems), group)


def _alike(
    fingerprints: list[NDArray[np.int32]],
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Put people together whom no question tells apart.

    Returns the first person of each group, the group of each person, and the groups' sizes. Groups stand
    in the order of their first person, so that with everybody told apart nobody changes places.
    """
    _, first, group, sizes = np.unique(
        np.concatenate(fingerprints, axis=1),
        axis=0,
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    return first[order], rank[group.ravel()], sizes[order]


def _prior_of_groups(
    view: View, value: int, group: NDArray[np.intp], sizes: NDArray[np.intp]
) -> Vector | None:
    prior = view.knowledge.prior
    if prior is None:
        return None
    return np.bincount(group, weights=prior[:, value], minlength=sizes.size) / sizes


def _system(
    A: Operator,
    readings: list[tuple[Block, Vector, AnswerError]],
    value: str,
    sizes: NDArray[np.intp],
    prior: Vector | None,
) -> LinearSystem:
    rows = [_rows(block, totals, error, value) for block, totals, error in readings]
    low, high, centre, sd = (np.concatenate(parts) for parts in zip(*rows, strict=True))
    totals = np.concatenate([totals for _, totals, _ in readings])
    shapes = {error.shape for _, _, error in readings} - {"none"}
    if prior is None:
        rate = np.clip(centre.sum() / max(totals.sum(), 1.0), PRIOR_EDGE, 1 - PRIOR_EDGE)
        prior = np.full(sizes.size, rate)
    whole = sizes.astype(np.int64)
    return LinearSystem(
        A,
        centre,
        low,
        high,
        sd,
        shape="none" if not shapes else shapes.pop() if len(shapes) == 1 else "unknown",
        sizes=whole,
        least=np.zeros_like(whole),
        most=whole,
        prior=prior,
        label=partial(_label, [block.statistic for block, _, _ in readings]),
    )


def _label(statistics: list[Statistic], row: int) -> str:
    """Name a row of the system by the question that it answers."""
    return next(islice(chain.from_iterable(s.labels() for s in statistics), row, None))


def _rows(
    block: Block, totals: Vector, error: AnswerError, value: str
) -> tuple[Vector, Vector, Vector, Vector]:
    """Low, high, centre and sd of the counts of one value: from its own column and from all others."""
    if value not in block.values:
        raise InputError(
            f"secret value {value!r}",
            "must be counted in the release",
            f"counts of {', '.join(block.values)}",
        )
    own = block.values.index(value)
    low, high, centre, sd = (part[:, own] for part in (error.low, error.high, error.centre, error.sd))
    if len(block.values) > 1 and block.statistic.counts_all_values:
        others = [j for j in range(len(block.values)) if j != own]
        low = np.maximum(low, totals - error.high[:, others].sum(axis=1))
        high = np.minimum(high, totals - error.low[:, others].sum(axis=1))
        turned = totals - error.centre[:, others].sum(axis=1)
        centre, sd = _pooled(centre, sd, turned, np.sqrt((error.sd[:, others] ** 2).sum(axis=1)))
    _refuse_contradiction(block, low, high)
    sharp = ~(sd != 0)
    middle = (low + np.minimum(high, totals)) / 2
    return low, np.minimum(high, totals), np.where(sharp | np.isnan(centre), middle, centre), sd


def _pooled(a: Vector, sd_a: Vector, b: Vector, sd_b: Vector) -> tuple[Vector, Vector]:
    """Two readings of one count as one: weights by precision; where one is missing, the other."""
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.where(sd_a + sd_b > 0, sd_b**2 / (sd_a**2 + sd_b**2), 0.5)
        both = weight * a + (1 - weight) * b
        sd = np.where(sd_a + sd_b > 0, np.sqrt(1 / (1 / sd_a**2 + 1 / sd_b**2)), sd_a)
    no_a, no_b = np.isnan(a), np.isnan(b)
    centre = np.where(no_a, b, np.where(no_b, a, np.where(np.isnan(both), (a + b) / 2, both)))
    return centre, np.where(no_a, sd_b, np.where(no_b, sd_a, sd))


def _refuse_contradiction(block: Block, low: Vector, high: Vector) -> None:
    wrong = np.flatnonzero(low > high)
    if wrong.size:
        raise InputError(
            f"answer to {_label([block.statistic], int(wrong[0]))!r}",
            "must fit the public number of people in it and the stated mechanism",
            f"{wrong.size} answers that do not",
            "Check that the list of people is the one that was counted, and the mechanism.",
        )
