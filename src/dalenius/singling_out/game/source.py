"""Where the people of a game come from, as an attack and the statistics see it."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from dalenius.conditions.predicate import Predicate
from dalenius.errors import InputError
from dalenius.people.sealed import SealedRows
from dalenius.singling_out.attack.isolating import WeightBound
from dalenius.theory.isolation import isolation


class DataSource(Protocol):
    """Draws data of n rows, and knows the whole they are from."""

    @property
    def text(self) -> str:
        """What it is, in a few words."""
        ...

    @property
    def error(self) -> float:
        """How often a weight may be larger than said."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that tell rows apart."""
        ...

    @property
    def least(self) -> float:
        """The smallest weight that a condition somebody meets can be shown to have."""
        ...

    def draw(self, n: int, rng: np.random.Generator) -> SealedRows:
        """Draw data: whoever attacks sees what is released of them."""
        ...

    def weigh(self, predicate: Predicate) -> WeightBound:
        """Say how large a share of all people meets a condition at most."""
        ...

    def baseline(self, n: int, weight: float) -> float:
        """Return how often luck isolates somebody with conditions of at most this weight."""
        ...

    def swapped(self, n: int, weight: float) -> float:
        """Return how often a row drawn anew beside n - 1 others meets a condition of this weight."""
        ...

    def warnings(self, n: int) -> tuple[str, ...]:
        """Return what n rows of it cannot tell."""
        ...


def check_limit(n: int, weight: float) -> float:
    """Return a weight limit of the low regime, or refuse it.

    Examples
    --------
    >>> check_limit(100, 0.5)
    Traceback (most recent call last):
    ...
    dalenius.errors.InputError: weight limit must be above 0 and at most 1/n = 0.01; got 0.5. Heavier ...
    """
    if not 0 < weight <= 1 / n * (1 + 1e-12):
        fix = "Heavier conditions isolate somebody by luck; use for example 0.01/n."
        raise InputError("weight limit", f"must be above 0 and at most 1/n = {1 / n:g}", f"{weight:g}", fix)
    return weight


class Independent:
    """What holds for rows drawn one by one from the same law."""

    error = 0.0
    least = 0.0

    def baseline(self, n: int, weight: float) -> float:
        """Return ``B(n, w)``, at least what any realisable weight up to w gives."""
        return isolation(n, check_limit(n, weight))

    def swapped(self, n: int, weight: float) -> float:
        """Return the weight: the other rows say nothing about a new one."""
        return weight

    def warnings(self, n: int) -> tuple[str, ...]:
        """Nothing: a model has no end."""
        return ()
