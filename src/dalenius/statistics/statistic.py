"""The joints between what is asked and everything that reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dalenius.matrices.counts import Sensitivity
from dalenius.matrices.linear_form import LinearForm
from dalenius.matrices.operators import Operator
from dalenius.people.roster import Roster

if TYPE_CHECKING:
    from dalenius.conditions.predicate import Predicate


class Statistic(Protocol):
    """A list of questions with a number for an answer; adding a kind of release is writing one more."""

    @property
    def kind(self) -> str:
        """The word for it in a plan and in a release."""
        ...

    @property
    def rows(self) -> int:
        """How many questions there are."""
        ...

    def labels(self) -> Iterator[str]:
        """A name for every question."""
        ...

    def fingerprint(self, roster: Roster) -> NDArray[np.int32]:
        """Codes that are equal for two people only if every question treats them alike."""
        ...

    def to_json(self) -> dict[str, Any]:
        """The statistic as plain values."""
        ...


@runtime_checkable
class Counting(Statistic, Protocol):
    """Questions that count people with a value of the secret."""

    @property
    def counts_all_values(self) -> bool:
        """Whether both values of a yes/no secret are counted, or only the second."""
        ...

    @property
    def table(self) -> NDArray[np.int64]:
        """Which table each question is a part of: questions of one table partition the people."""
        ...

    def sensitivity(self, values: int) -> Sensitivity:
        """How far one person moves the answers, when ``values`` values of the secret are counted."""
        ...

    def operator(self, roster: Roster) -> Operator:
        """The matrix that says whom each question counts."""
        ...


@runtime_checkable
class Estimate(Statistic, Protocol):
    """Questions whose answers are computed from a yes/no secret in some other way, such as a regression."""

    def compute(self, roster: Roster, secret: NDArray[np.float64]) -> NDArray[np.float64]:
        """The true answers, for a secret that is 0 or 1 for each person of the roster."""
        ...

    def linear(self, roster: Roster, answers: NDArray[np.float64]) -> LinearForm:
        """What published answers say about the secret, as equations about the people of the roster."""
        ...


@runtime_checkable
class ByCondition(Protocol):
    """Questions about whoever meets a condition: an engine can count them."""

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        """The conditions."""
        ...


@runtime_checkable
class ByName(Protocol):
    """Questions about sets of people who are listed by name."""

    def refuse_strangers(self, roster: Roster) -> None:
        """Refuse questions about people who are not on the roster."""
        ...


@runtime_checkable
class Limited(Protocol):
    """Answers that one person can move only so far: all counts, and some estimates."""

    def sensitivity(self, values: int) -> Sensitivity:
        """How far one person moves the answers, when ``values`` values of the secret are counted."""
        ...


@runtime_checkable
class Curved(Estimate, Protocol):
    """An estimate whose answers bend: what they say depends on how wrong they may be."""

    def linear_within(
        self, roster: Roster, answers: NDArray[np.float64], size: NDArray[np.float64]
    ) -> LinearForm:
        """The equations, when every true answer is within ``size`` of the published one.

        ``size`` is infinite where nothing is known of the error; ``reach`` need hold only up to it.
        """
        ...


ESTIMATE = ("estimate",)
"""The one column of answers of an `Estimate`."""


def counted_values(statistic: Statistic, levels: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the columns of answers: the values of the secret that are counted, if any are.

    Examples
    --------
    >>> from dalenius.statistics.counts.tables import Tables
    >>> counted_values(Tables((), ((),)), ("no", "yes"))
    ('no', 'yes')
    """
    if not isinstance(statistic, Counting):
        return ESTIMATE
    return levels[1:] if len(levels) == 2 and not statistic.counts_all_values else levels
