"""The joints between what is asked and everything that reads it, and a statistic about some of the people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.matrices.answers import LinearForm, Sensitivity
from dalenius.matrices.operators import Operator, SparseRows
from dalenius.people.schema import Column, Roster

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
    >>> from dalenius.statistics.tables import Tables
    >>> counted_values(Tables((), ((),)), ("no", "yes"))
    ('no', 'yes')
    """
    if not isinstance(statistic, Counting):
        return ESTIMATE
    return levels[1:] if len(levels) == 2 and not statistic.counts_all_values else levels


@dataclass(frozen=True)
class Among:
    """Questions that were asked about the people of one list only.

    Parameters
    ----------
    asked
        The questions.
    people
        Who was counted, with the public columns they had then.
    name
        What the questions are a part of; stands before their names.
    """

    asked: Counting
    people: Roster
    name: str = ""

    kind = "among"

    @property
    def counts_all_values(self) -> bool:
        """As the questions do."""
        return self.asked.counts_all_values

    @property
    def columns(self) -> tuple[Column, ...]:
        """The public columns that the questions speak of."""
        return getattr(self.asked, "columns", ())

    @property
    def rows(self) -> int:
        """How many questions there are."""
        return self.asked.rows

    @property
    def table(self) -> NDArray[np.int64]:
        """Which table each question is a part of."""
        return self.asked.table

    def sensitivity(self, values: int) -> Sensitivity:
        """As for the questions."""
        return self.asked.sensitivity(values)

    def labels(self) -> Iterator[str]:
        """Name every question."""
        return (f"{self.name}: {label}" if self.name else label for label in self.asked.labels())

    def fingerprint(self, roster: Roster) -> NDArray[np.int32]:
        """What the questions tell apart, and who was not asked about at all."""
        theirs, at = self._placed(roster)
        codes = self.asked.fingerprint(self.people.take(theirs))
        full = np.full((len(roster), codes.shape[1] + 1), -1, np.int32)
        full[at, 0] = 1
        full[at, 1:] = codes
        return full

    def operator(self, roster: Roster) -> Operator:
        """One row per question; people who were not on the list have a zero everywhere."""
        theirs, at = self._placed(roster)
        found = self.asked.operator(self.people.take(theirs)).explicit().tocoo()
        shape = (self.rows, len(roster))
        return SparseRows(sparse.csr_array((found.data, (found.row, at[found.col])), shape=shape))

    def _placed(self, roster: Roster) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """People on both lists, in the order of their own: where they stand there and on the roster."""
        _, theirs, at = np.intersect1d(self.people.ids, roster.ids, assume_unique=True, return_indices=True)
        order = np.argsort(theirs)
        return theirs[order], at[order]

    def called(self, roster: Roster, ids: NDArray[np.str_]) -> Among:
        """Return the same questions about those on a roster, who are now called so.

        Where rows have no names of their own, some of them are numbered anew.
        """
        theirs, at = self._placed(roster)
        return replace(self, people=replace(self.people.take(theirs), ids=ids[at]))

    def to_json(self) -> dict[str, Any]:
        """Return the statistic as plain values."""
        return {"kind": self.kind, "asked": self.asked.to_json(), "people": self.people.ids.tolist()}
