"""Everybody's probability of each of several values, decoded together.

The rows of one value say nothing about another, so each value keeps a Gaussian of its own, of as many
unknowns as there are people. What ties them is that a person has exactly one value: every round what the
Gaussians say about a person meets in one distribution over the values, and its marginals go back to all of
them (expectation propagation with one site per person). Decoded one by one and put together last, values
that other values exclude would stay in every Gaussian until then.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import one_blas_thread
from dalenius.matrices.answers import Vector
from dalenius.progress import Progress, silent
from dalenius.reconstruction.attack.cost import LOOKS
from dalenius.reconstruction.attack.decoders import chains, intervals
from dalenius.reconstruction.attack.decoders.posterior import (
    MOST_PRECISION,
    PATIENCE,
    ROUNDS,
    SETTLED,
    State,
    check_size,
    of_chains,
    tempered,
)
from dalenius.reconstruction.attack.matrix_cost import product_seconds
from dalenius.reconstruction.attack.system.system import EDGE, LinearSystem

Table = NDArray[np.float64]

AGAIN = 3
"""Times that propagation is told where in its interval each count is expected."""

NEAREST_PRIOR = 0.5
"""Share of the probabilities nearest to the prior in what is stated of intervals."""


def decode_together(
    systems: Sequence[LinearSystem], *, rng: np.random.Generator, progress: Progress = silent
) -> tuple[list[Vector], tuple[str, ...]]:
    """The share of every open unknown of each system that has any, and what a reader should know.

    Parameters
    ----------
    systems
        One a value, about the same unknowns.
    rng
        Draws the chains.
    progress
        Told how far the work is.
    """
    for system in systems:
        check_size(system.free()[0])
    systems = [system.by_itself() for system in systems]
    shares = chains.decode(systems, rng=rng, progress=progress) if chains.applies(systems) else None
    if shares is None and intervals.applies(systems):
        return _within(systems, progress)
    if shares is None:
        return propagate_together(systems, progress=progress)
    open_ = [system.least < system.most for system in systems]
    found = [share[some] for share, some in zip(shares, open_, strict=True) if some.any()]
    return found, (chains.NOTE,)


def _within(systems: Sequence[LinearSystem], progress: Progress) -> tuple[list[Vector], tuple[str, ...]]:
    """Decode intervals where chains do not: propagation and the nearest probabilities inside take turns.

    What propagation decides may be wrong and still fit, on real tables more often than it says; the
    probabilities nearest to the prior decide too little. The mean of both was right about more people than
    either, and sure of nobody wrongly.
    """
    inside = intervals.Intervals(systems)
    first = share = inside.nearest(inside.prior)
    for turn in range(AGAIN):
        told = _part_of(progress, turn / AGAIN)
        found, notes = propagate_together(inside.centred(share), progress=told)
        share = inside.nearest(inside.table(found))
    share = NEAREST_PRIOR * first + (1 - NEAREST_PRIOR) * share
    return inside.stated(share), (f"{notes[0]}, inside all intervals", *notes[1:])


def _part_of(progress: Progress, start: float) -> Progress:
    return lambda share, doing: progress(start + share / AGAIN, doing)


def propagate_together(
    systems: Sequence[LinearSystem], *, progress: Progress = silent
) -> tuple[list[Vector], tuple[str, ...]]:
    """The same by expectation propagation: where chains take too long or disagree, or noise is not known."""
    values = _Values(systems)
    with one_blas_thread():
        for round_ in range(ROUNDS):
            progress(round_ / ROUNDS, "posterior of all values together")
            change = values.step()
            if round_ == PATIENCE:
                early = [state.mean.copy() for state in values.states]
            if round_ >= PATIENCE:
                for state in values.states:
                    state.settle()
                if change < SETTLED or not any(state.open.any() for state in values.states):
                    break
    notes = values.states[0].notes(round_ + 1, change)
    return [tempered(first, state) for first, state in zip(early, values.states, strict=True)], notes


class _Values:
    """One state a value, and the unknowns that they are about, as columns of common tables."""

    def __init__(self, systems: Sequence[LinearSystem]) -> None:
        reduced = [system.free() for system in systems]
        kept = [v for v, (_, open_) in enumerate(reduced) if open_.size]
        self.states = [State(reduced[v][0]) for v in kept]
        self.places = [reduced[v][1] for v in kept]
        self.sizes = systems[0].sizes
        # what values that are known take of each unknown
        known = [np.where(system.least < system.most, 0, system.least) for system in systems]
        self.left = (self.sizes - np.sum(known, axis=0)).astype(np.float64)
        self.log_chance = np.stack([np.log(np.clip(systems[v].prior, EDGE, 1.0)) for v in kept])

    def step(self) -> float:
        """One round; returns the mean change of the open marginals."""
        shape = self.log_chance.shape
        odds = np.full(shape, -np.inf)
        mean, variance, fixed = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        said = []
        for v, (state, place) in enumerate(zip(self.states, self.places, strict=True)):
            fixed[v, place] = np.where(state.open, 0.0, state.mean)
            precision, centre = state.cavity() if state.open.any() else (np.zeros(0), np.zeros(0))
            said.append((precision, centre))
            at = place[state.open]
            odds[v, at] = self.log_chance[v, at] + precision * (centre - 0.5)
            if state.open.any():
                mean[v, at], variance[v, at] = state.whole(precision, centre)
        left = np.maximum(self.left - fixed.sum(axis=0), 0.0)
        mean, variance = self._one_value(odds, mean, variance, left)
        change, open_ = 0.0, 0
        for v, (state, place) in enumerate(zip(self.states, self.places, strict=True)):
            at = place[state.open]
            if at.size:
                moved = state.agree(mean[v, at], np.maximum(variance[v, at], 1 / MOST_PRECISION), *said[v])
                change, open_ = change + moved * at.size, open_ + at.size
        return change / max(open_, 1)

    def _one_value(self, odds: Table, mean: Table, variance: Table, left: Vector) -> tuple[Table, Table]:
        """Marginals of one person's value; sums of people who are not told apart stay as they are."""
        highest = odds.max(axis=0)
        weight = np.exp(odds - np.where(np.isfinite(highest), highest, 0.0))
        chance = weight / np.maximum(weight.sum(axis=0), 1e-300)
        one = self.sizes == 1
        return np.where(one, chance * left, mean), np.where(one, chance * (1 - chance), variance)


def seconds_together(systems: Sequence[LinearSystem], propagation: float) -> float:
    """Seconds of the posterior: chains, under noise beside propagation; or intervals and that in turns."""
    if len(systems) == 1:
        one = systems[0]
        looks = chains.rows_looked_at(chains.with_the_others(one)) / LOOKS if of_chains(one) else 0.0
        return looks if looks and one.sharp else propagation + looks
    looks = chains.rows_looked_at(systems) / LOOKS
    if not intervals.applies(systems):
        return propagation + looks
    if looks:
        return looks
    products = 2.0 * intervals.STEPS * sum(product_seconds(system.A) for system in systems)
    return AGAIN * propagation + (AGAIN + 1) * products
