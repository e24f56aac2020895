"""All that an attacker without a list of people has: cells, and how their numbers were made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.grid import GroupedCells
from dalenius.records.cells.noisy import NoisyCells
from dalenius.records.cells.sums import EvenMedian, SumCell


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

    def mechanism_of(self, table: str) -> str:
        """What was done to the counts of a table."""
        return self.mechanisms.get(table, "exact")
