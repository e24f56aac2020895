"""Many conditions at once, one or more a class: what an attack proposes and a planner chooses from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.boxes.conjunctions import Conjunctions, RowIndex, RowsInBoxes
from dalenius.conditions.predicate import And, HashBelow, Predicate, evaluate
from dalenius.people.rows.columns import Index
from dalenius.people.rows.keyed_hash import RANGES, hash_rows
from dalenius.people.rows.rows import Rows, distinct

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Key:
    """A keyed hash of some columns; drawn once for a release, independent of the data.

    One key serves all classes: rows of different classes are different rows, so their hashes are independent.
    """

    columns: tuple[str, ...]
    seed: str
    family: str = "prf64"

    def below(self, one_in: int) -> HashBelow:
        """The condition that keeps one row in so many."""
        return HashBelow(self.columns, self.family, self.seed, RANGES[self.family] // one_in)


class Matches(NamedTuple):
    """What many conditions match in some rows: how many, and the row where it is one, else -1."""

    counts: Integers
    alone: Integers


@dataclass(frozen=True, eq=False)
class Candidates:
    """Conditions of one kind: the cells of a class made narrower, and perhaps a hash.

    Parameters
    ----------
    kind
        The attack.
    of_class
        The class of each condition.
    boxes
        The conditions on single columns.
    one_in
        A hash keeps one row in so many; 1 is no hash.
    success
        How often each should match exactly one row.
    assumes
        What the success takes for granted about the anonymiser.
    rest
        For some kinds one more condition, made for a class when it is asked for.
    each
        Whether every condition is about another row, so that all are written down, not the best of a class.
    """

    kind: str
    of_class: Integers
    boxes: Conjunctions
    one_in: Integers
    success: Floats
    assumes: str
    rest: Callable[[int], Predicate] | None = None
    each: bool = False

    def __len__(self) -> int:
        return self.of_class.size

    def take(self, which: NDArray[np.intp]) -> Candidates:
        """Keep these, in this order."""
        return replace(
            self,
            of_class=self.of_class[which],
            boxes=self.boxes.take(which),
            one_in=self.one_in[which],
            success=self.success[which],
        )

    def predicate(self, i: int, key: Key) -> And:
        """One condition on original rows."""
        parts: list[Predicate] = list(self.boxes.parts(i))
        if self.rest is not None:
            parts.append(self.rest(int(self.of_class[i])))
        elif self.one_in[i] > 1:
            parts.append(key.below(int(self.one_in[i])))
        return And(tuple(parts))


def alone_given_some(k: Integers, share: Floats) -> Floats:
    """The chance that one of k rows has a value, given that at least one does; each has it with a share.

    ``k q (1-q)^(k-1) / (1 - (1-q)^k)``, 1 for a value that nobody else has.
    """
    q = np.clip(share, 1e-12, 1 - 1e-12)
    return k * q * np.exp((k - 1) * np.log1p(-q)) / -np.expm1(k * np.log1p(-q))


def one_of(k: Integers) -> Floats:
    """How often a hash that keeps one row in k leaves one of k different rows: B(k, 1/k)."""
    k = k.astype(np.float64)
    return np.where(k > 1, np.exp((k - 1) * np.log1p(-1 / np.maximum(k, 1 + 1e-9))), 1.0)


class OrderedPeople:
    """Some people, put in order once, to be searched for every release of the same columns.

    Parameters
    ----------
    rows
        The people.
    columns
        What is released; a column that is not known of them is left out.
    along
        The columns that releases generalise.
    """

    def __init__(self, rows: Rows, columns: Sequence[str], along: Sequence[str]) -> None:
        self.rows = rows
        self.columns = tuple(name for name in columns if name in rows.names)
        self.index = RowIndex(rows, self.columns, along)

    @cached_property
    def alike(self) -> Index | None:
        """A number for each that is the same for those who are alike in all columns; None if nobody is."""
        found = distinct(self.rows.select(self.columns))
        return None if found.counts.max() == 1 else found.which


class ClassMembers:
    """Some people, and which of them meet each class: searched for once, however many conditions follow."""

    def __init__(self, people: Rows | OrderedPeople, classes: Conjunctions, columns: tuple[str, ...]) -> None:
        if isinstance(people, Rows):
            people = OrderedPeople(people, columns, classes.columns)
        self.people = people
        self._classes = classes
        self.members = people.index.members(classes)

    @property
    def rows(self) -> Rows:
        """The people."""
        return self.people.rows

    @property
    def columns(self) -> tuple[str, ...]:
        """What is known of them."""
        return self.people.columns

    @property
    def counts(self) -> Integers:
        """How many people meet each class."""
        return self.members.counts

    def within(self, boxes: Conjunctions, of_class: Integers) -> RowsInBoxes:
        """Which people meet conditions that narrow classes, hashes apart."""
        old = dict(zip(self._classes.columns, self._classes.leaves, strict=True))
        new = zip(boxes.columns, boxes.leaves, strict=True)
        changed = [name for name, leaves in new if old.get(name) is not leaves]
        return self.people.index.among(self.members, of_class, boxes, changed)

    def share(self, boxes: Conjunctions, of_class: Integers) -> Floats:
        """What part of the people in a class meets a narrower condition; 0 where nobody is in the class."""
        return self.within(boxes, of_class).counts / np.maximum(self.counts[of_class], 1)

    def matches(self, candidates: Candidates, key: Key) -> Matches:
        """Say how many people each condition matches, and who it is if it is one alone."""
        starts, found = self.within(candidates.boxes, candidates.of_class)
        box = np.repeat(np.arange(len(candidates)), np.diff(starts))
        kept = np.ones(found.size, np.bool_)
        if candidates.rest is not None:
            for i, own in enumerate(candidates.of_class.tolist()):
                part = slice(starts[i], starts[i + 1])
                kept[part] = evaluate(candidates.rest(own), self.rows.take(found[part]))
        elif found.size and (candidates.one_in > 1).any():
            hashed, where = np.unique(found, return_inverse=True)
            hashes = hash_rows(self.rows.take(hashed).select(key.columns), key.family, key.seed)
            shares, share = np.unique(candidates.one_in, return_inverse=True)
            limits = np.array([key.below(one).below - 1 for one in shares.tolist()], np.uint64)
            kept = hashes[where] <= limits[share[box]]
        counts = np.bincount(box[kept], minlength=len(candidates))
        row = np.full(len(candidates), -1)
        row[box[kept]] = found[kept]
        return Matches(counts, np.where(counts == 1, row, -1))
