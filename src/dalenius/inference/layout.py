"""Where to draw people so that linked ones are close: a place in the plane for everybody in a network.

Each connected group is laid out by stress majorisation (Gansner, Koren and North 2005): distances on paper
like distances in links, near ones mattering most. Groups are then packed side by side, large ones first.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, shortest_path
from scipy.spatial.distance import cdist

Floats = NDArray[np.float64]

_ROUNDS = 200
_GOLDEN = np.pi * (3 - np.sqrt(5))


def place(people: int, edges: NDArray[np.int64], *, shape: float = 1.6) -> Floats:
    """Return one place per person; the same network is always drawn the same way.

    Parameters
    ----------
    people
        How many there are.
    edges
        One row per link: the positions of its two people.
    shape
        Width over height that the drawing should have.

    Examples
    --------
    >>> pair = place(2, np.array([[0, 1]]))
    >>> float(np.linalg.norm(pair[0] - pair[1]).round(6))
    1.0
    """
    links = coo_array((np.ones(len(edges)), tuple(edges.T.reshape(2, -1))), shape=(people, people)).tocsr()
    count, label = connected_components(links, directed=False)
    order = np.argsort(label, kind="stable")
    groups = np.split(order, np.cumsum(np.bincount(label, minlength=count))[:-1])
    groups.sort(key=lambda group: (-len(group), int(group[0])))
    drawn = [_wide(_majorise(links[group][:, group])) for group in groups]
    corners = _pack([np.ptp(spots, axis=0) + 1.2 for spots in drawn], shape)
    places = np.empty((people, 2))
    for group, spots, corner in zip(groups, drawn, corners, strict=True):
        places[group] = spots - spots.min(axis=0) + corner
    return places


def _majorise(links: csr_array) -> Floats:
    """Reduce ``sum (|x_i - x_j| - d_ij)^2 / d_ij^2`` step by step; each step can only lower it."""
    n = links.shape[0]
    if n == 1:
        return np.zeros((1, 2))
    far = shortest_path(links, directed=False, unweighted=True)
    weight = 1 / (far + np.eye(n)) ** 2 - np.eye(n)
    laplacian = np.diag(weight.sum(axis=1)) - weight
    inverse = np.linalg.pinv(laplacian, hermitian=True)
    spots = _start(far)
    for _ in range(_ROUNDS):
        gap = cdist(spots, spots)
        pull = np.divide(weight * far, gap, out=np.zeros_like(gap), where=gap > 1e-9)
        better = inverse @ ((np.diag(pull.sum(axis=1)) - pull) @ spots)
        moved, spots = float(np.abs(better - spots).max()), better
        if moved < 1e-4:
            break
    return spots


def _start(far: Floats) -> Floats:
    """Classical scaling, and a little spiral so that people with the same distances do not coincide."""
    n = far.shape[0]
    centre = np.eye(n) - 1 / n
    value, vector = np.linalg.eigh(-0.5 * centre @ far**2 @ centre)
    signs = np.where(vector[np.abs(vector).argmax(axis=0), np.arange(n)] < 0, -1.0, 1.0)
    best = (vector * signs)[:, -2:] * np.sqrt(np.maximum(value[-2:], 0))
    angle = _GOLDEN * np.arange(n)
    return np.asarray(best + 0.3 * np.column_stack([np.cos(angle), np.sin(angle)]))


def _wide(spots: Floats) -> Floats:
    """Turn a drawing so that its long side lies flat."""
    centred: Floats = spots - spots.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    if len(axes) < 2:
        return centred
    axes = axes * np.where(axes[np.arange(2), np.abs(axes).argmax(axis=1)] < 0, -1.0, 1.0)[:, None]
    return np.asarray(centred @ axes.T)


def _pack(sizes: list[Floats], shape: float) -> list[Floats]:
    """Put rectangles on shelves, of the width that suits the page best: one at which the first is full."""
    width = np.array([size[0] for size in sizes])
    tried = [_shelves(width, float(most)) for most in np.unique(np.maximum(width.cumsum(), width.max()))]
    return _corners(sizes, min(tried, key=lambda shelves: _page(sizes, shelves, shape)))


def _shelves(width: Floats, most: float) -> list[slice]:
    """Fill one shelf after the other, none wider than allowed."""
    starts, x = [0], 0.0
    for at, w in enumerate(width.tolist()):
        if x > 0 and x + w > most * (1 + 1e-9):
            starts.append(at)
            x = 0.0
        x += w
    return [slice(start, stop) for start, stop in pairwise([*starts, width.size])]


def _page(sizes: list[Floats], shelves: list[slice], shape: float) -> float:
    """How high a page must be to hold all shelves: the lower, the larger everything is drawn."""
    wide = max(sum(float(size[0]) for size in sizes[shelf]) for shelf in shelves)
    high = sum(max(float(size[1]) for size in sizes[shelf]) for shelf in shelves)
    return max(wide / shape, high)


def _corners(sizes: list[Floats], shelves: list[slice]) -> list[Floats]:
    """The lower left corners of rectangles in the middle of their shelves, and shelves below each other."""
    corners, y = [], 0.0
    for shelf in shelves:
        x = -sum(float(size[0]) for size in sizes[shelf]) / 2
        high = max(float(size[1]) for size in sizes[shelf])
        for size in sizes[shelf]:
            corners.append(np.array([x, y - (high + float(size[1])) / 2]))
            x += float(size[0])
        y -= high
    return corners
