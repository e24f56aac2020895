"""What noise on amounts promises, as a bound and in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from dalenius.amounts.words import close
from dalenius.findings.measure import Bound
from dalenius.findings.policy import points
from dalenius.mechanisms.amounts import AmountPromise
from dalenius.release.amounts import AmountRelease
from dalenius.theory.privacy import closer_from_epsilon, closer_from_mu, mu_from_rho

BY_RHO = "Neyman-Pearson for Gaussian noise"
BY_EPSILON = "total variation under pure differential privacy"

SAYS_NOTHING = 0.9995
"""A bound that is told as 100.0 points: anybody may come close by the promise alone."""


def closer(found: AmountPromise) -> tuple[float, str]:
    """By how much more often anybody comes close whom the promise is about, and by which theorem."""
    limits = []
    if found.promise.rho is not None:
        limits.append((closer_from_mu(mu_from_rho(found.promise.rho)), BY_RHO))
    if found.promise.epsilon is not None:
        limits.append((closer_from_epsilon(found.promise.epsilon), BY_EPSILON))
    return min(limits)


def bound_of(release: AmountRelease, within: float) -> Bound | None:
    """Return by how much any attack comes close more often; None where the promise is not about all amounts.

    What an attack knows of everybody else does not matter; see `closer_from_mu` for what it is held against.
    """
    found = release.promise
    if found is None or not found.whole:
        return None
    value, statement = closer(found)
    if value > SAYS_NOTHING:
        return None
    return Bound(
        statement=statement,
        text=f"Under {found.promise.text} no attack, whatever it knows of everybody else, comes "
        f"{close(within)} of somebody's {release.amount} more often by more than {points(value)} points than "
        "if the middle of that range stood in its place.",
        kind="advantage-at-most",
        value=value,
    )


def promise_facts(release: AmountRelease, within: float) -> Iterator[str]:
    """Say what is promised, against whom, and what was paid for."""
    found = release.promise
    if found is None:
        return
    yield f"Promised: {found.promise.said}."
    value, statement = closer(found)
    bound = bound_of(release, within)
    if value > SAYS_NOTHING:
        yield "With so little noise that keeps nobody from coming close: the promise limits no attack."
    elif bound is not None:
        yield bound.text
    else:
        yield (
            f"Whoever knows beforehand two ends, up to {found.apart:,.10g} apart, between which somebody's "
            f"{release.amount} lies comes {close(within)} of it more often by at most {points(value)} points "
            f"({statement}). Against whoever knows less nothing is promised: that takes most = ..., an "
            "amount that nobody exceeds, as everybody knows without these data."
        )
    yield f"Somebody's {release.amount} is in {found.numbers:,} of these numbers at most: all are paid for."


def promise_assumed(release: AmountRelease) -> tuple[str, ...]:
    """Say what a promise takes for granted; nothing where there is none."""
    if release.promise is None:
        return ()
    return (
        f"The promise is about {release.amount} alone: who is in which group is public, so that counts of "
        "people and what is hidden for its size tell nothing of it. Noise is drawn anew for each number. "
        "What else is published from the same amounts is not in it.",
    )
