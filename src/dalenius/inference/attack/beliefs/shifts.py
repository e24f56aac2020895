"""How far a release usually moves beliefs: the change of log-odds over simulated databases and outputs.

For noise without a pure epsilon, such as Gaussian noise, nu is infinite: outputs far out move beliefs without
limit, only rarely. What can be said then is how often they move how far, for this mechanism and this prior.
That is not a guarantee, and every result says so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalenius.errors import InputError, TooLargeError
from dalenius.inference.attack.beliefs.beliefs import NoisySum, ReadableMechanism
from dalenius.inference.attack.beliefs.solver import solver
from dalenius.inference.attack.beliefs.totals import least_terms, totals
from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.people.schema import Ids
from dalenius.progress import Progress, silent
from dalenius.shown import hides_people

LEVELS = (0.5, 0.9, 0.99)

MOST_SIMULATED = 2e9
"""Terms of all draws together that take about a minute."""

LABEL = "Simulated for this mechanism and this prior; not a guarantee."


@dataclass(frozen=True)
class Quantiles:
    """Quantiles by level (and person), with confidence limits that assume nothing about the law.

    Each limit holds by itself; the upper one is infinite where the draws are too few to give one.
    """

    value: Floats
    low: Floats
    high: Floats


@hides_people()
@dataclass(frozen=True)
class Shifts:
    """Quantiles of the absolute change of everybody's log-odds, over databases and outputs.

    Parameters
    ----------
    id_name, ids
        The people.
    levels
        Which quantiles.
    everybody
        By level and person.
    anybody
        By level: of the largest change among all people of a draw.
    draws, confidence
        How many were simulated, and how often limits made this way hold.
    mechanism, label
        What was simulated, and what it is not.
    """

    id_name: str
    ids: Ids
    levels: tuple[float, ...]
    everybody: Quantiles
    anybody: Quantiles
    draws: int
    confidence: float
    mechanism: str
    label: str = LABEL


def simulate_shifts(
    model: CorrelationModel,
    mechanism: ReadableMechanism,
    *,
    rng: np.random.Generator,
    draws: int = 1000,
    levels: tuple[float, ...] = LEVELS,
    confidence: float = 0.95,
    progress: Progress = silent,
) -> Shifts:
    """Draw databases from the prior and outputs from the mechanism, and see how far beliefs move.

    Parameters
    ----------
    mechanism
        `beliefs.RandomisedResponse` or `beliefs.NoisySum`.
    levels
        Which quantiles of the change.

    Raises
    ------
    InputError
        If there are no draws, or a level or the confidence is not strictly between 0 and 1.
    TooLargeError
        If it would take too long; says how long.

    Examples
    --------
    >>> from dalenius.inference.attack.beliefs.beliefs import RandomisedResponse
    >>> alone = CorrelationModel("id", np.array(["a"]), np.empty((0, 2), np.int64), np.empty(0), np.zeros(1))
    >>> coin = RandomisedResponse(np.array([0.5]))
    >>> simulate_shifts(alone, coin, rng=np.random.default_rng(1), draws=200).anybody.value
    array([0.5, 0.5, 0.5])
    """
    _check(draws, (*levels, confidence))
    counted = mechanism.counted if isinstance(mechanism, NoisySum) else np.zeros(len(model), np.bool_)
    _refuse_long(least_terms(int(counted.sum())), draws, least=True)
    sums = totals(model, counted)
    _refuse_long(sum(step.terms for step in sums.steps), draws)
    read = mechanism.read(sums) if isinstance(mechanism, NoisySum) else mechanism.reader(model)
    before, moved = solver(model)(model.field), np.empty((draws, len(model)))
    for draw, bits in enumerate(sums.draw(draws, rng=rng)):
        progress(draw / draws, "simulating releases")
        moved[draw] = np.abs(read(mechanism.publish(bits, rng=rng)) - before)
    everybody = _quantiles(moved, levels, confidence)
    anybody = _quantiles(moved.max(axis=1), levels, confidence)
    return Shifts(model.id_name, model.ids, levels, everybody, anybody, draws, confidence, str(mechanism))


def _check(draws: int, shares: tuple[float, ...]) -> None:
    if draws < 1:
        raise InputError("draws", "must be 1 or more", str(draws), "Use for example 1000.")
    for share in shares:
        if not 0 < share < 1:
            raise InputError("levels and confidence", "must lie strictly between 0 and 1", f"{share:g}")


def _refuse_long(once: float, draws: int, *, least: bool = False) -> None:
    """Refuse draws of so many terms each; of at least so many, where only that is known yet."""
    terms = draws * once
    if terms > MOST_SIMULATED:
        most = int(draws * MOST_SIMULATED / terms)
        raise TooLargeError(
            "draws",
            f"must take at most {MOST_SIMULATED:.0e} terms",
            f"{'at least ' if least else ''}{terms:.1e} for {draws:,} draws",
            f"In Python, draws={most:,} or fewer would do." if most else "Ask about fewer people.",
        )


def _quantiles(moved: Floats, levels: tuple[float, ...], confidence: float) -> Quantiles:
    """Quantiles over the draws, with limits from order statistics: how many lie below is binomial."""
    from scipy.special import bdtr

    draws, tail = len(moved), (1 - confidence) / 2
    least, most = np.zeros_like(moved[:1]), np.full_like(moved[:1], np.inf)
    ordered = np.concatenate([least, np.sort(moved, axis=0), most])
    at, low, high = [], [], []
    for level in levels:
        fewer = np.r_[0.0, bdtr(np.arange(draws), draws, level), 1.0]  # by rank, that fewer lie below
        at.append(int(np.ceil(level * draws)))
        low.append(int(np.flatnonzero(fewer <= tail)[-1]))
        high.append(int(np.flatnonzero(fewer >= 1 - tail)[0]))
    return Quantiles(ordered[at], ordered[low], ordered[high])
