"""A round of a game: the people drawn are published from, and conditions are counted in them.

Rows are people, so two that are the same count twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalenius.conditions.matching import Matcher
from dalenius.people.rows.as_bytes import digest
from dalenius.people.rows.rows import Rows
from dalenius.people.sealed import SealedRows
from dalenius.people.truth import open_rows
from dalenius.random import sealed
from dalenius.singling_out.attack.isolating import Isolating


@dataclass(frozen=True)
class Isolation:
    """What conditions match in the data they were made about.

    Parameters
    ----------
    matches
        Rows that the first one matches, None if there was no claim.
    singled_out
        How many different rows some condition matches alone.
    """

    matches: int | None
    singled_out: int

    @property
    def hit(self) -> bool:
        """Whether the first claim matches exactly one row; no claim is a failure, not a trial less."""
        return self.matches == 1


def publish_round(
    mechanism: Callable[[Rows, np.random.Generator], Any], rows: SealedRows, rng: np.random.Generator
) -> Any:
    """Release what a mechanism makes of the people drawn, with randomness that nobody without them has.

    Of one that says that it draws nothing (``draws``) there is no noise that a key would have to keep.
    """
    opened = open_rows(rows)
    return mechanism(opened, sealed(rng, digest(opened)) if getattr(mechanism, "draws", True) else rng)


def judge_isolation(claims: Sequence[Isolating], rows: Rows | SealedRows) -> Isolation:
    """Count what claims match in the original rows (Definitions 3.1 and 3.7).

    Examples
    --------
    >>> import pyarrow as pa
    >>> judge_isolation((), Rows.of_table(pa.table({"age": [32]})))
    Isolation(matches=None, singled_out=0)
    """
    matcher = Matcher(open_rows(rows))
    found = [matcher.which(claim.predicate) for claim in claims]
    alone = {int(which[0]) for which in found if which.size == 1}
    return Isolation(found[0].size if found else None, len(alone))
