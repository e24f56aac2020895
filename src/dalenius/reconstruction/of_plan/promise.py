"""What the noise of printed tables promises, worked out from the tables alone.

The plan says how large the noise is; the labels say in how many numbers with noise of their own one person is
counted. What is printed as a total must be the sum of printed numbers: an exact one beside noisy cells would
take the promise away. Where anything is not so, nothing is promised, and why is said.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dalenius.auditing.plan_parts import TablesPlan
from dalenius.mechanisms.as_stated import AnswersKnown, independent, rank, unlike_stated
from dalenius.mechanisms.base import Promise
from dalenius.mechanisms.chain import Mechanism
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.mechanisms.stages.noise import Noise
from dalenius.people.schema import Column, Roster
from dalenius.printed.files import Entry, PrintedTable
from dalenius.printed.noise import (
    NoisyTable,
    noisy_table,
    not_sums,
    number_elsewhere,
    sensitivity_of_tables,
)
from dalenius.printed.tables import Said
from dalenius.shown import several
from dalenius.statistics.cells import CellCounts

LABELS = "given that labels, and all that stands outside the tables, are chosen without the data"
DRAWN = "given that every number but sums of others got its noise once, and that nobody can draw it again"

NOT_SUMS = "totals in it are not the sums of the numbers that are printed"
HIDDEN = "numbers in it are hidden or are shares"
ELSEWHERE = "{place} has a number that stands outside the tables"
OTHER_MARGINS = "its margins were made otherwise than its cells"
OTHER_TOTALS = "its totals over all values do not look as if they had such noise"


@dataclass(frozen=True)
class NoisePlaced:
    """Where the numbers of printed tables have noise of their own; or why that is not known."""

    tables: tuple[NoisyTable, ...] = ()
    why_not: str | None = None


def may_promise(planned: TablesPlan) -> bool:
    """Whether noise is stated of tables that are of the date of the data, and not out already."""
    stages = parse_mechanism(planned.mechanism).stages
    return any(isinstance(each, Noise) for each in stages) and not planned.fixed and planned.date is None


def noise_in(
    planned: TablesPlan, printed: Sequence[PrintedTable], roster: Roster, secret: Column
) -> NoisePlaced:
    """Say where the noise of printed tables is, by their labels and what is said of their margins.

    Margins have noise of their own only where that is said of them: only then are they held against the data.
    """
    if any(entry.printed.per or math.isnan(entry.printed.number) for t in printed for entry in t.entries):
        return NoisePlaced(why_not=HIDDEN)
    if planned.margins not in (None, "none", planned.mechanism):
        return NoisePlaced(why_not=OTHER_MARGINS)
    columns = roster.attributes.columns
    for path in planned.tables:
        if (place := number_elsewhere(path, columns, secret.name)) is not None:
            return NoisePlaced(why_not=ELSEWHERE.format(place=place))
    summed = planned.margins != planned.mechanism
    found = [noisy_table(each, columns, secret.levels, summed=summed) for each in printed]
    tables = tuple(table for table in found if table is not None and not not_sums(table))
    if len(tables) == len(printed):
        return NoisePlaced(tables)
    return NoisePlaced(why_not=NOT_SUMS)


def sized(said: Said, placed: NoisePlaced) -> Said:
    """State noise by its size where it is stated by what it is to promise, all tables together."""
    chain = parse_mechanism(said.mechanism)
    if placed.why_not is not None or not any(stage.promised for stage in chain.stages):
        return said
    text = str(chain.resolve(sensitivity_of_tables(placed.tables)))
    return replace(said, mechanism=text, margins=text if said.margins == said.mechanism else said.margins)


def promise_of(
    mechanism: str, placed: NoisePlaced, roster: Roster, *, rng: np.random.Generator
) -> tuple[Promise | None, str | None]:
    """Return what noise as stated promises; or why nothing is taken from it."""
    chain = parse_mechanism(mechanism)
    totals = [entry for table in placed.tables for entry in table.own if entry.value is None]
    why_not = placed.why_not
    if why_not is None and totals and not _as_stated(totals, chain, roster, rng):
        why_not = OTHER_TOTALS
    if why_not is not None:
        return None, f"No promise is taken from its noise: {why_not}."
    promise = chain.promise(sensitivity_of_tables(placed.tables)) if independent(chain) else None
    return None if promise is None else promise.resting_on(*_given(placed)), None


def _given(placed: NoisePlaced) -> Iterator[str]:
    counted = sum(table.overlap for table in placed.tables)
    tables = several(len(placed.tables), "table")
    numbers = several(counted, "number with noise of its own", "numbers with noise of their own")
    yield f"a record is replaced by any other; each is counted in {numbers}, of {tables}"
    yield LABELS
    yield DRAWN


def _as_stated(totals: Sequence[Entry], chain: Mechanism, roster: Roster, rng: np.random.Generator) -> bool:
    """Whether numbers over all values of the secret, which no attack reads, have the noise that is stated."""
    used = {name for entry in totals for name, _ in entry.conditions}
    columns = tuple(column for column in roster.attributes.columns if column.name in used)
    cells = CellCounts(columns, tuple(entry.conditions for entry in totals), ("",) * len(totals))
    answers = np.array([[entry.printed.number] for entry in totals])
    true = cells.totals(roster)[:, None]
    alone = np.arange(len(totals))
    slack = np.array([[0.0 if chain.prints_whole else entry.printed.up] for entry in totals])
    known = AnswersKnown(answers, true, slack, np.zeros_like(alone), alone.astype(np.float64))
    return independent(chain) and not unlike_stated(rank(known, chain, alone, rng=rng)).any()
