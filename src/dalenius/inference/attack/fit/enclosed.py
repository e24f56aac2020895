"""Couplings that cannot be computed, enclosed: none of them negative, none above that of its link alone.

Let J be any couplings from 0 to those of each link alone. A link whose people agree by way of others with
correlation r has the stated correlation c with a coupling of ``atanh c - atanh r`` of its own (bits are
fair). That falls where other couplings rise (Griffiths). So if r is at most c for *every* link with all
others at their largest, the map from couplings to couplings that are right one by one stays within these
limits; it is continuous, and has a fixed point there (Brouwer). The law of a fixed point has all stated
agreements, and is pairwise: it is the law of largest entropy, which is unique. Its couplings are then known
to lie between ``atanh c - atanh r`` and ``atanh c``, and nu, which rises with every coupling, is bounded.

The map may as well be cut off at 0. A fixed point of that always exists, and lies between what the map makes
of the largest couplings and of the least; from there on it is enough that nothing is cut off between these.
r is bounded from above by propagation, with one end of the link fixed, and from below by a few people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.knowledge.correlation.signs import fix_signs, frustrated

if TYPE_CHECKING:
    from dalenius.inference.attack.fit._enclosed_kernels import LinksBothWays

RADII, FURTHER, MOST = (2, 3, 4), (5, 6, 8), 4000
"""How many links away others are looked at, further where that does not do; how many people at the most."""

HOPELESS, FEW = 0.02, 20
"""Where more links than this share, and more than a few, would need a further look, there is none."""

FADES = 0.95
"""Below which share what people say must fade from link to link, all ways together."""

ROUNDING = 1e-9
"""What is left between what others say and what was stated, at the least."""


class Enclosed(NamedTuple):
    """Between which couplings those of the fitted law lie: of each, one per link."""

    least: Floats
    most: Floats


def enclose(model: CorrelationModel) -> Enclosed | None:
    """Enclose the couplings of the fitted law; None where a negative one cannot be excluded.

    Parameters
    ----------
    model
        With the couplings of each link alone, and fair bits; no two people are identical.

    Examples
    --------
    >>> square = CorrelationModel("id", np.arange(4), np.array([[0, 1], [1, 2], [2, 3], [3, 0]]),
    ...                           np.full(4, 0.3), np.zeros(4))
    >>> found = enclose(square)  # fitted: 0.2797
    >>> found.least.round(4), found.most.round(4)
    (array([0.2746, 0.2746, 0.2746, 0.2746]), array([0.2808, 0.2808, 0.2808, 0.2808]))
    """
    from dalenius.inference.attack.fit._enclosed_kernels import agree_at_least

    if model.field.any() or frustrated(model).any():
        return None
    signed = fix_signs(model).model
    links, rows = _both_ways(signed)
    if links.fades >= 1:
        return None
    others = _others(links, rows, RADII)
    further = np.flatnonzero(others / 2 > signed.coupling - ROUNDING)
    if further.size > max(HOPELESS * len(rows), FEW):
        return None
    others[further] = np.minimum(others[further], _others(links, rows[further], FURTHER))
    least = np.maximum(signed.coupling - others / 2 - ROUNDING, 0.0)
    share = np.empty(links.coupling.size)
    share[rows[:, 0]] = share[rows[:, 1]] = np.tanh(least)
    agree_at_least(links, share, rows, np.zeros(len(model)), others)
    most = np.minimum(signed.coupling - others / 2 + ROUNDING, signed.coupling)
    if (most < 0).any():  # there people agree more than stated by way of others alone
        return None
    open_ = np.flatnonzero(least == 0)  # once more, with couplings no larger than they can be
    if open_.size:
        links.coupling[rows[:, 0]] = links.coupling[rows[:, 1]] = most
        again = _others(links, rows[open_], (*RADII, *FURTHER))
        least[open_] = signed.coupling[open_] - again / 2 - ROUNDING
    if not (least >= 0).all():
        return None
    return Enclosed(np.copysign(least, model.coupling), np.copysign(most, model.coupling))


def _others(links: LinksBothWays, rows: NDArray[np.int64], radii: tuple[int, ...]) -> Floats:
    """Log-odds at most by which the people of each link agree by way of others."""
    from dalenius.inference.attack.fit._enclosed_kernels import Room, agree_by_others

    n = links.start.size - 1
    nobody, some = np.full(n, -1, np.int64), np.empty(min(n, MOST), np.int64)
    room = Room(2 * links.coupling, nobody, some, nobody.copy(), some.copy())
    others = np.empty(len(rows))
    agree_by_others(links, room, rows, np.array(radii), others)
    return others


def _both_ways(model: CorrelationModel) -> tuple[LinksBothWays, NDArray[np.int64]]:
    """Everybody's links in rows, and the places of every link in the rows of its two people."""
    from dalenius.inference.attack.fit._enclosed_kernels import LinksBothWays

    n, m = len(model), len(model.edges)
    to = np.r_[model.edges[:, 0], model.edges[:, 1]]
    order = np.argsort(to, kind="stable")
    place = np.empty(2 * m, np.int64)
    place[order] = np.arange(2 * m)
    start = np.r_[0, np.cumsum(np.bincount(to, minlength=n))].astype(np.int64)
    ends = np.r_[model.edges[:, 1], model.edges[:, 0]][order].astype(np.int64)
    coupling = np.r_[model.coupling, model.coupling][order]
    back = np.r_[place[m:], place[:m]][order]
    far, fades = _fading(to[order], ends, np.tanh(coupling), back)
    return LinksBothWays(start, ends, coupling, back, far, fades), place.reshape(2, m).T.copy()


def _fading(
    to: NDArray[np.int64], source: NDArray[np.int64], share: Floats, back: NDArray[np.int64]
) -> tuple[Floats, float]:
    """Numbers, one per message, that pass on at most a share of themselves; a share of 1 or more if none do.

    A message passes on at most ``tanh J`` of what its sender heard, but for what the receiver had said.
    They show how what one certain person says fades from link to link: with these numbers of which ``passed``
    is at most ``fades`` times as much, messages at a distance d from that person are at most ``fades^d`` of
    theirs, raised to certainty at the person.
    """
    far = np.ones(to.size)
    for _ in range(60):
        far = 1 + _passed(far, to, source, share, back) / FADES
        if far.max() > 1e6:
            return far, np.inf
    passed = _passed(far, to, source, share, back)
    return far, float((passed / far).max(initial=0.0)) * (1 + 1e-12)


def _passed(
    far: Floats, to: NDArray[np.int64], source: NDArray[np.int64], share: Floats, back: NDArray[np.int64]
) -> Floats:
    heard = np.bincount(to, far)
    result: Floats = share * (heard[source] - far[back])
    return result
