"""What noise on printed amounts promises to everybody whose amount is in them.

It is computed for the numbers that are printed, as they are made: every one in which somebody is counts. It
holds for amounts only. Who is in which group is public, and counts of people are printed as they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dalenius.matrices.answers import Sensitivity
from dalenius.mechanisms.base import SEEDED, Promise
from dalenius.mechanisms.chain import Mechanism
from dalenius.theory.privacy import compose_epsilon, compose_rho, one_amount_moves

Floats = NDArray[np.float64]

LARGE = 1000
"""Privacy parameters from which on digits after the point say nothing."""


@dataclass(frozen=True)
class AmountPromise:
    """What noise promises about one amount of one person, whoever the others are and whatever they have.

    Parameters
    ----------
    promise
        The promise for two amounts that are ``apart`` at most, all else equal.
    about, apart
        Which amounts in words, and how far.
    whole
        Whether no two amounts can be further apart: then it holds against every attack.
    numbers
        How many of the numbers somebody is in.
    """

    promise: Promise
    about: str
    apart: float
    whole: bool
    numbers: int


def promise_of_noise(
    chain: Mechanism,
    printed: Sequence[tuple[NDArray[np.intp], float | Floats]],
    people: int,
    known: tuple[float, float],
    apart: float | None = None,
) -> AmountPromise | None:
    """Return what noise promises, or None if nothing.

    Parameters
    ----------
    chain
        What is done to the numbers.
    printed
        Of every number that is printed of amounts, who is in it, and by how much it moves when one amount in
        it moves by one (`amount_slope`). Counts of people are left out.
    people
        How many are on the list.
    known
        Between which ends everybody knows amounts to lie.
    apart
        How far apart two amounts are that the promise is about; by default any two that there can be.

    Examples
    --------
    >>> from dalenius.mechanisms.parse import parse_mechanism
    >>> chain = parse_mechanism("gaussian:sigma=200", "amounts")
    >>> town, everybody = np.array([0, 1]), np.array([0, 1, 2])
    >>> said = promise_of_noise(chain, [(town, 1.0), (everybody, 1.0)], 3, (0.0, 100.0))
    >>> round(said.promise.rho, 9), said.numbers, said.whole
    (0.25, 2, True)
    """
    span = known[1] - known[0]
    distance = span if apart is None else min(apart, span)
    if not printed or not math.isfinite(distance):
        return None
    sums, squares, numbers = one_amount_moves(people, printed)
    if not math.isfinite(squares):
        return None
    promise = chain.promise(Sensitivity(distance * sums, distance**2 * squares))
    if promise is None:
        return None
    whole = distance >= span
    ends = (f"{end:,.10g}" for end in known)
    about = f"any amount from {' to '.join(ends)}" if whole else f"amounts up to {distance:,.10g} apart"
    return AmountPromise(_said(promise.epsilon, promise.rho, about), about, distance, whole, numbers)


def promised_by_all(promises: Sequence[AmountPromise | None]) -> AmountPromise | None:
    """Return what several releases of one amount promise together; None if one of them promises nothing.

    Rho and epsilon add up where they are about the same distance.

    Examples
    --------
    >>> one = AmountPromise(Promise(None, 0.25, "some promise"), "any amount", 100.0, True, 2)
    >>> both = promised_by_all([one, one])
    >>> both.promise.rho, both.numbers, promised_by_all([one, None])
    (0.5, 4, None)
    """
    made = [each for each in promises if each is not None]
    if not made or len(made) < len(promises) or len({each.about for each in made}) > 1:
        return None
    rhos, pure = _all([each.promise.rho for each in made]), _all([each.promise.epsilon for each in made])
    if not rhos and not pure:
        return None
    rho, epsilon = compose_rho(rhos) if rhos else None, compose_epsilon(pure) if pure else None
    numbers = sum(each.numbers for each in made)
    return replace(made[0], promise=_said(epsilon, rho, made[0].about), numbers=numbers)


def _all(numbers: Sequence[float | None]) -> list[float]:
    """All of them, or nothing if one is missing."""
    given = [number for number in numbers if number is not None]
    return given if len(given) == len(numbers) else []


def _said(epsilon: float | None, rho: float | None, about: str) -> Promise:
    return Promise(epsilon, rho, " and ".join(_kinds(epsilon, rho, about))).resting_on(SEEDED)


def _kinds(epsilon: float | None, rho: float | None, about: str) -> Iterator[str]:
    if rho is not None:
        yield f"zero-concentrated differential privacy of {about} with rho = {_number(rho)}"
    if epsilon is not None:
        yield f"differential privacy of {about} with epsilon = {_number(epsilon)}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= LARGE else f"{value:.4g}"
