"""From printed tables to grids of cells: whom each counts, and what its number says about the true count."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from dalenius.errors import InputError, SaysNothingError
from dalenius.mechanisms.chain import Mechanism
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.mechanisms.stages.noise import Geometric
from dalenius.progress import Announce, unsaid
from dalenius.records.cells.cell import NO_LIMIT, PublishedCell
from dalenius.records.cells.columns import Where
from dalenius.records.cells.grid import GroupedCells, grids_of
from dalenius.records.cells.noisy import Floats, NoisyCells, says_of
from dalenius.records.cells.release import PublishedRecords, name_together
from dalenius.records.cells.sums import EvenMedian, SumCell
from dalenius.records.published.levels import SharedLevels, share_levels
from dalenius.records.published.measures import COUNT, PrintedMeasure
from dalenius.records.published.said import ALL, SaidOfTables, without_sample
from dalenius.records.published.sheets import LabelledCell, RecordTable, read_sheets
from dalenius.records.published.unsaid import check_totals, check_unsaid, summed_cells
from dalenius.records.published.weighed import WeighedCell, finest, rows_of
from dalenius.records.published.weights import weighted_ends

KNOWN_NOISE = ("gaussian", "laplace")
"""Noise of which it is known how likely each error is."""


def read_records(
    paths: Sequence[Path], said: SaidOfTables | None = None, announce: Announce = unsaid
) -> PublishedRecords:
    """Read tables about the same people.

    Raises
    ------
    InputError
        If a table cannot be read, labels do not nest, or a number cannot have been published as stated.
    SaysNothingError
        If no cell says anything for certain.
    """
    said = said or SaidOfTables()
    tables = [table for path in paths for table in read_sheets(Path(path))]
    names = [table.name for table in tables]
    if len(set(names)) != len(names):
        raise InputError("tables", "must have names of their own", "two of one name", "Rename a file.")
    said.check(names)
    shared = share_levels(tables, said)
    said, sample = without_sample(said, names)
    grids: list[GroupedCells] = []
    notes = [*shared.notes, *filter(None, [sample])]
    chains: dict[str, str] = {}
    noisy: list[NoisyCells] = []
    weighed: list[WeighedCell] = []
    people: dict[Where, int] = {}
    count, weighted = 0, False
    unsaid: list[str] = []
    for table in tables:
        reader = _TableReader(table, shared, said)
        cells = reader.cells()
        weighed += reader.weighed()
        people |= {each.where: each.low for each in cells if each.low == each.high}
        chains[table.name] = str(reader.chain)
        weighted |= reader.weights is not None
        unsaid += [table.name] * reader.unsaid
        notes += reader.notes
        count += len(cells) + len(reader.noisy)
        noisy += reader.noisy_grids()
        made = grids_of(shared.columns, cells)
        grids += reader.completed(made) if table.name in said.complete or ALL in said.complete else made
    sums: list[SumCell] = []
    medians: list[EvenMedian] = []
    for each in weighed:
        rows, middles = rows_of(each, shared, people)
        sums, medians = sums + rows, medians + middles
    for note in notes:
        announce(note)
    if not grids and not noisy and not sums:
        raise SaysNothingError(
            f"{', '.join(names)}: no cell says anything: after what nobody knows, or without a number, every "
            "data set fits"
        )
    return PublishedRecords(
        name_together(names),
        shared.columns,
        tuple(grids),
        shared.unit,
        count + len(weighed),
        " or ".join(dict.fromkeys(chains.values())) + (", by survey weights" if weighted else ""),
        tuple(notes),
        tuple(sums),
        mechanisms=chains,
        noisy=tuple(noisy),
        medians=tuple(medians),
        weighted=weighted,
        unsaid=tuple(unsaid),
    )


class _TableReader:
    """One table, what its labels mean, and what is said of it."""

    def __init__(self, table: RecordTable, shared: SharedLevels, said: SaidOfTables) -> None:
        self.table, self.shared = table, shared
        mechanism = said.mechanism.get(table.name, said.mechanism.get(ALL))
        self.chain = parse_mechanism(mechanism or "exact")
        self.unsaid = mechanism is None
        self.margins = said.margins.get(table.name, said.margins.get(ALL))
        self.universe = self._universe(said)
        self.digits = said.digits
        self.shares = said.shares.get(table.name, said.shares.get(ALL))
        self.weights = said.weights.get(table.name, said.weights.get(ALL))
        self.notes: list[str] = []
        if self.unsaid and self.weights is None:
            check_unsaid(table)
        check_totals(table, self.chain, {nesting.column for nesting in said.nestings})
        if self.weights is not None:
            self.notes.append(
                f"{table.name}: counts by survey weights are read as numbers of people between two ends."
            )
        self.noisy: list[tuple[Where, Floats]] = []

    def cells(self) -> list[PublishedCell]:
        """Its cells, without margins that may be sums of what is printed."""
        counts = [cell for cell in self.table.cells if cell.measure == COUNT]
        wheres = [self._where(cell.labels, cell.place) for cell in counts]
        if len(set(wheres)) != len(wheres):
            raise InputError(f"table {self.table.name}", "must print every cell once", "one twice")
        depth = max((len(cell.labels) for cell in counts), default=0)
        margin = [len(cell.labels) < depth for cell in counts]
        drop = self._summed(counts, wheres, margin)
        found: list[PublishedCell] = []
        for is_margin in (False, True):
            here = [j for j, own in enumerate(margin) if own == is_margin and j not in drop]
            chain = parse_mechanism(self.margins) if is_margin and self.margins else self.chain
            ends = self._ends([counts[j] for j in here], [wheres[j] for j in here], chain)
            for j, (low, high) in zip(here, ends, strict=True):
                if low > 0 or high < NO_LIMIT:
                    found.append(PublishedCell(wheres[j], low, high, self.table.name))
        return found

    def weighed(self) -> list[WeighedCell]:
        """Its sums, means, medians and shares; none where counts were changed, since those may be, too."""
        others = [cell for cell in self.table.cells if cell.measure != COUNT]
        if not others:
            return []
        exact = self.chain.noise[0] == "none" and self.chain.whole and self.chain.moves == (0.0, 0.0)
        if not exact or self.weights is not None:
            after = f"after {self.chain}" if self.weights is None else "by survey weights"
            self.notes.append(
                f"{self.table.name}: sums, means, medians and shares are left out: {after} nobody "
                "knows of which numbers they are."
            )
            return []
        by_measure: dict[PrintedMeasure, list[LabelledCell]] = {}
        for cell in others:
            by_measure.setdefault(cell.measure, []).append(cell)
        found = []
        for measure, cells in by_measure.items():
            for cell in finest(cells, self.digits):
                where = self._where(cell.labels, cell.place)
                found.append(WeighedCell(cell, where, self._base(cell, measure), self.table.name))
        return found

    def _base(self, cell: LabelledCell, measure: PrintedMeasure) -> Where:
        """Whom a share is of; ask where nobody says it."""
        if measure.kind != "share":
            return ()
        of = measure.of if measure.of is not None else self.shares
        if of is None:
            raise InputError(
                f"table {self.table.name}",
                "must say of whom its percentages are",
                "percentages alone",
                f"State --shares {self.table.name}=column,column (people alike in these), or =all.",
            )
        lost = [name for name in of if name not in self.table.columns]
        if lost:
            raise InputError("--shares", f"must name columns of table {self.table.name}", repr(lost[0]))
        kept = {name: label for name, label in cell.labels.items() if name in of}
        return self._where(kept, cell.place)

    def completed(self, grids: Sequence[GroupedCells]) -> list[GroupedCells]:
        """The grid with the most columns, in which what is not printed is 0, whole levels too."""
        most = max(range(len(grids)), key=lambda at: len(grids[at].columns), default=None)
        return [self._complete(grid) if at == most else grid for at, grid in enumerate(grids)]

    def _complete(self, grid: GroupedCells) -> GroupedCells:
        groups, sizes = [], grid.sizes
        for column, group in zip(grid.columns, grid.groups, strict=True):
            allowed = self.universe.get(column)
            extra = (group < 0) & np.isin(np.arange(group.size), list(allowed or range(group.size)))
            groups.append(np.where(extra, group.max() + 1, group).astype(np.int32))
        place, fresh = grid.places, np.zeros_like(grid.places)
        wider, step = [int(group.max()) + 1 for group in groups], 1
        for old, new in zip(reversed(sizes), reversed(wider), strict=True):
            place, own = np.divmod(place, old)
            fresh, step = fresh + own * step, step * new
        return replace(grid, groups=tuple(groups), places=fresh, complete=True)

    def _universe(self, said: SaidOfTables) -> dict[int, frozenset[int]]:
        found: dict[int, frozenset[int]] = {}
        for column, labels in said.universe.get(self.table.name, {}).items():
            allowed: frozenset[int] = frozenset()
            for label in labels:
                at, codes = self.shared.codes(column, label)
                allowed |= codes
            if not allowed:
                raise InputError(
                    "--universe", "must allow levels that the tables have", f"none of {column!r}"
                )
            found[at] = allowed
        return found

    def _where(self, labels: Mapping[str, str], place: str) -> Where:
        allowed = dict(self.universe)
        for column, label in labels.items():
            at, codes = self.shared.codes(column, label)
            allowed[at] = allowed.get(at, codes) & codes
            if not allowed[at]:
                rule = "must count people of its universe, or of one unit"
                raise InputError(f"{self.table.name}, {place}", rule, "nobody")
        sizes = self.shared.columns.sizes
        return tuple(sorted((at, tuple(sorted(own))) for at, own in allowed.items() if len(own) < sizes[at]))

    def _summed(
        self, cells: Sequence[LabelledCell], wheres: Sequence[Where], margin: Sequence[bool]
    ) -> set[int]:
        """Margins that are not to be used."""
        if self.margins == "none":
            return {j for j, own in enumerate(margin) if own}
        exact = self.chain.whole and self.chain.moves == (0.0, 0.0) and not self.chain.hides
        if self.margins is not None or exact:
            return set()
        numbers = [cell.printed.number for cell in cells]
        drop = summed_cells(self.shared.columns, wheres, numbers, margin)
        if drop:
            self.notes.append(
                f"{self.table.name}: margins that are sums of its printed cells are not used; give --margins "
                "if they were protected themselves."
            )
        return drop

    def noisy_grids(self) -> list[NoisyCells]:
        """Its cells with noise, as grids: a cell carries its number until the grid has an order."""
        numbered = [PublishedCell(where, at, at, self.table.name) for at, (where, _) in enumerate(self.noisy)]
        found = []
        for grid in grids_of(self.shared.columns, numbered):
            says = np.array([self.noisy[at][1] for at in grid.low])
            ends = np.zeros(grid.low.size, np.int64), np.full(grid.low.size, NO_LIMIT)
            found.append(NoisyCells(replace(grid, low=ends[0], high=ends[1]), says))
        return found

    def _ends(
        self, cells: Sequence[LabelledCell], wheres: Sequence[Where], chain: Mechanism
    ) -> list[tuple[int, int]]:
        """Between which counts each cell is."""
        if not cells:
            return []
        if self.weights is not None:
            return weighted_ends(finest([*cells], self.digits), chain, self.weights, self.table.name)
        printed = [cell.printed for cell in cells]
        numbers = np.array([[each.number] for each in printed])
        down, up = (
            np.array([[0.0 if chain.whole and each.unit <= 1 else way] for each, way in ways])
            for ways in ([(each, each.down) for each in printed], [(each, each.up) for each in printed])
        )
        error = chain.error(
            numbers,
            labels=lambda: [f"{self.table.name}, {cell.place}" for cell in cells],
            least=numbers - down,
            most=numbers + up,
        )
        if error.shape != "none":
            if error.shape in KNOWN_NOISE and not np.isnan(error.sd).any():
                geometric = any(isinstance(stage, Geometric) for stage in chain.stages)
                self.noisy += list(zip(wheres, says_of(error, geometric=geometric), strict=True))
                self.notes.append(
                    f"{self.table.name}: nothing is certain after {chain}; it says how likely records are."
                )
            else:
                self.notes.append(
                    f"{self.table.name}: nothing is certain after {chain}: its numbers are left out."
                )
            return [(0, NO_LIMIT)] * len(cells)
        found = []
        for at, each in enumerate(printed):
            low = 0.0 if each.blank else max(float(error.low[at, 0]), each.low, 0.0)
            high = min(float(error.high[at, 0]), each.high)
            if not low <= min(high, NO_LIMIT):
                rule = f"must be a count that {chain} gives"
                raise InputError(f"{self.table.name}, {cells[at].place}", rule, "another")
            found.append((int(low), NO_LIMIT if math.isinf(high) else int(high)))
        return found
