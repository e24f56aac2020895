"""A closer look at the worst-off where nu is only bounded: exact balls, from below and from above."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dalenius.inference.attack.bounds.balls import Ball, ball_around
from dalenius.inference.attack.epsilon_for import LargestEpsilon
from dalenius.inference.attack.nu import Nus, Prepared
from dalenius.inference.finding import ExactBalls
from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.knowledge.correlation.signs import fix_signs, frustrated

LOOKED_AT = 4
"""How many of the worst-off have a ball."""

ROUNDING = 1e-9
"""What is added to a bound from above, and taken from one from below."""


def look_closer(prepared: Prepared, least: Floats | None, nus: Nus) -> tuple[Nus, ExactBalls | None]:
    """Enclose nu of the worst-off by exact balls; return everybody's nu with what that lowers."""
    nu, bound, found = nus.nu.copy(), nus.bound.copy(), []
    for person, ball in _balls(prepared, least, nus):
        low, high = ball.nu(nus.epsilon)
        if high + ROUNDING < nu[person]:
            nu[person], bound[person] = high + ROUNDING, nus.bounds.index("bound-ball")
        found.append((low - ROUNDING, ball.people.size))
    if not found:
        return nus, None
    low, size = max(found)
    balls = ExactBalls(people=len(found), largest=size, least=max(low, 0.0), most=float(nu.max()))
    return replace(nus, nu=nu, bound=bound), balls


def too_much(prepared: Prepared, least: Floats | None, found: LargestEpsilon) -> tuple[float, int] | None:
    """Find an epsilon with which somebody's nu is known to pass the target, and how large their ball is."""
    from scipy.optimize import brentq

    share = found.epsilons / found.epsilon
    known = []
    for _, ball in _balls(prepared, least, found.nus):

        def excess(epsilon: float, own: Ball = ball) -> float:
            return own.nu(epsilon * share)[0] - ROUNDING - found.target

        if excess(found.target) > 0:
            at = float(brentq(excess, found.epsilon * (1 - 1e-9), found.target, xtol=1e-9 * found.target))
            known.append((at * (1 + 1e-8), int(ball.people.size)))
    return min(known, default=None)


def _balls(prepared: Prepared, least: Floats | None, nus: Nus) -> Iterator[tuple[int, Ball]]:
    """Balls around the worst-off whose nu is bounded; none where people are identical or links contradict."""
    worst = [int(at) for at in np.argsort(-nus.nu, kind="stable")[:LOOKED_AT] if not nus.exact[at]]
    if not worst or not prepared.merged.alone or frustrated(prepared.model)[worst].any():
        return
    group = prepared.model.components()
    for person in worst:
        people = np.flatnonzero(group == group[person]).astype(np.intp)
        own = fix_signs(prepared.model.take(people)).model
        low = None if least is None else np.abs(_taken(prepared.model, least, people).coupling)
        ball = ball_around(own, int(np.searchsorted(people, person)), low)
        if ball is not None:
            yield person, replace(ball, people=people[ball.people])


def _taken(model: CorrelationModel, coupling: Floats, people: np.ndarray) -> CorrelationModel:
    return replace(model, coupling=coupling).take(people)
