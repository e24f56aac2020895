"""Twenty-four people in three towns, tables about them as text, and the counts that such a table allows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.printed.files import PrintedTable, read_printed
from dalenius.printed.tables import Said, release_of_tables
from dalenius.reconstruction.attack.system.equations import read_counts
from dalenius.statistics.statistic import Counting

TOWN = Column("town", Role.PUBLIC, Kind.CATEGORICAL, ("A", "B", "C"))
SMOKER = Column("smoker", Role.PUBLIC, Kind.BINARY, ("no", "yes"))
SEX = Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m"))
CODES = np.array([[i % 3, i % 2, (i // 2) % 2] for i in range(24)], np.int32)
PEOPLE = Roster("id", np.array([f"p{i}" for i in range(24)]), CodedColumns((TOWN, SMOKER, SEX), CODES))
ILL = np.array([i % 5 == 0 for i in range(24)])
YES = [int(ILL[CODES[:, 0] == town].sum()) for town in range(3)]
NO = [8 - yes for yes in YES]
EIGHT, ALL = [8] * 3, [24] * 3


def intervals(folder: Path, text: str, **said: Any) -> dict[tuple[str, str], tuple[float, float]]:
    """Read a table, and return for each cell the counts that it allows by itself."""
    secret = said.pop("secret", "ill")
    (folder / "t.csv").write_text(text)
    stated = Said(**said)
    tables = read_printed(folder / "t.csv", PEOPLE.attributes.columns, secret=secret, per=stated.per)
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for block in release_of_tables(tables, PEOPLE, stated, secret=secret).blocks:
        assert isinstance(block.statistic, Counting)
        totals = block.statistic.operator(PEOPLE).apply(np.ones(24))
        error = read_counts(block, totals, parse_mechanism(block.mechanism or stated.mechanism))
        for row, label in enumerate(block.statistic.labels()):
            for column, value in enumerate(block.values):
                low, high = error.low[row, column], error.high[row, column]
                before = found.get((label.partition(": ")[2], value), (0.0, 24.0))
                found[label.partition(": ")[2], value] = max(low, before[0]), min(high, before[1])
    return found


def read_text(folder: Path, text: str, per: float | None = None) -> tuple[PrintedTable, ...]:
    (folder / "t.csv").write_text(text)
    return read_printed(folder / "t.csv", PEOPLE.attributes.columns, secret="ill", per=per)


def lines(*rows: str) -> str:
    return "\n".join([*rows, ""])


def shares(numbers: list[int], of: list[int], per: float, digits: int = 1, point: str = ".") -> list[str]:
    return [f"{per * n / d:.{digits}f}".replace(".", point) for n, d in zip(numbers, of, strict=True)]


def crossed(header: str, no: list[str], yes: list[str], mark: str = ",") -> str:
    return lines(header, *(mark.join(row) for row in zip("ABC", no, yes, strict=True)))
