"""All that an attacker without a list of people has: cells, and how their numbers were made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.grid import GroupedCells
from dalenius.records.cells.noisy import NoisyCells
from dalenius.records.cells.sums import EvenMedian, SumCell

OF_SAMPLE = "what follows is about the people in it, and that they are in it follows, too."
"""What tables of a random sample give away: of whoever is counted as much as if nobody had been left out."""

MOST_NAMES = 6
"""Tables whose names stand in a report; of more than these the first and how many others there are."""


def name_together(names: Sequence[str]) -> str:
    """What tables are called together.

    Examples
    --------
    >>> name_together(["P1", "P12"]), name_together([f"P{at}" for at in range(1, 37)])
    ('P1, P12', 'P1, P2 and 34 other tables')
    """
    if len(names) <= MOST_NAMES:
        return ", ".join(names)
    return f"{names[0]}, {names[1]} and {len(names) - 2:,} other tables"


@dataclass(frozen=True)
class PublishedRecords:
    """Tables about the same people, read.

    Parameters
    ----------
    name
        What the tables are called.
    columns
        What records are made of.
    grids
        The cells that say something for certain.
    unit
        The column of units, if there is one.
    cells
        How many cells there are.
    mechanism
        What was done to the counts.
    notes
        What was left out, and why.
    sums, medians
        Cells that add up numbers, such as ages; medians of even numbers of people.
    mechanisms
        What was done to the counts of each table.
    noisy
        Cells that were published with noise: they say how likely a count is, and nothing for certain.
    weighted
        Whether some counts are by survey weights, and read as numbers of people between two ends.
    unsaid
        Tables of which nobody said what was done to their counts, and which are read as exact.
    """

    name: str
    columns: RecordColumns
    grids: tuple[GroupedCells, ...]
    unit: int | None
    cells: int
    mechanism: str
    notes: tuple[str, ...] = ()
    sums: tuple[SumCell, ...] = ()
    mechanisms: Mapping[str, str] = field(default_factory=dict)
    noisy: tuple[NoisyCells, ...] = ()
    medians: tuple[EvenMedian, ...] = ()
    weighted: bool = False
    unsaid: tuple[str, ...] = ()

    def mechanism_of(self, table: str) -> str:
        """What was done to the counts of a table."""
        return self.mechanisms.get(table, "exact")

    @property
    def assumed(self) -> str:
        """What must be so for anything to be certain, though nobody said it; nothing if all is stated.

        A single table whose counts were moved by one looks like any other: no arithmetic shows it.
        """
        if not self.unsaid:
            return ""
        if len(self.unsaid) == len(self.mechanisms):
            return "the tables are exact" if len(self.unsaid) > 1 else "the table is exact"
        return f"{name_together(self.unsaid)} {'is' if len(self.unsaid) == 1 else 'are'} exact"
