"""What needs no weights of single conditions: columns released as they are, and all who are alone at once.

How many people do the values of columns released as they are point at, and how many would luck? No other
people are needed for that. The rows are draws from some population, and a condition "has the values
of this row" is fixed by one row, independently of all others. If x others are expected to meet it, none
does with chance ``e^-x``, and luck isolates somebody by a condition of that weight with chance ``x e^-x``.
Over all rows the first is the share s of people who are alone; given s, the mean of the second is at most
``-s ln s`` (Jensen: ``-y ln y`` is concave). So at least ``s (1 + ln s)`` of the people are singled out
beyond luck, whatever the population is. A column of social-security numbers has s = 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dalenius.conditions.boxes.conjunctions import RowsInBoxes
from dalenius.conditions.leaves import Equals
from dalenius.conditions.predicate import And
from dalenius.findings.measure import Rate
from dalenius.findings.tally import Tally, share_confidence
from dalenius.people.rows.columns import Index
from dalenius.people.rows.rows import Rows, distinct, stacked
from dalenius.release.rows.classes import Classes
from dalenius.singling_out.attack.candidates import Candidates
from dalenius.singling_out.attack.weights.sources import HoldoutSource
from dalenius.singling_out.finding import AsTheyAre, Together
from dalenius.singling_out.referee.classes import OriginalRows
from dalenius.singling_out.referee.columns.recoded import read_as
from dalenius.singling_out.released.luck import Matched, compared
from dalenius.singling_out.rows.at_limit import Judging

IDENTIFIES = 0.9
"""A column names people if at least this share of them has a value that nobody else has."""

SAME = 0.9
"""Of the people a column points at, so many must be in the class of their released row."""

MANY = 30
"""Columns up to which all but one of them are asked about together."""

TURNS = math.exp(-2)
"""Where ``s (1 + ln s)`` starts to rise."""


def as_they_are(classes: Classes, truth: OriginalRows, confidence: float) -> AsTheyAre | None:
    """Count people singled out by the columns that were released as they are; None without such columns.

    Parameters
    ----------
    classes
        The release.
    truth
        The rows behind it.
    confidence
        Of the cautious end.
    """
    columns = (*classes.verbatim, *_untouched(classes))
    if not columns:
        return None
    sets = dict.fromkeys([columns, *((name,) for name in columns), *_all_but_one(columns)])
    each = share_confidence(confidence, len(sets))
    found = {own: _Alone.of(classes, truth, own, each) for own in sets}
    worst = max(found, key=lambda own: found[own].low)
    named = [name for name in columns if found[(name,)].share >= IDENTIFIES and found[(name,)].low > 0]
    return AsTheyAre(
        columns=worst,
        identifying=tuple(named),
        people=found[worst].hits,
        luck=found[worst].luck,
        advantage=found[worst].hits / len(truth.rows) - found[worst].luck,
        low=found[worst].low,
    )


def _all_but_one(columns: tuple[str, ...]) -> list[tuple[str, ...]]:
    """A column that was made up spoils what the others give away together."""
    return [tuple(c for c in columns if c != name) for name in columns] if 2 < len(columns) <= MANY else []


def _untouched(classes: Classes) -> list[str]:
    """Columns called generalised in which every cell is a plain value."""
    plain = zip(classes.quasi, classes.boxes.leaves, strict=True)
    return [name for name, leaves in plain if all(isinstance(leaf, Equals) for leaf in leaves)]


@dataclass(frozen=True)
class _Alone:
    """Originals whom a released row alone equals, the share of originals that are alone, the cautious end."""

    hits: int
    share: float
    low: float

    @property
    def luck(self) -> float:
        return self.share * math.log(1 / self.share) if self.share > 0 else 0.0

    @staticmethod
    def of(classes: Classes, truth: OriginalRows, columns: Sequence[str], confidence: float) -> _Alone:
        """Count them.

        A row less changes the number of those who are alone by one if it was alone or one of two (Efron,
        Stein). Row numbers in another order equal somebody's too, but rarely somebody of the same class:
        such columns were not released as they are.
        """
        from scipy.special import ndtri

        n = len(truth.rows)
        here, pairs, rows = _pairs(classes, truth, columns)
        share = float((here == 1).sum()) / n
        spread = math.sqrt(float((here == 1).sum() + 2 * (here == 2).sum())) / n
        least = max(share - float(ndtri(confidence)) * spread, TURNS)
        if rows.size < SAME * pairs:
            return _Alone(0, 0.0, -1.0)
        return _Alone(rows.size, share, rows.size / n - share + least * (1 + math.log(least)))


def own_values(classes: Classes, truth: OriginalRows, found: AsTheyAre) -> Iterator[And]:
    """Yield what `as_they_are` counted: for every person the values of their own, as they were released."""
    if not found.people:
        return
    _, _, rows = _pairs(classes, truth, found.columns)
    released = [classes.released.column(name) for name in found.columns]
    for row in rows.tolist():
        yield And(tuple(Equals(column.name, column.text(row)) for column in released))


def _pairs(classes: Classes, truth: OriginalRows, columns: Sequence[str]) -> tuple[Index, int, Index]:
    """Count originals of each value; how many are alone with it, as one released row; which rows are theirs.

    A row is theirs if it is in a class that the original meets.
    """
    released, original, n = classes.released, truth.rows, len(truth.rows)
    alike = Rows(tuple(read_as(released.column(name), original.column(name)) for name in columns))
    both = distinct(stacked(original.select(columns), alike))
    size = both.counts.size
    here = np.bincount(both.which[:n], minlength=size)
    there = np.bincount(both.which[n:], minlength=size)
    pairs = np.flatnonzero((here == 1) & (there == 1))
    row_of, copy_of = np.zeros(size, np.int64), np.zeros(size, np.int64)
    row_of[both.which[:n]] = np.arange(n)
    copy_of[both.which[n:]] = np.arange(len(released))
    rows = copy_of[pairs]
    return here, pairs.size, rows[truth.meets(row_of[pairs], classes.of_row[rows])]


def all_together(judging: Judging) -> Together | None:
    """Count conditions about people who are alone in the data, and in the holdout that the attack never saw.

    ``None`` without such people, without an original or a holdout, or if a column is not known of others.
    """
    truth, certifier, weighing = judging.truth, judging.certifier, judging.weighing
    names = judging.plan.classes.released.names
    source = weighing.source
    if truth is None or certifier is None or not isinstance(source, HoldoutSource) or weighing.unknown(names):
        return None
    kinds = [kind for kind in judging.plan.attacks if about_one_row(kind)]
    if not kinds:
        return None
    here = _joined([truth.within(kind) for kind in kinds])
    there = _joined([certifier.within(kind) for kind in kinds])
    found = compared(here, there, judging.n, len(source.rows), 1.0, judging.confidence)
    hits = int((here.counts == 1).sum())
    return Together(
        success=Rate.of(Tally(hits, here.counts.size), judging.confidence),
        luck=found.luck.value,
        advantage=found.advantage.value,
        low=found.advantage.low,
        high=found.advantage.high,
    )


def about_one_row(kind: Candidates) -> bool:
    """Whether conditions of a kind are about rows that are alone in the release, all of them."""
    return kind.each or kind.kind == "class of one"


def _joined(parts: list[RowsInBoxes]) -> Matched:
    return Matched(np.concatenate([own.counts for own in parts]), np.concatenate([own.rows for own in parts]))
