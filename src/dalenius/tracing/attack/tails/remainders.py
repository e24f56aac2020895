"""What of a pool's records nobody else in it predicts, and what ancestry leaves of that."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.tracing.attack.genomes.ancestry import Similarities

Values = NDArray[np.float64]


def partial_correlations(similar: Similarities, who: slice) -> tuple[Values, Values]:
    """Score everybody in the pools of some targets by what all others leave unexplained.

    Returns
    -------
    tuple
        ``(targets, m + 1)`` scores, target last; and n times what membership adds to the target's score: the
        release then holds 1/n of the unexplained record, in units of its own distance from the references.
    """
    inverse, across = similar.inverse, similar.across[:, who]
    ones = inverse.sum(axis=1)
    seen = inverse @ across
    unexplained = similar.own[who] + similar.ridge - (across * seen).sum(axis=0)
    own = (1 - across.T @ ones) / unexplained
    # The inverse with one row and column more, by blocks: A + s s'/c beside -s/c and 1/c.
    sums = ones - own[:, None] * seen.T
    diagonal = np.diag(inverse) + (seen**2 / unexplained).T
    scores = np.column_stack([sums / np.sqrt(diagonal), own * np.sqrt(unexplained)])
    return scores, np.sqrt(unexplained) * ones.sum()


def studentised(scores: Values, features: Values, *, choose: bool) -> tuple[Values, Values, NDArray[np.intp]]:
    """Regress each pool's scores on a constant and orthonormal features; studentise what remains.

    Parameters
    ----------
    scores
        ``(pools, people)``.
    features
        ``(pools, people, count)``, orthonormal and summing to zero.
    choose
        Keep the number of leading features with the least squared error of predicting each person from the
        others; otherwise keep all.

    Returns
    -------
    tuple
        Externally studentised remainders, the last person's standard deviation, and how many features.
    """
    people, count = features.shape[1:]
    rest = scores - scores.mean(axis=1)[:, None]
    lever = np.full(scores.shape, 1 / people)
    best = np.full(scores.shape[0], np.inf)
    kept, used = (np.empty_like(scores), np.empty_like(scores)), np.zeros(scores.shape[0], np.intp)
    for k in range(count + 1):
        if k:
            column = features[:, :, k - 1]
            rest = rest - column * (column * rest).sum(axis=1)[:, None]
            lever = np.minimum(lever + column**2, 1 - 1e-9)
        error = ((rest / (1 - lever)) ** 2).sum(axis=1) if choose else np.full(best.shape, -float(k))
        better = error < best
        best[better], used[better] = error[better], k
        kept[0][better], kept[1][better] = rest[better], lever[better]
    inside = kept[0] / np.sqrt(1 - kept[1])
    freedom = people - used - 2
    variance = ((kept[0] ** 2).sum(axis=1)[:, None] - inside**2) / freedom[:, None]
    deviation = np.sqrt(np.maximum(variance, np.finfo(np.float64).tiny))
    return inside / deviation, deviation[:, -1] / np.sqrt(1 - kept[1][:, -1]), used
