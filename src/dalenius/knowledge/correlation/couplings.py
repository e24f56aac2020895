"""From agreements and biases to couplings and fields.

On a forest, ``mu = prod_i mu_i prod_edges mu_ij/(mu_i mu_j)`` has exactly the biases and agreements that are
asked for. On loops the same couplings are those of an edge alone, and people there agree more than that;
`dalenius.attacks.inference.fit` finds couplings that make the agreements hold.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.knowledge.correlation.columns import listed
from dalenius.records.roster import Ids

Floats = NDArray[np.float64]
Pairs = NDArray[np.int64]

_ROUNDING = 1e-12
"""How far below 0 a probability may come out by rounding alone."""


def strengths(agreement: Floats) -> Floats:
    """``J = atanh(2p - 1)`` of unbiased people; infinite for agreement 1.

    Examples
    --------
    >>> strengths(np.array([0.5, 0.75, 1.0])).round(9)
    array([0.        , 0.54930614,        inf])
    """
    with np.errstate(divide="ignore"):
        J: Floats = 0.5 * (np.log(agreement) - np.log1p(-agreement))
    return J


def couple(ids: Ids, edges: Pairs, agreement: Floats, bias: Floats | None) -> tuple[Floats, Floats]:
    """Return the coupling of each edge and the field of each person.

    Parameters
    ----------
    ids
        The people, for messages.
    edges
        The positions of the two people of each edge.
    agreement
        The probability that they agree.
    bias
        The probability that a person's bit is 1; without biases every bit is fair.

    Raises
    ------
    InputError
        For an agreement that people with these biases cannot have: of two who have a bit with probability
        0.05, both lack it with at least 0.9.

    Examples
    --------
    >>> J, h = couple(np.array(["a", "b"]), np.array([[0, 1]]), np.array([0.93]), np.array([0.05, 0.05]))
    >>> J.round(3), h.round(3)
    (array([0.604]), array([1.028, 1.028]))
    """
    if bias is None:
        return strengths(agreement), np.zeros(ids.size)
    alone = 0.5 * (np.log1p(-bias) - np.log(bias))
    p, q = bias[edges].T
    extra = (agreement - (p * q + (1 - p) * (1 - q))) / 2  # how much more often both are 1 than by chance
    both, first, second, none = p * q + extra, p * (1 - q) - extra, (1 - p) * q - extra, _none(p, q, extra)
    _refuse_impossible(ids, edges, agreement, bias, np.minimum.reduce([both, first, second, none]))
    certain = agreement == 1
    with np.errstate(divide="ignore", invalid="ignore"):
        J = 0.25 * (np.log(none) + np.log(both) - np.log(first) - np.log(second))
        at_a = 0.25 * (np.log(none) + np.log(second) - np.log(first) - np.log(both))
        at_b = 0.25 * (np.log(none) + np.log(first) - np.log(second) - np.log(both))
    J[certain] = np.inf
    # two identical people share one bias: half of it with each
    at_a[certain] = at_b[certain] = 0.5 * alone[edges[certain, 0]]
    field = alone.copy()
    for end, at in ((edges[:, 0], at_a), (edges[:, 1], at_b)):
        field += np.bincount(end, at - alone[end], minlength=ids.size)
    return J, field


def _none(p: Floats, q: Floats, extra: Floats) -> Floats:
    return (1 - p) * (1 - q) + extra


def _refuse_impossible(ids: Ids, edges: Pairs, agreement: Floats, bias: Floats, least: Floats) -> None:
    """Every pair of values must be possible; for identical people none where they differ."""
    p, q = bias[edges].T
    certain = agreement == 1
    bad = np.flatnonzero(np.where(certain, p != q, least <= _ROUNDING))
    if not bad.size:
        return
    at = bad[0]
    pair = [str(ids[v]) for v in edges[at]]
    low, high = abs(1 - p[at] - q[at]), 1 - abs(p[at] - q[at])
    raise InputError(
        f"agreement of {listed(pair)}",
        f"must be above {low:.6g} and below {high:.6g} for biases {p[at]:g} and {q[at]:g}"
        if not certain[at]
        else f"cannot be 1 for biases {p[at]:g} and {q[at]:g}",
        f"{agreement[at]:g}" + (f", and {bad.size - 1:,} more edges like it" if bad.size > 1 else ""),
        f"By chance alone they agree with probability {p[at] * q[at] + (1 - p[at]) * (1 - q[at]):.6g}.",
    )
