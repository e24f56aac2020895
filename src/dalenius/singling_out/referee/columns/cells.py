"""Columns of people and released rows as codes, and the cells that several columns cut them into.

A number stands as it is, and also in bands of equally many people: a value that was rounded or moved a little
is still in its band, mostly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import kernel
from dalenius.people.rows.columns import NumberColumn, RowColumn
from dalenius.people.rows.numbered import numbered_rising
from dalenius.people.rows.rows import Rows

Ints = NDArray[np.int64]
Cells = NDArray[np.int32]
Floats = NDArray[np.float64]
Cells2 = NDArray[np.int32]
Floats3 = NDArray[np.float64]
Flags = NDArray[np.bool_]

MET = 8
"""People of whom something can be said at all."""

BANDS = (20, 200)
"""How many bands a number is cut into, where it has more than twice as many different values."""

FREE = -1

PLACES, ENDS = 100, 10
"""Bands that a number is cut into to find people at its ends, and the part of the people that an end is: one
in so many at most."""

OWN, LONG = 1 / 3, 5
"""Different values for each row, and signs of the usual one, from which on values are taken for numbers of
people: two files of other people have as many again."""


class PeopleAtEnd(NamedTuple):
    """People with the least or the largest values of a number, from the very end on.

    Parameters
    ----------
    what
        How a sentence names their values.
    people
        Who they are.
    sizes
        How many of the first of them are looked at by themselves, each time.
    """

    what: str
    people: Cells
    sizes: Cells


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column of people followed by released rows, as numbers from 0.

    Parameters
    ----------
    name
        Of the column.
    said
        How a sentence names it.
    codes
        A number for every value.
    size
        How many numbers there may be.
    people
        How many of the rows are people.
    ends
        Of a number, the people with the least values and those with the largest.
    """

    name: str
    said: str
    codes: Cells
    size: int
    people: int
    ends: tuple[PeopleAtEnd, ...] = ()

    @cached_property
    def frequent(self) -> NDArray[np.bool_]:
        """The values that many people have."""
        return np.bincount(self.codes[: self.people], minlength=self.size) >= FREQUENT


FREQUENT = 20
"""People from whom on a value is nobody's own: what it tells by itself is a distribution, not a person."""


def coded_columns(rows: Rows, people: int) -> Iterator[CodedColumn]:
    """Code every column, by name; numbers with many values in bands besides."""
    for column in sorted(rows.columns, key=lambda one: one.name):
        name = column.name
        number = column if isinstance(column, NumberColumn) and column.kind != "bool" else None
        ends = () if number is None else _at_ends(number, people)
        yield _coded(name, name, column.codes, people, ends)
        if number is not None:
            for bands in BANDS:
                if number.different.size > 2 * bands:
                    yield _coded(name, f"{name} (about)", _banded(number, bands), people, ends)
        signs = _signs_in_order(column)
        if signs is not None:
            yield _coded(name, f"{name} (signs in any order)", signs, people)


def coded_secret(column: RowColumn, within: float, people: int) -> CodedColumn:
    """Code a secret such that values with one code are as near as a guess must be."""
    if isinstance(column, NumberColumn) and within > 0:
        known = np.floor(column.values / within)
        codes = np.where(column.missing, np.int32(FREE), numbered_rising(known)[1])
        return _coded(column.name, column.name, codes, people)
    return _coded(column.name, column.name, column.codes, people)


def _coded(
    name: str, said: str, codes: Cells, people: int, ends: tuple[PeopleAtEnd, ...] = ()
) -> CodedColumn:
    """Count from 0 without gaps; what is missing is a value of its own."""
    values, counted = numbered_rising(codes)
    return CodedColumn(name, said, counted, values.size, people, ends)


def _at_ends(column: NumberColumn, people: int) -> tuple[PeopleAtEnd, ...]:
    """The people at either end, one in ``ENDS`` of all at most; people of one band belong together."""
    places = _banded(column, PLACES)[:people]
    known = np.flatnonzero(places != FREE)
    found = []
    for way, what in ((1, "least"), (-1, "largest")):
        order = known[np.argsort(way * places[known], kind="stable")]
        sizes = 1 + np.flatnonzero(np.diff(places[order], append=FREE))
        sizes = sizes[(sizes >= MET) & (sizes <= people / ENDS)]
        inside = order[: sizes.max(initial=0)]
        said = f"the {what} values of {column.name}"
        found.append(PeopleAtEnd(said, inside.astype(np.int32), sizes.astype(np.int32)))
    return tuple(found)


def _banded(column: NumberColumn, bands: int) -> NDArray[np.int32]:
    known = column.values[~column.missing]
    edges = np.unique(np.quantile(known, np.arange(1, bands) / bands, method="inverted_cdf"))
    codes = np.searchsorted(edges, column.values, "left").astype(np.int32)
    return np.where(column.missing, np.int32(FREE), codes)


def _signs_in_order(column: RowColumn) -> NDArray[np.int32] | None:
    """The letters and digits of every value, sorted, where values are long and people's own.

    Somebody's number whose digits changed places is still known by them.
    """
    if isinstance(column, NumberColumn):
        if column.kind != "integer" and not bool((column.different % 1 == 0).all()):
            return None
        texts = [f"{value:.0f}" for value in column.different.tolist()]
    else:
        texts = list(column.levels)
    if len(texts) < OWN * len(column) or np.median([len(text) for text in texts]) < LONG:
        return None
    known: dict[str, int] = {}
    codes = [known.setdefault("".join(sorted(text)), len(known)) for text in texts]
    return np.array([*codes, FREE], np.int32)[column.codes]


class Weighed(NamedTuple):
    """What a choice of columns shows.

    Parameters
    ----------
    met
        Originals and others in a cell with a released row.
    z
        How far the scores of originals are above luck, in standard deviations.
    some_z, column, value, end
        The same of people with one value of one of the columns, where it is largest: which of the choice's
        columns, and which value; or how many people at which of its ends. -1 where nobody is, and no end.
    """

    met: tuple[int, int]
    z: float
    some_z: float
    column: int
    value: int
    end: int = -1


class CellTally:
    """Cuts rows into cells and counts people and released rows in them; keeps its tables between calls."""

    def __init__(self, rows: int, people: int) -> None:
        size = 1 << max(4, int(2 * rows).bit_length())
        self.people = people
        self._keys, self._cells = np.empty(size, np.int64), np.empty(size, np.int32)
        self._mine, self._released = np.empty(rows, np.int32), np.empty(rows, np.int32)
        self._by_value = np.empty((0, 0, 5))

    def cut(self, cells: Cells, column: CodedColumn) -> Cells:
        """The cells of one column more."""
        finer = np.empty_like(cells)
        refine(cells, column.codes, column.size, finer, self._keys, self._cells)
        return finer

    def weigh(
        self, cells: Cells, columns: list[CodedColumn], originals: int, scores: Floats, raw: Floats
    ) -> Weighed:
        """Score everybody in their cells: ``raw``, and in ``scores`` without what frequent values tell."""
        most = max(column.size for column in columns)
        if self._by_value.shape[0] < len(columns) or self._by_value.shape[1] < most:
            self._by_value = np.empty((len(columns), most, 5))
        codes = np.stack([column.codes[: self.people] for column in columns])
        frequent = np.zeros((len(columns), most), np.bool_)
        for j, column in enumerate(columns):
            frequent[j, : column.size] = column.frequent
        own, others = score_cells(cells, originals, self._mine, self._released, raw)
        z, some_z, j, value = weigh_scores(raw, codes, frequent, originals, self._by_value, scores)
        found = Weighed((own, others), z, some_z, j, value)
        for j, column in enumerate(columns):
            for end, some in enumerate(column.ends):
                some_z, size = weigh_end(scores, some.people, some.sizes, originals)
                if some_z > found.some_z:
                    found = Weighed((own, others), z, some_z, j, size, end)
        return found

    def told(self, cells: Cells, with_secret: Cells, usual: Floats) -> Floats:
        """For everybody the share of the released rows with their values that hold their secret too.

        Where no row has their values, any row is as good: ``usual`` is the share of all that hold it.
        """
        right = usual.copy()
        share_with_secret(cells, with_secret, self._mine, self._released, right)
        return right


@kernel
def refine(cells: Cells, codes: Cells, size: int, finer: Cells, keys: Ints, numbers: Cells) -> None:
    """Number the pairs of a cell and a code in the order of their first appearance, by open addressing."""
    mask = np.int64(keys.size - 1)
    for h in range(keys.size):
        keys[h] = -1
    found = 0
    for i in range(cells.size):
        key = np.int64(cells[i]) * size + codes[i]
        h = ((key * np.int64(-7046029254386353131)) >> np.int64(32)) & mask
        while keys[h] != -1 and keys[h] != key:
            h = (h + 1) & mask
        if keys[h] == -1:
            keys[h] = key
            numbers[h] = found
            found += 1
        finer[i] = numbers[h]


@kernel
def share_with_secret(cells: Cells, finer: Cells, alike: Cells, same: Cells, right: Floats) -> None:
    """Of the released rows in somebody's cell, if there are any, the share in their finer one."""
    people = right.size
    for i in range(cells.size):
        alike[i] = 0
        same[i] = 0
    for i in range(people, cells.size):
        alike[cells[i]] += 1
        same[finer[i]] += 1
    for i in range(people):
        there = alike[cells[i]]
        if there > 0:
            right[i] = same[finer[i]] / there


@kernel
def score_cells(
    cells: Cells, originals: int, mine: Cells, released: Cells, scores: Floats
) -> tuple[int, int]:
    """Give everybody the share of released rows in their cell, r/(r + t); count who has any."""
    people = scores.size
    for i in range(cells.size):
        mine[i] = 0
        released[i] = 0
    for i in range(people):
        mine[cells[i]] += 1
    for i in range(people, cells.size):
        released[cells[i]] += 1
    own, others = 0, 0
    for i in range(people):
        rows = released[cells[i]]
        scores[i] = rows / (rows + mine[cells[i]])
        if rows > 0:
            if i < originals:
                own += 1
            else:
                others += 1
    return own, others


@kernel
def weigh_scores(
    scores: Floats, codes: Cells2, frequent: Flags, originals: int, found: Floats3, rest: Floats
) -> tuple[float, float, int, int]:
    """Hold the scores of originals against luck, of everybody and of those with one value of a column.

    ``found`` has for every value how many originals and people have it, their scores added up, and squares of
    all. What a frequent value tells by itself is taken out first: the mean over all who have it, as far as it
    is not the mean over all. Given whoever they are, n of M people drawn have a sum with the
    variance ``n (M - n) / (M (M - 1))`` times the sum of squares about the mean.
    """
    people = scores.size
    mean = 0.0
    for i in range(people):
        mean += scores[i]
        rest[i] = scores[i]
    mean /= people
    for j in range(codes.shape[0]):
        row, sums = codes[j], found[j]
        for v in range(frequent.shape[1]):
            sums[v, 1] = 0.0
            sums[v, 3] = 0.0
        for i in range(people):
            sums[row[i], 1] += 1.0
            sums[row[i], 3] += scores[i]
        for v in range(frequent.shape[1]):
            sums[v, 3] = sums[v, 3] / sums[v, 1] - mean if frequent[j, v] else 0.0
        for i in range(people):
            rest[i] -= sums[row[i], 3]
    best, best_column, best_value = 0.0, -1, -1
    for j in range(codes.shape[0]):
        row, sums = codes[j], found[j]
        for v in range(frequent.shape[1]):
            for k in range(5):
                sums[v, k] = 0.0
        for i in range(people):
            v, a = row[i], rest[i]
            sums[v, 1] += 1.0
            sums[v, 3] += a
            sums[v, 4] += a * a
            if i < originals:
                sums[v, 0] += 1.0
                sums[v, 2] += a
        for v in range(frequent.shape[1]):
            own, everybody = sums[v, 0], sums[v, 1]
            if everybody >= MET:
                around = max(0.0, sums[v, 4] - sums[v, 3] * sums[v, 3] / everybody)
                spread = (around * own * (everybody - own) / (everybody * (everybody - 1.0))) ** 0.5
                gain = sums[v, 2] - own * sums[v, 3] / everybody
                if spread > 1e-9 and gain > best * spread:
                    best, best_column, best_value = gain / spread, j, v
    mean = 0.0
    for i in range(people):
        mean += rest[i]
    mean /= people
    total, square = 0.0, 0.0
    for i in range(people):
        rest[i] -= mean
        square += rest[i] * rest[i]
        if i < originals:
            total += rest[i]
    spread = (square * originals * (people - originals) / (people * (people - 1.0))) ** 0.5
    return (total / spread if spread > 1e-9 else 0.0), best, best_column, best_value


@kernel
def weigh_end(scores: Floats, people: Cells, sizes: Cells, originals: int) -> tuple[float, int]:
    """Hold the scores of originals against luck among the first of some people: by most, and of how many."""
    own, mine, total, square = 0.0, 0.0, 0.0, 0.0
    best, best_size, first = 0.0, -1, 0
    for size in sizes:
        for i in people[first:size]:
            a = scores[i]
            total += a
            square += a * a
            if i < originals:
                own += 1.0
                mine += a
        first = size
        around = max(0.0, square - total * total / size)
        spread = (around * own * (size - own) / (size * (size - 1.0))) ** 0.5
        gain = mine - own * total / size
        if spread > 1e-9 and gain > best * spread:
            best, best_size = gain / spread, size
    return best, best_size
