"""The Markov quilt mechanism (Song, Wang and Chaudhuri 2017): how much noise it gives a count over time.

A quilt around a moment is a moment before and one after it, or one of them, or none. What lies within is
hidden by noise; what lies beyond speaks only by way of the quilt. It is here to be compared with: the same
chain, the same promise.
"""

from __future__ import annotations

import numpy as np

from dalenius.knowledge.correlation.chain import Floats, MarkovChain

WIDEST = 1_500
"""Moments up to which a quilt may lie away on one side."""

LITTLE = 1e-4
"""Share of nu that counts as next to nothing."""


def quilt_scale(chain: MarkovChain, moments: int, nu: float) -> float | None:
    """Return the scale of Laplace noise on a count with which the mechanism keeps nu at every moment.

    None for a chain that does not begin with its long-run shares: every moment then has quilts of its own.

    Examples
    --------
    >>> from dalenius.knowledge.correlation.chain import agreeing_chain
    >>> round(quilt_scale(agreeing_chain(0.6), 100, 1.0), 2)
    3.57
    """
    if not chain.stationary:
        return None
    there = chain.start > 0
    own, powers = chain.start[there], _powers(chain, moments, nu)
    inside = [power[np.ix_(there, there)] for power in powers]
    later = _apart([power.T for power in inside], own.size)
    earlier = _apart([power / own for power in inside], own.size)
    edge, worst = 2 * len(powers) + 1, 0.0
    # beyond twice the reach of a quilt the ends of the series are out of sight
    places = {(min(at, edge), min(moments - 1 - at, edge)) for at in range(moments)}
    for before, after in sorted(places, key=lambda place: -min(place)):  # the middle needs most noise
        best = moments / nu  # no quilt: all moments are near
        if before < edge:
            best = min(best, _score(later[:after], before + 1, nu))
        if after < edge:
            best = min(best, _score(earlier[:before], after + 1, nu))
        worst = max(worst, _least(earlier[:before], later[:after], (best, worst), nu))
    return worst


def _powers(chain: MarkovChain, moments: int, nu: float) -> list[Floats]:
    """The transitions over 1, 2, 3, ... moments, until a moment so far away says next to nothing.

    A moment more within the quilt costs more than the rest could gain, up to thousands of moments.
    """
    found: list[Floats] = []
    power = np.eye(len(chain))
    while len(found) < min(moments - 1, WIDEST):
        power = power @ chain.transition
        found.append(power)
        if (np.ptp(power, axis=0) <= LITTLE * nu * power.min(axis=0)).all():
            break
    return found


def _least(earlier: Floats, later: Floats, known: tuple[float, float], nu: float) -> float:
    """The least score of any quilt of two moments around one, or a score that is small enough."""
    best, enough = known
    for far, said in enumerate(earlier, start=1):
        if best <= enough or far >= best * nu:  # so many near moments alone are too many
            break
        best = min(best, _score(said + later[: max(int(best * nu) - far + 1, 1)], far, nu))
    return best


def _apart(likely: list[Floats], values: int) -> Floats:
    """By quilt, the largest log-ratio of how likely a value of it is, for pairs of the moment's values."""
    found = []
    for table in likely:
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(table)
            apart = logs[:, :, None] - logs[:, None, :]
        found.append(np.where(np.isnan(apart), -np.inf, apart).max(axis=0))
    return np.array(found).reshape(len(found), values, values)


def _score(said: Floats, near: int, nu: float) -> float:
    """The least of near moments over what of nu is left, where each quilt has one near moment more."""
    left = nu - said.max(axis=(1, 2), initial=-np.inf)
    scores = np.divide(near + np.arange(len(left)), left, out=np.full(len(left), np.inf), where=left > 0)
    return float(scores.min(initial=np.inf))
