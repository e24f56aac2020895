"""What stops the census attack: the same simulated blocks under every protection, certain and ranked records.

``python -m validation.census.stops FOLDER 8`` keeps what each of so many draws gave in the folder, goes on
after those that are there, and writes ``census_stops.csv`` and ``census_stops.svg``, which the docs show.
"""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dalenius.atomic_write import write_files
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.records.attack.certain.partial import whole_claims
from dalenius.records.attack.certain.settle import Effort, settle
from dalenius.records.attack.claims import RecordClaims, claim_records
from dalenius.records.attack.ranked.copies import rank_copies
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

DELTA = 1e-6
"""With what probability a promise of Gaussian noise may fail."""

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
    """What a protection promises if somebody is replaced: two cells in each of four tables change.

    That of Gaussian noise holds but for a probability of `DELTA`, by way of zero-concentrated privacy.
    """
    name, _, said = protection.partition(":")
    cells = 2 * len(TABLES)
    if name == "geometric":
        return cells / float(said.partition("=")[2])
    if name == "gaussian":
        rho = cells / (2 * float(said.partition("=")[2]) ** 2)
        return rho + 2 * math.sqrt(rho * math.log(1 / DELTA))
    return None


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


Row = dict[str, Any]


def together(draws: list[list[Row]]) -> list[Row]:
    """All draws of one protection: sums of people, and shares with two standard errors over draws."""
    found = []
    for same in zip(*draws, strict=True):
        row: Row = {"protection": same[0]["protection"], "epsilon": same[0]["epsilon"], "draws": len(same)}
        row |= {key: sum(each[key] for each in same) for key in ("people", "certain", "wrong", "records")}
        for key, of in (
            ("certain", "people"),
            ("right", "records"),
            ("baseline", "records"),
            ("control", "records"),
        ):
            shares = np.array([each[key] / each[of] for each in same])
            row[f"{key}_share"] = round(float(shares.mean()), 4)
            row[f"{key}_band"] = round(2 * float(shares.std(ddof=1)) / len(same) ** 0.5, 4)
        found.append(row)
    return found


SHOWN = (
    ("certain", "people whose record is certain"),
    ("right", "likeliest records that are there"),
    ("baseline", "the strongest simpler ranking"),
    ("control", "the same, from tables of other people"),
)


def picture(rows: list[Row]) -> str:
    """Protections without a promise as bars, noise against its promise; bands are two standard errors."""
    from dalenius.report.picture import BLUE, GREY, PURPLE, RED, draw, plain_numbers

    colors = dict(zip((name for name, _ in SHOWN), (RED, BLUE, PURPLE, GREY), strict=True))
    plain = [row for row in rows if row["epsilon"] is None]

    def bars(axes: Any) -> None:
        at = np.arange(len(plain))
        for shift, (key, name) in enumerate(SHOWN):
            axes.barh(
                at + 0.21 * (shift - 1.5), [100 * row[f"{key}_share"] for row in plain], 0.19,
                xerr=[100 * row[f"{key}_band"] for row in plain], color=colors[key], label=name,
                error_kw={"elinewidth": 1},
            )  # fmt: skip
        axes.set_yticks(at, [row["protection"].replace(":", "\n") for row in plain])
        axes.invert_yaxis()
        axes.set_xlim(0, 105)
        axes.set_xlabel("%")
        axes.set_title("Exact, rounded, hidden, swapped")

    def curves(axes: Any) -> None:
        for name, style in (("geometric", "-"), ("gaussian", "--")):
            own = sorted(
                (row for row in rows if row["protection"].startswith(name)), key=lambda r: r["epsilon"]
            )
            x = [row["epsilon"] for row in own]
            for key, _ in SHOWN:
                y = np.array([100 * row[f"{key}_share"] for row in own])
                band = np.array([100 * row[f"{key}_band"] for row in own])
                axes.plot(x, y, style, color=colors[key], marker="o", markersize=3)
                axes.fill_between(x, y - band, y + band, color=colors[key], alpha=0.15, linewidth=0)
        axes.plot([], [], "-", color="black", label="geometric")
        axes.plot([], [], "--", color="black", label=f"Gaussian (delta {DELTA:g})")
        axes.set_xscale("log")
        axes.set_ylim(-2, 105)
        axes.set_xlabel("epsilon of all four tables: less is safer")
        axes.set_ylabel("%")
        axes.legend(fontsize=8, loc="upper left")
        axes.set_title("Noise")

    blocks = rows[0]["draws"] * len(BLOCKS)
    title = f"What stops the census attack: {blocks} simulated blocks, {rows[0]['people']:,} people"

    def paint(axes: Any) -> None:
        figure = axes.figure
        axes.remove()
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.15))
        for part, own in ((bars, left), (curves, right)):
            own.spines[["top", "right"]].set_visible(False)
            part(own)
        plain_numbers(right.xaxis)
        handles, names = left.get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncol=4, fontsize=8)
        figure.suptitle(title)

    return draw(paint, width=9.6, height=5.2)


def main(folder: Path, draws: int) -> None:
    """Attack what is not there yet, then write both files."""
    for seed in range(draws):
        place = folder / f"draw{seed}.json"
        if not place.is_file():
            people = people_of(np.random.default_rng([seed, 1]))
            rows = [attacked(people, protection, seed) for protection in PROTECTIONS]
            write_files(folder, {place.name: json.dumps(rows)})
            print(f"draw {seed} of {draws}", flush=True)
    rows = together([json.loads((folder / f"draw{seed}.json").read_text()) for seed in range(draws)])
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_files(folder, {"census_stops.csv": text.getvalue(), "census_stops.svg": picture(rows)})


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
