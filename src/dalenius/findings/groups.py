"""Groups of people who share something, and how many of them are at risk; none of them about few people."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalenius.findings.explanation import Group

SMALL = 20
"""A group of fewer people is put together with others: a count in it would be about few."""

ALL_OF = 100
"""A group of fewer people who are all at risk is put together with others: the count would name each."""

MOST_GROUPS = 20
"""Groups shown of one column: the smallest of more are put together."""


def groups_of(
    column: str, levels: tuple[str, ...], codes: NDArray[np.int32], whom: NDArray[np.bool_]
) -> tuple[Group, ...]:
    """Count by the levels of one column, the small ones put together.

    Put together are the smallest, until everything that is shown is about many people: were one small group
    just left out, it would follow from the others and the total. One group alone says nothing new.

    Examples
    --------
    >>> codes = np.repeat([0, 1, 2], [50, 30, 5]).astype(np.int32)
    >>> for group in groups_of("region", ("north", "south", "isle"), codes, np.arange(85) % 10 == 0):
    ...     print(group.value, group.people, group.at_risk)
    north 50 5
    None 35 4
    """
    people = np.bincount(codes, minlength=len(levels))
    risky = np.bincount(codes[whom], minlength=len(levels))
    order = [int(v) for v in np.argsort(people, kind="stable") if people[v]]
    merged: list[int] = []
    while order:
        telling = [v for v in order if _telling(people[v], risky[v])]
        crowded = len(order) + bool(merged) > MOST_GROUPS
        if (
            not telling
            and not crowded
            and not (merged and _telling(people[merged].sum(), risky[merged].sum()))
        ):
            break
        merged.append((telling or order)[0])
        order.remove(merged[-1])
    kept = sorted(order)
    if len(kept) + bool(merged) < 2:
        return ()
    shown = [_group(column, levels[v], [v], people, risky) for v in kept]
    return (*shown, _group(column, None, merged, people, risky)) if merged else tuple(shown)


def _telling(people: int, at_risk: int) -> bool:
    """Whether a count would be about few people, or about each of them."""
    return bool(people < SMALL or (people == at_risk and people < ALL_OF))


def _group(
    column: str, value: str | None, of: list[int], people: NDArray[np.int64], risky: NDArray[np.int64]
) -> Group:
    return Group(column=column, value=value, people=int(people[of].sum()), at_risk=int(risky[of].sum()))
