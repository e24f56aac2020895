"""Promises that are not pure: nu is infinite, and what can be said instead."""

from __future__ import annotations

import numpy as np

from dalenius.errors import TooLargeError
from dalenius.inference.answers.privacy_loss import Spent
from dalenius.inference.answers.related_rho import related_rho
from dalenius.inference.attack.beliefs.beliefs import NoisySum
from dalenius.inference.attack.beliefs.shifts import simulate_shifts
from dalenius.inference.build import PromisedRelease, make_infinite_finding
from dalenius.inference.finding import RelatedFinding, Simulated
from dalenius.inference.priors.prior import describe
from dalenius.knowledge.correlation.network import Network
from dalenius.mechanisms.stages.noise import Gaussian
from dalenius.progress import Progress, silent, within
from dalenius.random import stream
from dalenius.theory.privacy import mu_from_epsilon_delta, rho_from_mu

DRAWS = 400
"""Releases that are simulated."""

MOST_PEOPLE = 20_000
"""People up to which a count with noise is worked out exactly."""


def without_limit(
    network: Network,
    spent: Spent,
    *,
    source: str,
    release: PromisedRelease | None = None,
    seed: int = 1,
    progress: Progress = silent,
) -> RelatedFinding:
    """Say that nothing limits the odds, what groups are promised, and how far a noisy count moves them.

    The count is that of everybody's 1s with Gaussian noise of just this promise. It stands for no other
    release, and the finding says so. Without a ``release`` it is about any with such a promise.
    """
    related = None
    if spent.rho is not None:
        related = related_rho(network, spent.rho, progress=within(progress, 0.0, 0.5))
    simulated, note = _simulate(network, spent, seed, within(progress, 0.5, 1.0))
    return make_infinite_finding(
        spent,
        release or PromisedRelease(source, f"any with {spent}"),
        describe(source, network),
        simulated=simulated,
        related=related,
        notes=(*network.notes, *note),
    )


def _simulate(
    network: Network, spent: Spent, seed: int, progress: Progress
) -> tuple[tuple[Simulated, ...], tuple[str, ...]]:
    counted = np.ones(len(network.model), np.bool_) if network.epsilon is None else network.epsilon != 0
    if not counted.any():
        return (), ()
    if network.least is not None or (network.standing is not None and not network.standing.as_stated):
        return (), ("No release was simulated: the stated prior was not fitted.",)
    if len(network.model) > MOST_PEOPLE:  # sums cost their square: known before looking at who is related
        return (), (f"No release was simulated: more than {MOST_PEOPLE:,} people.",)
    try:
        shifts = simulate_shifts(
            network.model,
            NoisySum(Gaussian(None, _rho(spent)), counted),
            rng=stream(seed, "simulated releases"),
            draws=DRAWS,
            progress=progress,
        )
    except TooLargeError:
        why = "so many linked people would take longer than a minute; simulate a part of the network alone"
        return (), (f"No release was simulated: {why}.",)
    found = shifts.anybody
    return tuple(
        Simulated(
            mechanism=shifts.mechanism,
            draws=shifts.draws,
            confidence=shifts.confidence,
            level=level,
            moved=float(found.value[at]),
            low=float(found.low[at]),
            high=float(found.high[at]) if np.isfinite(found.high[at]) else None,
            label=shifts.label,
        )
        for at, level in enumerate(shifts.levels)
    ), ()


def _rho(spent: Spent) -> float:
    """The Gaussian noise that has exactly this promise."""
    if spent.rho is not None:
        return spent.rho
    return rho_from_mu(mu_from_epsilon_delta(spent.epsilon or 0.0, spent.delta or 0.0))
