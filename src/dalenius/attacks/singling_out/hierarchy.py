"""Hierarchies of generalisation, as ARX writes them: ``leaf;level 1;...;top``, a line a leaf."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from dalenius.errors import InputError


@dataclass(frozen=True)
class Hierarchy:
    """How the values of a column are generalised, step by step.

    Parameters
    ----------
    column
        The column.
    paths
        For every leaf the labels above it, itself first; all of one length.

    Examples
    --------
    >>> towns = Hierarchy("town", (("Bern", "west", "*"), ("Fribourg", "west", "*"), ("Zug", "east", "*")))
    >>> towns.leaves_below("west"), towns.children("*")
    (('Bern', 'Fribourg'), ('west', 'east'))
    """

    column: str
    paths: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        name = f"hierarchy of column {self.column!r}"
        if not self.paths:
            raise InputError(name, "must have at least one leaf", "none")
        lengths = {len(path) for path in self.paths}
        if len(lengths) > 1 or min(lengths) < 2:
            got = f"lines of {min(lengths)} to {max(lengths)} fields"
            raise InputError(name, "must have the same number of levels, at least two, for every leaf", got)
        if len(self.leaves) < len(self.paths):
            raise InputError(name, "must have every leaf once", "a leaf twice")

    @cached_property
    def leaves(self) -> frozenset[str]:
        """The values that are generalised."""
        return frozenset(path[0] for path in self.paths)

    @cached_property
    def _levels(self) -> tuple[dict[str, list[str]], ...]:
        """For every level from the leaves on, the leaves below each label."""
        levels: tuple[dict[str, list[str]], ...] = tuple({} for _ in self.paths[0])
        for path in self.paths:
            for labels, label in zip(levels, path, strict=True):
                labels.setdefault(label, []).append(path[0])
        return levels

    def knows(self, label: str) -> bool:
        """Whether a label is one of its upper levels."""
        return any(label in labels for labels in self._levels[1:])

    def leaves_below(self, label: str, level: int | None = None) -> tuple[str, ...]:
        """All leaves that have a label, on one level or on any upper one."""
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
                below = dict.fromkeys(path[level - 1] for path in self.paths if path[level] == label)
                if len(below) > 1:
                    return tuple(below)
        return ()


def read_hierarchy(path: str | Path, column: str) -> Hierarchy:
    """Read a hierarchy from a CSV file with ``;`` (or ``,``) between the levels."""
    text = Path(path).read_text(encoding="utf-8-sig")
    separator = ";" if ";" in text else ","
    lines = [
        tuple(field.strip() for field in line) for line in csv.reader(text.splitlines(), delimiter=separator)
    ]
    return Hierarchy(column, tuple(line for line in lines if line))
