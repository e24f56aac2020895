"""Simulated people, what is published about them, and the product's attack on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, TooLargeError
from dalenius.findings.tally import Tally, count
from dalenius.knowledge.view import Knowledge, View
from dalenius.matrices.answers import Vector
from dalenius.mechanisms.stages.noise import Bounded
from dalenius.papers.experiment import SimulatedRow
from dalenius.papers.settings import Settings
from dalenius.papers.simulated.runs import each_run
from dalenius.people.schema import Column, Kind, Role, Roster
from dalenius.random import stream
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.referee.baseline import check_people
from dalenius.release.release import Block, Release
from dalenius.statistics.statistic import Statistic

Bits = NDArray[np.int32]
Trial = Callable[[np.random.Generator, np.random.Generator], Tally]
T = TypeVar("T")

SECRET = Column("secret", Role.SECRET, Kind.BINARY, ("0", "1"))

RANDOM, CONSTRUCTED = "random errors", "constructed errors"
"""The two kinds of errors that an attack meets; they name the streams they are drawn from."""

UNANNOUNCED = "unknown"
"""The mechanism as told to an attack that uses the answers alone, as the linear theorems do."""


def people(n: int) -> Roster:
    """Make people about whom nothing but the name is known.

    Examples
    --------
    >>> people(3).ids.tolist()
    ['0', '1', '2']
    """
    return Roster.of_names("person", np.arange(n).astype(np.str_))


def coins(n: int, rng: np.random.Generator) -> Bits:
    """Draw a fair secret bit for everybody."""
    return rng.integers(0, 2, n, np.int32)


def bounded(error: float) -> str:
    """Name the mechanism that is announced when every answer is off by at most ``error``.

    Examples
    --------
    >>> bounded(0.5), bounded(0)
    ('bounded:error=0.5', 'exact')
    """
    return str(Bounded(error)) if error > 0 else "exact"


def view_of(
    roster: Roster, statistic: Statistic, answers: Vector, mechanism: str, prior: Vector | None = None
) -> View:
    """Publish the answers; the attacker's prior is one half for everybody unless given."""
    release = Release("simulated", SECRET, (Block(statistic, ("1",), answers[:, None]),), mechanism)
    one = np.full(len(roster), 0.5) if prior is None else prior
    return View(release, Knowledge(roster, np.stack([1 - one, one], axis=1)))


def attack(view: View, decoder: str, rng: np.random.Generator) -> Guesses:
    """Run the product's reconstruction attack: what the decoder states, tried on no simulations."""
    return reconstruct(view, decoder=decoder, rng=rng, calibrated=False)


def wrong(claims: Guesses, roster: Roster, secret: Bits) -> Tally:
    """Count the people guessed wrong, as the referee does."""
    check_people(claims, roster.ids, secret)
    return count(claims.guess != secret)


def repeat(
    settings: Settings,
    name: str,
    trial: Callable[[np.random.Generator, np.random.Generator], T],
    done: tuple[float, float],
) -> tuple[T, ...]:
    """Run a trial as often as set; the world and the attack draw from separate streams.

    Parameters
    ----------
    name
        What is simulated: names the streams, so that no simulation moves another.
    trial
        Takes the world's and the attack's generator, and depends on them alone.
    done
        Share of all work that is done before and after.
    """
    seed, id = settings.seed, settings.id

    def one(number: int) -> T:
        return trial(*streams(seed, id, name, number))

    return each_run(settings, name, one, done)


def streams(seed: int, id: str, name: str, number: int) -> tuple[np.random.Generator, np.random.Generator]:
    """What the world and the attack draw from in one run of a simulation."""
    return stream(seed, id, name, number, "world"), stream(seed, id, name, number, "attack")


def once(settings: Settings, name: str, trial: Trial) -> tuple[Tally, ...]:
    """Run a trial whose outcome does not depend on chance a single time."""
    return repeat(replace(settings, runs=1), name, trial, (0.9, 1.0))


def baseline(settings: Settings, name: str, n: int) -> SimulatedRow:
    """Score the commoner value on the people of `name`: an oracle's guess that needs no release."""

    def majority(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        ones = int(coins(n, world).sum())
        return Tally(min(ones, n - ones), n)

    return SimulatedRow("no release: guess the commoner value", repeat(settings, name, majority, (1.0, 1.0)))


def members(n: int, m: int, rng: np.random.Generator, *, first_in_all: bool = False) -> NDArray[np.bool_]:
    """Draw uniform subsets that tell all people apart; if wished, with the first person in every one.

    Two people in the same subsets are one unknown to every attack, and what is known about each is lost.

    Examples
    --------
    >>> members(3, 5, np.random.default_rng(1), first_in_all=True)[:, 0].all()
    np.True_
    """
    for _ in range(100):
        drawn = rng.integers(0, 2, (m, n)).astype(np.bool_)
        drawn[:, 0] |= first_in_all
        if np.unique(drawn, axis=1).shape[1] == n:
            return drawn
    rule = f"must be large enough to tell {n} people apart"
    raise InputError("m", rule, str(m), f"Use for example {4 * n}.")


def refuse_above(what: str, size: float, limit: float, fix: str) -> None:
    """Refuse sizes that would not finish in a minute or two.

    Examples
    --------
    >>> refuse_above("n x runs", 2e6, 1e6, "Use fewer runs.")
    Traceback (most recent call last):
    ...
    dalenius.errors.TooLargeError: n x runs must be at most 1,000,000; got 2,000,000. Use fewer runs.
    """
    if size > limit:
        raise TooLargeError(what, f"must be at most {limit:,.0f}", f"{size:,.0f}", fix)
