"""How many rows a condition matches: rows are people, so two that are the same count twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalenius.conditions.matching import Matcher
from dalenius.people.rows.rows import Rows
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


def judge_isolation(claims: Sequence[Isolating], rows: Rows) -> Isolation:
    """Count what claims match in the original rows (Definitions 3.1 and 3.7).

    Examples
    --------
    >>> import pyarrow as pa
    >>> judge_isolation((), Rows.of_table(pa.table({"age": [32]})))
    Isolation(matches=None, singled_out=0)
    """
    matcher = Matcher(rows)
    found = [matcher.which(claim.predicate) for claim in claims]
    alone = {int(which[0]) for which in found if which.size == 1}
    return Isolation(found[0].size if found else None, len(alone))
