"""Many targets, one release: how many of the accusations to believe, and how false ones arrive together."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, nearest

Values = NDArray[np.float64]


def bonferroni(p: Values) -> Values:
    """Multiply by the number of targets: bounds the chance of any false accusation under any dependence."""
    return np.minimum(p * p.size, 1.0)


def holm(p: Values) -> Values:
    """Step down: as valid as Bonferroni, and never weaker."""
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def _discoveries(p: Values, method: Literal["bh", "by"]) -> Values:
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(p, method=method))


def benjamini_hochberg(p: Values) -> Values:
    """Bound the share of false accusations; needs positive dependence, as one shared release gives."""
    return _discoveries(p, "bh")


def benjamini_yekutieli(p: Values) -> Values:
    """Bound the same share whatever the dependence."""
    return _discoveries(p, "by")


METHODS: dict[str, Callable[[Values], Values]] = {
    "bh": benjamini_hochberg,
    "by": benjamini_yekutieli,
    "holm": holm,
    "bonferroni": bonferroni,
}


def q_values(p: Values, method: str = "bh") -> Values:
    """Adjust p-values for the number of targets.

    Examples
    --------
    >>> q_values(np.array([0.01, 0.5]), "bonferroni")
    array([0.02, 1.  ])
    """
    if method not in METHODS:
        raise InputError(f"method {method!r}", "must be a known one", method, nearest(method, METHODS))
    return METHODS[method](p) if p.size else p


def rejected(p: Values, level: float, method: str) -> NDArray[np.bool_]:
    """Return whom a method accuses at a level."""
    return q_values(p, method) <= level


def false_alarms_sd(targets: int, level: float, comparators: float) -> float:
    """Return the spread of the number of innocents accused when all are compared with the same references.

    Scores of two outsiders then have correlation ``1/(1 + comparators)``. Given the shared part of normal
    scores the rest is independent; its mean square is one integral over the shared part.

    Examples
    --------
    >>> round(false_alarms_sd(200, 0.05, 1), 1), round(false_alarms_sd(200, 0.05, math.inf), 2)
    (19.9, 3.08)
    """
    from scipy.special import ndtr, ndtri

    shared = 1 / (1 + comparators)
    nodes, weights = np.polynomial.hermite_e.hermegauss(201)
    given = ndtr((ndtri(level) + math.sqrt(shared) * nodes) / math.sqrt(1 - shared))
    both = float((weights * given**2).sum() / weights.sum())
    return math.sqrt(targets * level * (1 - level) + targets * (targets - 1) * max(both - level**2, 0.0))


def ranked_alarms_sd(targets: int, level: float, comparators: int) -> float:
    """Return the same spread for ranks among shared references: the share accused has a beta law.

    Examples
    --------
    >>> round(ranked_alarms_sd(200, 0.05, 99), 1)
    5.3
    """
    k = math.floor(level * (comparators + 1) + 1e-9)
    if k == 0:
        return 0.0
    mean = k / (comparators + 1)
    spread = mean * (1 - mean) / (comparators + 2)
    return math.sqrt(targets * (mean * (1 - mean) - spread) + targets**2 * spread)


def clumping(targets: int, level: float, comparators: float, *, ranked: bool = False) -> str:
    """Say how false accusations arrive together in this run."""
    independent = math.sqrt(targets * level * (1 - level))
    if ranked:
        spread = ranked_alarms_sd(targets, level, int(comparators))
        why = f"all are ranked among the same {comparators:,.0f} references"
    else:
        spread = false_alarms_sd(targets, level, comparators)
        why = f"all are compared with the same references (correlation {1 / (1 + comparators):.2g})"
    return (
        f"Of {targets:,} outsiders {targets * level:,.3g} are accused on average at {level:g}, with a "
        f"standard deviation of {spread:.3g} instead of {independent:.3g}, since {why}: "
        "false accusations come in clumps."
    )
