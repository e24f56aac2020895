"""Probabilities that come true: how often a decoder is right is learnt on releases about made-up secrets.

Decoders approximate, and each errs in its own way: propagation is too sure of small cells under noise, the
mean of two decoders too unsure under rounding. An attacker need not know why. He draws secrets from what he
held likely before the release (`simulate`), publishes about them in the same way, decodes that in the same
way, and sees how often a stated probability comes true (a parametric bootstrap, Efron and Tibshirani 1993,
chapter 6). What he states of the release itself is moved by as much (`shift`). Guesses stay what they are,
and so does everybody who follows by arithmetic. What cannot be seen so is a prior that is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import DaleniusError, UnsupportedError
from dalenius.knowledge.view import View
from dalenius.progress import Progress
from dalenius.reconstruction.attack.cost import ComputeBudget, say_seconds
from dalenius.reconstruction.attack.guesses import Guesses

if TYPE_CHECKING:
    from dalenius.reconstruction.attack.simulated import Shift


ENOUGH = 1_000
"""People with a stated probability from whom a shift is learnt; more would not move it much."""

MOST_TIMES = 3
"""Releases simulated at the most."""

QUICK = 2.0
"""Predicted seconds that simulations may always take; beyond, as long as the attack itself."""


@dataclass(frozen=True)
class StatedClaims:
    """What an attack states before it was tried.

    Parameters
    ----------
    claims
        Its guesses.
    estimated
        Whose probabilities are a decoder's estimate: neither arithmetic nor a count of all that fits.
    seconds
        What the attack took at fixed rates, predicted or counted.
    """

    claims: Guesses
    estimated: NDArray[np.bool_]
    seconds: float


def calibrate(
    view: View,
    first: StatedClaims,
    attack: Callable[[View, np.random.Generator], StatedClaims],
    *,
    budget: ComputeBudget,
    rng: np.random.Generator,
    progress: Progress,
) -> Guesses:
    """Return the claims with probabilities as they come true on simulated releases.

    Parameters
    ----------
    view, first
        The release, and what an attack states of it.
    attack
        The same attack, to be tried on other views.
    budget
        If attacking twice would not fit, nothing is tried, and the notes say so.
    rng
        Draws the secrets, their releases and what the attack draws.
    progress
        Told how far the work is.
    """
    people = int(first.estimated.sum())
    if not people:
        return first.claims
    if 2 * first.seconds > budget.seconds:
        took = say_seconds(first.seconds)
        return _noted(first.claims, f"probabilities not calibrated: a simulated release takes {took}")
    times = _how_often(people, first.seconds)
    words = "releases simulated, to see which probabilities come true"
    predicted = f"(predicted {say_seconds(times * first.seconds)})"

    def told(done: int) -> None:
        progress(done / times, f"{done} of {times} {words} {predicted}")

    from dalenius.reconstruction.attack.simulated import fit_shift

    try:
        stated, right, done = _try_out(view, attack, times, rng, told)
    except UnsupportedError as error:
        return _noted(first.claims, f"probabilities not calibrated: {error}")
    shift = fit_shift(stated, right, len(first.claims.levels))
    probability = shift.applied(first.claims.probability, first.estimated)
    made = "a simulated release" if done == 1 else f"{done} simulated releases"
    note = f"probabilities calibrated on {made} ({stated.size:,} guesses)"
    return _noted(replace(first.claims, probability=probability, shift=shift), note)


def calibrated_before(first: StatedClaims, shift: Shift) -> Guesses:
    """Return the claims with probabilities moved as was learnt about such a release before."""
    probability = shift.applied(first.claims.probability, first.estimated)
    moved = replace(first.claims, probability=probability, shift=shift)
    return _noted(moved, "probabilities calibrated as those of the whole release")


def _how_often(people: int, seconds: float) -> int:
    """How many releases to simulate: until enough people are estimated, and no longer than is modest."""
    affordable = max(1, int(max(QUICK, seconds) / max(seconds, 1e-3)))
    return min(ceil(ENOUGH / people), affordable, MOST_TIMES)


def _try_out(
    view: View,
    attack: Callable[[View, np.random.Generator], StatedClaims],
    times: int,
    rng: np.random.Generator,
    told: Callable[[int], None],
) -> tuple[NDArray[np.float64], NDArray[np.bool_], int]:
    """What is stated of simulated releases, whether it is right, and of how many releases."""
    from dalenius.reconstruction.attack.simulated import assumed_prior, draw_secrets, publish_about

    prior = assumed_prior(view)
    stated, right, done = [np.zeros(0)], [np.zeros(0, np.bool_)], 0
    for time in range(times):
        told(time)
        secrets = draw_secrets(prior, rng)
        made = publish_about(view, secrets, rng)
        try:
            got = attack(made, rng)
        except DaleniusError:
            continue  # secrets of which such a release says nothing, or that a solver gave up on
        stated.append(got.claims.confidence[got.estimated])
        right.append((got.claims.guess == secrets)[got.estimated])
        done += 1
    return np.concatenate(stated), np.concatenate(right), done


def _noted(claims: Guesses, note: str) -> Guesses:
    return replace(claims, notes=(*claims.notes, note))
