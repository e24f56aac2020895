"""Disclosures that need no attack: two published numbers whose difference is somebody, in plain words.

Looked for before anything is decoded: questions that count the same people, questions that count the same
people but for a few, and hidden cells that follow from a total. Everything here is arithmetic on intervals
that hold for sure; noise gives nothing away this way.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.knowledge.view import View
from dalenius.matrices.answers import Vector
from dalenius.reconstruction.attack.certain.totals import from_totals
from dalenius.reconstruction.attack.system.build import Problem, build
from dalenius.reconstruction.attack.system.single_cells import read_alone
from dalenius.reconstruction.attack.system.system import LinearSystem

FEW = 3
"""People up to whom a difference is called a small group."""

ENTRY_LIMIT = 20_000_000
"""Matrix entries above which pairs of questions are not compared."""


@dataclass(frozen=True)
class Disclosure:
    """One thing that the published numbers give away.

    Parameters
    ----------
    kind
        ``one cell``, ``difference``, ``published twice`` or ``from a total``.
    text
        What it is, in words.
    people
        Whose secret it gives away; nobody's for a cell that was meant to be hidden.
    rows, arithmetic
        Which published numbers, and for a difference how they are subtracted; neither names anybody.
    """

    kind: str
    text: str
    people: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    arithmetic: str = ""


@dataclass(frozen=True)
class Disclosures:
    """What was found, and what was not looked for.

    Parameters
    ----------
    found
        One thing each.
    notes
        What a reader should know about the search: that it was not made, for one.
    """

    found: tuple[Disclosure, ...]
    notes: tuple[str, ...] = ()

    def to_csv(self) -> str:
        """Write one line each; people are named in it."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["kind", "what", "people"])
        writer.writerows([each.kind, each.text, " ".join(each.people)] for each in self.found)
        return text.getvalue()


def find_disclosures(view: View) -> Disclosures:
    """Find what two or three published numbers give away together.

    Raises
    ------
    InputError
        If numbers contradict the people.

    Examples
    --------
    >>> from dalenius.knowledge.view import Knowledge
    >>> from dalenius.people.schema import Roster
    >>> from dalenius.people.schema import Column, Kind, Role
    >>> from dalenius.release.release import Block, Release
    >>> from dalenius.statistics.counts.subsets import subsets_from_pairs
    >>> ids = np.array(["ann", "bob", "eve"])
    >>> asked = subsets_from_pairs(np.array(list("aaabb")), ids[[0, 1, 2, 0, 1]], ids)
    >>> ill = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))
    >>> release = Release("r", ill, (Block(asked, ("yes",), np.array([[2.0], [1.0]])),), "exact")
    >>> print(find_disclosures(View(release, Knowledge(Roster.of_names("id", ids)))).found[0].text)
    'a' and 'b' count the same people but for eve: 2 - 1 = 1, so eve has ill=yes
    """
    problem = build(view)
    found: list[Disclosure] = []
    notes: tuple[str, ...] = ()
    if (entries := problem.systems[0].A.entries) > ENTRY_LIMIT:
        notes = (
            f"Pairs of numbers were not compared: {entries:,} entries of people in cells, more than "
            f"{ENTRY_LIMIT:,}. Whoever stands between two numbers that differ by one person may not be named "
            "here; attack fewer tables at a time to have them compared.",
        )
    else:
        found = list(find_pairs(view, problem))
    found += [Disclosure("from a total", text) for text in from_totals(view, problem)]
    return Disclosures(tuple(found), notes)


def find_pairs(view: View, problem: Problem) -> Iterator[Disclosure]:
    """Find what one or two numbers give away; nothing is looked for where there are too many."""
    if problem.systems[0].A.entries <= ENTRY_LIMIT:
        finder = _Finder(view, problem)
        for value, system in finder.values():
            yield from finder.search(system, value)


class _Finder:
    """The people behind each unknown, and words for what is found about them."""

    def __init__(self, view: View, problem: Problem) -> None:
        self.problem = problem
        self.secret = view.release.secret.name
        ids = view.knowledge.roster.ids
        order = np.argsort(problem.group, kind="stable")
        ends = np.cumsum(np.bincount(problem.group, minlength=problem.systems[0].unknowns))
        self.members = [tuple(map(str, ids[part])) for part in np.split(order, ends[:-1])]
        self.alone = read_alone(view, problem)

    def values(self) -> Iterator[tuple[str, LinearSystem]]:
        """The value of the secret that each system is about."""
        levels, systems = self.problem.levels, self.problem.systems
        yield from zip(levels[1:] if len(systems) == 1 else levels, systems, strict=True)

    def search(self, system: LinearSystem, value: str) -> Iterator[Disclosure]:
        """What two rows of one system say together."""
        matrix = sparse.csr_array(system.A.explicit())
        if not system.counting.all():
            matrix = sparse.csr_array(sparse.diags_array(system.counting.astype(np.float64)) @ matrix)
            matrix.eliminate_zeros()
        mixed = _mix(matrix.shape[1])
        marks = _marks(matrix, mixed)
        yield from self._twice(system, marks, value)
        low, high, same = _together(system, marks)
        told: set[int] = set()
        for row, other, unknown in _apart(matrix, marks, mixed, system.sizes):
            size = int(system.sizes[unknown])
            few, many = (0.0, 0.0) if other < 0 else (low[same[other]], high[same[other]])
            least, most = max(low[same[row]] - many, 0), min(high[same[row]] - few, size)
            if unknown in told or not (least == most and most in (0, size)):
                continue
            if (words := self._has(unknown, value, int(most))) is not None:
                told.add(unknown)
                ends = (low[same[row]], high[same[row]]), (few, many)
                yield self._say(system, (row, other), unknown, words, _subtracted(*ends, size))

    def _has(self, unknown: int, value: str, count: int) -> str | None:
        one = len(self.members[unknown]) == 1
        levels = self.problem.levels
        if count == 0 and len(levels) > 2:
            return None
        held = value if count else levels[0]
        return f"{_names(self.members[unknown])} {'has' if one else 'all have'} {self.secret}={held}"

    def _say(
        self, system: LinearSystem, rows: tuple[int, int], unknown: int, words: str, numbers: str
    ) -> Disclosure:
        people = self.members[unknown]
        row, other = rows
        first = system.label(row)
        if other < 0:
            text = f"{first!r} counts nobody but {_names(people)}: {words}"
            return Disclosure("one cell", text, people, (row,))
        both = f"{first!r} and {system.label(other)!r} count the same people but for {_names(people)}"
        return Disclosure("difference", f"{both}: {numbers}, so {words}", people, rows, numbers)

    def _twice(self, system: LinearSystem, marks: NDArray[np.uint64], value: str) -> Iterator[Disclosure]:
        """Cells that are printed twice with different protection, and together say more than either."""
        alone = self.alone
        low, high = alone.of(value)
        order = np.argsort(marks, kind="stable")
        order = order[alone.printed[value][order] & (marks[order] != 0)]
        for rows in np.split(order, np.flatnonzero(np.diff(marks[order])) + 1):
            if rows.size < 2:
                continue
            widest = float((high[rows] - low[rows]).max())
            least, most = low[rows].max(), high[rows].min()
            if most - least >= widest:
                continue
            shown = " and ".join(
                dict.fromkeys(f"{system.label(int(r))!r} ({_range(low[r], high[r])})" for r in rows[:3])
            )
            together = _range(least, most)
            text = f"{shown} count the same people: together {self.secret}={value} is {together}"
            yield Disclosure("published twice", text)


def _mix(n: int) -> NDArray[np.uint64]:
    """A mark of 64 bits for each of n things, fixed for ever (the finaliser of SplitMix64)."""
    x = (np.arange(1, n + 1, dtype=np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _marks(matrix: sparse.csr_array, mixed: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """One mark a row, equal for rows that count the same unknowns; 0 for a row that counts nobody."""
    marks = np.zeros(matrix.shape[0], np.uint64)
    filled = np.flatnonzero(np.diff(matrix.indptr))
    if filled.size:
        marks[filled] = np.bitwise_xor.reduceat(mixed[matrix.indices], matrix.indptr[filled])
    return marks


def _together(system: LinearSystem, marks: NDArray[np.uint64]) -> tuple[Vector, Vector, NDArray[np.intp]]:
    """The intervals of rows that count the same people as one; which of them each row is."""
    _, same = np.unique(marks, return_inverse=True)
    low, high = np.full(same.max() + 1, -np.inf), np.full(same.max() + 1, np.inf)
    np.maximum.at(low, same, system.low)
    np.minimum.at(high, same, system.high)
    return low, high, same


def _apart(
    matrix: sparse.csr_array, marks: NDArray[np.uint64], mixed: NDArray[np.uint64], sizes: NDArray[np.int64]
) -> Iterator[tuple[int, int, int]]:
    """Rows, other rows that count the same people but for one unknown (-1: nobody else), and that unknown."""
    entry_row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    small = sizes[matrix.indices] <= FEW
    rows, unknowns = entry_row[small], matrix.indices[small]
    rest = marks[rows] ^ mixed[unknowns]
    order = np.argsort(marks, kind="stable")
    at = np.minimum(np.searchsorted(marks, rest, sorter=order), marks.size - 1)
    others = np.where(rest == 0, -1, order[at])
    found = np.flatnonzero((rest == 0) | (marks[order[at]] == rest))
    for j in found:
        yield int(rows[j]), int(others[j]), int(unknowns[j])


def _names(people: tuple[str, ...]) -> str:
    return people[0] if len(people) == 1 else f"{', '.join(people[:-1])} and {people[-1]}"


def _range(low: float, high: float) -> str:
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _subtracted(first: tuple[float, float], other: tuple[float, float], size: int) -> str:
    """A difference of two numbers between ends, of which so many people are left.

    Examples
    --------
    >>> _subtracted((44, 44), (43, 43), 1), _subtracted((3, 3), (0, 2), 1), _subtracted((0, 2), (2, 4), 1)
    ('44 - 43 = 1', '3 - (0 to 2) is at least 1', '(0 to 2) - (2 to 4) is at most 0')
    """
    words = f"{_shown(*first)} - {_shown(*other)}"
    least, most = first[0] - other[1], first[1] - other[0]
    if least == most:
        return f"{words} = {most:g}"
    return f"{words} is at least {least:g}" if least >= size else f"{words} is at most {most:g}"


def _shown(low: float, high: float) -> str:
    """A term of a difference."""
    return _range(low, high) if low == high else f"({_range(low, high)})"
