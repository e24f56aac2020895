"""Promises that are not pure: nu is infinite, and what can be said instead.

Of Gaussian noise that is what it promises people who agree as stated: less than to strangers, more than to a
group.
"""

from __future__ import annotations

import numpy as np

from dalenius.errors import TooLargeError
from dalenius.inference.answers.privacy_loss import Spent
from dalenius.inference.attack.beliefs.beliefs import NoisySum
from dalenius.inference.attack.beliefs.shifts import simulate_shifts
from dalenius.inference.attack.bounds.changed_records import ChangedRecords, changed_records
from dalenius.inference.build import PromisedRelease, make_infinite_finding
from dalenius.inference.finding import RelatedFinding, RelatedRho, Simulated
from dalenius.inference.priors.prior import describe
from dalenius.knowledge.correlation.network import Network
from dalenius.mechanisms.stages.noise import Gaussian
from dalenius.progress import Progress, silent, within
from dalenius.random import stream
from dalenius.theory.privacy import (
    advantage_from_zcdp,
    epsilon_of_mixtures,
    group_rho,
    mu_from_epsilon_delta,
    rho_from_mu,
    rho_of_epsilon,
)

DRAWS = 400
"""Releases that are simulated."""

MOST_PEOPLE = 20_000
"""People up to which a count with noise is worked out exactly."""

DELTA = 1e-6
"""At which an epsilon is compared with that of a stranger."""


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


def related_rho(network: Network, rho: float, *, progress: Progress = silent) -> RelatedRho | None:
    """Say what rho is worth to related people; None where the stated prior is not in use, or of too many."""
    if network.standing is None or not network.standing.as_stated:
        return None
    present = np.ones(len(network.model), np.bool_) if network.epsilon is None else network.epsilon != 0
    changed = changed_records(network.model, present, progress=progress)
    if changed is None:
        return None
    worst, median = (_worth(rho, changed, share) for share in (1.0, 0.5))
    return RelatedRho(
        delta=DELTA,
        epsilon=epsilon_of_mixtures(rho, changed.law, DELTA) if worst < _largest(rho, changed) else None,
        worst=worst,
        median=median,
        mean_square=float(changed.mean_square.max()),
        advantage=_advantage(rho, changed),
        by_group=int(changed.by_group.sum()),
    )


def _largest(rho: float, changed: ChangedRecords) -> float:
    return group_rho(rho, max(int(changed.group.max()), 1))


def _worth(rho: float, changed: ChangedRecords, share: float) -> float:
    """The rho of a stranger with the same epsilon; never more than that of the largest group."""
    found = rho_of_epsilon(epsilon_of_mixtures(rho, changed.law, DELTA, share), DELTA)
    return min(found, _largest(rho, changed))


def _advantage(rho: float, changed: ChangedRecords) -> float:
    """By how much any attack beats guessing about the worst-off person's fair coin, on average over D."""
    most = changed.law.shape[1] - 2
    gains = np.array([0.0, *(advantage_from_zcdp(group_rho(rho, k)) for k in range(1, most + 1)), 0.5])
    return float((changed.law @ gains).max())
