"""What everybody may know about a desk: what is counted, how answers are protected, how much may be asked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.predicate import Predicate, columns_of
from dalenius.errors import InputError
from dalenius.matrices.answers import Sensitivity
from dalenius.mechanisms.base import SEEDED, Promise, open_levels
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.schema import Column
from dalenius.release.release import Block, Release
from dalenius.statistics.counts.queries import ConditionCounts

Answers = NDArray[np.float64]

SLACK = 1e-9
"""By how much of itself a budget may be overdrawn, for the rounding of floating point."""


@dataclass(frozen=True)
class Budget:
    """How much may be asked; ``None`` sets no limit.

    Parameters
    ----------
    queries
        Number of questions.
    rho, epsilon
        What the noise of all answers together may cost in zero-concentrated and in pure differential privacy.
    """

    queries: int | None = None
    rho: float | None = None
    epsilon: float | None = None

    def __post_init__(self) -> None:
        for name, limit in (("queries", self.queries), ("rho", self.rho), ("epsilon", self.epsilon)):
            if limit is not None and not limit > 0:
                raise InputError(
                    f"budget {name}", "must be above 0", str(limit), "Leave it out for no limit."
                )


@dataclass(frozen=True)
class Terms:
    """What everybody may know about a desk.

    Parameters
    ----------
    secret
        The column that is counted, with the values it can take. Of two values only the second is counted.
    columns
        The public columns that conditions may speak of.
    mechanism
        What is said to be done to each answer; ``unknown`` if nothing is said.
    budget
        How much may be asked.
    smallest
        A question about fewer people than this gets no answer.
    seeded
        Whether its noise can be drawn again by whoever has the seed and the data.
    """

    secret: Column
    columns: tuple[Column, ...]
    mechanism: str = "unknown"
    budget: Budget = field(default_factory=Budget)
    smallest: int = 0
    seeded: bool = False

    @property
    def values(self) -> tuple[str, ...]:
        """The values of the secret that are counted."""
        levels = self.secret.levels
        return levels[1:] if len(levels) == 2 else levels

    def promise(self, queries: int) -> Promise | None:
        """What so many answers promise together, or None if nothing."""
        if queries == 0:
            return None
        changed = float(queries * min(2, len(self.values)))
        promise = parse_mechanism(self.mechanism).promise(Sensitivity(changed, changed))
        if promise is None:
            return None
        given = open_levels((self.secret, *self.columns))
        return promise.resting_on(*given, *((SEEDED,) if self.seeded else ()))

    def transcript(self, predicates: Sequence[Predicate], answers: Answers) -> Release:
        """Write questions and answers down as a release."""
        names = tuple(f"question {j}" for j in range(len(predicates)))
        used = frozenset[str]().union(*(columns_of(predicate) for predicate in predicates))
        columns = tuple(column for column in self.columns if column.name in used)
        block = Block(ConditionCounts(columns, tuple(predicates), names), self.values, answers)
        promise = self.promise(len(predicates))
        return Release("transcript", self.secret, (block,), self.mechanism, promise, self.seeded)


def most_queries(terms: Terms) -> int | None:
    """Return how many questions a budget pays, or None if it sets no limit.

    Examples
    --------
    >>> from dalenius.people.schema import Kind, Role
    >>> ill = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))
    >>> most_queries(Terms(ill, (), "gaussian:sigma=5", Budget(rho=0.1)))
    5
    """
    limits = [terms.budget.queries] if terms.budget.queries is not None else []
    one = terms.promise(1)
    for name in ("rho", "epsilon"):
        limit = getattr(terms.budget, name)
        if limit is None:
            continue
        price = None if one is None else getattr(one, name)
        if price is None:
            raise InputError(
                f"budget {name}",
                "needs a mechanism whose noise is paid for in it",
                terms.mechanism,
                "Use gaussian for rho, laplace or geometric for epsilon, or limit the number of queries.",
            )
        limits.append(math.floor(limit / price * (1 + SLACK)))
    return min(limits, default=None)
