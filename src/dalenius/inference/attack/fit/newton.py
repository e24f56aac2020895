"""Newton's method for couplings and fields, all blocks at once.

The likelihood of wanted agreements and biases is concave in couplings and fields. Its gradient is what is
wanted minus what holds; its curvature is the covariance of agreements and bits, and the product of that with
a direction is how agreements change along it: one more calibration. Newton's equations are solved by
conjugate gradients, every block with its own steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dalenius.inference.attack.fit.cliques import PROVEN
from dalenius.inference.attack.fit.dense import FEW
from dalenius.inference.attack.fit.trees import BlockTrees
from dalenius.inference.attack.solvers.blocks import Whole
from dalenius.knowledge.correlation.model import Floats

CLOSE, AIM = 1e-9, 1e-11
"""How far log-odds may stay from those asked for, and what is tried for as long as it helps."""

MOST_STEPS, MOST_DIRECTIONS, MOST_HALVINGS = 60, 80, 40

SOON = 12
"""Steps after which a few people who resist are left to `fit_dense`."""

NUDGE = 1e-5
"""By how much couplings are changed to see how agreements change."""


@dataclass(frozen=True)
class NewtonSolution:
    """Couplings and fields of some blocks.

    Parameters
    ----------
    coupling, field
        One per link and one per person.
    together, log_odds
        Log-odds of agreement and of 0 that they imply.
    gap
        The largest difference from what was wanted, in log-odds, one per block.
    likelihood
        Of what was wanted, one per block: never above 0 for what some people can have, as it is then the
        expected logarithm of a probability.
    steps
        How many of Newton's steps it took.
    """

    coupling: Floats
    field: Floats
    together: Floats
    log_odds: Floats
    gap: Floats
    likelihood: Floats
    steps: int

    @property
    def fitted(self) -> NDArray[np.bool_]:
        """Which blocks have what was wanted."""
        return self.gap <= CLOSE

    @property
    def impossible(self) -> NDArray[np.bool_]:
        """Which blocks are proven to be wanted what no people can have."""
        return ~self.fitted & (self.likelihood > PROVEN)


def newton(
    trees: BlockTrees, wanted: Floats, tilt: Floats | None, coupling: Floats, field: Floats
) -> NewtonSolution:
    """Find couplings and fields with which blocks have the wanted log-odds of agreement, and of 0.

    Parameters
    ----------
    wanted, tilt
        Log-odds of agreement, one per link, and of 0, one per person; without tilt all bits are fair, and no
        field is needed.
    coupling, field
        Where to start.
    """
    whole = part = _Part(trees, wanted, tilt)
    theta = part.joined(coupling, field)
    state = part.at(theta)
    best, log_odds = theta.copy(), state.log_odds.copy()
    gap, likelihood = state.gap.copy(), state.likelihood.copy()
    active, places = np.arange(len(trees.blocks)), np.arange(theta.size)
    small = np.diff(trees.blocks.first_person) <= FEW
    before, steps = np.full(gap.size, np.inf), 0
    while steps < MOST_STEPS:
        helps = (state.gap > AIM) & (state.gap < before / 2)
        going = ((state.gap > CLOSE) | helps) & (state.likelihood <= PROVEN)
        if steps >= SOON:
            going &= ~small[active]
        left = np.flatnonzero(going)
        if not left.size:
            break
        if left.size < 0.7 * active.size:
            part, kept = part.take(left)
            active, places = active[left], places[kept]
            theta = best[places]
            state = part.at(theta)
        before = state.gap
        theta, state = _step(part, theta, state, _direction(part, theta, state))
        best[places], log_odds[places] = theta, state.log_odds
        gap[active], likelihood[active] = state.gap, state.likelihood
        steps += 1
    return NewtonSolution(*whole.apart(best), *whole.apart(log_odds), gap, likelihood, steps)


@dataclass(frozen=True)
class _NewtonState:
    """What some parameters imply: log-odds, the gradient, and each block's likelihood."""

    log_odds: Floats
    gradient: Floats
    likelihood: Floats
    gap: Floats

    @property
    def spread(self) -> Floats:
        """The variance of every 0 or 1."""
        result: Floats = expit(self.log_odds) * expit(-self.log_odds)
        return result


class _Part:
    """Blocks with what is wanted of them; parameters are couplings, then fields where there are any."""

    def __init__(self, trees: BlockTrees, wanted: Floats, tilt: Floats | None) -> None:
        self._trees, self._wanted, self._tilt = trees, wanted, tilt
        self.links = trees.blocks.links.size
        of_link, of_person = trees.blocks.of_link(), trees.blocks.of_person()
        self.block: Whole = of_link if tilt is None else np.r_[of_link, of_person]
        self._goal = wanted if tilt is None else np.r_[wanted, tilt]
        self._rare = expit(-self._goal)  # the probability to differ, and of a 1

    def joined(self, coupling: Floats, field: Floats) -> Floats:
        """Couplings and fields as one."""
        return coupling.copy() if self._tilt is None else np.r_[coupling, field]

    def apart(self, values: Floats) -> tuple[Floats, Floats]:
        """What is about links, and about people: 0 where all bits are fair."""
        if self._tilt is None:
            return values, np.zeros(self._trees.blocks.people.size)
        return values[: self.links], values[self.links :]

    def sums(self, values: Floats) -> Floats:
        """Add up by block."""
        return np.bincount(self.block, values, minlength=len(self._trees.blocks)).astype(np.float64)

    def most(self, values: Floats) -> Floats:
        """The largest of each block."""
        result = np.zeros(len(self._trees.blocks))
        np.maximum.at(result, self.block, values)
        return result

    def log_odds(self, theta: Floats) -> tuple[Floats, Floats]:
        """Log-odds of agreement and of 0, and the logarithm of the probability that all bits are 0."""
        if self._tilt is None:
            law = self._trees.law(theta, np.zeros(self._trees.blocks.people.size))
            return law.together, law.none
        law = self._trees.law(theta[: self.links], theta[self.links :])
        return np.r_[law.together, law.log_odds], law.none

    def at(self, theta: Floats) -> _NewtonState:
        """What parameters imply."""
        found, none = self.log_odds(theta)
        # sigma(-a) - sigma(-b) without loss where both are close to 0 or to 1
        gradient = 2 * expit(-found) * expit(self._goal) * -np.expm1(np.minimum(found - self._goal, 700.0))
        # relative to all bits 0 the weight of a law is -2 times what differs and what is 1
        likelihood = none - 2 * self.sums(theta * self._rare)
        return _NewtonState(found, gradient, likelihood, self.most(np.abs(self._goal - found)))

    def along(self, theta: Floats, state: _NewtonState, direction: Floats) -> Floats:
        """Multiply the curvature with a direction."""
        size = self.most(np.abs(direction))
        nudge = np.divide(NUDGE, size, out=np.zeros_like(size), where=size > 0)[self.block]
        moved = self.log_odds(theta + nudge * direction)[0]
        slope = np.divide(moved - state.log_odds, nudge, out=np.zeros_like(moved), where=nudge > 0)
        return 2 * state.spread * slope

    def take(self, which: Whole) -> tuple[_Part, Whole]:
        """Some of the blocks, and where their parameters are."""
        trees, people, links = self._trees.take(which)
        if self._tilt is None:
            return _Part(trees, self._wanted[links], None), links
        return _Part(trees, self._wanted[links], self._tilt[people]), np.r_[links, self.links + people]


def _direction(part: _Part, theta: Floats, state: _NewtonState) -> Floats:
    """Newton's direction by conjugate gradients, scaled by the variances; closer as the gap closes."""
    scale = 4 * state.spread
    rest = state.gradient.copy()
    scaled = rest / scale
    along, result = scaled.copy(), np.zeros(rest.size)
    norm = part.sums(rest * scaled)
    enough = norm * np.clip(norm, 1e-8, 1e-2)
    for _ in range(MOST_DIRECTIONS):
        bent = part.along(theta, state, along)
        curvature = part.sums(along * bent)
        going = (norm > enough) & (curvature > 0)
        if not going.any():
            break
        length = np.divide(norm, curvature, out=np.zeros_like(norm), where=going)[part.block]
        result += length * along
        rest -= length * bent
        scaled = rest / scale
        fresh = part.sums(rest * scaled)
        again = np.divide(fresh, norm, out=np.zeros_like(norm), where=going)
        along = np.where(going[part.block], scaled + again[part.block] * along, 0.0)
        norm = np.where(going, fresh, 0.0)
    return np.where(part.sums(np.abs(result))[part.block] > 0, result, state.gradient / scale)


def _step(part: _Part, theta: Floats, state: _NewtonState, direction: Floats) -> tuple[Floats, _NewtonState]:
    """Go along a direction, half as far again and again in blocks whose likelihood does not grow."""
    slope = part.sums(state.gradient * direction)
    length = np.ones(slope.size)
    rounding = 1e-13 * (1 + np.abs(state.likelihood))
    for _ in range(MOST_HALVINGS):
        moved = theta + length[part.block] * direction
        found = part.at(moved)
        bad = ~(found.likelihood >= state.likelihood + 1e-4 * length * slope - rounding)
        if not bad.any():
            break
        length[bad] /= 2
    return moved, found
