"""Which epsilon keeps everybody's nu at or below a target, or why there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dalenius.errors import InputError
from dalenius.inference.attack.bounds.events import epsilons
from dalenius.inference.attack.nu import Nus, Prepared, prepare, solve
from dalenius.inference.attack.solver_parts import SolvablePart
from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.progress import Progress, silent
from dalenius.shown import hides_people
from dalenius.theory import inference as theory


@hides_people()
@dataclass(frozen=True)
class LargestEpsilon:
    """The largest epsilon that keeps a target.

    Parameters
    ----------
    target
        What nobody's nu passes.
    epsilon
        Of people with a share of 1.
    epsilons
        Of everybody: their share of it.
    nus
        What it promises; the worst-off person is at the target, as far as digits go.
    reason
        What limits it, in words, naming nobody.
    """

    target: float
    epsilon: float
    epsilons: Floats
    nus: Nus
    reason: str

    @property
    def worst(self) -> int:
        """The place of the person who limits it."""
        return self.nus.worst


@dataclass(frozen=True)
class ForDegree:
    """The largest epsilon for all trees in which nobody has more than some number of relatives.

    Parameters
    ----------
    epsilon
        None where every positive epsilon is too much for some tree.
    safe
        What the simple rule ``nu <= slope * epsilon`` allows, which needs no root to be found; None where
        nu does not go to 0 with epsilon.
    least
        The nu that no positive epsilon gets under.
    reason
        The same in words.
    """

    epsilon: float | None
    safe: float | None
    least: float
    reason: str


def epsilon_for(
    model: CorrelationModel | Prepared,
    target: float,
    base: float | Floats = 1.0,
    *,
    progress: Progress = silent,
) -> LargestEpsilon:
    """Find the largest epsilon with which nobody's nu passes a target.

    Nu grows with epsilon, and lies between it and its sum over a group: the root is between the target
    divided by that sum and the target itself. So does every bound.

    Parameters
    ----------
    model
        Who is related to whom.
    target
        What nobody's nu may pass.
    base
        Everybody's share of the epsilon looked for; 0 for people whose data is not used.

    Raises
    ------
    InputError
        If the target is not positive, a share is negative, or all are 0.

    Examples
    --------
    >>> import numpy as np
    >>> star = CorrelationModel("id", np.arange(5), np.array([[0, 1], [0, 2], [0, 3], [0, 4]]),
    ...                         np.full(4, theory.coupling_of(0.8)), np.zeros(5))
    >>> chosen = epsilon_for(star, 1.0)
    >>> round(chosen.epsilon, 12), chosen.worst
    (0.295081064581, 0)
    """
    if not (math.isfinite(target) and target > 0):
        raise InputError("target nu", "must be above 0 and finite", f"{target:g}", "Use for example 1.")
    prepared = model if isinstance(model, Prepared) else prepare(model, progress=progress)
    share = epsilons(base, len(prepared.model))
    if not share.any():
        raise InputError("shares of epsilon", "must be above 0 for somebody", "0 for all")
    merged = prepared.merged.epsilon(share)
    found = math.inf
    for at, part in enumerate(prepared.parts):
        progress(at / len(prepared.parts), f"epsilon by {part.method}")
        found = _largest(part, merged[part.people], target, found)
    found, nus = _kept(prepared, share, target, found)
    return LargestEpsilon(target, found, nus.epsilon, nus, _reason(nus, target))


def _largest(part: SolvablePart, share: Floats, target: float, limit: float) -> float:
    """The largest epsilon up to a limit with which nobody of one part passes the target."""
    from scipy.optimize import brentq

    if not share.any():
        return limit
    low, high = target / float(part.sums(share).max()), min(limit, target / float(share.max()))

    def excess(epsilon: float) -> float:
        return float(solve(part, epsilon * share).nu.max()) - target

    if high <= low or excess(high) <= 0:
        return high
    if excess(low) >= 0:
        return low  # proven to hold; above the target only by what bounds are rounded up
    return float(brentq(excess, low, high, xtol=1e-15 * high, rtol=1e-15))


def _kept(prepared: Prepared, share: Floats, target: float, epsilon: float) -> tuple[float, Nus]:
    """Step back by the digits that finding a root leaves open, until nobody's nu passes the target."""
    step = 1e-14
    while True:
        nus = prepared.nus(epsilon * share)
        if nus.nu[nus.worst] <= target:
            return epsilon, nus
        epsilon *= 1 - step
        step *= 4


def _reason(nus: Nus, target: float) -> str:
    tag = nus.bounds[nus.bound[nus.worst]]
    if tag.startswith("exact"):
        return (
            f"with any more, some mechanism moves the odds of the worst-off person by more than e^{target:g}"
        )
    return (
        f"with any more, the best bound known for the worst-off person ({tag.removeprefix('bound-')}) passes "
        f"{target:g}; the true nu may be smaller, and a larger epsilon allowed"
    )


def epsilon_for_degree(degree: int, agreement: float, target: float) -> ForDegree:
    """Find the largest epsilon for all trees where nobody has more than so many relatives (Corollary A.6).

    Without knowing the tree: nobody has more relatives than ``degree``, each pair alone agrees with the given
    probability, and no value is more likely beforehand. Above ``(degree - 1) tanh J = 1`` there is a nu that
    no epsilon gets under.

    Examples
    --------
    >>> found = epsilon_for_degree(3, 0.6, 0.5)
    >>> round(found.epsilon, 9), round(found.safe, 9)
    (0.252866468, 0.25)
    >>> epsilon_for_degree(3, 0.9, 0.5).epsilon is None
    True
    """
    J = abs(theory.coupling_of(agreement))  # on a tree signs can be fixed
    least, slope = theory.least_enforceable_nu(degree, J), theory.slope_limit(degree, J)
    safe = target / slope if math.isfinite(slope) else None
    if least > 0 and target <= least:
        reason = (
            f"no epsilon above 0 keeps nu at {target:g} in every tree of degree {degree} with agreement "
            f"{agreement:g}: distant relatives say more than noise hides, and nu stays above {least:.6g}"
        )
        return ForDegree(None, safe, least, reason)
    epsilon = theory.epsilon_for_bounded_degree(degree, J, target)
    reason = (
        f"with any more, some tree of degree {degree} with agreement {agreement:g} has a nu above {target:g}"
    )
    return ForDegree(epsilon, safe, least, reason)
