"""Exact beliefs where the network has no cycle: two passes over the people, up and down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import cores, share_out
from dalenius.errors import InputError
from dalenius.knowledge.correlation.model import CorrelationModel, Floats

Numbers = NDArray[np.int32]

LARGEST = 170.0
"""Log-odds of which products of four can be held: beyond, logarithms are added instead."""

MANY = 3_000_000
"""People from which a second core is worth starting."""


@dataclass(frozen=True)
class Forest:
    """A network without cycles, numbered for propagation.

    Parameters
    ----------
    order
        Who has each number, parents before children; None where everybody is numbered as they stand.
    parent
        By number, the parent's number; -1 at a root.
    coupling
        By number, the coupling with the parent; 0 at a root.
    strength
        ``e^(2J)`` of it; a single one where all are alike.
    heard
        The most that the neighbours of anybody can say together, in log-odds.
    """

    order: Numbers | None
    parent: Numbers
    coupling: Floats
    strength: Floats
    heard: float

    def __len__(self) -> int:
        return int(self.parent.size)


def plant(model: CorrelationModel) -> Forest | None:
    """Number the people of a network without cycles; None if it has one.

    Examples
    --------
    >>> triangle = CorrelationModel("id", np.array(["a", "b", "c"]), np.array([[0, 1], [1, 2], [2, 0]]),
    ...                             np.full(3, 0.5), np.zeros(3))
    >>> plant(triangle) is None
    True
    """
    from dalenius.inference.attack.solvers._forest_kernels import breadth_first, neighbours

    n, m = len(model), len(model.edges)
    if m >= max(n, 1):
        return None
    first, other, edge = np.empty(n + 1, np.int64), np.empty(2 * m, np.int32), np.empty(2 * m, np.int32)
    neighbours(model.edges, first, other, edge)
    number, order, parent, link = (np.empty(n, np.int32) for _ in range(4))
    if not breadth_first(first, other, edge, number, order, parent, link):
        return None
    coupling = np.zeros(n)
    child = parent >= 0
    coupling[child] = model.coupling[link[child]]
    alike = m > 0 and bool((model.coupling == model.coupling[0]).all())
    with np.errstate(over="ignore"):
        strength = np.exp(2 * (model.coupling[:1] if alike else coupling))
    as_they_stand = bool((order == np.arange(n, dtype=np.int32)).all())
    heard = _most_heard(parent, coupling)
    return Forest(None if as_they_stand else order, parent, coupling, strength, heard)


def _most_heard(parent: Numbers, coupling: Floats) -> float:
    """The most that all neighbours of anybody can say: a message is at most ``2|J|``."""
    can_say, child = 2 * np.abs(coupling), parent >= 0
    heard = can_say + np.bincount(parent[child], can_say[child], minlength=parent.size)
    return float(heard.max(initial=0.0))


def log_odds(forest: Forest, field: Floats) -> Floats:
    """Return everybody's log-odds of 0 against 1.

    Examples
    --------
    >>> pair = CorrelationModel("id", np.array(["a", "b"]), np.array([[0, 1]]), np.array([0.5]), np.zeros(2))
    >>> log_odds(plant(pair), np.array([0.0, 0.15])).round(9)
    array([0.13782241, 0.3       ])
    """
    own = 2 * _numbered(forest, field)
    if not _fits(forest, [own]):
        return _by_person(forest, _spread_logs(forest, own))
    return _by_person(forest, _logs(_spread_odds(forest, own)))


def odds_shift(forest: Forest, field: Floats, epsilon: Floats) -> Floats:
    """Return nu of everybody (Theorem 3.4): how far fields of plus or minus eps/2 shift the log-odds.

    Couplings must not be negative. Without fields the two shifts are the same, and one run serves.
    """
    h, e = 2 * _numbered(forest, field), _numbered(forest, epsilon)
    runs = [h + e, h, h - e] if h.any() else [e]
    if not _fits(forest, runs):
        return _by_person(forest, _larger([_spread_logs(forest, own) for own in runs], np.subtract))
    shift = _larger([_spread_odds(forest, own) for own in runs], np.divide)
    return _by_person(forest, _logs(shift))


def _larger(totals: list[Floats], change: np.ufunc) -> Floats:
    """The larger of the changes upwards and downwards; a single run is a change from nothing."""
    if len(totals) == 1:
        return totals[0]
    up, before, down = totals
    change(before, down, out=down)
    change(up, before, out=up)
    return np.maximum(up, down, out=up)


def _spread_odds(forest: Forest, own: Floats) -> Floats:
    from dalenius.inference.attack.solvers._forest_kernels import odds

    total = np.full(len(forest), np.exp(own[0])) if own.size == 1 else np.exp(own)
    odds(forest.parent, forest.strength, total)
    return total


def _spread_logs(forest: Forest, own: Floats) -> Floats:
    from dalenius.inference.attack.solvers._forest_kernels import log_odds as spread

    total = np.full(len(forest), own[0]) if own.size == 1 else own.copy()
    spread(forest.parent, forest.coupling, total)
    return total


def _fits(forest: Forest, runs: list[Floats]) -> bool:
    """Whether nobody's log-odds, at most their own and what all neighbours can say, leave the range."""
    largest = max(max(own.max(initial=0.0), -own.min(initial=0.0)) for own in runs)
    return bool(largest + forest.heard < LARGEST)


def _logs(values: Floats) -> Floats:
    """Take logarithms in place, on all cores where it is worth it."""
    from dalenius.inference.attack.solvers._forest_kernels import logarithms

    share_out(lambda i, j: logarithms(values[i:j]), values.size, threads=threads(values.size))
    return values


def threads(people: int) -> int:
    """How many cores so many people are worth."""
    return cores() if people >= MANY else 1


def _numbered(forest: Forest, values: Floats) -> Floats:
    """One value a number; a single one where all are equal, which then need not be fetched."""
    if values.shape != (len(forest),):
        raise InputError("one number per person", f"must be {len(forest):,}", f"shape {values.shape}")
    if values.size and values[0] == values[-1] and (values == values[0]).all():
        return values[:1]
    if forest.order is None:
        return values
    from dalenius.inference.attack.solvers._forest_kernels import fetch

    return _moved(values, forest.order, fetch)


def _by_person(forest: Forest, values: Floats) -> Floats:
    if forest.order is None:
        return values
    from dalenius.inference.attack.solvers._forest_kernels import hand_out

    return _moved(values, forest.order, hand_out)


def _moved(values: Floats, order: Numbers, move: Callable[..., None]) -> Floats:
    result = np.empty(order.size)
    share_out(lambda i, j: move(values, order, result, i, j), order.size, threads=threads(result.size))
    return result
