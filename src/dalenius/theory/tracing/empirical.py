"""What an attack that was run proves about a mechanism: lower bounds of its privacy parameters.

An attack on n_in releases with a person and n_out releases with somebody else in their place accuses so
and so often. With confidence, its true rates are beyond the ends of exact intervals, and differential
privacy forbids certain pairs of rates; so a small epsilon is refuted. Valid if there is **one verdict a
release** (many targets of one release are not independent trials), the threshold was fixed beforehand,
and the two worlds differ in one record. Random data and targets are fine: the inequalities survive
averaging.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import betaincinv, ndtri

from dalenius.errors import InputError
from dalenius.theory import _check


@dataclass(frozen=True)
class PrivacyLowerBound:
    """What the trials refute.

    Attributes
    ----------
    tpr_low, fpr_high
        Ends of the one-sided intervals of the two rates (Clopper and Pearson), which hold together.
    epsilon
        The mechanism is not (epsilon', delta)-private for any epsilon' below.
    mu, rho
        The same for a mechanism that claims Gaussian noise.
    ceiling
        The epsilon that as many trials without a single mistake would have proven: an epsilon near it
        measures the trials, not the mechanism.
    confidence
        Of all this.
    """

    tpr_low: float
    fpr_high: float
    epsilon: float
    mu: float
    rho: float
    ceiling: float
    confidence: float


def privacy_lower_bound(
    true_alarms: int,
    members: int,
    false_alarms: int,
    outsiders: int,
    *,
    delta: float = 0.0,
    confidence: float = 0.95,
) -> PrivacyLowerBound:
    """Bound epsilon, mu and rho from below by the verdicts of an attack.

    `eps = max(0, ln((tpr - delta)/fpr), ln((1 - fpr - delta)/(1 - tpr)))` and
    `mu = max(0, Phi^-1(tpr) - Phi^-1(fpr))`, at the pessimistic ends of both intervals: the converse of
    `privacy.power_from_epsilon` and `privacy.power_from_mu`.

    Parameters
    ----------
    true_alarms, members
        Accusations among releases with the person, and how many there were.
    false_alarms, outsiders
        The same without the person.
    delta
        Of the promise that is tested.
    confidence
        With which the bounds hold.

    Examples
    --------
    >>> found = privacy_lower_bound(900, 1000, 50, 1000)
    >>> round(found.epsilon, 6), round(found.rho, 6), round(found.ceiling, 6)
    (2.599218, 3.603479, 5.600588)
    """
    confidence = _check.open_unit("confidence", confidence)
    members, outsiders = _check.count("members", members), _check.count("outsiders", outsiders)
    hits = _at_most("true_alarms", true_alarms, members)
    alarms = _at_most("false_alarms", false_alarms, outsiders)
    delta = _check.closed_unit("delta", delta)
    tail = (1 - confidence) / 2
    low, high = _low(hits, members, tail), _high(alarms, outsiders, tail)
    mu = max(0.0, float(ndtri(low) - ndtri(high))) if low > 0 and high < 1 else 0.0
    perfect = _low(members, members, tail), _high(0, outsiders, tail)
    return PrivacyLowerBound(
        low, high, _epsilon(low, high, delta), mu, mu**2 / 2, _epsilon(*perfect, delta), confidence
    )


def _epsilon(tpr: float, fpr: float, delta: float) -> float:
    accusing, clearing = tpr - delta, 1 - fpr - delta
    found = [0.0]
    if accusing > 0:
        found.append(math.log(accusing / fpr))
    if clearing > 0:
        found.append(math.log(clearing / (1 - tpr)))
    return max(found)


def _low(hits: int, trials: int, tail: float) -> float:
    return float(betaincinv(hits, trials - hits + 1, tail)) if hits else 0.0


def _high(hits: int, trials: int, tail: float) -> float:
    return float(betaincinv(hits + 1, trials - hits, 1 - tail)) if hits < trials else 1.0


def _at_most(name: str, value: int, most: int) -> int:
    value = _check.count(name, value, at_least=0)
    if value > most:
        raise InputError(name, f"must be at most {most}, the trials", repr(value), "Count verdicts once.")
    return value
