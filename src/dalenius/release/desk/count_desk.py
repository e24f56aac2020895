"""The publisher's side of counts about original rows: asked for one by one or all at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dalenius.conditions.matching import Matcher
from dalenius.conditions.predicate import Predicate
from dalenius.errors import BudgetError
from dalenius.matrices.answers import Counts, Sensitivity
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.mechanisms.stages.noise import Noise
from dalenius.people.rows.as_bytes import digest
from dalenius.people.rows.rows import Rows
from dalenius.random import sealed
from dalenius.release.desk.terms import Answers


class CountDesk:
    """Counts the rows that meet conditions, and protects each count.

    Parameters
    ----------
    rows
        The data.
    mechanism
        What is done to the counts, such as ``exact``, ``suppression:below=10`` or ``laplace:epsilon=0.5``.
        A promise is kept for one batch of questions together; then the desk closes.
    rng
        Draws the noise, together with the rows, so that nobody without these can draw it again.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dalenius.conditions.predicate import Equals
    >>> rows = Rows.of_table(pa.table({"town": ["Bern", "Zug", "Zug"]}))
    >>> CountDesk(rows, "suppression:below=2", rng=np.random.default_rng(1)).ask(
    ...     [Equals("town", "Zug"), Equals("town", "Bern")]
    ... )
    array([[ 2.],
           [nan]])
    """

    def __init__(self, rows: Rows, mechanism: str, *, rng: np.random.Generator) -> None:
        self._matcher = Matcher(rows)
        self._mechanism = parse_mechanism(mechanism)
        self._rng = sealed(rng, digest(rows)) if self._mechanism.draws else rng
        self._closed = False

    def ask(self, predicates: Sequence[Predicate]) -> Answers:
        """Answer a batch of questions, one row each; not a number where hidden.

        Raises
        ------
        BudgetError
            If a promise was already spent on an earlier batch.
        """
        if self._closed:
            raise BudgetError("budget", "must last for all questions", "a second batch", "Ask all at once.")
        values = np.array([[self._matcher.count(predicate)] for predicate in predicates], np.int64)
        size = len(predicates)
        moved = Sensitivity(float(size), float(size))  # a replaced row moves every count by one at most
        stages = self._mechanism.stages
        self._closed = any(isinstance(stage, Noise) and stage.scale is None for stage in stages)
        counts = Counts(values.reshape(-1, 1), np.arange(size), moved)
        return self._mechanism.resolve(moved).protect(counts, rng=self._rng)


@dataclass(frozen=True)
class OpenCounts:
    """Opens a desk in front of some rows: the mechanism `counts` of a game."""

    mechanism: str = "exact"

    @property
    def draws(self) -> bool:
        """Whether answers are drawn at random."""
        return parse_mechanism(self.mechanism).draws

    def __call__(self, rows: Rows, rng: np.random.Generator) -> CountDesk:
        """Open it."""
        return CountDesk(rows, self.mechanism, rng=rng)
