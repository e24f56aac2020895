"""The groups that tables are about: people with the same levels of some public columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, nearest_column
from dalenius.people.files.sheet import Sheet
from dalenius.people.schema import check_edges, label_bins
from dalenius.release.amounts import EVERYBODY, AmountGroup
from dalenius.shown import hides_people

MOST_LEVELS = 300
"""Levels of a column that tables are made by: more are numbers that want bins, or names."""


@hides_people()
@dataclass(frozen=True)
class Listed:
    """The list of people: ids, and public columns as labels with their levels."""

    ids: tuple[str, ...]
    labels: Mapping[str, NDArray[np.str_]]

    def take(self, people: NDArray[np.intp]) -> Listed:
        """Keep these people, in this order."""
        labels = {name: values[people] for name, values in self.labels.items()}
        return Listed(tuple(self.ids[at] for at in people), labels)

    def codes(self) -> NDArray[np.intp]:
        """Everybody's levels as numbers, a column each."""
        columns = [np.unique(values, return_inverse=True)[1] for values in self.labels.values()]
        return np.stack(columns, axis=1) if columns else np.zeros((len(self.ids), 0), np.intp)


def list_people(
    sheet: Sheet,
    names: Sequence[str],
    *,
    id: str | None,
    bins: Mapping[str, Sequence[float]],
    merged: Mapping[str, Mapping[str, Sequence[str]]] = MappingProxyType({}),
) -> Listed:
    """Take the columns that tables are made by from a table of people; ``merged`` words of them as one."""
    for name in names:
        if name not in sheet:
            raise InputError(
                f"column {name!r}", "must be one of the columns", "no such column",
                nearest_column(name, sheet.names),
            )  # fmt: skip
    labels = {
        name: _as_one(_labels(sheet, name, bins.get(name)), merged.get(name, {}))
        for name in dict.fromkeys(names)
    }
    ids = sheet.text(id) if id is not None else np.arange(len(sheet)).astype(np.str_)
    if np.unique(ids).size < ids.size:
        raise InputError(f"column {id!r}", "must name everybody once", "an id that stands twice")
    return Listed(tuple(map(str, ids)), labels)


def _as_one(labels: NDArray[np.str_], merged: Mapping[str, Sequence[str]]) -> NDArray[np.str_]:
    """Several words as one."""
    called = {word: label for label, words in merged.items() for word in words}
    return np.array([called.get(label, label) for label in labels.tolist()], np.str_) if called else labels


def _labels(sheet: Sheet, name: str, edges: Sequence[float] | None) -> NDArray[np.str_]:
    if edges is not None:
        cuts = check_edges(name, edges)
        return np.array(label_bins(cuts), np.str_)[np.digitize(sheet.numbers(name), cuts)]
    labels = sheet.labels(name)
    levels = np.unique(labels).size
    if levels > MOST_LEVELS:
        raise InputError(
            f"column {name!r}",
            f"must have at most {MOST_LEVELS} levels where tables are made by it",
            f"{levels:,}",
            f"Give cut points, as in bins = {{ {name} = [20, 40, 60] }}.",
        )
    return labels


def columns_of_groups(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """Read ``region*sex``, refusing a column that stands twice.

    Examples
    --------
    >>> columns_of_groups(["region*sex", "age"])
    [('region', 'sex'), ('age',)]
    """
    tables = []
    for text in texts:
        names = tuple(part.strip() for part in text.split("*"))
        if not all(names) or len({*names}) < len(names):
            raise InputError("groups", "must be columns joined by *, each once", repr(text))
        tables.append(names)
    return tables


def make_groups(listed: Listed, tables: Sequence[tuple[str, ...]], *, margins: bool) -> list[AmountGroup]:
    """The groups of tables; with margins also those of every part of their columns, and everybody."""
    wanted: dict[tuple[str, ...], None] = {}
    for names in tables:
        sizes = range(len(names) + 1) if margins else [len(names)]
        for size in sizes:
            wanted |= dict.fromkeys(combinations(names, size))
    groups = []
    seen: set[bytes] = set()
    for names in sorted(wanted, key=lambda names: (len(names), names)):
        for group in _of_columns(listed, names):
            key = group.members.tobytes()
            if key not in seen:  # one margin of two tables is one number
                seen.add(key)
                groups.append(group)
    return groups


def _of_columns(listed: Listed, names: tuple[str, ...]) -> list[AmountGroup]:
    n = len(listed.ids)
    if not names:
        return [AmountGroup(EVERYBODY, np.arange(n), EVERYBODY)]
    columns = [np.unique(listed.labels[name], return_inverse=True) for name in names]
    codes = np.stack([codes for _, codes in columns], axis=1)
    cells, which = np.unique(codes, axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(which.ravel()))[:-1])
    return [
        AmountGroup(
            ", ".join(
                f"{name}={levels[code]}" for name, (levels, _), code in zip(names, columns, cell, strict=True)
            ),
            members,
            "*".join(names),
        )
        for cell, members in zip(cells, parts, strict=True)
    ]
