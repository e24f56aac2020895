"""What releases spend, as people write it: epsilons that add up, a delta, a rho."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dalenius.errors import InputError
from dalenius.knowledge.correlation.files.people import LEAST_EPSILON, MOST_EPSILON

_EXAMPLE = "Give --epsilon 0.5, several times for several releases, or --target-nu 1."


@dataclass(frozen=True)
class Spent:
    """What all releases together spend on each person.

    Parameters
    ----------
    epsilon
        The sum of the epsilons; None if none was given.
    delta, rho
        Above 0 where the promise is not pure: then nu is infinite.
    releases
        How many there are.
    """

    epsilon: float | None
    delta: float | None
    rho: float | None
    releases: int

    @property
    def pure(self) -> bool:
        """Whether the promise limits the odds."""
        return self.delta is None and self.rho is None

    def __str__(self) -> str:
        if self.rho is not None:
            return f"rho = {self.rho:.4g}"
        said = f"epsilon = {self.epsilon:.4g}" if self.epsilon is not None else "each person's own epsilon"
        if self.releases > 1:
            said += f", the sum over {self.releases} releases"
        return said if self.delta is None else f"{said}, delta = {self.delta:.4g}"


def spend(epsilon: Sequence[float], *, delta: float | None = None, rho: float | None = None) -> Spent:
    """Add up what several releases about the same people spend.

    Raises
    ------
    InputError
        If a number is out of its range, or an epsilon stands beside a rho.

    Examples
    --------
    >>> str(spend([0.5, 0.3]))
    'epsilon = 0.8, the sum over 2 releases'
    """
    for value in epsilon:
        _check_range("--epsilon", value, "Use for example 0.5.")
    if delta is not None and not 0 < delta < 1:
        raise InputError(
            "--delta", "must lie strictly between 0 and 1", f"{delta:g}", "Leave it out for pure epsilon."
        )
    if rho is not None:
        _check_range("--rho", rho, "Use for example 0.1.")
    if rho is not None and (epsilon or delta is not None):
        raise InputError("--rho", "must stand alone", "an epsilon or a delta beside it")
    if delta is not None and not epsilon:
        raise InputError("--delta", "must come with --epsilon", "no epsilon", _EXAMPLE)
    total = math.fsum(epsilon) if epsilon else None
    if total is not None:
        _check_range("the sum of --epsilon", total, "")
    return Spent(total, delta, rho, len(epsilon))


def check_target(target: float | None) -> float | None:
    """Refuse a target that no release could meet.

    Examples
    --------
    >>> check_target(1.0)
    1.0
    """
    if target is not None:
        _check_range("--target-nu", target, "Use for example 1.")
    return target


def _check_range(name: str, value: float, fix: str) -> None:
    """Refuse numbers that are no epsilons: those that promise nothing, and those so small that none is."""
    rule = "must be above 0 and finite"
    if value > 0 and math.isfinite(value):
        if LEAST_EPSILON <= value <= MOST_EPSILON:
            return
        rule = f"must be from {LEAST_EPSILON:g} to {MOST_EPSILON:,.0f}"
    raise InputError(name, rule, f"{value:g}", fix)
