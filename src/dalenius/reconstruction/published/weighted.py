"""Printed tables in which people count by survey weights, read as what they say about numbers of people.

A weighted count is of no more people than the lightest of its cell make up, and of no fewer than the
heaviest: a count between two ends, whatever the secret's values are. Where weights are known and the secret
is yes or no, the number is also an equation with the weights as its coefficients, which says far more: few
sets of people weigh just so much.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.findings.report import NotRun
from dalenius.knowledge.weights import SurveyWeights, parse_weights, read_weights, said_weights
from dalenius.mechanisms.chain import Mechanism
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.files.sheet import Sheet
from dalenius.people.schema import Roster
from dalenius.printed.files import Entry, PrintedTable
from dalenius.printed.tables import Said, release_of_tables, secret_levels
from dalenius.progress import Announce, unsaid
from dalenius.release.release import Block, Release
from dalenius.statistics.cells import CellCounts
from dalenius.statistics.printed_cell import Printed
from dalenius.statistics.statistic import ESTIMATE
from dalenius.statistics.weighted_cells import WeightedCells

Floats = NDArray[np.float64]

SLACK = 1e-9
"""By how much sums of weights give way, as a part of what all people of a cell weigh: sums are rounded."""


MOST_DIGITS = 6
"""Digits after the point of a weight, beyond which it is not taken for printed in full."""

EXACT_WEIGHTS = "Survey weights are those of the list, to their last digit."


@dataclass(frozen=True)
class WeighedTables:
    """Tables with numbers of people instead of weighted ones, and the weighted numbers as equations."""

    tables: tuple[PrintedTable, ...]
    blocks: tuple[Block, ...]


def weigh_tables(
    tables: Sequence[PrintedTable],
    roster: Roster,
    weights: SurveyWeights,
    said: Said,
    levels: tuple[str, ...],
    announce: Announce = unsaid,
) -> WeighedTables:
    """Read weighted counts; margins that may be sums of changed numbers are left out.

    Raises
    ------
    InputError
        If a total is not what the people of its cell weigh, or no people with such weights give a number.
    """
    chain = parse_mechanism(said.mechanism)
    body = chain, None if said.margins in (None, "none") else parse_mechanism(said.margins)
    found = [_WeighedTable(table, roster, weights, said, body) for table in tables]
    if weights.known:
        announce(EXACT_WEIGHTS)
    for each in found:
        if each.dropped:
            announce(
                f"{each.table.name}: margins of weighted counts are not used, since they may be sums of "
                "changed numbers; give --margins if they were protected themselves."
            )
    rewritten = tuple(replace(each.table, entries=tuple(each.counted())) for each in found)
    exact = weights.known and len(levels) == 2
    return WeighedTables(rewritten, tuple(_equations(found, roster, weights, levels) if exact else ()))


def weights_said(sheet: Sheet, said: Said) -> SurveyWeights:
    """What is known of everybody's weight.

    Raises
    ------
    InputError
        If both a column and ends are said, or the ends say that weights are known.
    """
    if said.weight is not None and said.weights is not None:
        raise InputError("--weights", "must not come with --weight: a column is known", "both")
    if said.weight is not None:
        true = read_weights(sheet, said.weight)
        return SurveyWeights(true, true)
    ends = parse_weights(said.weights or "")
    if ends is None:
        raise InputError("--weights", "must be ends or unknown", "known", "Name the column by --weight.")
    return SurveyWeights.between(len(sheet), *ends)


def release_weighed(
    tables: Sequence[PrintedTable],
    roster: Roster,
    weights: SurveyWeights,
    said: Said,
    levels: tuple[str, ...] | None,
    secret: str | None,
    announce: Announce = unsaid,
) -> Release:
    """Make one release of weighted counts: numbers of people, and equations where weights are known.

    Raises
    ------
    InputError
        As `weigh_tables` and `release_of_tables` do, and if numbers are said to be shares.
    """
    if said.per:
        raise InputError("--numbers", "must be counts where people count by weights", repr(said.numbers))
    levels = levels or secret_levels([value for table in tables for value in table.values])
    weighed = weigh_tables(tables, roster, weights, said, levels, announce)
    plain = Said(margins="exact", digits=said.digits)
    release = release_of_tables(
        weighed.tables, roster, plain, secret=secret, levels=levels, announce=announce
    )
    return replace(release, blocks=(*release.blocks, *weighed.blocks))


def not_weighed(release: Release, weights: str | None) -> tuple[NotRun, ...]:
    """What an attack on weighted counts leaves open: then nobody can say that they pass.

    ``weights`` are the ends between which they are said to lie; None if they are known.
    """
    reasons = []
    if weights is not None:
        far = said_weights(parse_weights(weights))
        reasons.append(f"survey weights are taken for {far}: whoever knows them learns more")
    elif len(release.secret.levels) > 2:
        reasons.append(
            "of a secret with several values weighted counts are read as numbers of people between two ends; "
            "which sets of people weigh just so much is not looked for"
        )
    return tuple(NotRun(release=release.name, attack_method="weighted", reason=each) for each in reasons)


def step_of(weights: SurveyWeights) -> float:
    """The power of ten that all weights are multiples of, and so all sums of them; 0 if none is seen.

    Examples
    --------
    >>> both = np.array([2.5, 3.0])
    >>> step_of(SurveyWeights(both, both)), step_of(SurveyWeights.between(2, 1, 3))
    (0.1, 0.0)
    """
    if not weights.known:
        return 0.0
    for digits in range(MOST_DIGITS + 1):
        scaled = weights.low * 10.0**digits
        if (np.abs(scaled - np.rint(scaled)) <= SLACK * np.maximum(scaled, 1.0)).all():
            return float(10.0**-digits)
    return 0.0


@dataclass(frozen=True)
class _Weighed:
    """One printed number: between which sums of weights it lies, and who is in its cell."""

    entry: Entry
    low: float
    high: float
    members: NDArray[np.intp]
    chain: Mechanism
    noisy: bool


class _WeighedTable:
    """One table of weighted counts."""

    def __init__(
        self,
        table: PrintedTable,
        roster: Roster,
        weights: SurveyWeights,
        said: Said,
        chains: tuple[Mechanism, Mechanism | None],
    ) -> None:
        self.table, self.roster, self.weights = table, roster, weights
        self.depth = max((len(entry.conditions) for entry in table.entries), default=0)
        self.cells = sum(len(entry.conditions) == self.depth for entry in table.entries)
        plain = chains[0].noise[0] == "none" and chains[0].moves == (0.0, 0.0) and not chains[0].hides
        self.chains = chains[0], chains[1] or chains[0]
        self.digits, self.step = said.digits, step_of(weights)
        self.margins_used = said.margins != "none" and (plain or chains[1] is not None)
        shown = [entry for entry in table.entries if not math.isnan(entry.printed.number)]
        used = [entry for entry in shown if self.margins_used or not self._margin(entry)]
        self.dropped = len(shown) - len(used)
        self.read = [self._read(entry) for entry in used]
        for each in self.read:
            self._check(each)

    def _margin(self, entry: Entry) -> bool:
        return len(entry.conditions) < self.depth

    def _read(self, entry: Entry) -> _Weighed:
        printed = replace(entry.printed, digits=self.digits)
        chain = self.chains[self._margin(entry)]
        wider = 1 + self.cells * self._margin(entry)  # a margin may be the sum of printed cells
        if printed.unit <= self.step * (1 + SLACK):  # sums of such weights have no further digits
            wider = 0
        number = np.array([[printed.number]])
        error = chain.error(
            number, counts=False, least=number - printed.down * wider, most=number + printed.up * wider
        )
        used = {name for name, _ in entry.conditions}
        columns = tuple(c for c in self.roster.attributes.columns if c.name in used)
        row = CellCounts(columns, (entry.conditions,), ("",)).operator(self.roster).explicit()
        members = np.flatnonzero(np.asarray(row.toarray())[0])
        low, high = float(error.low.item()), float(error.high.item())
        return _Weighed(entry, low, high, members.astype(np.intp), chain, error.shape != "none")

    def _check(self, each: _Weighed) -> None:
        """A total must be what its people weigh; a number must be one that some of them give."""
        low, high = (side[each.members].sum() for side in (self.weights.low, self.weights.high))
        slack = SLACK * (high if math.isfinite(high) else 1.0)
        total = each.entry.value is None
        outside = each.low > high + slack or (total and each.high < low - slack) or each.high < -slack
        if outside and not each.noisy:
            raise InputError(
                f"{self.table.name}: {each.entry.label}",
                "must be a sum of the weights of its people"
                if not total
                else "must be what its people weigh",
                "another number",
                "Check the list of people, their weights and the mechanism.",
            )

    def counted(self) -> Iterator[Entry]:
        """Its cells with numbers of people, between two ends; hidden ones as they are, totals left out."""
        by_entry = {id(each.entry): each for each in self.read}
        for entry in self.table.entries:
            each = by_entry.get(id(entry))
            if entry.value is None or (each is None and not math.isnan(entry.printed.number)):
                continue
            if each is None or each.noisy:
                yield replace(entry, printed=Printed(said=each is None, low=0.0))
                continue
            fewest, most = self._people(each)
            number = float(fewest) if fewest == most else math.nan
            yield replace(entry, printed=Printed(number=number, low=float(fewest), high=float(most)))

    def _people(self, each: _Weighed) -> tuple[int, int]:
        """How few of the heaviest weigh enough, and how many of the lightest not too much."""
        light = np.cumsum(np.sort(self.weights.low[each.members]))
        heavy = np.cumsum(np.sort(self.weights.high[each.members])[::-1])
        slack = SLACK * float(light[-1] if light.size else 0.0)
        fewest = 0 if each.low <= slack else int(np.searchsorted(heavy, each.low - slack)) + 1
        most = int(np.searchsorted(light, each.high + slack, side="right"))
        if self.weights.low.min(initial=1.0) > 0 and each.high <= slack:
            most = 0
        if fewest > min(most, each.members.size):
            raise InputError(
                f"{self.table.name}: {each.entry.label}",
                "must be a sum of the weights of some of its people",
                "another number",
                "Check the list of people, their weights and the mechanism.",
            )
        return fewest, min(most, each.members.size)


def _equations(
    tables: Sequence[_WeighedTable], roster: Roster, weights: SurveyWeights, levels: tuple[str, ...]
) -> Iterator[Block]:
    """All numbers of one mechanism as equations about who has the second value."""
    by_chain: dict[str, list[tuple[str, _Weighed]]] = {}
    for table in tables:
        for each in table.read:
            if each.entry.value is not None:
                by_chain.setdefault(str(each.chain), []).append((table.table.name, each))
    for chain, same in by_chain.items():
        used = {name for _, each in same for name, _ in each.entry.conditions}
        columns = tuple(c for c in roster.attributes.columns if c.name in used)
        names = tuple(f"{table}: {each.entry.label}, {each.entry.value}" for table, each in same)
        cells = CellCounts(columns, tuple(each.entry.conditions for _, each in same), names)
        turned = np.array([each.entry.value == levels[0] for _, each in same])
        numbers = np.array([each.entry.printed.number for _, each in same])
        ends = [
            (number - each.low, each.high - number) for number, (_, each) in zip(numbers, same, strict=True)
        ]
        slack = np.array([0.0 if each.noisy else max(own) for own, (_, each) in zip(ends, same, strict=True)])
        statistic = WeightedCells(cells, roster.ids, weights.low, turned, slack)
        mechanism = chain if any(each.noisy for _, each in same) else "exact"
        yield Block(statistic, ESTIMATE, numbers[:, None], mechanism)
