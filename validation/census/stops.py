"""What stops the census attack: the same simulated blocks under every protection, certain and ranked records.

``python -m validation.census.stops FOLDER`` writes ``census_stops.csv`` and ``census_stops.svg``, which the
docs show.
"""

from __future__ import annotations

import csv
import io
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dalenius.atomic_write import write_files
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.records.attack.claims import RecordClaims, claim_records
from dalenius.records.attack.partial import whole_claims
from dalenius.records.attack.ranked.copies import rank_copies
from dalenius.records.attack.settle import Effort, settle
from dalenius.records.attack.system import make_system
from dalenius.records.attack.units import Units, best_guess
from dalenius.records.cells.cell import NO_LIMIT
from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.grid import Codes, GroupedCells
from dalenius.records.cells.noisy import NoisyCells
from dalenius.records.cells.release import PublishedRecords
from dalenius.records.referee.baselines import judge_baselines, rankings
from dalenius.records.referee.control import published_again
from dalenius.records.referee.ranking import first_records, judge_ranking, match_rates
from dalenius.records.referee.truth import TruePeople
from dalenius.records.simulated.shares import RACE_FLAGS, draw_block

BLOCKS = (6, 10, 16, 24)
"""People in each block."""

TABLES = ((0, 1, 2), (0, 3, 4), (0, 2, 3), (0, 1, 3))
"""Block by sex and age, race and origin, age and race, sex and race: a person is in four cells."""

COLUMNS = RecordColumns.of(
    {
        "block": [f"b{at}" for at in range(len(BLOCKS))],
        "sex": ["male", "female"],
        "age": ["0-4", "5-17", "18-39", "40-64", "65+"],
        "race": ["white", "black", "native", "asian", "pacific", "other", "several"],
        "origin": ["no", "yes"],
    }
)

PROTECTIONS = (
    *("exact", "rounding:base=3", "rounding:base=5", "suppression:below=3", "suppression:below=5"),
    *("swapping 5%", "swapping 20%"),
    *(f"geometric:scale={scale}" for scale in (0.25, 0.5, 1, 2, 4, 8)),
    *(f"gaussian:sigma={sigma}" for sigma in (0.5, 1, 2, 4, 8)),
)

DRAWS = 1

QUICK = Effort(fits=5_000, steps=50_000, questions=0, rounds=5)
"""Propagation and linear programs alone: rounded tables keep integer solvers long."""


def people_of(rng: np.random.Generator) -> Codes:
    """Everybody, as codes."""
    alone = np.array([flags.index(1) if sum(flags) == 1 else 6 for flags in RACE_FLAGS])
    rows = []
    for block, size in enumerate(BLOCKS):
        own = draw_block(size, rng=rng)
        age = np.searchsorted([5, 18, 40, 65], own[:, 1], side="right")
        rows.append(np.stack([np.full(size, block), own[:, 0], age, alone[own[:, 2]], own[:, 3]], axis=1))
    return np.concatenate(rows).astype(np.int32)


def swapped(people: Codes, share: float, rng: np.random.Generator) -> Codes:
    """Some people changed places with people of other blocks."""
    found = people.copy()
    chosen = rng.permutation(len(people))[: 2 * int(share * len(people) / 2)]
    found[chosen, 0] = people[np.roll(chosen, chosen.size // 2), 0]
    return found


def published(people: Codes, protection: str, rng: np.random.Generator) -> PublishedRecords:
    """The four tables under a protection."""
    if protection.startswith("swapping"):
        people = swapped(people, float(protection.split()[1].rstrip("%")) / 100, rng)
        protection = "exact"
    quiet = parse_mechanism(protection).error(np.zeros((1, 1))).shape == "none"
    grids = []
    for table in TABLES:
        groups = tuple(np.arange(COLUMNS.sizes[at], dtype=np.int32) for at in table)
        places = np.arange(int(np.prod([COLUMNS.sizes[at] for at in table])))
        ends = np.zeros(places.size, np.int64), np.full(places.size, NO_LIMIT)
        grids.append(GroupedCells("*".join(COLUMNS.names[at] for at in table), table, groups, places, *ends))
    noisy = [] if quiet else [NoisyCells(grid, np.zeros((grid.places.size, 4))) for grid in grids]
    draft = PublishedRecords(
        "blocks", COLUMNS, tuple(grids) if quiet else (), 0, sum(each.places.size for each in grids),
        protection,
        mechanisms={grid.table: protection for grid in grids}, noisy=tuple(noisy),
    )  # fmt: skip
    again = published_again(draft, people, rng=rng)
    if again is None:
        raise ValueError("tables without sums can be published again")
    return replace(again, notes=())


def epsilon_of(protection: str) -> float | None:
    """What a protection promises if somebody is replaced: two cells in each of four tables change."""
    name, _, scale = protection.partition(":scale=")
    return 2 * len(TABLES) / float(scale) if name == "geometric" else None


def claimed(tables: PublishedRecords) -> RecordClaims:
    """Certain and ranked records, without the radius, which is not asked for here."""
    rng = np.random.default_rng(1)
    if tables.noisy:
        return claim_records(tables, None, QUICK, rng=rng)
    bounds = settle(make_system(tables.columns, tables.grids), QUICK)
    ranked = rank_copies(bounds, rng=rng)
    guess = best_guess(bounds, ranked.modes)
    none = np.zeros(len(BLOCKS), np.int64)
    units = Units(none, none, none, none, none, none > 0, none > 0)
    return RecordClaims(bounds, guess, units, tuple(whole_claims(bounds)), (), ranked)


def attacked(people: Codes, protection: str, seed: int) -> dict[str, Any]:
    """What is certain, and how many of the likeliest records are there."""
    rng = np.random.default_rng([seed, 7])
    tables = published(people, protection, rng)
    truth = TruePeople(people).counts
    claims = claimed(tables)
    ranked = judge_ranking(claims, truth)
    simple = judge_baselines(tables, claims, rankings(tables, claims, None), truth, None)
    last = ranked.distinct[-1]
    wrong = sum(truth[tuple(code or 0 for code in claim.levels)] < claim.least for claim in claims.whole)
    control = published(people_of(np.random.default_rng([seed, 99])), protection, rng)
    plausible = match_rates(first_records(claimed(control)), truth)[-1].hits
    return {
        "protection": protection,
        "epsilon": epsilon_of(protection),
        "people": len(people),
        "certain": claims.bounds.certain,
        "wrong": wrong,
        "records": last.k,
        "right": last.hits,
        "baseline": max(each.distinct[-1].hits for each in simple),
        "control": plausible,
    }


def summed(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Draws of one protection together."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        own = found.setdefault(row["protection"], dict.fromkeys(row, 0) | {"protection": row["protection"]})
        for key, value in row.items():
            if key == "epsilon":
                own[key] = value
            elif key != "protection":
                own[key] += value
    return list(found.values())


def picture(rows: list[dict[str, Any]]) -> str:
    """Certain records, ranked ones and the strongest baseline, protection by protection."""
    from dalenius.report.picture import BLUE, GREY, RED, draw

    def paint(axes: Any) -> None:
        at = np.arange(len(rows))
        certain = [100 * row["certain"] / row["people"] for row in rows]
        axes.barh(at, certain, color=RED, height=0.6, label="people whose record is certain")
        for key, color, mark, name in (
            ("right", BLUE, "o", "likeliest records that are there"),
            ("baseline", GREY, "|", "the same by the strongest baseline"),
            ("control", GREY, "x", "the same from tables of other people"),
        ):
            axes.plot([100 * row[key] / row["records"] for row in rows], at, mark, color=color, label=name)
        names = [
            row["protection"] + ("" if row["epsilon"] is None else f" (epsilon {row['epsilon']:g})")
            for row in rows
        ]
        axes.set_yticks(at, names)
        axes.invert_yaxis()
        axes.set_xlim(0, 102)
        axes.set_xlabel("%")
        axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.4, -0.1), ncol=2)
        axes.set_title("Simulated blocks of 6 to 24 people: what stops the census attack")

    return draw(paint, width=7.6, height=6.2)


def main(folder: Path) -> None:
    """Attack everything and write both files."""
    rows = []
    for seed in range(DRAWS):
        for protection in PROTECTIONS:
            rows.append(attacked(people_of(np.random.default_rng([seed, 1])), protection, seed))
            print(rows[-1], flush=True)
    together = summed(rows)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(together[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(together)
    write_files(folder, {"census_stops.csv": text.getvalue(), "census_stops.svg": picture(together)})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
