"""Where to draw people so that linked ones are close: a place in the plane for everybody in a network.

Each connected group is laid out by stress majorisation (Gansner, Koren and North 2005): distances on paper
like distances in links, near ones mattering most. Groups are then packed side by side, large ones first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, shortest_path
from scipy.spatial.distance import cdist

Floats = NDArray[np.float64]

_ROUNDS = 200
_GOLDEN = np.pi * (3 - np.sqrt(5))


def place(people: int, edges: NDArray[np.int64], *, shape: float = 1.6) -> Floats:
    """Return one place a person; the same network is always drawn the same way.

    Parameters
    ----------
    people
        How many there are.
    edges
        One row a link: the positions of its two people.
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
    """Put rectangles on shelves of one width; return their lower left corners."""
    area = sum(float(size.prod()) for size in sizes)
    width = max(float(np.sqrt(area * shape)), max(float(size[0]) for size in sizes))
    corners, x, y, shelf = [], 0.0, 0.0, 0.0
    for size in sizes:
        if x > 0 and x + size[0] > width:
            x, y, shelf = 0.0, y - shelf, 0.0
        corners.append(np.array([x, y - size[1]]))
        x, shelf = x + float(size[0]), max(shelf, float(size[1]))
    return corners
