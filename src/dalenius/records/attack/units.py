"""Unit by unit: how many people, whether one data set alone fits, what is certain, how far off a guess is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from dalenius.errors import SolveError
from dalenius.records.attack.certain.ranges import OpenProgram
from dalenius.records.attack.certain.settle import RecordBounds, SettledPiece
from dalenius.records.attack.radius import radius_of
from dalenius.records.cells.grid import Whole


@dataclass(frozen=True)
class Units:
    """One entry a unit, in the order of its levels; a single one where there is no column of units.

    Parameters
    ----------
    people
        How many people are in the guess.
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
        if modes and at in modes:
            guess[settled.piece.records] = modes[at]
        elif len(settled.points):
            guess[settled.piece.records] = settled.points[_most_probable(settled)]
    return guess


def _most_probable(settled: SettledPiece) -> int:
    weights = -gammaln(settled.points + 1.0).sum(axis=1)
    return int(np.argmax(np.round(weights, 9)))


def count_units(bounds: RecordBounds, guess: Whole, unit: int | None = None) -> Units:
    """Count what is known of every unit."""
    size = 1 if unit is None else bounds.system.columns.sizes[unit]
    of = (
        np.zeros(len(bounds.lo), np.int64)
        if unit is None
        else bounds.system.records[:, unit].astype(np.int64)
    )
    people = np.bincount(of, weights=guess, minlength=size).astype(np.int64)
    certain = np.bincount(of, weights=bounds.lo, minlength=size).astype(np.int64)
    unique = np.ones(size, np.int64)
    low, high = np.zeros(size, np.int64), np.zeros(size, np.int64)
    decided, tied = np.ones(size, np.bool_), np.zeros(size, np.bool_)
    for settled in bounds.pieces:
        records = settled.piece.records
        here = np.unique(of[records])
        tied[here] |= here.size > 1
        for each in here:
            within = of[records] == each
            varies = bool((settled.piece.lo < settled.piece.hi)[within].any())
            if varies:
                state = 0 if settled.unique is False and _moves(settled, within) else -1
                unique[each] = 0 if unique[each] == 0 else state
                found = radius_of(settled, guess[records], within)
                low[each] += found.low
                high[each] += found.high
                exact = bool((settled.low_decided & settled.high_decided)[within].all())
                decided[each] &= found.decided and exact and state == 0
    return Units(people, unique, certain, low, high, decided, tied)


def _moves(settled: SettledPiece, within: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> bool:
    """Whether two data sets that were seen differ there."""
    part = settled.points[:, within]
    return bool((part != part[:1]).any())


def count_people(bounds: RecordBounds) -> tuple[int, int]:
    """How few and how many people there can be: counted where all data sets are known, else proven."""
    low = high = int(bounds.lo.sum() - sum(int(each.piece.lo.sum()) for each in bounds.pieces))
    for settled in bounds.pieces:
        piece = settled.piece
        ends = int(piece.lo.sum()), int(piece.hi.sum())
        if settled.complete:
            totals = settled.points.sum(axis=1)
            ends = int(totals.min()), int(totals.max())
        elif len(settled.points):
            ones = np.ones(piece.size, np.int64)
            try:
                program = OpenProgram(piece)
                ends = program.least(ones)[0], -program.least(-ones)[0]
            except SolveError:
                pass
        low, high = low + ends[0], high + ends[1]
    return low, high
