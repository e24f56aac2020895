"""What real and hard units give away, beside the values that are expected, each within its band.

``python -m validation.census.rows RECORDS.csv.gz`` prints a line for each row; CPU seconds are of one thread.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from validation.census.real import RealPeople, merged, mixed, read_real, stress, unit_columns, with_tracts
from validation.census.tables import columns_of, tables_of

from dalenius.records.attack.certain.settle import settle
from dalenius.records.attack.claims import RecordClaims, claim_records
from dalenius.records.attack.ranked.others import PopulationShares
from dalenius.records.attack.system import make_system
from dalenius.records.attack.units import best_guess, count_units
from dalenius.records.cells.grid import Codes
from dalenius.records.cells.noisy import NoisyCells
from dalenius.records.cells.release import PublishedRecords
from dalenius.records.referee.control import published_again
from dalenius.records.referee.judge import judge_records
from dalenius.records.referee.ranking import judge_ranking
from dalenius.records.referee.truth import TruePeople

MAKE: dict[str, Callable[..., Codes]] = {"merged": merged, "mixed": mixed, "stress": stress}

NOISY_UNITS = 8

ROWS = (
    ("T1", "mixed", 25, 200, {"unique": 0.66}),
    ("T2", "mixed", 70, 80, {"unique": 0.112, "certain": 0.924, "radius": 0.062}),
    ("T3", "stress", 150, 20, {"certain": 0.815, "radius": 0.149}),
    ("T7", "merged", 50, 200, {"unique": 0.85, "certain": 0.989}),
    ("", "mixed", 150, 40, {"certain": 0.892, "radius": 0.080}),
    ("", "mixed", 350, 10, {"certain": 0.858, "radius": 0.090}),
    ("", "stress", 350, 10, {"certain": 0.777, "radius": 0.178}),
    ("", "stress", 700, 4, {"certain": 0.736, "radius": 0.206}),
)
"""Name, kind, people of a unit, units, expected shares."""


def real_blocks(real: RealPeople) -> None:
    """All blocks, by their own tables and with those of their tracts."""
    for name, published in (
        ("block tables", tables_of(real.people, columns_of(real.blocks))),
        ("with tracts", with_tracts(real)),
    ):
        for _ in range(2):  # the first time what is compiled is loaded
            begun = time.process_time()
            found = settle(make_system(published.columns, published.grids))
            guess = best_guess(found)
            units = count_units(found, guess, published.unit)
            took = time.process_time() - begun
        unique = units.unique == 1
        wrong = wrong_records(guess, found.system.records, real.people) if unique.all() else "-"
        print(
            f"{name}: {unique.sum():,} of {unique.size:,} blocks unique, "
            f"{units.people[unique].sum():,} people; {took:.2f} CPU s, "
            f"{1e6 * took / unique.size:.1f} microseconds a block; wrong records: {wrong}"
        )


def wrong_records(guess: np.ndarray, records: Codes, people: Codes) -> int:
    """Records of a reconstruction that nobody has."""
    mine = np.repeat(records, guess, axis=0)
    a, b = (each[np.lexsort(each.T)] for each in (mine, people))
    return int((a != b).any(axis=1).sum()) if len(a) == len(b) else -1


def hard_units(real: RealPeople) -> None:
    """Ranges, uniqueness and radius of every unit."""
    for name, kind, size, count, expected in ROWS:
        people = MAKE[kind](real, size, count, rng=np.random.default_rng(7))
        published = tables_of(people, unit_columns(people))
        begun = time.process_time()
        found = settle(make_system(published.columns, published.grids))
        units = count_units(found, best_guess(found), 0)
        took = time.process_time() - begun
        n = units.people.sum()
        rates = {
            "unique": (units.unique == 1).mean(),
            "certain": units.certain.sum() / n,
            "radius": units.radius_high.sum() / n,
        }
        by_unit = {"certain": units.certain / units.people, "radius": units.radius_high / units.people}
        for what, value in expected.items():
            spread = by_unit[what].std() if what in by_unit else (value * (1 - value)) ** 0.5
            band = 4 * spread / units.people.size**0.5 + 0.01
            held = "held" if abs(rates[what] - value) <= band else "NOT HELD"
            here = f"{name or '  '} {kind} {size}: {what} {rates[what]:.3f}"
            print(f"{here}, expected {value:.3f} +- {band:.3f}: {held}")
        decided = f"{units.decided.sum()} of {units.decided.size} decided"
        print(f"   {decided}; {1e3 * took / units.people.size:.2f} CPU ms a unit")


def ranked_units(real: RealPeople) -> None:
    """T4: ranked claims from exact tables; bands are by the spread of the units."""
    people = mixed(real, 350, 10, rng=np.random.default_rng(8))
    scores, matches = [], []
    for at in range(10):
        own = people[people[:, 0] == at].copy()
        own[:, 0] = 0
        claims = claim_records(tables_of(own, unit_columns(own)), rng=np.random.default_rng(at))
        ranking = judge_ranking(claims, TruePeople(own).counts)
        scores.append(ranking.brier)
        matches.append(ranking.uncertain_match[-1].hits / ranking.uncertain_match[-1].k)
    for what, rates, value in (("Brier", scores, 0.149), ("match at K", matches, 0.772)):
        say_held("T4 mixed 350", what, rates, value)
    claims = claim(tables_of(people, unit_columns(people)))
    ranking = judge_ranking(claims, TruePeople(people).counts)
    for each in ranking.calibration:
        print(f"   stated {each.mean:.2f}, came true {each.hits / each.trials:.2f} of {each.trials}")
    judged = judge_records(claims, TruePeople(people).counts)
    print(f"   certain claims wrong: {judged.wrong} of {judged.claims}; within the radius: {judged.kept}")


def noisy_units(real: RealPeople) -> None:
    """T5: geometric noise of scale 1 on every cell, the other people of all tracts known."""
    rng = np.random.default_rng(9)
    halves, wholes = [], []
    begun = time.process_time()
    for _ in range(NOISY_UNITS):
        chosen = rng.permutation(len(real.people))
        people = real.people[chosen[:70]].copy()
        people[:, 0] = 0
        elsewhere = PopulationShares((1, 2, 3, 4), real.people[chosen[70:], 1:])
        claims = claim_records(noised(people, rng), elsewhere, rng=rng)
        match = judge_ranking(claims, TruePeople(people).counts).distinct
        halves.append(match[1].hits / match[1].k)
        wholes.append(match[3].hits / match[3].k)
    took = time.process_time() - begun
    for what, rates, value in (("match at D/2", halves, 0.94), ("match at D", wholes, 0.76)):
        say_held("T5 geometric 1, mixed 70", what, rates, value)
    print(f"   {took / NOISY_UNITS:.2f} CPU s a unit")


def say_held(row: str, what: str, rates: list[float], value: float) -> None:
    """Print whether the mean of some units is within four standard errors and .01 of what is expected."""
    mean, band = float(np.mean(rates)), 4 * float(np.std(rates, ddof=1)) / len(rates) ** 0.5 + 0.01
    held = "held" if abs(mean - value) <= band else "NOT HELD"
    print(f"{row}: {what} {mean:.3f}, expected {value:.3f} +- {band:.3f}: {held}")


def noised(people: Codes, rng: np.random.Generator) -> PublishedRecords:
    """The tables of one unit, every cell with noise, zeros too."""
    exact = tables_of(people, columns_of(["u0"]))
    noisy = []
    for grid in exact.grids:
        places = np.arange(grid.size)
        none = np.zeros(grid.size, np.int64)
        whole = replace(grid, places=places, low=none, high=none, complete=False)
        noisy.append(NoisyCells(whole, np.zeros((grid.size, 4))))
    chains = dict.fromkeys((grid.table for grid in exact.grids), "geometric:scale=1")
    draft = replace(exact, grids=(), noisy=tuple(noisy), mechanisms=chains)
    again = published_again(draft, people, rng=rng)
    if again is None:
        sys.exit("tables without sums can be published again")
    return again


def claim(published: PublishedRecords) -> RecordClaims:
    """Attack, and say how long it took."""
    begun = time.process_time()
    claims = claim_records(published, rng=np.random.default_rng(1))
    print(f"   everything: {time.process_time() - begun:.2f} CPU s")
    return claims


def main(path: str) -> None:
    """Print every row."""
    real = read_real(Path(path))
    real_blocks(real)
    hard_units(real)
    ranked_units(real)
    noisy_units(real)


if __name__ == "__main__":
    main(sys.argv[1])
