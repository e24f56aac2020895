"""An interactive release: a desk that answers counting questions until its budget is spent.

Whatever gives the answers (people in an engine, a database, somebody else's program) stands behind one
function; the desk in front of it checks questions and answers, keeps the budget and writes down what was
said. An attack gets the method ``ask`` and the `Terms`, which are public.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from dalenius.conditions.predicate import Predicate, evaluate_all
from dalenius.errors import BudgetError, InputError
from dalenius.people.schema import CodedColumns
from dalenius.release.desk.terms import Answers, Terms, most_queries
from dalenius.release.release import Release
from dalenius.shown import several

Source = Callable[[tuple[Predicate, ...]], Any]
"""Gives one answer per question, or a row with one for each counted value; None for what is withheld."""


class Desk(Protocol):
    """Where questions are asked: all that an attack gets besides what is public."""

    def ask(self, predicates: Sequence[Predicate]) -> Answers:
        """Answer for each condition how many people meet it and have the secret; not a number if hidden."""
        ...


class OpenDesk:
    """A desk in front of any source of answers.

    Parameters
    ----------
    source
        Gives the answers to a batch of questions, already protected.
    terms
        What is public about the desk.
    sticky
        Answer a question that was asked before as before, at no cost.

    Raises
    ------
    InputError
        If the budget is in a currency that the mechanism does not pay in.

    Examples
    --------
    >>> from dalenius.conditions.predicate import And, Equals
    >>> from dalenius.people.schema import Column, Kind, Role
    >>> from dalenius.release.desk.terms import Budget
    >>> ill = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))
    >>> town = Column("town", Role.PUBLIC, Kind.CATEGORICAL, ("Bern", "Zug"))
    >>> terms = Terms(ill, (town,), "exact", Budget(queries=2))
    >>> desk = OpenDesk(lambda predicates: [7 for _ in predicates], terms)
    >>> desk.ask([And(()), Equals("town", "Zug")])
    array([[7.],
           [7.]])
    >>> desk.ask([And(())])
    Traceback (most recent call last):
    ...
    dalenius.errors.BudgetError: budget must last for all that is asked; got 1 question more, of which 0 ...
    """

    def __init__(self, source: Source, terms: Terms, *, sticky: bool = False) -> None:
        self.terms = terms
        self._source = source
        self._sticky = sticky
        self._asked: list[Predicate] = []
        self._answers: list[Answers] = []
        self._known: dict[Predicate, Answers] = {}
        self._most = most_queries(terms)

    @property
    def spent(self) -> int:
        """How many questions were paid for."""
        return len(self._known) if self._sticky else len(self._asked)

    @property
    def left(self) -> int | None:
        """How many questions the budget still pays, or None if there is no limit."""
        return None if self._most is None else self._most - self.spent

    @property
    def transcript(self) -> Release:
        """Everything asked and answered so far; a question that was repeated stands there as often."""
        width = len(self.terms.values)
        release = self.terms.transcript(self._asked, np.array(self._answers).reshape(-1, width))
        return replace(release, promise=self.terms.promise(self.spent))

    def ask(self, predicates: Sequence[Predicate]) -> Answers:
        """Answer a batch of questions, or refuse all of it and charge nothing.

        Parameters
        ----------
        predicates
            Conditions on public columns.

        Returns
        -------
        Answers
            One row per question, one column per counted value of the secret; not a number where hidden.

        Raises
        ------
        InputError
            For an unknown column or level, and for a source that does not answer as it should.
        BudgetError
            If the budget does not last for the whole batch.
        """
        asked = tuple(predicates)
        nobody = CodedColumns(self.terms.columns, np.zeros((0, len(self.terms.columns)), np.int32))
        for _ in evaluate_all(asked, nobody):
            pass  # refuses what cannot be evaluated
        new = tuple(dict.fromkeys(p for p in asked if p not in self._known)) if self._sticky else asked
        self._pay(len(new))
        told = read_answers(self._source(new), len(new), len(self.terms.values)) if new else np.empty((0, 0))
        if self._sticky:
            self._known |= dict(zip(new, told, strict=True))
            told = np.array([self._known[p] for p in asked]).reshape(len(asked), -1)
        self._asked.extend(asked)
        self._answers.extend(told)
        return told.copy()

    def _pay(self, queries: int) -> None:
        if self.left is not None and queries > self.left:
            raise BudgetError(
                "budget",
                "must last for all that is asked",
                f"{several(queries, 'question')} more, of which {self.left} are left",
                "Nothing of this batch was answered; ask fewer.",
            )


def read_answers(given: Any, queries: int, values: int) -> Answers:
    """Check what a source said and return it as an array, not a number where it said nothing."""
    listed = given if isinstance(given, Iterable) else ()
    rows = [row if isinstance(row, list | tuple | np.ndarray) else [row] for row in listed]
    shapes = {len(row) for row in rows}
    if len(rows) != queries or shapes - {values}:
        raise InputError(
            "answers",
            f"must be {values} for each of {queries} questions",
            f"{len(rows)} rows of {' or '.join(map(str, sorted(shapes))) or 'nothing'}",
            "Give one answer per question, in their order; None for one that is withheld.",
        )
    numbers = np.array([[np.nan if x is None else _finite(x) for x in row] for row in rows], np.float64)
    return numbers.reshape(queries, values)


def _finite(answer: Any) -> float:
    try:
        number = float(answer)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError("answer", "must be a finite number or None", repr(answer))
    return number
