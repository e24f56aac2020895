"""What Gaussian noise promises people who agree as stated: less than to strangers, more than to a group."""

from __future__ import annotations

import numpy as np

from dalenius.inference.attack.bounds.changed_records import ChangedRecords, changed_records
from dalenius.inference.finding import RelatedRho
from dalenius.knowledge.correlation.network import Network
from dalenius.progress import Progress, silent
from dalenius.theory.privacy import (
    advantage_from_zcdp,
    epsilon_of_mixtures,
    group_rho,
    rho_of_epsilon,
)

DELTA = 1e-6
"""At which an epsilon is compared with that of a stranger."""


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
