"""Blocks of a census: all ranges, uniqueness and radius, against solvers that look for one solution.

Run with ``python -m benchmarks.records``. Simulated blocks, tables of 2010, 9,576 records. The peers
get the same cells in the same process: counts over the full domain, and one binary variable for each person
and record, as the published replication of the census attack builds it, both by HiGHS. They stop at the
first solution, and say nothing about ranges or radius. CP-SAT, where it can be installed, does the same over
counts. CPU seconds of one thread. Ranked records stand beside a small RAP-Rank of our own.
"""

from __future__ import annotations

import itertools
import resource
import sys
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp
from validation.census.tables import AGE, P12_STARTS, SEX, age_code, columns_of, tables_of

from benchmarks.common import Cost, best_by_turns, cost, exponent
from benchmarks.records_peers import Record, cp_sat, rap_rank
from dalenius.records.attack.certain.settle import settle
from dalenius.records.attack.claims import claim_records
from dalenius.records.attack.system import make_system
from dalenius.records.attack.units import best_guess, count_units
from dalenius.records.cells.grid import Codes
from dalenius.records.cells.release import PublishedRecords
from dalenius.records.referee.ranking import first_records, match_rates
from dalenius.records.referee.truth import TruePeople
from dalenius.records.simulated.shares import BLOCK_SIZES, draw_block

SIZES = (15, 55, 105, 200)
REPEATS = 3
RANKED_UNITS, RANKED_PEOPLE = 3, 70
LUCK = 0.02
"""By how much the share of right records may be behind in so few units."""
SMALL_BLOCKS = 2_000
CLUSTER_HOURS = 207_360 + 806_400
"""Published virtual CPU hours of the attack on all blocks: reconstruction, then how far off it can be."""


def block(size: int, seed: int, count: int = 1) -> Codes:
    """People of some blocks."""
    rng = np.random.default_rng([seed, size])
    rows = []
    for at in range(count):
        people = draw_block(size, rng=rng)
        people[:, 1] = age_code(people[:, 1])
        rows.append(np.concatenate([np.full((size, 1), at), people], axis=1))
    return np.concatenate(rows).astype(np.int32)


def published(people: Codes) -> PublishedRecords:
    """The tables of some blocks."""
    return tables_of(people, columns_of([f"b{at}" for at in range(int(people[:, 0].max()) + 1)]))


def ours(tables: PublishedRecords) -> object:
    """Ranges, uniqueness and radius of every block."""
    found = settle(make_system(tables.columns, tables.grids))
    return count_units(found, best_guess(found), 0)


def rows_of(tables: PublishedRecords, records: Codes) -> tuple[sparse.csr_array, np.ndarray]:
    """Every cell of every table as a row over some records, the empty ones too."""
    parts, counts = [], []
    for grid in tables.grids:
        place = grid.place_of(records)
        inside = np.flatnonzero(place >= 0)
        shape = (grid.size, len(records))
        parts.append(sparse.csr_array((np.ones(inside.size), (place[inside], inside)), shape=shape))
        full = np.zeros(grid.size)
        full[grid.places] = grid.low
        counts.append(full)
    return sparse.vstack(parts).tocsr(), np.concatenate(counts)


def full_rows(tables: PublishedRecords) -> tuple[sparse.csr_array, np.ndarray, np.ndarray]:
    """Rows over all records, what they count, and the most of each record."""
    sizes = tables.columns.sizes
    records = np.array(list(itertools.product(*map(range, sizes))), np.int32)
    rows, counts = rows_of(tables, records)
    return rows, counts, np.full(len(records), counts[0])


def full_domain(tables: PublishedRecords) -> object:
    """One solution by counts over all records."""
    return solved(*full_rows(tables))


def slots(tables: PublishedRecords, people: Codes) -> object:
    """One solution by a binary for each person and record: everybody has a sex and a band of ages."""
    starts = np.searchsorted(np.array(P12_STARTS), [0, *range(1, 21), *P12_STARTS[6:]], side="right") - 1
    band = starts[: tables.columns.sizes[AGE]]
    records, owner = [], []
    for at, person in enumerate(people):
        ages = np.flatnonzero(band == band[person[AGE]])
        for age, race, origin in itertools.product(ages, range(63), range(2)):
            records.append((0, person[SEX], age, race, origin))
            owner.append(at)
    rows, counts = rows_of(tables, np.array(records, np.int32))
    one = sparse.csr_array((np.ones(len(owner)), (owner, np.arange(len(owner)))))
    return solved(sparse.vstack([rows, one]).tocsr(), np.concatenate([counts, np.ones(len(people))]), 1)


def solved(rows: sparse.csr_array, counts: np.ndarray, most: object) -> object:
    """Any whole solution."""
    n = rows.shape[1]
    answer = milp(
        np.zeros(n),
        integrality=np.ones(n),
        bounds=Bounds(0, most),
        constraints=LinearConstraint(rows, counts, counts),
    )
    if answer.x is None:
        sys.exit("a peer found no solution of tables that have one")
    return answer


def race() -> list[Cost]:
    """Time everybody on the same blocks; returns our costs."""
    table = Table(
        *("people", "this attack: everything", "counts, one solution", "one binary a person and record"),
        "CP-SAT, one solution",
    )
    mine = []
    for size in SIZES:
        people = block(size, 1)
        tables = published(people)
        calls = {
            "ours": lambda tables=tables: ours(tables),
            "counts": lambda tables=tables: full_domain(tables),
            "slots": lambda tables=tables, people=people: slots(tables, people),
        }
        costs = best_by_turns(calls, REPEATS)
        mine.append(costs["ours"])
        shown = [
            f"{1e3 * costs[name].cpu:.1f} ms ({costs[name].cpu / costs['ours'].cpu:.0f} x)" for name in calls
        ]
        by_cp_sat = cp_sat(*full_rows(tables))
        own = costs["ours"].cpu
        shown.append("-" if by_cp_sat is None else f"{1e3 * by_cp_sat:.1f} ms ({by_cp_sat / own:.0f} x)")
        table.add_row(str(size), *shown)
        peers = [costs["counts"].cpu, costs["slots"].cpu, np.inf if by_cp_sat is None else by_cp_sat]
        if own > min(peers):
            sys.exit(f"slower than a peer at {size} people")
    Console().print(table)
    return mine


def rank() -> None:
    """How many of the likeliest records are there: this attack, and a small RAP-Rank of our own."""
    quarters = np.zeros((2, 4))
    times = np.zeros(2)
    for unit in range(RANKED_UNITS):
        people = block(RANKED_PEOPLE, 20 + unit)
        tables, truth = published(people), TruePeople(people).counts
        rng = np.random.default_rng(unit)
        ways: tuple[Callable[[], list[Record]], ...] = (
            lambda tables=tables, rng=rng: first_records(claim_records(tables, rng=rng)),
            lambda tables=tables, rng=rng: rap_rank(tables, RANKED_PEOPLE, rng=rng),
        )
        for at, way in enumerate(ways):
            begun = time.process_time()
            ranked = way()
            times[at] += time.process_time() - begun
            quarters[at] += [rate.hits / rate.k for rate in match_rates(ranked, truth)]
    for name, rates, took in zip(("this attack", "RAP-Rank, small"), quarters, times, strict=True):
        shown = ", ".join(f"{rate:.3f}" for rate in rates / RANKED_UNITS)
        Console().print(
            f"{name}: match at a quarter to all of the records {shown}; {took / RANKED_UNITS:.2f} CPU s"
        )
    if (quarters[0] / RANKED_UNITS < quarters[1] / RANKED_UNITS - LUCK).any():
        sys.exit("a peer ranks better")


def run() -> None:
    """Print all times."""
    ours(published(block(5, 2, 3)))  # compiled before anything is timed
    console = Console()
    small = published(block(5, 3, SMALL_BLOCKS))
    took = min(cost(lambda: ours(small)).cpu for _ in range(REPEATS))
    console.print(f"{SMALL_BLOCKS:,} blocks of 5 together: {1e6 * took / SMALL_BLOCKS:.0f} microseconds each")
    mine = race()
    rank()
    console.print(f"CPU time grows with people to the power {exponent(SIZES, mine):.2f}")
    hours = 0.0
    for first, last, count in BLOCK_SIZES:
        size = round((first * last) ** 0.5)
        tables = published(block(size, 4, max(min(200, 2_000 // size), 2)))
        blocks = tables.columns.sizes[0]
        hours += count * cost(lambda tables=tables: ours(tables)).cpu / blocks / 3600
    console.print(
        f"all inhabited blocks of 2010 by arithmetic: {hours:.1f} CPU h, beside {CLUSTER_HOURS:,} virtual "
        "CPU hours published; these also had tract tables and single years of age, and read the files"
    )
    console.print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    run()
