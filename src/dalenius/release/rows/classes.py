"""Released rows become classes: those with identical generalised cells, and the condition that the cells are.

Cohen and Nissim, section 6: a k-anonymous table is a list of conditions ``phi``, each met by at least k rows.
Every different cell is read once, and rows are grouped by codes, so a million rows take seconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.boxes.conjunctions import Conjunctions
from dalenius.conditions.predicate import And
from dalenius.errors import InputError
from dalenius.mechanisms.anonymise.hierarchy import Hierarchy
from dalenius.people.rows.columns import TextColumn
from dalenius.people.rows.rows import Rows, distinct
from dalenius.people.schema import MISSING
from dalenius.release.rows.cells import Domain, parse_cells
from dalenius.release.rows.labels import LabelTree

COMPARED = 5000
"""Classes that are compared with each other, at most, to count k with suppressed cells."""


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of a released table.

    Parameters
    ----------
    boxes
        What the cells of each class say about original rows.
    sizes
        Released rows of each class.
    of_row
        The class of every released row, -1 for rows that are suppressed altogether.
    texts
        For every column of the boxes the different cells as they were released.
    released
        The released rows, all columns as text.
    domains
        What is known of each quasi-identifier.
    """

    boxes: Conjunctions
    sizes: NDArray[np.int64]
    of_row: NDArray[np.int64]
    texts: tuple[tuple[str, ...], ...]
    released: Rows
    domains: tuple[Domain, ...]

    def __len__(self) -> int:
        return self.sizes.size

    @property
    def quasi(self) -> tuple[str, ...]:
        """The columns that were generalised."""
        return self.boxes.columns

    @property
    def verbatim(self) -> tuple[str, ...]:
        """The columns that were released as they were."""
        return tuple(name for name in self.released.names if name not in self.quasi)

    @property
    def suppressed(self) -> int:
        """Rows that say nothing: every cell is everything."""
        return int((self.of_row < 0).sum())

    @property
    def k(self) -> int:
        """The smallest class."""
        return int(self.sizes.min())

    @cached_property
    def compatible(self) -> int | None:
        """The fewest rows that any row may be one of, if cells that are everything match every other cell.

        That is how k is counted where single cells were suppressed. ``None`` for more classes than can be
        compared with each other.
        """
        blank = np.column_stack(
            [
                np.array([leaf is None for leaf in own], np.bool_)[self.boxes.codes[:, j]]
                for j, own in enumerate(self.boxes.leaves)
            ]
        )
        if bool((blank == blank[0]).all()):  # the same columns everywhere: recoded as a whole
            return self.k
        if len(self) > COMPARED:
            return None
        codes, fewest = self.boxes.codes, len(self.released)
        for i in range(len(self)):
            fits = ((codes == codes[i]) | blank | blank[i]).all(axis=1)
            fewest = min(fewest, int(self.sizes[fits].sum()))
        return fewest + self.suppressed

    @cached_property
    def by_class(self) -> NDArray[np.intp]:
        """The released rows that are not suppressed, class by class."""
        order = np.argsort(self.of_row, kind="stable")
        return order[self.suppressed :]

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where each class starts in ``by_class``, and the end."""
        return np.concatenate([[0], np.cumsum(self.sizes)])

    def phi(self, i: int) -> And:
        """The condition that one class is."""
        return self.boxes.predicate(i)

    def cells(self, i: int) -> str:
        """The cells of one class as they were released."""
        codes = self.boxes.codes[i].tolist()
        named = zip(self.quasi, self.texts, codes, strict=True)
        return ", ".join(f"{name} {texts[code]}" for name, texts, code in named)


def find_classes(
    released: Rows,
    quasi: Sequence[str],
    *,
    known: Rows | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> Classes:
    """Group released rows by their generalised cells.

    Parameters
    ----------
    released
        The table as published.
    quasi
        The columns that were generalised; all others are taken as released verbatim.
    known
        Other people (the population or a part of a holdout): which texts are raw values of a column.
    hierarchies
        How columns were generalised, where that is known.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"age": ["20-29", "20-29", "*", "30-39"], "ill": ["no", "yes", "no", "no"]})
    >>> classes = find_classes(Rows.of_table(table), ["age"])
    >>> classes.sizes, classes.suppressed, classes.phi(0)
    (array([2, 1]), 1, And(parts=(Between(column='age', low=20.0, high=29.0, closed='both'),)))
    """
    if not quasi or len(set(quasi)) < len(quasi):
        raise InputError("quasi-identifiers", "must name at least one column, each once", ", ".join(quasi))
    if not len(released):
        raise InputError("released rows", "must be at least one", "none")
    text = tuple(c if isinstance(c, TextColumn) else c.as_text for c in released.columns)
    by_name = {column.name: column for column in text}
    domains = tuple(_domain(name, known, hierarchies or {}) for name in quasi)
    columns = [_with_missing(by_name[name]) for name in released.select(quasi).names]
    leaves = tuple(parse_cells(c.levels, domain) for c, domain in zip(columns, domains, strict=True))
    groups = distinct(Rows(tuple(columns)))
    codes = np.column_stack([column.codes[groups.representatives] for column in columns])
    everything = np.ones(len(codes), np.bool_)
    for j, own in enumerate(leaves):
        everything &= np.array([leaf is None for leaf in own], np.bool_)[codes[:, j]]
    if everything.all():
        raise InputError(
            "released rows", "must say something about the quasi-identifiers", "only suppressed rows"
        )
    number = np.where(everything, -1, np.cumsum(~everything) - 1)
    boxes = Conjunctions(tuple(quasi), leaves, codes[~everything])
    texts = tuple(column.levels for column in columns)
    return Classes(boxes, groups.counts[~everything], number[groups.which], texts, Rows(text), domains)


def _domain(name: str, known: Rows | None, hierarchies: Mapping[str, Hierarchy]) -> Domain:
    tree = LabelTree(hierarchies[name].labels) if name in hierarchies else None
    return Domain(name, None if known is None else known.column(name), tree)


def _with_missing(column: TextColumn) -> TextColumn:
    """Only the cells that occur, and a missing one as a cell like any other."""
    used = np.flatnonzero(np.bincount(column.codes + 1, minlength=len(column.levels) + 1))
    levels = tuple(MISSING if code == 0 else column.levels[code - 1] for code in used.tolist())
    return TextColumn(column.name, np.searchsorted(used, column.codes + 1).astype(np.int32), levels)
