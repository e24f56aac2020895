"""Unit by unit: how many people, whether one data set alone fits, what is certain, how far off a guess is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from dalenius.errors import SolveError
from dalenius.records.attack.certain.ranges import OpenProgram
from dalenius.records.attack.certain.settle import RecordBounds, SettledPiece
from dalenius.records.attack.radius import RadiusBounds, radius_of
from dalenius.records.cells.grid import Codes, Whole

MOST_PROGRAMMED = 20_000
"""Records of a piece up to which a linear program says how many people there are."""


@dataclass(frozen=True)
class Units:
    """One entry a unit, in the order of its levels; a single one where there is no column of units.

    Parameters
    ----------
    people
        How many people are in the guess; at least how many there are, where no data set was found.
    unique
        1 where one data set alone fits, 0 where more do, -1 where that is open.
    certain
        People whose whole record is in every data set.
    radius_low, radius_high
        In how many records the truth can differ from the guess.
    decided
        Whether ranges, uniqueness and radius are all known exactly.
    tied
        Whether tables of larger units leave it open together with others.
    """

    people: Whole
    unique: Whole
    certain: Whole
    radius_low: Whole
    radius_high: Whole
    decided: np.ndarray[tuple[int], np.dtype[np.bool_]]
    tied: np.ndarray[tuple[int], np.dtype[np.bool_]]


def best_guess(bounds: RecordBounds, modes: Mapping[int, Whole] | None = None) -> Whole:
    """A data set that fits: in every piece the most probable of those seen, all people being alike.

    ``modes`` are the most probable ones of pieces whose data sets were drawn, by number. Where no data set of
    a piece was found its records are at their low ends, and the guess fits no table.
    """
    guess = bounds.lo.copy()
    for at, settled in enumerate(bounds.pieces):
        guess[settled.piece.records] = guess_piece(settled, modes.get(at) if modes else None)
    return guess


def guess_piece(settled: SettledPiece, mode: Whole | None) -> Whole:
    """A data set of one piece, the same as in `best_guess`."""
    if mode is not None:
        return mode
    return settled.points[_most_probable(settled)] if len(settled.points) else settled.piece.lo


def _most_probable(settled: SettledPiece) -> int:
    weights = -gammaln(settled.points + 1.0).sum(axis=1)
    return int(np.argmax(np.round(weights, 9)))


def units_of(records: Codes, unit: int | None) -> Whole:
    """In which unit each record is; all in one where there is no column of units."""
    return np.zeros(len(records), np.int64) if unit is None else records[:, unit].astype(np.int64)


def radii_by_unit(settled: SettledPiece, guess: Whole, of: Whole) -> dict[int, RadiusBounds]:
    """How far the data sets of one piece are from a guess, for each unit in which something is open."""
    open_ = settled.piece.lo < settled.piece.hi
    found = {}
    for each in np.unique(of):
        within = of == each
        if open_[within].any():
            found[int(each)] = radius_of(settled, guess, within)
    return found


def count_units(
    bounds: RecordBounds,
    guess: Whole,
    unit: int | None = None,
    radii: Sequence[Mapping[int, RadiusBounds]] | None = None,
) -> Units:
    """Count what is known of every unit; ``radii`` are those of each piece, if they are known already."""
    size = 1 if unit is None else bounds.system.columns.sizes[unit]
    of = units_of(bounds.system.records, unit)
    people = np.bincount(of, weights=guess, minlength=size).astype(np.int64)
    certain = np.bincount(of, weights=bounds.lo, minlength=size).astype(np.int64)
    unique = np.ones(size, np.int64)
    low, high = np.zeros(size, np.int64), np.zeros(size, np.int64)
    decided, tied = np.ones(size, np.bool_), np.zeros(size, np.bool_)
    for at, settled in enumerate(bounds.pieces):
        records = settled.piece.records
        here = np.unique(of[records])
        tied[here] |= here.size > 1
        fits = settled.wider or settled.piece.fits(guess[records])
        known = radii_by_unit(settled, guess[records], of[records]) if radii is None else radii[at]
        for each, found in known.items():
            within = of[records] == each
            state = 0 if settled.unique is False and _moves(settled, within) else -1
            unique[each] = 0 if unique[each] == 0 else state
            low[each] += found.low
            high[each] += found.high
            exact = bool((settled.low_decided & settled.high_decided)[within].all())
            decided[each] &= found.decided and exact and state == 0
            if not fits:
                people[each] += people_within(settled, within)[0] - int(guess[records][within].sum())
    return Units(people, unique, certain, low, high, decided, tied)


def _moves(settled: SettledPiece, within: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> bool:
    """Whether two data sets that were seen differ there."""
    part = settled.points[:, within]
    return bool((part != part[:1]).any())


def people_within(
    settled: SettledPiece, within: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> tuple[int, int]:
    """How few and how many people have some of a piece's records, as far as rows or programs prove it."""
    piece, ones = settled.piece, within.astype(np.int64)
    if (total := piece.summed(within)) is not None:
        return total, total
    low, high = int(piece.lo[within].sum()), int(piece.hi[within].sum())
    if piece.size > MOST_PROGRAMMED:
        return low, high
    try:
        program = OpenProgram(piece)
        return max(low, program.least(ones)[0]), min(high, -program.least(-ones)[0])
    except SolveError:
        return low, high


def count_people(bounds: RecordBounds) -> tuple[int, int]:
    """How few and how many people there can be: counted where all data sets are known, else proven."""
    low = high = int(bounds.lo.sum() - sum(int(each.piece.lo.sum()) for each in bounds.pieces))
    for settled in bounds.pieces:
        if settled.complete:
            totals = settled.points.sum(axis=1)
            ends = int(totals.min()), int(totals.max())
        else:
            ends = people_within(settled, np.ones(settled.piece.size, np.bool_))
        low, high = low + ends[0], high + ends[1]
    return low, high
