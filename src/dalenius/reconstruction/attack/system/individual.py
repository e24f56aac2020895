"""From what is known about a group to each of its people, who may be unlike in what is known beforehand.

No question of the release tells the people of a group apart: it only says how many of them have each value.
Public columns that the release does not use still tell who of them it more probably is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.float64]

ROUNDS = 200
CLOSE = 1e-7
"""Largest miss of a group's mean at which the fit ends; far below what would move a guess."""


def spread(
    share: Table,
    group: NDArray[np.intp],
    prior: Table | None,
    *,
    alike: NDArray[np.intp] | None = None,
    settled: NDArray[np.bool_] | None = None,
) -> Table:
    """Return everybody's probabilities, whose mean over each group is what the release says of it.

    Everybody's odds are their own beforehand times a factor of their group and value, the same for all: what
    counts of a group do to people who are independent, for large groups (the conditional Bernoulli law, Chen,
    Dempster and Liu 1994). Fitted by iterative scaling.

    Parameters
    ----------
    share
        For each group and value, the expected share of its people who have it.
    group
        The group of each person.
    prior
        For each person and value, its probability without the release; ``None`` if all are alike.
    alike
        For each person, a number that people with the same public columns share.
    settled
        Groups whose sums are known. There people with the same public columns get the same: where
        predictions were learnt from the members, each without their own secret, those of two people alike
        differ only by that secret, and once the sum is known the difference points the wrong way.

    Examples
    --------
    >>> spread(np.array([[0.5, 0.5]]), np.array([0, 0]), np.array([[0.8, 0.2], [0.2, 0.8]])).round(2)
    array([[0.8, 0.2],
           [0.2, 0.8]])
    """
    wanted = share[group]
    if prior is None:
        return wanted
    sizes = np.bincount(group, minlength=len(share))
    mixed = sizes[group] > 1
    if not mixed.any():
        return wanted
    own, of = prior[mixed], group[mixed]
    weight = own * (share / np.maximum(_mean(own, of, sizes), 1e-300))[of]
    for _ in range(ROUNDS):
        total = weight.sum(axis=1, keepdims=True)
        fitted = weight / np.where(total > 0, total, 1.0)
        mean = _mean(fitted, of, sizes)
        if np.abs(mean - share)[sizes > 1].max() < CLOSE:
            break
        weight = fitted * (share / np.maximum(mean, 1e-300))[of]
    result = wanted.copy()
    result[mixed] = np.where(total > 0, fitted, share[of])
    if alike is not None and settled is not None and settled.any():
        kind = np.unique(group * (int(alike.max()) + 1) + alike, return_inverse=True)[1].ravel()
        averaged = _mean(result, kind, np.bincount(kind))[kind]
        result = np.where(settled[group][:, None], averaged, result)
    return result


def _mean(values: Table, group: NDArray[np.intp], sizes: NDArray[np.intp]) -> Table:
    columns = [np.bincount(group, column, minlength=sizes.size) for column in values.T]
    return np.stack(columns, axis=1) / np.maximum(sizes, 1)[:, None]
