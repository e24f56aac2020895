"""A hierarchy of generalisation read from its labels: what is below a label, and which labels are next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, eq=False)
class LabelTree:
    """The labels of a hierarchy, see `dalenius.mechanisms.anonymise.hierarchy.Hierarchy`.

    Parameters
    ----------
    labels
        For each value its labels from itself to the top, as many for all.

    Examples
    --------
    >>> towns = LabelTree({"Bern": ("Bern", "west", "*"), "Zug": ("Zug", "east", "*")})
    >>> towns.leaves_below("west"), towns.children("*")
    (('Bern',), ('west', 'east'))
    """

    labels: Mapping[str, tuple[str, ...]]

    @cached_property
    def _levels(self) -> tuple[dict[str, list[str]], ...]:
        """For every level from the values on, the values below each label."""
        levels: tuple[dict[str, list[str]], ...] = tuple({} for _ in next(iter(self.labels.values())))
        for value, path in self.labels.items():
            for labels, label in zip(levels, path, strict=True):
                labels.setdefault(label, []).append(value)
        return levels

    def knows(self, label: str) -> bool:
        """Whether a label is on one of the upper levels."""
        return any(label in labels for labels in self._levels[1:])

    def leaves_below(self, label: str, level: int | None = None) -> tuple[str, ...]:
        """All values that have a label, on one level or on any upper one."""
        levels = self._levels[1:] if level is None else self._levels[level : level + 1]
        found = dict.fromkeys(leaf for labels in levels for leaf in labels.get(label, ()))
        return tuple(found)

    def common_level(self, texts: Sequence[str]) -> int | None:
        """The lowest level on which all these labels are: the whole column was recoded to it."""
        for level, labels in enumerate(self._levels):
            if all(text.strip() in labels for text in texts):
                return level
        return None

    def children(self, label: str) -> tuple[str, ...]:
        """The labels one level below, where a label first means more than one of them."""
        for level in range(1, len(self._levels)):
            if label in self._levels[level]:
                below = dict.fromkeys(
                    path[level - 1] for path in self.labels.values() if path[level] == label
                )
                if len(below) > 1:
                    return tuple(below)
        return ()
