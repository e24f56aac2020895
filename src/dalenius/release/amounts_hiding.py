"""Which groups of a table of amounts are hidden: unsafe ones, and further ones that protect them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.release.amounts import EVERYBODY, AmountGroup

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class HidingRules:
    """Which groups are hidden.

    ``below`` hides groups of fewer people; ``p`` those that the p% rule calls unsafe: where what remains of
    the sum beside its two largest amounts is less than this part of the largest. With ``complementary``
    further groups are hidden, until what is hidden of a printed total is safe when it is taken together.
    """

    below: int = 0
    p: float = 0.0
    complementary: bool = False

    @property
    def by_amounts(self) -> bool:
        """Whether amounts decide which groups are hidden, which tells of them; their sizes are public.

        Further groups are chosen by what is in them.

        Examples
        --------
        >>> [rules.by_amounts for rules in (HidingRules(3), HidingRules(p=0.1), HidingRules(3, 0.0, True))]
        [False, True, True]
        """
        return self.p > 0 or (self.complementary and self.below > 0)

    def unsafe(self, amounts: Floats) -> bool:
        """Whether a group of these amounts must not be printed.

        Examples
        --------
        >>> HidingRules(below=3).unsafe(np.array([5.0, 7.0])), HidingRules().unsafe(np.array([5.0]))
        (True, False)
        """
        return amounts.size < self.below or (self.p > 0 and p_rule_fails(amounts, self.p))


def p_rule_fails(values: Floats, p: float) -> bool:
    """Whether the second largest can tell the largest to within this part of it, from their sum alone.

    Examples
    --------
    >>> p_rule_fails(np.array([100.0, 50.0, 5.0]), 0.1), p_rule_fails(np.array([100.0, 50.0, 20.0]), 0.1)
    (True, False)
    """
    largest = np.sort(np.abs(values))[::-1]
    return bool(largest[2:].sum() < p * largest[0])


def shown_groups(values: Floats, groups: Sequence[AmountGroup], rules: HidingRules) -> list[int]:
    """Which groups are printed, by their places."""
    hidden = {at for at, group in enumerate(groups) if rules.unsafe(values[group.members])}
    if rules.complementary:
        _protect(values, groups, rules, hidden)
    return [at for at in range(len(groups)) if at not in hidden]


def _protect(values: Floats, groups: Sequence[AmountGroup], rules: HidingRules, hidden: set[int]) -> None:
    """Hide further groups: a printed total less its printed parts is the sum of the hidden ones."""
    lines = list(_lines(groups))
    changed = True
    while changed:
        changed = False
        for total, parts in lines:
            gone = [part for part in parts if part in hidden]
            if total in hidden or not gone:
                continue
            left = [part for part in parts if part not in hidden]
            together = np.concatenate([values[groups[part].members] for part in gone])
            if len(gone) > 1 and not rules.unsafe(together):
                continue
            # the smallest other part loses least; a line without one loses its total
            hidden.add(min(left, key=lambda part: float(np.abs(values[groups[part].members]).sum()))
                       if left else total)  # fmt: skip
            changed = True


def _lines(groups: Sequence[AmountGroup]) -> Iterator[tuple[int, list[int]]]:
    """Printed totals with the parts that add up to them, table by table."""
    tables: dict[str, list[int]] = {}
    for at, group in enumerate(groups):
        tables.setdefault(group.table, []).append(at)
    same = {group.members.tobytes(): at for at, group in enumerate(groups)}
    for fine, parts in tables.items():
        for coarse, totals in tables.items():
            if not _columns(coarse) < _columns(fine):
                continue
            for total in totals:
                inside = {int(person) for person in groups[total].members}
                found = [part for part in parts if int(groups[part].members[0]) in inside]
                rest = inside.difference(*(groups[part].members.tolist() for part in found))
                if rest:  # a part that is the same people as a group of another table is printed once
                    other = same.get(np.array(sorted(rest), groups[total].members.dtype).tobytes())
                    found += [] if other is None else [other]
                if len(found) > 1:
                    yield total, found


def _columns(table: str) -> frozenset[str]:
    return frozenset() if table == EVERYBODY else frozenset(table.split("*"))
