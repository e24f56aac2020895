"""From agreements and biases to couplings and fields.

On a forest, ``mu = prod_i mu_i prod_edges mu_ij/(mu_i mu_j)`` has exactly the biases and agreements that are
asked for. On loops the same couplings are those of a link alone: people there agree more than stated, and
with a bias the fields run away. `dalenius.inference.attack.fit.fit` makes what was stated hold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.knowledge.correlation.files.columns import listed
from dalenius.people.schema import Ids

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


@dataclass(frozen=True)
class OfLinks:
    """What each link alone says.

    Parameters
    ----------
    coupling
        One a link; infinite for identical people.
    at_a, at_b
        The fields of its two people if there were no other link.
    alone
        The field of each person without links.
    """

    coupling: Floats
    at_a: Floats
    at_b: Floats
    alone: Floats


def of_links(edges: Pairs, agreement: Floats, bias: Floats | None, people: int) -> OfLinks:
    """Find the coupling and the fields of every link alone, from agreements that its people can have."""
    if bias is None:
        zero = np.zeros(len(edges))
        return OfLinks(strengths(agreement), zero, zero, np.zeros(people))
    alone = 0.5 * (np.log1p(-bias) - np.log(bias))
    both, first, second, none = _four(edges, agreement, bias)
    certain = agreement == 1
    with np.errstate(divide="ignore", invalid="ignore"):
        J = 0.25 * (np.log(none) + np.log(both) - np.log(first) - np.log(second))
        at_a = 0.25 * (np.log(none) + np.log(second) - np.log(first) - np.log(both))
        at_b = 0.25 * (np.log(none) + np.log(first) - np.log(second) - np.log(both))
    J[certain] = np.inf
    # two identical people share one bias: half of it with each
    at_a[certain] = at_b[certain] = 0.5 * alone[edges[certain, 0]]
    return OfLinks(J, at_a, at_b, alone)


def add_fields(links: OfLinks, edges: Pairs, which: NDArray[np.bool_]) -> Floats:
    """Everybody's own field, and what each of some links adds to it."""
    field = links.alone.copy()
    for end, at in ((edges[which, 0], links.at_a[which]), (edges[which, 1], links.at_b[which])):
        field += np.bincount(end, at - links.alone[end], minlength=field.size)
    return field


def couple(ids: Ids, edges: Pairs, agreement: Floats, bias: Floats | None) -> tuple[Floats, Floats]:
    """Return the coupling of each edge and the field of each person, link by link: right without loops.

    Parameters
    ----------
    ids
        The people, named only if that is asked for.
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
    if bias is not None:
        _refuse_impossible(ids, edges, agreement, bias)
    links = of_links(edges, agreement, bias, ids.size)
    return links.coupling, add_fields(links, edges, np.ones(len(edges), np.bool_))


def _four(edges: Pairs, agreement: Floats, bias: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """The probabilities that both are 1, the first alone, the second alone, and neither."""
    p, q = bias[edges].T
    extra = (agreement - (p * q + (1 - p) * (1 - q))) / 2  # how much more often both are 1 than by chance
    return p * q + extra, p * (1 - q) - extra, (1 - p) * q - extra, (1 - p) * (1 - q) + extra


def _refuse_impossible(ids: Ids, edges: Pairs, agreement: Floats, bias: Floats) -> None:
    """Every pair of values must be possible; for identical people none where they differ."""
    p, q = bias[edges].T
    certain = agreement == 1
    least = np.minimum.reduce(_four(edges, agreement, bias))
    bad = np.flatnonzero(np.where(certain, p != q, least <= _ROUNDING))
    if not bad.size:
        return
    at = bad[0]
    low, high = abs(1 - p[at] - q[at]), 1 - abs(p[at] - q[at])
    raise InputError(
        "agreement of two linked people",
        f"must be above {low:.6g} and below {high:.6g} for their biases"
        if not certain[at]
        else "can be 1 only if their biases are the same",
        f"{agreement[at]:g}" + (f", and {bad.size - 1:,} more links like it" if bad.size > 1 else ""),
        f"By chance alone they agree with probability {p[at] * q[at] + (1 - p[at]) * (1 - q[at]):.6g}.",
        value=listed([str(ids[v]) for v in edges[at]]),
    )
