"""The joint between what is asked and everything that reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dalenius.records.counts import Sensitivity
from dalenius.records.operators import Operator
from dalenius.records.roster import Roster


class Statistic(Protocol):
    """A list of counting questions; adding a kind of release is writing one more of these."""

    @property
    def kind(self) -> str:
        """The word for it in a plan and in a release."""
        ...

    @property
    def counts_all_values(self) -> bool:
        """Whether both values of a yes/no secret are counted, or only the second."""
        ...

    @property
    def rows(self) -> int:
        """How many questions there are."""
        ...

    @property
    def table(self) -> NDArray[np.int64]:
        """Which table each question is a part of: questions of one table partition the people."""
        ...

    def sensitivity(self, values: int) -> Sensitivity:
        """How far one person moves the answers, when ``values`` values of the secret are counted."""
        ...

    def labels(self) -> Iterator[str]:
        """A name for every question."""
        ...

    def fingerprint(self, roster: Roster) -> NDArray[np.int32]:
        """Codes that are equal for two people only if every question treats them alike."""
        ...

    def operator(self, roster: Roster) -> Operator:
        """The matrix that says whom each question counts."""
        ...

    def to_json(self) -> dict[str, Any]:
        """The statistic as plain values."""
        ...


def counted_values(statistic: Statistic, levels: tuple[str, ...]) -> tuple[str, ...]:
    """Return the values of the secret that are counted: one column of answers each.

    Examples
    --------
    >>> from dalenius.statistics.tables import Tables
    >>> counted_values(Tables((), ((),)), ("no", "yes"))
    ('no', 'yes')
    """
    return levels if statistic.counts_all_values else levels[1:] if len(levels) == 2 else levels
