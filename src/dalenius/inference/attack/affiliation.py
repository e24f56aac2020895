"""Positive affiliation: whether knowing more ones never makes another one less likely.

A table mu of bits is positively affiliated if ``mu(x or y) mu(x and y) >= mu(x) mu(y)`` for all x and y. Then
the worst mechanism is known (Theorem 3.4): no program has to be solved, and many more people fit. That every
two people are positively correlated is not enough: see the parity example (A.1).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, TooLargeError
from dalenius.inference.attack.bounds.events import answered_alike, epsilons, odds_moved
from dalenius.knowledge.correlation.joint import JointPrior
from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.knowledge.correlation.signs import FrustratedError, fix_signs

TOLERANCE = 1e-12
"""Relative: products that should be equal differ by as much when computed."""

SUPPORT = 2**14
"""The most combinations of positive probability that are compared pair by pair."""


@dataclass(frozen=True)
class Affiliation:
    """Whether a table is positively affiliated, as a truth value, and where it is not.

    Parameters
    ----------
    violation
        Two combinations x, y for which ``mu(x or y) mu(x and y) < mu(x) mu(y)``; None if there are none.
    reason
        The same in words; empty if there are none.
    """

    violation: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    reason: str = ""

    def __bool__(self) -> bool:
        return self.violation is None


def affiliated(joint: JointPrior) -> Affiliation:
    """Test whether a table of bits is positively affiliated.

    Where every combination is possible it is enough to look at two people at a time, with the others fixed.
    Where some are impossible it is not: a table on 1100 and 0011 alone passes that test and is not
    affiliated. There all pairs of possible combinations are compared.

    Raises
    ------
    InputError
        If somebody has more than two values.
    TooLargeError
        If some combinations are impossible and more than 16,384 are not.

    Examples
    --------
    >>> opposite = JointPrior(("a", "b"), (("0", "1"), ("0", "1")), np.array([[0.1, 0.4], [0.4, 0.1]]))
    >>> affiliated(opposite).reason
    'a and b: the chances of 0 1 and 1 0 multiply to more than those of 1 1 and 0 0'
    """
    if not joint.binary:
        raise InputError("positive affiliation", "must be asked of two values each", "somebody with more")
    found = _two_at_a_time(joint.mass) if joint.everywhere else _all_pairs(joint.mass)
    if found is None:
        return Affiliation()
    return Affiliation(found, _in_words(joint, *found))


def _two_at_a_time(mass: Floats) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    n = mass.ndim
    for i, j in itertools.combinations(range(n), 2):
        part = np.moveaxis(mass, (i, j), (0, 1))
        less = part[0, 0] * part[1, 1] < part[0, 1] * part[1, 0] * (1 - TOLERANCE)
        if less.any():
            rest = list(np.unravel_index(int(less.argmax()), less.shape)) if n > 2 else []
            return _put(rest, i, j, (0, 1)), _put(rest, i, j, (1, 0))
    return None


def _put(rest: list[np.intp], i: int, j: int, values: tuple[int, int]) -> tuple[int, ...]:
    """Two people's values among those of the others; i comes before j."""
    setting = [int(value) for value in rest]
    setting.insert(i, values[0])
    setting.insert(j, values[1])
    return tuple(setting)


def _all_pairs(mass: Floats) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Positions in the table are the bits themselves, person 0 first: ``or`` and ``and`` are one step."""
    table = mass.ravel()
    support = np.flatnonzero(table)
    if support.size > SUPPORT:
        raise TooLargeError(
            "the test of affiliation",
            f"must have at most {SUPPORT:,} possible combinations where others are impossible",
            f"{support.size:,}",
            "Give every combination a positive probability, or fewer people.",
        )
    for at, x in enumerate(support):
        y = support[at + 1 :]
        less = table[x | y] * table[x & y] < table[x] * table[y] * (1 - TOLERANCE)
        if less.any():
            return _bits(int(x), mass.ndim), _bits(int(y[less.argmax()]), mass.ndim)
    return None


def _bits(position: int, n: int) -> tuple[int, ...]:
    return tuple(position >> (n - 1 - i) & 1 for i in range(n))


def _in_words(joint: JointPrior, x: tuple[int, ...], y: tuple[int, ...]) -> str:
    differ = [i for i in range(len(joint)) if x[i] != y[i]]
    who = " and ".join([", ".join(joint.names[i] for i in differ[:-1]), joint.names[differ[-1]]])
    fixed = [f"{joint.names[i]} is {joint.levels[i][x[i]]}" for i in range(len(joint)) if x[i] == y[i]]
    given = f", where {', '.join(fixed)}" if fixed else ""

    def values(setting: list[int]) -> str:
        return " ".join(joint.levels[i][v] for i, v in zip(differ, setting, strict=True))

    ones, zeros = values([1] * len(differ)), values([0] * len(differ))
    seen = " and ".join(values([each[i] for i in differ]) for each in (x, y))
    return f"{who}{given}: the chances of {seen} multiply to more than those of {ones} and {zeros}"


def relabelling(joint: JointPrior) -> NDArray[np.bool_] | None:
    """Whose bits to exchange so that no two people are negatively correlated; None if nothing does it.

    If any exchange of bits makes the table affiliated, this one does: affiliated people are not negatively
    correlated, and independent where they are not correlated. So `affiliated` has to be asked only once.

    Examples
    --------
    >>> opposite = JointPrior(("a", "b"), (("0", "1"), ("0", "1")), np.array([[0.1, 0.4], [0.4, 0.1]]))
    >>> relabelling(opposite)
    array([False,  True])
    """
    n = len(joint)
    spins = [np.array([1.0, -1.0]).reshape([-1 if k == i else 1 for k in range(n)]) for i in range(n)]
    mean = [float((joint.mass * s).sum()) for s in spins]
    pairs = list(itertools.combinations(range(n), 2))
    cov = np.array([float((joint.mass * spins[i] * spins[j]).sum()) - mean[i] * mean[j] for i, j in pairs])
    kept = np.abs(cov) > TOLERANCE
    edges = np.array(pairs, np.int64).reshape(-1, 2)[kept]
    signs = CorrelationModel("person", np.array(joint.names), edges, np.sign(cov[kept]), np.zeros(n))
    try:
        return fix_signs(signs).flipped
    except FrustratedError:
        return None


def exact_nu(joint: JointPrior, epsilon: float | Floats) -> Floats | None:
    """Everybody's nu by Theorem 3.4; None where no relabelling of bits makes the table affiliated.

    Examples
    --------
    >>> opposite = JointPrior(("a", "b"), (("0", "1"), ("0", "1")), np.array([[0.1, 0.4], [0.4, 0.1]]))
    >>> exact_nu(opposite, 0.5).round(6)
    array([0.796046, 0.796046])
    """
    eps = epsilons(epsilon, len(joint))
    flipped = relabelling(joint)
    if flipped is None:
        return None
    axes = tuple(int(i) for i in np.flatnonzero(flipped))
    turned = JointPrior(joint.names, joint.levels, np.flip(joint.mass, axes))
    return odds_moved(turned, answered_alike(eps)) if affiliated(turned) else None
