"""The rules that offices hold a cell of a magnitude table against, cell by cell: few people, dominance, p%.

They speak of one cell at a time. What several tables say together they do not see: people whom ends from all
tables come close to though each of their cells keeps every rule are counted apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.release.amounts import AmountRelease
from dalenius.release.amounts_hiding import p_rule_fails

Floats = NDArray[np.float64]

FEW = 3
"""People below whom a cell is unsafe whatever they have."""

DOMINANT, SHARE = 2, 0.85
"""So many of the largest may have at most this part of a sum: one choice among those in use."""


@dataclass(frozen=True)
class CellRules:
    """How many printed cells break each rule, and who is in none that breaks any."""

    cells: int
    few: int
    dominated: int
    p_rule: int
    safe: NDArray[np.bool_]


def hold_cells(
    release: AmountRelease, amounts: Floats, within: float, weights: Floats | None = None
) -> CellRules:
    """Hold every cell whose sum or mean is printed against the three rules.

    Of a weighted cell what people have is what they count for in it, their amount times their weight; if
    nobody says what that is, such a cell is held only against the number of its people.
    """
    asked = {(one.group, one.weighted) for one in release.said if one.statistic in ("sum", "mean")}
    at = sorted(asked)
    groups = [release.groups[g] for g, _ in at]
    counted = amounts * (np.nan if weights is None else weights)
    own = [(counted if heavy else amounts)[release.groups[g].members] for g, heavy in at]
    few, dominated, close = (np.array(flags, np.bool_) for flags in _broken(own, within))
    safe = np.ones(release.people, np.bool_)
    for group, bad in zip(groups, few | dominated | close, strict=True):
        if bad:
            safe[group.members] = False
    return CellRules(len(groups), int(few.sum()), int(dominated.sum()), int(close.sum()), safe)


def _broken(cells: Sequence[Floats], within: float) -> tuple[list[bool], list[bool], list[bool]]:
    few, dominated, close = [], [], []
    for counted in cells:
        own = np.sort(np.abs(counted))[::-1]
        few.append(own.size < FEW)
        dominated.append(bool(own[:DOMINANT].sum() > SHARE * own.sum()))
        close.append(p_rule_fails(own, within))
    return few, dominated, close
