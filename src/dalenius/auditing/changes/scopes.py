"""Local before global: the tables that are behind a finding, those by one column, then all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dalenius.auditing.changes.parts import ChangeablePart
from dalenius.shown import several

FEW = 3
"""As many tables are named; of more their number is told."""


@dataclass(frozen=True)
class Scope:
    """Tables that are changed together, and what they are called."""

    said: str
    parts: frozenset[ChangeablePart]


def scopes(parts: Sequence[ChangeablePart], effects: Mapping[ChangeablePart, float]) -> list[Scope]:
    """Return where to make a change, the most local place first, all tables last.

    Parameters
    ----------
    parts
        All tables that may be changed.
    effects
        By how much less is at risk without each of them; nothing where that was not tried.

    Examples
    --------
    >>> tables = [ChangeablePart("a", text, tuple(text)) for text in ("xy", "xz", "yz", "zw", "yw")]
    >>> [scope.said for scope in scopes(tables, {tables[0]: 5.0, tables[1]: 0.0})]
    [' in x*y', ' in the 2 tables by x', '']
    """
    everything = Scope("", frozenset(parts))
    named = [part for part in ranked(parts, effects) if effects.get(part, 0.0) > 0]
    found = []
    if named and 2 * len(named) <= len(parts):
        found.append(Scope(_named(named), frozenset(named)))
    column = telling_columns(parts, effects)[:1]
    if named and column:
        by = frozenset(part for part in parts if column[0] in part.columns)
        if len(by) < len(parts) and all(by != scope.parts for scope in found):
            tables = "table" if len(by) == 1 else several(len(by), "table")
            found.append(Scope(f" in the {tables} by {column[0]}", by))
    return [*found, everything]


def ranked(parts: Sequence[ChangeablePart], effects: Mapping[ChangeablePart, float]) -> list[ChangeablePart]:
    """Return tables by what they are behind, the most telling first; equals in their own order."""
    return sorted(parts, key=lambda part: -effects.get(part, 0.0))


def telling_columns(parts: Sequence[ChangeablePart], effects: Mapping[ChangeablePart, float]) -> list[str]:
    """Return public columns by what the tables they stand in are behind."""
    names = list(dict.fromkeys(name for part in parts for name in part.columns))
    total = {
        name: sum(max(effects.get(part, 0.0), 0.0) for part in parts if name in part.columns)
        for name in names
    }
    return sorted((name for name in names if total[name] > 0), key=lambda name: -total[name])


def _named(parts: Sequence[ChangeablePart]) -> str:
    if len(parts) > FEW:
        return f" in {several(len(parts), 'table')}"
    return f" in {', '.join(part.name for part in parts)}"
