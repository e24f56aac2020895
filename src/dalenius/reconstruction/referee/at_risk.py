"""Who is at risk by a release, kept by the referee: others get counts, of all and of groups of many.

At risk are people who are certain, or as good as known because of the release (`known`), rightly so.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dalenius.findings.explanation import Group, groups_of
from dalenius.people.roster import CodedColumns
from dalenius.private_repr import hides_people
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.referee.known import held_to_have, values_to_name

Whom = NDArray[np.bool_]

MOST_COLUMNS = 40
"""Columns shown."""


@hides_people()
@dataclass(frozen=True)
class AtRisk:
    """People at risk: whom, for the referee alone."""

    whom: Whom = field(repr=False)

    @property
    def count(self) -> int:
        """How many they are."""
        return int(self.whom.sum())

    def still(self, other: AtRisk) -> AtRisk:
        """Those of them who are at risk there too."""
        return AtRisk(self.whom & other.whom)

    def groups(self, attributes: CodedColumns) -> tuple[Group, ...]:
        """How many people of every group of many are at risk, column by column."""
        if not self.count:
            return ()
        shown = list(enumerate(attributes.columns))[:MOST_COLUMNS]
        return tuple(
            group
            for j, column in shown
            for group in groups_of(column.name, column.levels, attributes.codes[:, j], self.whom)
        )


def find_at_risk(
    claims: Guesses,
    truth: NDArray[np.int32],
    prior: NDArray[np.float64],
    *,
    known_at: float,
    only: tuple[str, ...] = (),
) -> AtRisk:
    """Say who is at risk.

    Parameters
    ----------
    claims, truth, prior, known_at
        As of `count_known`.
    only
        Values that matter; all if none is named.

    Examples
    --------
    >>> claims = Guesses("id", np.array(["a", "b", "c"]), ("no", "yes"),
    ...                  np.array([[0.0, 1.0], [0.002, 0.998], [0.5, 0.5]]), np.array([True, False, False]),
    ...                  "lp")
    >>> find_at_risk(claims, np.array([1, 1, 0], np.int32), np.full((3, 2), 0.5), known_at=0.99).count
    2
    """
    known = np.zeros(truth.size, np.bool_)
    for _, values in values_to_name(claims.levels, truth, only):
        known |= held_to_have(values, claims, truth, prior, known_at)[0]
    whom = (known | claims.certain) & (claims.guess == truth)
    if only:
        whom &= np.isin(truth, [claims.levels.index(value) for value in only])
    return AtRisk(whom)
