"""Wide surveys: all tables of two or three columns of real people, and what they prove, with times.

``python -m validation.census.wide PEOPLE.csv`` reads a survey with a row for each person, from a file that is
no part of this project; without a file it takes the survey ``fair`` inside statsmodels. Columns are those of
the American Community Survey where the file has them, else all of at most a hundred levels. What is expected
of one area is looked at in the first `AREAS` areas by label that have enough people. CPU seconds are of one
thread.
"""

from __future__ import annotations

import csv
import itertools
import sys
import time
from pathlib import Path

import numpy as np
from validation.census.tables import counted

from dalenius.records.attack.certain.settle import Effort, settle
from dalenius.records.attack.system import make_system
from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.grid import Codes
from dalenius.records.cells.release import PublishedRecords

SURVEY = (
    *("AGEP", "MSP", "RAC1P", "NOC", "NPF", "INDP_CAT", "EDU", "PINCP_DECILE"),
    *("SEX", "HISP", "HOUSING_TYPE", "OWN_RENT"),
    *("DVET", "DREM", "DPHY", "DEYE", "DEAR"),
)
"""Columns with many levels first; ages are taken in bands of five years."""

AREA, AGE = "PUMA", "AGEP"
AREAS = 10
MOST_LEVELS = 100

CASES = (
    *((8, 2, 50), (8, 2, 100), (12, 2, 50), (12, 2, 100), (17, 2, 50)),
    *((8, 3, 500), (8, 3, 1000), (12, 3, 1000), (17, 3, 300), (17, 3, 1000)),
)
"""Columns, columns of a table, people."""

T6 = (12, 3, 1000, 0.967)
"""The share of certain records that is expected of one case."""


def read_areas(path: Path | None) -> list[list[dict[str, str]]]:
    """The people of the first areas by label that have enough; of all where there are no areas."""
    if path is None:
        from dalenius.people.examples.examples import example_frame

        frame = example_frame("fair").astype(str)
        return [frame.to_dict("records")]
    with path.open() as file:
        rows = list(csv.DictReader(file))
    if AREA not in rows[0]:
        return [rows]
    by_area: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        by_area.setdefault(row[AREA], []).append(row)
    enough = sorted(name for name, own in by_area.items() if len(own) >= T6[2])
    return [by_area[name] for name in enough[:AREAS]]


def coded(rows: list[dict[str, str]]) -> tuple[RecordColumns, Codes]:
    """People as codes."""
    if AGE in rows[0]:
        rows = [row | {AGE: str(min(int(row[AGE]) // 5, 17))} for row in rows]
    names = [name for name in SURVEY if name in rows[0]]
    if not names:
        names = [name for name in rows[0] if 1 < len({row[name] for row in rows}) <= MOST_LEVELS]
    levels = {name: sorted({row[name] for row in rows}) for name in names}
    code = {name: {level: at for at, level in enumerate(own)} for name, own in levels.items()}
    people = np.array([[code[name][row[name]] for name in names] for row in rows], np.int32)
    return RecordColumns.of(levels), people


def tables(columns: RecordColumns, people: Codes, k: int) -> PublishedRecords:
    """Every table of so many columns, exact; what no cell has is 0."""
    whole = [(at, np.arange(size)) for at, size in enumerate(columns.sizes)]
    grids = [
        counted("*".join(columns.names[at] for at, _ in chosen), people, chosen)
        for chosen in itertools.combinations(whole, k)
    ]
    return PublishedRecords("survey", columns, tuple(grids), None, 0, "exact")


def first_columns(columns: RecordColumns, people: Codes, count: int) -> tuple[RecordColumns, Codes]:
    """The first columns alone."""
    names = columns.names[:count]
    return RecordColumns.of(dict(zip(names, columns.levels[:count], strict=True))), people[:, :count]


def attack(columns: RecordColumns, people: Codes, k: int) -> tuple[str, float]:
    """A line of what is proven, and the share of certain records."""
    published = tables(columns, people, k)
    begun = time.process_time()
    system = make_system(columns, published.grids)
    supported = time.process_time()
    found = settle(system)
    took = time.process_time() - begun
    alone = settle(system, Effort(fits=0, steps=0, rounds=0, questions=0, others=0, most=0))
    open_ = int((alone.lo < alone.hi).sum())
    true = np.unique(people, axis=0, return_counts=True)
    have = {tuple(row): int(n) for row, n in zip(*true, strict=True)}
    at = np.flatnonzero(found.lo)
    wrong = sum(have.get(tuple(system.records[j].tolist()), 0) < found.lo[j] for j in at)
    share = found.certain / len(people)
    domain = f"{columns.records:.1e}"
    return (
        f"domain {domain}, {len(people):,} people: support {len(system.records):,}, open {open_:,}, certain "
        f"{found.certain:,} ({alone.certain:,} by propagation), wrong {wrong}, by word {found.by_word}; "
        f"{took:.2f} CPU s, {supported - begun:.2f} of it the support",
        share,
    )


def cases_of(rows: list[dict[str, str]]) -> None:
    """Print every case that there are enough columns and people for."""
    columns, everybody = coded(rows)
    seen = set()
    for count, k, size in CASES:
        own = first_columns(columns, everybody, min(count, len(columns.names)))
        case = (len(own[0].names), k, min(size, len(everybody)))
        if case in seen:
            continue
        seen.add(case)
        line, _ = attack(own[0], drawn(own[1], count, k, size), k)
        print(f"{case[0]} columns, all tables of {k}: {line}", flush=True)


def drawn(people: Codes, *numbers: int) -> Codes:
    """So many people as the last number says."""
    return people[np.random.default_rng(numbers).permutation(len(people))[: numbers[-1]]]


def expected_share(areas: list[list[dict[str, str]]]) -> None:
    """T6: the share of certain records, area by area."""
    count, k, size, expected = T6
    shares = []
    for rows in areas:
        columns, people = first_columns(*coded(rows), count)
        line, share = attack(columns, drawn(people, count, k, size), k)
        print(f"   area {len(shares) + 1}: {line}", flush=True)
        shares.append(share)
    mean, spread = float(np.mean(shares)), float(np.std(shares, ddof=1))
    band = 4 * spread / len(shares) ** 0.5 + 0.01
    held = "held" if abs(mean - expected) <= band else "NOT HELD"
    print(
        f"T6: certain {mean:.3f} ({min(shares):.3f} to {max(shares):.3f}) over {len(shares)} areas, "
        f"expected {expected:.3f} +- {band:.3f}: {held}",
        flush=True,
    )


def main(path: Path | None) -> None:
    """Print every case of the first area, and what is expected over areas."""
    areas = read_areas(path)
    cases_of(areas[0])
    if len(areas) > 1:
        expected_share(areas)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
