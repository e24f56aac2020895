"""Tables of simulated blocks as an office prints them: long files, without the empty cells."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from dalenius.records.simulated.shares import RACE_FLAGS, draw_block, draw_sizes

RACES = ("white", "black", "native", "asian", "pacific", "other")

FIVE_YEARS = (0, 5, 10, 15, 18, 20, 21, 22, 25, 30, 35, 40, 45, 50, 55, 60, 62, 65, 67, 70, 75, 80, 85)
"""Where the ages of most tables begin."""

LARGEST = 300
"""People of a block that a demonstration has; larger ones are rare, and take longer than all others."""

Person = dict[str, str]
Counted = tuple[Sequence[str], Callable[[Person], bool]]

TABLES: dict[str, Counted] = {
    "P9": (("block", "origin", "race"), lambda person: True),
    "P11": (("block", "origin", "race"), lambda person: int(person["years"]) >= 18),
    "P12": (("block", "sex", "age"), lambda person: True),
    "P12A-G": (("block", "group", "sex", "age"), lambda person: True),
    "P12H": (("block", "sex", "age"), lambda person: person["origin"] == "Hispanic"),
    "P14": (("block", "sex", "year"), lambda person: int(person["years"]) < 20),
}
"""By name as in 2010: the columns that each crosses, and whom it counts."""

UNIVERSES = ("P11=age=18+", "P12H=origin=Hispanic", "P14=age=under 20")


def simulated_people(blocks: int, *, rng: np.random.Generator) -> list[Person]:
    """Draw the people of some blocks, as labels."""
    found = []
    sizes = [int(size) for size in draw_sizes(3 * blocks, rng=rng) if size <= LARGEST][:blocks]
    for at, size in enumerate(sizes):
        for sex, years, race, origin in draw_block(size, rng=rng).tolist():
            found.append(_person(at, sex, years, race, origin))
    return found


def _person(block: int, sex: int, years: int, race: int, origin: int) -> Person:
    own = [name for name, flag in zip(RACES, RACE_FLAGS[race], strict=True) if flag]
    first = max(start for start in FIVE_YEARS if start <= years)
    after = [start for start in FIVE_YEARS if start > first]
    band = f"{first}+" if not after else (f"{first}-{after[0] - 1}" if after[0] > first + 1 else str(first))
    return {
        "block": f"{block // 10 + 1:03d}{block % 10 + 1:03d}",
        "sex": "female" if sex else "male",
        "age": band,
        "year": str(years) if years < 20 else band,
        "years": str(years),
        "race": " and ".join(own),
        "group": own[0] if len(own) == 1 else "two or more",
        "origin": "Hispanic" if origin else "not Hispanic",
    }


def write_census(folder: Path, blocks: int, *, rng: np.random.Generator) -> list[str]:
    """Write tables, what lies within what, and the true records; returns the words of the command."""
    people = simulated_people(blocks, rng=rng)
    words = ["reconstruct", "records", "--geography", "block", "--complete", "all", "--mechanism", "exact"]
    for name, (columns, counts) in TABLES.items():
        cells = Counter(tuple(person[at] for at in columns) for person in people if counts(person))
        header = ["age" if column == "year" else column for column in columns]
        _write(folder / f"{name}.csv", [*header, "count"], [[*key, n] for key, n in sorted(cells.items())])
        words += ["--table", str(folder / f"{name}.csv")]
    for universe in UNIVERSES:
        words += ["--universe", universe]
    groups = sorted({(person["race"], person["group"]) for person in people})
    _write(folder / "races.csv", ["race", "group"], [list(each) for each in groups])
    names = ["block", "sex", "year", "race", "origin"]
    rows = [[person[name] for name in names] for person in people]
    _write(folder / "records.csv", ["block", "sex", "age", "race", "origin"], rows)
    return [*words, "--nesting", str(folder / "races.csv"), "--truth", str(folder / "records.csv")]


def _write(path: Path, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
