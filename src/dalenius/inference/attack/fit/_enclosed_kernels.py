"""Compiled propagation around one link at a time: how far its two people agree by way of others, at most."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import kernel

SWEEPS = 3
"""How often messages are sent inwards: more would only tell them more exactly."""


class LinksBothWays(NamedTuple):
    """Rows of a sparse matrix of couplings, and where each link stands in the row of its other end.

    ``far`` are numbers, one per message, of which what is said of them passes on at most the share ``fades``.
    """

    start: NDArray[np.int64]
    ends: NDArray[np.int64]
    coupling: NDArray[np.float64]
    back: NDArray[np.int64]
    far: NDArray[np.float64]
    fades: float


class Room(NamedTuple):
    """What one search uses and leaves as it found it: messages, distances (-1) and people reached, twice."""

    heard: NDArray[np.float64]
    distance: NDArray[np.int64]
    reached: NDArray[np.int64]
    apart: NDArray[np.int64]
    others: NDArray[np.int64]


@kernel
def _message(coupling: float, log_odds: float) -> float:
    """``2 atanh(tanh J tanh(u/2))`` for positive J and u, without losing digits where either is large."""
    least, most = min(log_odds, 2 * coupling), max(log_odds, 2 * coupling)
    near = 1.0 + math.exp(least - most)
    if least > 30.0:
        return least - math.log(near)
    return math.log1p(-math.expm1(-most) * math.expm1(least) / near)


@kernel
def _reach(links: Any, distance: Any, reached: Any, at: int, fixed: int, without: int, radius: int) -> int:
    """Find who is within so many links of a person, nearest first; somebody fixed passes nothing on.

    Returns how many they are, negative if there is no room for more.
    """
    distance[at], reached[0], count, done = 0, at, 1, 0
    while done < count:
        v = reached[done]
        done += 1
        if v == fixed or distance[v] == radius:
            continue
        for k in range(links.start[v], links.start[v + 1]):
            w = links.ends[k]
            if k != without and links.back[k] != without and distance[w] < 0:
                if count == reached.size:
                    return -count
                distance[w], reached[count] = distance[v] + 1, w
                count += 1
    return count


@kernel
def _say(links: Any, heard: Any, v: int, without: int) -> None:
    """Send what somebody heard to all whom they know."""
    total = 0.0
    for k in range(links.start[v], links.start[v + 1]):
        if k != without and links.back[k] != without:
            total += heard[k]
    for k in range(links.start[v], links.start[v + 1]):
        back = links.back[k]
        if k != without and back != without:
            said = _message(links.coupling[k], max(total - heard[k], 0.0)) + 1e-15
            heard[back] = min(heard[back], said)


@kernel
def _from_afar(links: Any, heard: Any, v: int, most: float) -> None:
    """What somebody says at most, by how far they are from the person who is fixed."""
    for k in range(links.start[v], links.start[v + 1]):
        back = links.back[k]
        heard[back] = min(heard[back], most * links.far[back])


@kernel
def _loudest(links: Any, v: int) -> float:
    """By how much the far numbers of somebody's messages must be raised to be those of certainty."""
    found = 0.0
    for k in range(links.start[v], links.start[v + 1]):
        back = links.back[k]
        found = max(found, 2 * links.coupling[back] / links.far[back])
    return found


@kernel
def _hear(links: Any, room: Any, link: int, radius: int, count: int, loudest: float) -> float:
    """Log-odds of a link's far end, from the rim inwards, with its near end fixed and the link left out."""
    near, far = links.ends[link], links.ends[links.back[link]]
    for k in range(links.start[far], links.start[far + 1]):
        room.heard[links.back[k]] = 0.0  # whoever speaks to the far end did not hear from there
    for place in range(count):
        v = room.reached[place]
        if v != near and room.distance[v] == radius:
            apart = room.apart[v] if room.apart[v] >= 0 else radius + 2
            _from_afar(links, room.heard, v, loudest * links.fades**apart)
    for _ in range(SWEEPS):
        for place in range(count - 1, 0, -1):
            v = room.reached[place]
            if v != near and room.distance[v] < radius:
                _say(links, room.heard, v, link)
    total = 0.0
    for k in range(links.start[far], links.start[far + 1]):
        if k != link:
            total += room.heard[k]
    return total


@kernel
def _around(links: Any, room: Any, link: int, radius: int) -> float:
    """Log-odds at most of the far end of a link, which is left out, with its near end fixed to 0.

    ``link`` is a place in the row of the far end. Infinite where too many people are within the radius.
    """
    near, far = links.ends[link], links.ends[links.back[link]]
    apart = _reach(links, room.apart, room.others, near, -1, link, radius + 1)
    count = _reach(links, room.distance, room.reached, far, near, link, radius)
    found = math.inf
    if count > 0 and apart > 0:
        found = _hear(links, room, link, radius, count, _loudest(links, near))
    for place in range(abs(apart)):
        room.apart[room.others[place]] = -1
    for place in range(abs(count)):
        v = room.reached[place]
        room.distance[v] = -1
        for k in range(links.start[v], links.start[v + 1]):
            room.heard[links.back[k]] = 2 * links.coupling[k]
    return found


@kernel
def _by_one(links: Any, share: Any, link: int, known: Any) -> float:
    """Correlation of a link's ends at the least: by the one of the far end's neighbours who says most.

    That neighbour is related to the near end by all whom both know, who are independent given the two.
    ``share`` are the hyperbolic tangents of couplings, ``known`` is empty (0) and left so.
    """
    near, far = links.ends[link], links.ends[links.back[link]]
    for k in range(links.start[near], links.start[near + 1]):
        if links.ends[k] != far:
            known[links.ends[k]] = share[k]
    best = 0.0
    for k in range(links.start[far], links.start[far + 1]):
        middle = links.ends[k]
        if middle == near:
            continue
        together = math.atanh(known[middle])
        for at in range(links.start[middle], links.start[middle + 1]):
            together += math.atanh(share[at] * known[links.ends[at]])
        best = max(best, share[k] * math.tanh(together))
    for k in range(links.start[near], links.start[near + 1]):
        known[links.ends[k]] = 0.0
    return best


@kernel
def agree_at_least(links: Any, share: Any, rows: Any, known: Any, result: Any) -> None:
    """Log-odds at least by way of others, of links by their places in two rows."""
    for at in range(rows.shape[0]):
        one, other = _by_one(links, share, rows[at, 0], known), _by_one(links, share, rows[at, 1], known)
        result[at] = 2 * math.atanh(max(one, other))


@kernel
def agree_by_others(links: Any, room: Any, rows: Any, radii: Any, result: Any) -> None:
    """Log-odds at most by way of others, of links by their places in two rows.

    Others are looked at further away until their log-odds are below half of the link's own.
    """
    for at in range(rows.shape[0]):
        enough = links.coupling[rows[at, 0]]
        result[at] = math.inf
        for radius in radii:
            for side in range(2):
                result[at] = min(result[at], _around(links, room, rows[at, side], radius))
            if result[at] < enough:
                break
