"""Exact beliefs where the network has no cycle: two passes over the people, up and down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import cores, share_out
from dalenius.errors import InputError
from dalenius.knowledge.correlation.model import CorrelationModel, Floats

LARGEST = 600.0
"""Log-odds that products of odds can hold with room to spare: beyond, logarithms are added instead."""


@dataclass(frozen=True)
class Forest:
    """A network without cycles, numbered for propagation.

    Parameters
    ----------
    order
        Who has each number; parents before children.
    parent
        By number, the parent's number; -1 at a root.
    coupling
        By number, the coupling with the parent.
    """

    order: NDArray[np.int32]
    parent: NDArray[np.int32]
    coupling: Floats

    def __len__(self) -> int:
        return int(self.order.size)


def plant(model: CorrelationModel) -> Forest | None:
    """Number the people of a network without cycles; None if it has one.

    Examples
    --------
    >>> triangle = CorrelationModel("id", np.array(["a", "b", "c"]), np.array([[0, 1], [1, 2], [2, 0]]),
    ...                             np.full(3, 0.5), np.zeros(3))
    >>> plant(triangle) is None
    True
    """
    from dalenius.attacks.inference._forest_kernels import breadth_first

    n = len(model)
    if len(model.edges) >= max(n, 1):
        return None
    links = model.matrix(np.arange(len(model.edges), dtype=np.float64))
    order, parent, place = (np.empty(n, np.int32) for _ in range(3))
    if not breadth_first(links.indptr.astype(np.int32), links.indices.astype(np.int32), order, parent, place):
        return None
    coupling = np.zeros(n)
    child = parent >= 0
    coupling[child] = model.coupling[links.data[place[child]].astype(np.int64)]
    return Forest(order, parent, coupling)


def log_odds(forest: Forest, field: Floats) -> Floats:
    """Return everybody's log-odds of 0 against 1.

    Examples
    --------
    >>> pair = CorrelationModel("id", np.array(["a", "b"]), np.array([[0, 1]]), np.array([0.5]), np.zeros(2))
    >>> log_odds(plant(pair), np.array([0.0, 0.15])).round(9)
    array([0.13782241, 0.3       ])
    """
    own = 2 * _numbered(forest, field)
    total, said = np.empty(len(forest)), np.empty(len(forest))
    if _fits(forest, own):
        _spread_odds(forest, own, total, said)
        _each(np.log, total)
    else:
        _spread_logs(forest, own, total, said)
    return _by_person(forest, total)


def odds_shift(forest: Forest, field: Floats, epsilon: Floats) -> Floats:
    """Return nu of everybody (Theorem 3.4): how far fields of plus or minus eps/2 shift the log-odds.

    Couplings must not be negative. Without fields the two shifts are the same, and one run serves.
    """
    h, e = 2 * _numbered(forest, field), _numbered(forest, epsilon)
    runs = [h + e] if not h.any() else [h + e, h, h - e]
    if not all(_fits(forest, own) for own in runs):
        return _by_person(forest, _shift_of_logs(forest, runs))
    totals, said = [np.empty(len(forest)) for _ in runs], np.empty(len(forest))
    for own, total in zip(runs, totals, strict=True):
        _spread_odds(forest, own, total, said)
    shift = totals[0]
    if len(totals) == 3:
        up, before, down = totals
        np.divide(before, down, out=down)
        np.divide(up, before, out=up)
        np.maximum(up, down, out=shift)
    _each(np.log, shift)
    return _by_person(forest, shift)


def _shift_of_logs(forest: Forest, runs: list[Floats]) -> Floats:
    totals, said = [np.empty(len(forest)) for _ in runs], np.empty(len(forest))
    for own, total in zip(runs, totals, strict=True):
        _spread_logs(forest, own, total, said)
    return totals[0] if len(totals) == 1 else np.maximum(totals[0] - totals[1], totals[1] - totals[2])


def _spread_odds(forest: Forest, own: Floats, total: Floats, said: Floats) -> None:
    from dalenius.attacks.inference._forest_kernels import odds

    uniform = own.size > 0 and own[0] == own[-1] and (own == own[0]).all()
    start = np.full(own.size, np.exp(own[0])) if uniform else _each(np.exp, own.copy())
    odds(forest.parent, _strengths(forest), start, total, said)


def _spread_logs(forest: Forest, own: Floats, total: Floats, said: Floats) -> None:
    from dalenius.attacks.inference._forest_kernels import log_odds as spread

    spread(forest.parent, forest.coupling, own, total, said)


def _strengths(forest: Forest) -> Floats:
    J = forest.coupling
    if J.size > 1 and J[1] == J[-1] and (J[1:] == J[1]).all():  # the root's is not used
        return np.full(J.size, np.exp(2 * J[1]))
    return _each(np.exp, 2 * J)


def _fits(forest: Forest, own: Floats) -> bool:
    """Whether nobody's log-odds, at most the sum of what all neighbours can say, leave the range."""
    can_say = 2 * np.abs(forest.coupling)
    most = np.abs(own) + can_say
    child = forest.parent >= 0
    most += np.bincount(forest.parent[child], can_say[child], minlength=len(forest))
    return bool((most < LARGEST).all())


def _each(function: np.ufunc, values: Floats) -> Floats:
    """Apply a function in place, on all cores where it is worth it."""
    threads = cores() if values.size >= 1_000_000 else 1
    share_out(lambda i, j: function(values[i:j], out=values[i:j]), values.size, threads=threads)
    return values


def _numbered(forest: Forest, values: Floats) -> Floats:
    if values.shape != (len(forest),):
        raise InputError("one number a person", f"must be {len(forest):,}", f"shape {values.shape}")
    return values[forest.order]


def _by_person(forest: Forest, values: Floats) -> Floats:
    result = np.empty_like(values)
    result[forest.order] = values
    return result
