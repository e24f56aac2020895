"""All that an attack ever gets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.people.schema import CodedColumns, Roster
from dalenius.release.release import Release
from dalenius.shown import hides_people


@hides_people()
@dataclass(frozen=True)
class Reference:
    """Other people, who are not in the release: their public columns and their secrets.

    Parameters
    ----------
    attributes
        The public columns, with the levels of the roster under attack.
    secrets
        The code of each one's secret.
    """

    attributes: CodedColumns
    secrets: NDArray[np.int32]

    def __post_init__(self) -> None:
        if len(self.attributes) != self.secrets.size:
            raise InputError(
                "reference",
                "must have one secret per person",
                f"{self.secrets.size} secrets for {len(self.attributes)} people",
            )


@hides_people()
@dataclass(frozen=True)
class Knowledge:
    """What the attacker knows without the release.

    Parameters
    ----------
    roster
        Who is in the data, and their public columns.
    prior
        For every person and value of the secret, its probability without the release; ``None`` if the
        attacker has no idea.
    """

    roster: Roster
    prior: NDArray[np.float64] | None = None


@hides_people()
@dataclass(frozen=True)
class View:
    """A release and the attacker's knowledge."""

    release: Release
    knowledge: Knowledge
