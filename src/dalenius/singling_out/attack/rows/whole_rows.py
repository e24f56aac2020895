"""Rows, or parts of rows, as they are: everybody who is unlike the others is singled out.

Cohen and Nissim, Claim 4.8 (all bits of every row) and Theorem 4.9 (a row behind a one-time pad that
another release gives away).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.predicate import And, Equals, Predicate
from dalenius.conditions.text import english
from dalenius.people.rows.rows import Rows, distinct
from dalenius.singling_out.attack.counts.counts import Weigh
from dalenius.singling_out.attack.isolating import Isolating


@dataclass(frozen=True)
class WholeRows:
    """Claim published rows, one equality for each; rows published twice are left out.

    Parameters
    ----------
    weigh
        What is known about the population; the rarest claim comes first.
    most
        How many rows are claimed; all that are different if not given.
    """

    weigh: Weigh
    most: int | None = None

    def __call__(self, released: Rows, rng: np.random.Generator) -> tuple[Isolating, ...]:
        """Return a claim for each row."""
        found = distinct(released)
        alone = found.representatives[found.counts == 1]
        claims = [self._claim(equal_to(released, int(i))) for i in alone[: self.most]]
        return tuple(sorted(claims, key=lambda claim: claim.weight.value))

    def _claim(self, predicate: Predicate) -> Isolating:
        return Isolating(predicate, self.weigh(predicate), "published row", 1.0, None, english(predicate))


def equal_to(rows: Rows, i: int) -> Predicate:
    """Return the condition that a row has all values of this one.

    Examples
    --------
    >>> import pyarrow as pa
    >>> equal_to(Rows.of_table(pa.table({"age": [32], "town": ["Bern"]})), 0)
    And(parts=(Equals(column='age', level='32'), Equals(column='town', level='Bern')))
    """
    return And(tuple(Equals(column.name, column.text(i)) for column in rows.columns))


@dataclass(frozen=True)
class UnmaskedRow:
    """Theorem 4.9: of two releases, one is a row behind a pad and the other the pad."""

    weigh: Weigh

    def __call__(
        self, released: tuple[NDArray[np.bool_] | None, NDArray[np.bool_] | None], rng: np.random.Generator
    ) -> tuple[Isolating, ...]:
        """Take the pad off; nothing if either release failed."""
        pad, masked = released
        if pad is None or masked is None:
            return ()
        row = (pad ^ masked).tolist()
        predicate = And(tuple(Equals(f"bit {i}", "true" if one else "false") for i, one in enumerate(row)))
        text = english(predicate)
        return (Isolating(predicate, self.weigh(predicate), "pad taken off", 1.0, None, text),)
