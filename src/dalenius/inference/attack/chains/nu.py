"""Nu of every moment of a chain: how far any mechanism with this epsilon moves the odds of its value.

Given a moment, what came before and what comes after are independent, so that nu is epsilon, and what the
future says at most, and what the past says at most. With two values that is the worst case: an event that
takes every moment's likelier value for evidence attains it. With more it is an upper bound, and an event that
was found attains a number below it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dalenius.errors import InputError, SolveError
from dalenius.inference.attack.chains.steps import step
from dalenius.knowledge.correlation.chain import Floats, MarkovChain
from dalenius.progress import Progress, silent

SETTLED = 1e-15
"""Relative change from which on further moments say nothing more."""

SAME = 1e-9
"""How far what an event attains may be from the bound for the bound to be called exact."""

FURTHEST = 1_000
"""Moments before and after whose answers make up the event that is looked for."""


@dataclass(frozen=True, eq=False)
class NuOverTime:
    """What each moment is really promised.

    Parameters
    ----------
    nu
        By moment: the worst case, or above it; 0 where only one value is possible and nothing can be learned.
    attained
        What an event of a private mechanism attains about the worst-off moment.
    exact
        Whether nu of the worst-off moment is the worst case.
    """

    nu: Floats
    attained: float
    exact: bool

    @property
    def worst(self) -> int:
        """The place of the worst-off moment."""
        return int(self.nu.argmax())


def nu_over_time(
    chain: MarkovChain, moments: int, epsilon: float, *, progress: Progress = silent
) -> NuOverTime:
    """Find nu of every moment of a chain, each released with the same epsilon.

    Raises
    ------
    InputError
        If no moment has two possible values.
    SolveError
        If an event attains more than the bound: then the bound is none.

    Examples
    --------
    >>> from dalenius.knowledge.correlation.chain import agreeing_chain
    >>> found = nu_over_time(agreeing_chain(0.8), 3, 0.5)
    >>> found.nu.round(6), found.exact
    (array([0.961951, 1.092092, 0.961951]), True)
    """
    told = moved(chain, moments, epsilon, progress=progress)
    nu = told.max(axis=(1, 2))
    worst = int(nu.argmax())
    progress(0.8, "an event that attains it")
    attained = _held(chain, told, worst, epsilon)
    _held(chain, told, moments // 2, epsilon)  # a fault may have moved the worst-off elsewhere
    return NuOverTime(nu, attained, len(chain) == 2 or attained >= nu[worst] - SAME)


def moved(chain: MarkovChain, moments: int, epsilon: float, *, progress: Progress = silent) -> Floats:
    """By how much the odds of any two values of each moment can be moved at most; 0 where one cannot be."""
    possible = np.array([each > 0 for each in shares(chain, moments)])
    possible = possible[np.minimum(np.arange(moments), len(possible) - 1)]
    if (possible.sum(axis=1) < 2).all():
        fix = "Nothing is left to learn: look at the transitions, or at --start."
        raise InputError("the chain", "must have a moment with two possible values", "none", fix)
    progress(0.0, "what the future says")
    future = _say([chain], moments, epsilon, backwards=False)
    progress(0.4, "what the past says")
    past = _say([chain], moments, epsilon, backwards=True)
    pairs = possible[:, :, None] & possible[:, None, :] & ~np.eye(len(chain), dtype=np.bool_)
    return np.where(pairs, _together(future, past, moments, epsilon)[:, 0], 0.0)


def _held(chain: MarkovChain, told: Floats, at: int, epsilon: float) -> float:
    """Hold a moment's nu against what events attain about it; return the most that they do."""
    nu, place = float(told[at].max()), (at, len(told))
    attained = max((_attained(chain, place, epsilon, pair) for pair in _worth_a_try(told[at])), default=0.0)
    if attained > nu * (1 + SAME) + SAME:
        raise SolveError(
            f"nu of a moment came out as {nu:.9g}, and an event attains {attained:.9g}. This is a fault of "
            "the method, not of the data: please report it."
        )
    return attained


def _worth_a_try(told: Floats) -> Iterator[tuple[int, int]]:
    """The pairs of values of which most is told, a few."""
    for place in np.argsort(-told, axis=None, kind="stable")[:2]:
        to, away = divmod(int(place), len(told))
        if told[to, away] > 0:
            yield to, away


def largest_nu(chains: list[MarkovChain], moments: int, epsilon: float) -> Floats:
    """Nu of the worst-off moment of several chains at once, all of whose values are possible at all times."""
    future, past = (_say(chains, moments, epsilon, backwards=backwards) for backwards in (False, True))
    return np.asarray(_together(future, past, moments, epsilon).max(axis=(0, 2, 3)), np.float64)


def _together(future: Floats, past: Floats, moments: int, epsilon: float) -> Floats:
    at = np.arange(moments)
    told = future[np.minimum(moments - 1 - at, len(future) - 1)] + past[np.minimum(at, len(past) - 1)]
    result: Floats = epsilon + told
    return result


def _say(chains: list[MarkovChain], moments: int, epsilon: float, *, backwards: bool) -> Floats:
    """What so many moments on one side say at most: 0, 1, 2, ... moments, until more say nothing more."""
    size = len(chains[0])
    apart = ~np.eye(size, dtype=np.bool_)
    told = np.zeros((len(chains), size, size))
    found = [told]
    rows = [_past(chain, moments) if backwards else _future(chain, moments) for chain in chains]
    for each in zip(*rows, strict=False):
        settled = all(same for _, same in each)
        with np.errstate(divide="ignore"):
            log_rows = np.log(np.stack([table for table, _ in each]))
        more = step(log_rows, np.where(apart, epsilon + told, 0.0))
        change = np.abs(more - told).max()
        told = more
        found.append(told)
        if settled and change <= SETTLED * max(1.0, float(told.max())):
            break
    return np.stack(found)


def _future(chain: MarkovChain, moments: int) -> Iterator[tuple[Floats, bool]]:
    for _ in range(moments - 1):
        yield chain.transition, True


def _past(chain: MarkovChain, moments: int) -> Iterator[tuple[Floats, bool]]:
    """How likely each value was a moment before, given the one that follows; does it stay like that?

    What cannot be is given any law: nothing that can be rests on it.
    """
    before: Floats | None = None
    for now in shares(chain, moments):
        if before is not None:
            yield _turned(chain, before, now), False
        before = now
    if before is None:
        return
    last = _turned(chain, before, before @ chain.transition)
    for _ in range(moments - 1):
        yield last, True


def _turned(chain: MarkovChain, before: Floats, now: Floats) -> Floats:
    weight = (before[:, None] * chain.transition).T
    total = weight.sum(axis=1, keepdims=True)
    result: Floats = np.divide(weight, total, out=np.full_like(weight, 1 / len(now)), where=total > 0)
    return result


def shares(chain: MarkovChain, moments: int) -> Iterator[Floats]:
    """How likely each value is at every moment, until that stays as it is."""
    now = chain.start
    yield now
    for _ in range(0 if chain.stationary else moments - 1):
        later = now @ chain.transition
        later /= later.sum()
        if np.abs(later - now).max() <= SETTLED:
            return
        now = later
        yield now


def _attained(chain: MarkovChain, place: tuple[int, int], epsilon: float, values: tuple[int, int]) -> float:
    """What an event attains that counts every other moment's answer as evidence for one value."""
    worst, moments = place
    after = [table for table, _ in _first(_future(chain, moments), min(moments - 1 - worst, FURTHEST))]
    before = [table for table, _ in _first(_past(chain, moments), worst)][::-1][:FURTHEST]
    sides = [_evidence(rows, epsilon, values) for rows in (after, before)]
    return epsilon + sum(sides)


def _first(rows: Iterator[tuple[Floats, bool]], count: int) -> list[tuple[Floats, bool]]:
    return [each for _, each in zip(range(count), rows, strict=False)]


def _evidence(rows: list[Floats], epsilon: float, values: tuple[int, int]) -> float:
    """Weigh each moment's values 1 or e^-epsilon, moment by moment, so that the odds move most."""
    size, away = len(rows[0]) if rows else 0, np.exp(-epsilon)
    weights = [np.ones(size) for _ in rows]
    for _ in range(3):
        said = [np.ones(size)]  # by moment from the last: what it and all after it make of each value
        for table, weight in zip(reversed(rows), reversed(weights), strict=True):
            said.append(_scaled(table @ (weight * said[-1])))
        reach = np.eye(size)[list(values)] if rows else np.empty((2, 0))
        for at, table in enumerate(rows):
            reach = _scaled(reach @ table)
            weights[at] = _telling(reach, said[len(rows) - 1 - at], away)
            reach = reach * weights[at]
    if not rows:
        return 0.0
    last = np.ones(size)
    for table, weight in zip(reversed(rows), reversed(weights), strict=True):
        last = _scaled(table @ (weight * last))
    return float(np.log(last[values[0]]) - np.log(last[values[1]]))


def _scaled(numbers: Floats) -> Floats:
    result: Floats = numbers / numbers.max()
    return result


def _telling(reach: Floats, said: Floats, away: float) -> Floats:
    """The weights of one moment that speak most for the first value against the second."""
    both = reach.sum(axis=0)
    share = np.divide(reach[0], both, out=np.full(len(both), -1.0), where=both > 0)
    order = np.argsort(-share, kind="stable")
    options = np.where(np.tri(len(order), dtype=np.bool_)[:, np.argsort(order)], 1.0, away)
    odds = (options @ (reach[0] * said)) / np.maximum(options @ (reach[1] * said), 1e-300)
    best: Floats = options[int(odds.argmax())]
    return best
