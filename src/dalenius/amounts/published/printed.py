"""Tables of amounts as offices print them, from CSV or xlsx.

Long: columns of the list of people, then ``count``, ``sum``, ``mean``, ``median``, ``min``, ``max``, ``sd``,
``variance`` or quantiles (``q25``, ``p25``, ``25%``), a row for each group. Crossed: levels of one column
down, of another across, one statistic in all cells. ``Total`` and ``All`` are margins; hidden cells are
``* c x .`` or empty. A number is as exact as its last digit: whether that was rounded or cut off is not
known, nor how a quantile was defined, nor by what squares were divided.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from dalenius.amounts.published.groups import Listed
from dalenius.errors import InputError
from dalenius.mechanisms.chain import Mechanism
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.schema import Column, Kind, Role
from dalenius.printed.dimensions import is_margin, levels_of
from dalenius.printed.grid import PrintedSheet, read_grids
from dalenius.release.amounts import (
    EVERYBODY,
    SAID,
    STATISTICS,
    WEIGHTED,
    AmountGroup,
    AmountRelease,
    Places,
    PrintedAmount,
    check_statistic,
    percent,
)
from dalenius.release.amounts_publish import is_read_weighted, read_back
from dalenius.statistics.printed_cell import Printed, decimal_comma, read_cell

NAMES = {"n": "count", "number": "count", "people": "count", "total": "sum", "average": "mean",
         "minimum": "min", "maximum": "max", "std": "sd", "stddev": "sd", "standard deviation": "sd",
         "var": "variance", "lower quartile": "q25", "upper quartile": "q75",
         } | {name: name for name in STATISTICS}  # fmt: skip
"""What headers call the statistics, beside quantiles."""

UNWEIGHTED = "unweighted count"
"""How many people were asked, where everything else is by survey weights."""

_QUANTILE = re.compile(r"[qp](\d\d)|p(\d)|(\d{1,2}) ?%")


def statistic_of(header: str) -> str:
    """What a header in lower case means; nothing if it is no statistic, or may be two.

    Examples
    --------
    >>> [statistic_of(header) for header in ("25%", "p5", "q90", "average", "q1", "0%")]
    ['q25', 'q05', 'q90', 'mean', '', '']
    """
    found = _QUANTILE.fullmatch(header)
    if header in (UNWEIGHTED, "unweighted"):
        return UNWEIGHTED
    name = (
        NAMES.get(header.removeprefix("weighted "), "")
        if found is None
        else f"q{int(found[1] or found[2] or found[3]):02}"
    )
    return name if name in STATISTICS or percent(name) is not None else ""


MOST_AMOUNT = 1e100
"""Larger numbers are no amounts: their squares are beyond what a machine holds."""


@dataclass(frozen=True)
class AmountsSaid:
    """What is said of tables beside what they print.

    ``statistic`` is what the cells of a crossed table are, ``times`` what numbers are printed in: 1,000 for
    thousands. If ``weighted``, everybody counts by a survey weight, but in columns that say ``unweighted``.
    """

    amount: str
    mechanism: str = "exact"
    statistic: str = "sum"
    times: float = 1.0
    weighted: bool = False


@dataclass(frozen=True)
class _AmountCell:
    place: str
    levels: dict[str, str]
    statistic: str
    text: str


def read_amount_tables(paths: Sequence[Path], listed: Listed, said: AmountsSaid) -> AmountRelease:
    """Read printed tables about people who are on a list.

    Raises
    ------
    InputError
        If a table cannot be read, names a level that nobody has, or holds a number that the mechanism cannot
        have printed.
    """
    said = replace(said, statistic=check_statistic(said.statistic))
    if not (math.isfinite(said.times) and said.times > 0):
        raise InputError("times", "must be a number above 0", f"{said.times:g}")
    columns = {
        name: Column(name, Role.PUBLIC, Kind.CATEGORICAL, tuple(np.unique(values).tolist()))
        for name, values in listed.labels.items()
    }
    chain = parse_mechanism(said.mechanism, "amounts")
    groups = _Groups(listed)
    found: list[tuple[int, str, Printed]] = []
    hidden = 0
    for cell, printed in _cells(paths, columns, said):
        if math.isnan(printed.number):
            hidden += 1
            continue
        found.append((groups.at(cell, columns), cell.statistic, printed))
    if not found:
        raise InputError("tables", "must print at least one number", "none")
    name = ", ".join(path.name for path in paths)
    unread = tuple({one[1]: None for one in found if said.weighted and not is_read_weighted(one[1])})
    read = tuple(_read([one for one in found if one[1] not in unread], chain, said))
    return AmountRelease(
        name, said.amount, len(listed.ids), tuple(groups.groups), read, str(chain), hidden, unread=unread
    )


class _Groups:
    """The groups that cells are about, each once."""

    def __init__(self, listed: Listed) -> None:
        self.listed = listed
        self.groups: list[AmountGroup] = []
        self._seen: dict[bytes, int] = {}

    def at(self, cell: _AmountCell, columns: dict[str, Column]) -> int:
        inside = np.ones(len(self.listed.ids), np.bool_)
        for name, label in cell.levels.items():
            levels = levels_of(columns[name], label)
            if levels is None:
                raise InputError(
                    f"{cell.place}: {name}", "must be a level that somebody on the list has", "another",
                    "Bands are read as 20-39 and 65+ where the list has numbers.", value=label,
                )  # fmt: skip
            inside &= np.isin(self.listed.labels[name], levels)
        members: Places = np.flatnonzero(inside)
        if not members.size:
            raise InputError(cell.place, "must be about somebody on the list", "nobody with these levels")
        label = ", ".join(f"{name}={label}" for name, label in cell.levels.items()) or EVERYBODY
        key = members.tobytes()
        if key not in self._seen:
            self._seen[key] = len(self.groups)
            self.groups.append(AmountGroup(label, members, "*".join(cell.levels) or EVERYBODY))
        return self._seen[key]


def _read(
    found: list[tuple[int, str, Printed]], chain: Mechanism, said: AmountsSaid
) -> Iterator[PrintedAmount]:
    for called in dict.fromkeys(one[1] for one in found):
        own = [(group, printed) for group, which, printed in found if which == called]
        at = [group for group, _ in own]
        statistic = "count" if called == UNWEIGHTED else called
        weighted = said.weighted and called in WEIGHTED
        if statistic == "count" and not weighted:
            if str(chain) != "exact":  # offices that change sums change counts too, and do not say how
                continue
            yield from (PrintedAmount(g, statistic, p.number - 0.5, p.number + 0.5) for g, p in own)
            continue
        times = 1.0 if statistic == "count" else said.times
        numbers = np.array([printed.number for _, printed in own]) * times
        digits = np.array([max(printed.up, printed.down) for _, printed in own]) * times
        for one in read_back(statistic, at, numbers, chain, 2 * digits):
            yield replace(one, weighted=weighted)


def _cells(
    paths: Sequence[Path], columns: dict[str, Column], said: AmountsSaid
) -> Iterator[tuple[_AmountCell, Printed]]:
    for path in paths:
        for sheet in read_grids(path):
            cells = list(_of_sheet(sheet, columns, said.statistic))
            comma = decimal_comma([cell.text for cell in cells])
            for cell in cells:
                printed = read_cell(cell.text, comma=bool(comma))
                if printed is None or printed.per:
                    raise InputError(cell.place, "must be a number or a mark of a hidden one", "other text")
                if abs(printed.number) * said.times > MOST_AMOUNT:
                    raise InputError(cell.place, f"must be at most {MOST_AMOUNT:g}", "a larger number")
                yield cell, printed


def _of_sheet(sheet: PrintedSheet, columns: dict[str, Column], statistic: str) -> Iterator[_AmountCell]:
    known = {column.casefold(): column for column in columns}
    for at, row in enumerate(sheet.cells):
        words = [cell.casefold() for cell in row]
        if any(map(statistic_of, words)) and all(
            statistic_of(word) or word in known for word in words if word
        ):
            yield from _long(sheet, at, [known.get(word, statistic_of(word)) for word in words], columns)
            return
        if words and words[0] in known and len(row) > 1:
            across = _across(row[1:], columns, known[words[0]])
            if across is not None:
                yield from _crossed(sheet, at, (known[words[0]], across), statistic)
                return
    raise InputError(
        sheet.name,
        f"must have a header of columns of the list of people and {SAID}",
        "none that can be read",
        "Or cross two of the columns, with the levels of one as the header. Write p25 for a quartile q1.",
    )


def _long(
    sheet: PrintedSheet, at: int, header: list[str], columns: dict[str, Column]
) -> Iterator[_AmountCell]:
    for r, row in enumerate(sheet.cells[at + 1 :], start=at + 1):
        labels = {word: cell for word, cell in zip(header, row, strict=True) if word in columns}
        levels = {word: label for word, label in labels.items() if label and not is_margin(label, word)}
        for word, cell in zip(header, row, strict=True):
            if word and word not in columns:
                yield _AmountCell(f"{sheet.name}, {sheet.row(r)}, {word}", levels, word, cell)


def _across(labels: list[str], columns: dict[str, Column], down: str) -> str | None:
    """The column whose levels stand across."""
    for name, column in columns.items():
        inside = [label for label in labels if label and not is_margin(label, name)]
        if name != down and inside and all(levels_of(column, label) is not None for label in inside):
            return name
    return None


def _crossed(sheet: PrintedSheet, at: int, both: tuple[str, str], statistic: str) -> Iterator[_AmountCell]:
    down, across = both
    for r, row in enumerate(sheet.cells[at + 1 :], start=at + 1):
        for k, cell in enumerate(row[1:], start=1):
            labels = {down: row[0], across: sheet.cells[at][k]}
            levels = {word: label for word, label in labels.items() if label and not is_margin(label, word)}
            yield _AmountCell(f"{sheet.name}, {sheet.cell(r, k)}", levels, statistic, cell)
