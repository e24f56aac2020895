"""The attack: from published cells to claims about records that can turn out wrong."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from dalenius.errors import TooLargeError
from dalenius.progress import Progress, silent
from dalenius.records.attack.certain.partial import CertainClaim, partial_claims, whole_claims
from dalenius.records.attack.certain.settle import Effort, RecordBounds
from dalenius.records.attack.ranked.copies import RankedCopies, log_shares_of, rank_drawn
from dalenius.records.attack.ranked.others import PopulationShares
from dalenius.records.attack.spans import attack_pieces
from dalenius.records.attack.system import make_system
from dalenius.records.attack.units import Units, best_guess, count_units
from dalenius.records.cells.grid import Whole
from dalenius.records.cells.release import PublishedRecords
from dalenius.shown import hides_people

Row = list[str]

MOST_OPEN = 1_000
"""Open records without a probability, from which on people are searched for who fit the tables."""


@hides_people()
@dataclass(frozen=True)
class RecordClaims:
    """What follows from tables: certain records, a guess with its radius, and how probable each copy is.

    ``assumed`` is what must be so for anything to be certain, though nobody said it. ``lost`` is how many
    open records were not attacked, because whoever did it was lost again and again.
    """

    bounds: RecordBounds
    guess: Whole
    units: Units
    whole: tuple[CertainClaim, ...]
    partial: tuple[CertainClaim, ...]
    ranked: RankedCopies
    assumed: str = ""
    lost: int = 0

    @property
    def people(self) -> int:
        """How many people are in the guess."""
        return int(self.guess.sum())

    @property
    def wide(self) -> bool:
        """Whether the domain was too wide for anything to be decided."""
        return self.ranked.searches > 0 and not self.bounds.system.grids

    @property
    def fits(self) -> bool:
        """Whether the guess is a data set that fits: not where none was found for some piece."""
        system = self.bounds.system
        rows, chosen = system.rows[:, : self.guess.size], system.rows[:, self.guess.size :]
        sums = rows @ self.guess
        inside = (system.low <= sums) & (sums <= system.high)
        return bool((inside | (np.diff(chosen.indptr) > 0)).all())  # medians hold in every data set seen

    @property
    def _holds_if(self) -> str:
        return f"{self.assumed} (nobody said so)" if self.assumed else "tables were made as stated"

    def certain_rows(self) -> Iterator[Row]:
        """``certain.csv``: whole records first, then partial ones, whose free columns are empty."""
        columns = self.bounds.system.columns
        yield [*columns.names, "at_least", "one_table_says", "holds_if"]
        for claim in (*self.whole, *self.partial):
            labels = [
                "" if code is None else columns.levels[at][code] for at, code in enumerate(claim.levels)
            ]
            yield [*labels, str(claim.least), str(claim.read), self._holds_if]

    def ranked_rows(self) -> Iterator[Row]:
        """``records.csv``: every copy of every record that may be there, likeliest first."""
        columns, ranked = self.bounds.system.columns, self.ranked
        yield [*columns.names, "copy", "probability"]
        for at, copy, probability in zip(ranked.record, ranked.copy, ranked.probability, strict=True):
            record = self.bounds.system.records[at]
            labels = [columns.levels[column][code] for column, code in enumerate(record)]
            yield [*labels, str(copy), f"{probability:.6f}"]

    def unit_rows(self, unit: int | None) -> Iterator[Row]:
        """``units.csv``: a row for each unit."""
        columns, units = self.bounds.system.columns, self.units
        names = ("all",) if unit is None else columns.levels[unit]
        yield [
            "unit" if unit is None else columns.names[unit],
            *("people", "unique", "certain", "radius_low", "radius_high", "decided", "tied", "holds_if"),
        ]
        for at, name in enumerate(names):
            yield [
                name,
                str(units.people[at]),
                {1: "yes", 0: "no"}.get(int(units.unique[at]), "open"),
                str(units.certain[at]),
                str(units.radius_low[at]),
                str(units.radius_high[at]),
                "yes" if units.decided[at] else "no",
                "yes" if units.tied[at] else "no",
                self._holds_if,
            ]

    def to_csv(self) -> str:
        """``certain.csv``, as text."""
        return _csv(self.certain_rows())

    def ranked_csv(self) -> str:
        """``records.csv``, as text."""
        return _csv(self.ranked_rows())

    def units_csv(self, unit: int | None) -> str:
        """``units.csv``, as text."""
        return _csv(self.unit_rows(unit))


def _csv(rows: Iterable[Row]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def claim_records(
    published: PublishedRecords,
    others: PopulationShares | None = None,
    effort: Effort | None = None,
    *,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> RecordClaims:
    """Attack tables: no list of people, no truth. ``others`` say what is usual elsewhere, never what must be.

    Raises
    ------
    InputError
        If no data set fits, or the domain is too wide.

    Examples
    --------
    >>> from dalenius.records.cells.cell import cell
    >>> from dalenius.records.cells.columns import RecordColumns
    >>> from dalenius.records.cells.grid import grids_of
    >>> columns = RecordColumns.of({"sex": ["f", "m"], "ill": ["no", "yes"]})
    >>> counts = [({"sex": ["f"]}, 2), ({"sex": ["m"]}, 1), ({"ill": ["no"]}, 3), ({"ill": ["yes"]}, 0)]
    >>> cells = [cell(columns, where, count, count) for where, count in counts]
    >>> release = PublishedRecords("t", columns, tuple(grids_of(columns, cells)), None, 4, "exact")
    >>> [(claim.levels, claim.least) for claim in claim_records(release, rng=np.random.default_rng(1)).whole]
    [((0, 0), 2), ((1, 0), 1)]
    """
    claims = _claims(published, others, effort, rng, progress)
    return replace(claims, assumed=published.assumed)


def _claims(
    published: PublishedRecords,
    others: PopulationShares | None,
    effort: Effort | None,
    rng: np.random.Generator,
    progress: Progress,
) -> RecordClaims:
    if published.noisy:
        from dalenius.records.attack.noise.claims import rank_under_noise

        found = rank_under_noise(published, others, effort, rng=rng, progress=progress)
        bounds, guess, units, whole, partial, ranked = found
        return RecordClaims(bounds, guess, units, tuple(whole), tuple(partial), ranked)
    try:
        system = make_system(published.columns, published.grids, published.sums, published.medians)
    except TooLargeError:
        wide = _searched(published, rng, progress)
        if wide is None:
            raise
        return wide
    prior = None if others is None else others.shares(system.columns, system.records)
    logs = log_shares_of(len(system.records), prior)
    asked = effort or Effort()
    begun, attacked = attack_pieces(system, asked, logs, published.unit, rng=rng, progress=progress)
    bounds = begun.bounds(attacked.settled, attacked.by_word)
    ranked = rank_drawn(bounds, logs, attacked.drawn)
    if ranked.open_records - attacked.lost > MOST_OPEN:  # nothing is guessed of what was lost
        from dalenius.records.attack.wide.anneal import anneal_people
        from dalenius.records.attack.wide.claims import with_searches

        searched = anneal_people(published.columns, published.grids, rng=rng, progress=progress)
        ranked = ranked if searched is None else with_searches(bounds, ranked, searched)
    guess = best_guess(bounds, ranked.modes)
    return RecordClaims(
        bounds,
        guess,
        count_units(bounds, guess, published.unit, attacked.radii),
        tuple(whole_claims(bounds)),
        tuple(partial_claims(bounds, published.unit, attacked.excess)),
        ranked,
        lost=attacked.lost,
    )


def _searched(
    published: PublishedRecords, rng: np.random.Generator, progress: Progress
) -> RecordClaims | None:
    """What searches over a domain too wide find; ``None`` where they have nothing to begin with."""
    from dalenius.records.attack.wide.anneal import anneal_people
    from dalenius.records.attack.wide.claims import rank_wide

    found = anneal_people(published.columns, published.grids, rng=rng, progress=progress)
    if found is None:
        return None
    bounds, guess, units, ranked = rank_wide(published, found)
    return RecordClaims(bounds, guess, units, (), (), ranked)
