"""From printed tables to a release: cells become questions, marks become intervals, totals are checked.

The totals of a table over all values of the secret say nothing about anybody: how many people are in a cell
is known from the list of people. They show whether the table is about these people at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, SaysNothingError
from dalenius.mechanisms.chain import Mechanism
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.schema import Column, Kind, Role, Roster
from dalenius.printed.checks import Checks, refuse_public, refuse_unlisted, summed_margins
from dalenius.printed.files import PrintedTable
from dalenius.printed.rows import Row, read_blanks, rows_of, says_nothing
from dalenius.printed.shares import OF, Shares
from dalenius.printed.units import parse_numbers
from dalenius.progress import Announce, unsaid
from dalenius.release.release import Block, Release
from dalenius.statistics.cells import CellCounts, Condition, join_cells
from dalenius.statistics.printed_cell import DIGITS

Floats = NDArray[np.float64]

_OTHER = {"1": "0", "yes": "no", "true": "false", "positive": "negative", "y": "n"}
_ORDER = (("0", "1"), ("no", "yes"), ("false", "true"), ("negative", "positive"), ("n", "y"))

Side = tuple[float, tuple[Condition, ...]]
"""Rows of shares: of how many, and which levels stand beside their values."""

Kind_ = tuple[tuple[str, ...], float, str]
"""Rows of one block: the values they print, of how many they are shares, and the mechanism."""


@dataclass(frozen=True)
class Said:
    """What is said of the printed numbers.

    Parameters
    ----------
    mechanism
        What was done to the counts. A hidden cell that it does not explain may be anything.
    margins
        What was done to the margins, if something else; ``none`` if they are sums of what was printed.
    of
        What shares are of: ``row``, ``column`` or ``all``.
    numbers
        What plain numbers are: ``counts``, ``percent``, ``fraction`` or ``per:1000``; by default as their
        header says, and otherwise counts.
    digits
        What was done to the digits after the last: ``rounded`` or ``truncated``; by default it may be either.
    group_size
        How many people shares are of, if they are of all people.
    weight, weights
        Numbers are by survey weights: those of a column, or between two ends as ``5-20`` or ``unknown``.
    """

    mechanism: str = "exact"
    margins: str | None = None
    of: str | None = None
    numbers: str | None = None
    digits: str | None = None
    group_size: int | None = None
    weight: str | None = None
    weights: str | None = None

    @property
    def per(self) -> float | None:
        """Of how many plain numbers are shares; 0 for counts."""
        return None if self.numbers is None else parse_numbers(self.numbers)


def release_of_tables(
    tables: Sequence[PrintedTable],
    roster: Roster,
    said: Said | None = None,
    *,
    secret: str | None = None,
    levels: tuple[str, ...] | None = None,
    announce: Announce = unsaid,
) -> Release:
    """Make one release of printed tables about the people of a roster.

    Parameters
    ----------
    tables
        What was printed.
    roster
        The people who were counted.
    said
        What is said about the printed numbers.
    secret
        What the secret is called; by default as the tables do.
    levels
        The values of the secret, if more are known than these tables print.
    announce
        Told what is not used.

    Raises
    ------
    InputError
        If a total disagrees with the people, a level is nobody's, somebody's level is in no table, a
        share is of something unknown, or it is not clear what numbers are.
    SaysNothingError
        If the tables print no number that can be used.
    """
    said = said or Said()
    chain = parse_mechanism(said.mechanism)
    name = secret or next((table.secret for table in tables if table.secret), "secret")
    printed = [value for table in tables for value in table.values]
    levels = levels or secret_levels(printed)
    if unlisted := [value for value in printed if value not in levels]:
        raise InputError(
            "--values",
            "must name every value that is printed",
            "one without it",
            "Spell it as they do.",
            value=unlisted[0],
        )
    if said.group_size is not None and said.group_size != len(roster):
        raise InputError(
            "--group-size",
            f"must be the number of people on the list ({len(roster):,})",
            f"{said.group_size:,}",
            "The list of people must be the one that was counted.",
        )
    if said.of is not None and said.of not in OF:
        raise InputError("--of", f"must be one of {', '.join(OF)}", repr(said.of))
    if said.digits is not None and said.digits not in DIGITS:
        raise InputError("--digits", f"must be {' or '.join(DIGITS)}", repr(said.digits))
    of = "all" if said.group_size is not None else said.of
    blocks = []
    for table in tables:
        blocks += _Reader(table, roster, said, of, levels, announce).blocks()
    refuse_unlisted(tables, roster)
    names = ", ".join(table.name for table in tables)
    if not blocks:
        raise SaysNothingError(
            f"{names}: no number about the secret is printed that can be used: cells are empty, say nothing "
            "(such as n/a), or are sums of others; so nothing follows about anybody and nothing is guessed"
        )
    column = Column(name, Role.SECRET, Kind.BINARY if len(levels) == 2 else Kind.CATEGORICAL, levels)
    return Release(names, column, tuple(_together(blocks)), str(chain))


def _together(blocks: Sequence[Block]) -> list[Block]:
    """Cells of all tables that print the same values alike as one block: one matrix, whatever the files."""
    kinds: dict[tuple[tuple[str, ...], str | None], list[tuple[Block, CellCounts]]] = {}
    for block in blocks:
        if isinstance(block.statistic, CellCounts):
            kinds.setdefault((block.values, block.mechanism), []).append((block, block.statistic))
    return [
        Block(
            join_cells([cells for _, cells in same]),
            values,
            np.concatenate([block.answers for block, _ in same]),
            mechanism,
            np.concatenate([block.low for block, _ in same if block.low is not None]),
            np.concatenate([block.high for block, _ in same if block.high is not None]),
            np.concatenate([block.least for block, _ in same if block.least is not None]),
            np.concatenate([block.most for block, _ in same if block.most is not None]),
        )
        for (values, mechanism), same in kinds.items()
    ]


def secret_levels(values: Sequence[str]) -> tuple[str, ...]:
    """Put the values of the secret in order, the one that is looked for last; a lone one gets its opposite.

    Examples
    --------
    >>> secret_levels(["yes", "no"]), secret_levels(["HIV"]), secret_levels(["b", "a", "c"])
    (('no', 'yes'), ('not HIV', 'HIV'), ('a', 'b', 'c'))
    """
    found = list(dict.fromkeys(values))
    if not found:
        raise InputError("tables", "must count at least one value of the secret", "none")
    if len(found) == 1:
        value = found[0]
        return (_OTHER.get(value.lower(), f"not {value}"), value)
    lowered = tuple(sorted(value.lower() for value in found))
    if lowered in _ORDER:
        found.sort(key=str.lower)
    elif len(found) > 2:
        found.sort()
    return tuple(found)


class _Reader:
    """One table, the people, and what is said about its numbers."""

    def __init__(
        self,
        table: PrintedTable,
        roster: Roster,
        said: Said,
        of: str | None,
        levels: tuple[str, ...],
        announce: Announce,
    ) -> None:
        self.table, self.roster, self.said, self.of, self.levels = table, roster, said, of, levels
        rows = rows_of(table, said.digits)
        self.rows = rows if said.per == 0 else says_nothing(rows)
        body, margins = parse_mechanism(said.mechanism), said.margins
        used = {name for row in self.rows for name, _ in row.conditions}
        self.columns = tuple(c for c in roster.attributes.columns if c.name in used)
        self.totals = self._statistic(self.rows).totals(roster)
        self.stated = str(body)
        self.chains: dict[bool, Mechanism] = {}
        for margin in (False, True):
            own = body if not margin or margins in (None, "none") else parse_mechanism(margins)
            here = [j for j, row in enumerate(self.rows) if row.margin == margin]
            rows, self.chains[margin] = read_blanks([self.rows[j] for j in here], own, table.beside)
            for j, row in zip(here, rows, strict=True):
                self.rows[j] = row
        self.unused = self._unused(announce)
        self.sides = self._sides()

    def _unused(self, announce: Announce) -> set[int]:
        """Margins that are sums, as is said or seems to be."""
        if self.said.margins == "none":
            return {j for j, row in enumerate(self.rows) if row.margin}
        if self.said.margins is not None:
            return set()
        summed = summed_margins(self.rows, self.totals, self.chains[False])
        if summed:
            announce(
                f"{self.table.name}: margins that are sums of its printed cells are not used, since a sum of "
                "protected counts says nothing more; give --margins if they were protected themselves."
            )
        return summed

    def blocks(self) -> list[Block]:
        """Rows that print the same values, and alike as counts or shares, form one block."""
        self._check()
        kinds: dict[Kind_, list[int]] = {}
        for j, row in enumerate(self.rows):
            printed = tuple(v for v in self.levels if v in row.cells and row.cells[v].said)
            if printed and j not in self.unused:
                kinds.setdefault((printed, row.per, str(self.chains[row.margin])), []).append(j)
        return [self._block(rows, values, per, text) for (values, per, text), rows in kinds.items()]

    def _check(self) -> None:
        for margin, chain in self.chains.items():
            used = [j for j, row in enumerate(self.rows) if row.margin == margin and j not in self.unused]
            rows = [(self.rows[j], self.totals[j]) for j in used]
            columns = {column.name: column for column in self.columns}
            checks = Checks(self.table, chain, self.chains[True], self.levels, columns)
            checks.check_levels([row for row, _ in rows])
            checks.check([pair for pair in rows if not pair[0].per], units=self.said.numbers is not None)
        refuse_public(self.table, self.rows, self.roster, self.chains)
        for side in self.sides:
            for margin, chain in self.chains.items():
                self._shares(side, chain).check(margin)

    def _sides(self) -> dict[Side, list[int]]:
        """The rows of shares by what is beside their values, which columns are shares of in each."""
        found: dict[Side, list[int]] = {}
        beside = self.table.beside if self.of in (None, "column") else ()
        for j, row in enumerate(self.rows):
            if row.per:
                found.setdefault((row.per, row.levels_in(beside)), []).append(j)
        return found

    def _shares(self, side: Side, chain: Mechanism) -> Shares:
        here = self.sides[side]
        rows = [self.rows[j] for j in here]
        people, sizes = self._people(side[1]), self._sizes(side[1])
        part = bool(self.table.beside) and len(side[1]) < len(self.table.beside)
        return Shares(
            self.table.name, rows, self.totals[here], people, self.levels, chain, self.of, sizes, part
        )

    def _people(self, conditions: tuple[Condition, ...]) -> int:
        """How many people are in some levels."""
        used = tuple(c for c in self.columns if c.name in {name for name, _ in conditions})
        return int(CellCounts(used, (conditions,), ("",)).totals(self.roster).item())

    def _sizes(self, conditions: tuple[Condition, ...]) -> dict[str, tuple[float, float]]:
        """How many people have each value, in some levels or in all, as far as the table counts them."""
        sizes = {}
        for row in self.rows:
            for value, cell in row.cells.items() if not row.per and row.conditions == conditions else ():
                if value is not None and not np.isnan(cell.number):
                    error = self.chains[row.margin].error(np.array([[cell.number]]))
                    sizes[value] = error.low.item(), error.high.item()
        return sizes

    def _statistic(self, rows: Sequence[Row]) -> CellCounts:
        names = tuple(f"{self.table.name}: {row.label}" for row in rows)
        return CellCounts(self.columns, tuple(row.conditions for row in rows), names)

    def _block(self, rows: list[int], values: tuple[str, ...], per: float, text: str) -> Block:
        cells = [[self.rows[j].cells[value] for value in values] for j in rows]
        chain = parse_mechanism(text)
        if per:
            answers, least, most = self._behind(rows, values, per, chain)
        else:
            answers = np.array([[cell.number for cell in row] for row in cells])
            down, up = (
                np.array(
                    [[0.0 if chain.prints_whole and c.unit <= 1 else way(c) for c in row] for row in cells]
                )
                for way in (attrgetter("down"), attrgetter("up"))
            )
            least, most = answers - down, answers + up
        low = np.array([[cell.low for cell in row] for row in cells])
        high = np.array([[cell.high for cell in row] for row in cells])
        statistic = self._statistic([self.rows[j] for j in rows])
        mechanism = None if text == self.stated else text
        return Block(statistic, values, answers, mechanism, low, high, least, most)

    def _behind(
        self, rows: list[int], values: tuple[str, ...], per: float, chain: Mechanism
    ) -> tuple[Floats, Floats, Floats]:
        """What was published behind shares, its middle and its ends."""
        found = np.empty((3, len(rows), len(values)))
        for side, here in self.sides.items():
            place = {j: at for at, j in enumerate(here)}
            own = [at for at, j in enumerate(rows) if j in place]
            if own and side[0] == per:
                behind = self._shares(side, chain).behind([place[rows[at]] for at in own], values)
                found[:, own] = behind.middle, behind.least, behind.most
        return found[0], found[1], found[2]
