"""Random small releases of cells, and everything that fits them by brute force: no claim may say more.

``python validation/records_fuzz.py 5000 [SEED]`` prints how many cases and claims were compared. Mechanisms
are mixed within a case, and in a third of the cases stated wrongly: then what is claimed must follow from the
cells as they are read, and where nothing fits there must be an error.
"""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.matrices.answers import Counts, Sensitivity
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.records.attack.certain.settle import Effort, RecordBounds, settle
from dalenius.records.attack.claims import RecordClaims
from dalenius.records.attack.named.match import match_named
from dalenius.records.attack.ranked.copies import RankedCopies
from dalenius.records.attack.system import make_system
from dalenius.records.attack.units import best_guess, count_units
from dalenius.records.cells.cell import NO_LIMIT, PublishedCell, cell
from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.grid import grids_of
from dalenius.records.cells.sums import (
    EvenMedian,
    LevelNumbers,
    SumCell,
    mean_cells,
    median_cells,
    share_cells,
    sum_cell,
)

MECHANISMS = (
    "exact",
    "exact",
    "rounding:base=3",
    "rounding:base=5",
    "suppression:below=3",
    "suppression:below=4,zeros=hide",
    "topcode:at=2",
    "suppression:below=2 | rounding:base=3",
    "geometric:scale=1",
)
"""What is done to tables; the true counts come twice as often."""

SHORT = Effort(fits=0, steps=0, work=5_000, programmed=20_000, searched=1)
EFFORTS = (Effort(), Effort(fits=0, steps=0), Effort(fits=3, steps=50), SHORT)
"""All data sets written down; never; rarely; with a budget that is soon over, and people searched for."""

Whole = NDArray[np.int64]


@dataclass(frozen=True)
class RandomRelease:
    """Columns, cells as they are read, the true records, and whether mechanisms are stated as they were."""

    columns: RecordColumns
    cells: tuple[PublishedCell, ...]
    truth: Whole
    honest: bool
    sums: tuple[SumCell, ...] = ()
    medians: tuple[EvenMedian, ...] = ()


def random_release(rng: np.random.Generator) -> RandomRelease:
    """Draw a few people and a few tables about them; the total may be rounded, too."""
    sizes = [(2, 2), (2, 3), (2, 2, 2), (3, 3), (2, 2, 3)][rng.integers(5)]
    columns = RecordColumns.of({f"c{i}": [f"l{j}" for j in range(size)] for i, size in enumerate(sizes)})
    domain = np.array(list(itertools.product(*map(range, sizes))))
    people = int(rng.integers(1, 6))
    truth = np.bincount(rng.integers(len(domain), size=people), minlength=len(domain))
    honest = bool(rng.random() < 2 / 3)
    cells = list(_table(columns, domain, truth, (), "total", "exact", "exact", rng))
    sums: list[SumCell] = []
    for at in range(int(rng.integers(1, 5))):
        chosen = rng.choice(len(sizes), size=int(rng.integers(1, len(sizes) + 1)), replace=False)
        done = str(rng.choice(MECHANISMS))
        read = done if honest else str(rng.choice(MECHANISMS))
        cells += _table(columns, domain, truth, tuple(sorted(map(int, chosen))), f"t{at}", done, read, rng)
    if rng.random() < 0.2:
        adds = [int(value) for value in rng.integers(0, 4, sizes[0])]
        total = int((np.array(adds)[domain[:, 0]] * truth).sum())
        ends = (total, total + int(rng.integers(2)))
        sums.append(sum_cell(columns, {}, ("c0", adds), ends, "sum"))
    numbers = LevelNumbers(0, "c0", *(tuple(range(1, 1 + sizes[0])),) * 2)
    if rng.random() < 0.4:
        sums += _average(numbers, domain, truth, rng)
    medians = _median(numbers, domain, truth, sums) if rng.random() < 0.4 else []
    return RandomRelease(columns, tuple(cells), truth, honest, tuple(sums), tuple(medians))


def _average(numbers: LevelNumbers, domain: Whole, truth: Whole, rng: np.random.Generator) -> list[SumCell]:
    """The mean of a column, rounded, and the share of one level of another."""
    values = np.array(numbers.least)[domain[:, 0]]
    half = Fraction(1, 20)
    mean = Fraction(round(10 * float(values @ truth) / int(truth.sum())), 10)
    own = ((1, (0,)),)
    share = Fraction(round(100 * float(truth[domain[:, 1] == 0].sum()) / int(truth.sum())), 100)
    found = mean_cells(numbers, (), (mean - half, mean + half), "mean")
    if rng.random() < 0.5:
        found += share_cells(own, (), (share - half / 10, share + half / 10), "share")
    return found


def _median(numbers: LevelNumbers, domain: Whole, truth: Whole, sums: list[SumCell]) -> list[EvenMedian]:
    """The median of a column, by halves; the two in the middle if people are even in number."""
    everybody = np.repeat(np.array(numbers.least)[domain[:, 0]], truth)
    middle = Fraction(float(np.median(everybody)))
    sums += median_cells(numbers, (), (middle, middle), "median")
    if everybody.size % 2:
        return []
    values = tuple(value or 0 for value in numbers.least)
    return [EvenMedian((), 0, values, int(2 * middle), everybody.size, "median")]


def _table(
    columns: RecordColumns,
    domain: Whole,
    truth: Whole,
    chosen: tuple[int, ...],
    name: str,
    done: str,
    read: str,
    rng: np.random.Generator,
) -> list[PublishedCell]:
    """One table over some columns, levels put together now and then, some cells left out or overlapping."""
    groups = []
    for at in chosen:
        levels = list(range(columns.sizes[at]))
        if len(levels) > 2 and rng.random() < 0.4:
            cut = int(rng.integers(1, len(levels)))
            groups.append([levels[:cut], levels[cut:] if rng.random() < 0.7 else levels])
        else:
            groups.append([[level] for level in levels])
    wheres = list(itertools.product(*groups))
    keep = [where for where in wheres if not chosen or rng.random() < 0.9]
    masks = [np.all([np.isin(domain[:, at], w) for at, w in zip(chosen, where, strict=True)], axis=0)
             if chosen else np.ones(len(domain), bool) for where in keep]  # fmt: skip
    counts = np.array([[int(truth[mask].sum())] for mask in masks], np.int64).reshape(-1, 1)
    if not len(keep):
        return []
    published = (
        parse_mechanism(done)
        .applied()
        .protect(Counts(counts, np.zeros(len(keep), np.int64), Sensitivity(1, 1)), rng=rng)
    )
    try:
        error = parse_mechanism(read).error(published)
    except InputError:  # the numbers themselves show that this was not done
        return []
    cells = []
    for where, low, high in zip(keep, error.low[:, 0], error.high[:, 0], strict=True):
        wanted = {
            columns.names[at]: [columns.levels[at][level] for level in levels]
            for at, levels in zip(chosen, where, strict=True)
        }
        top = NO_LIMIT if np.isinf(high) else int(high)
        cells.append(cell(columns, wanted, int(low), top, name))
    return cells


def brute_force(release: RandomRelease) -> Whole:
    """Every data set that fits, one row each, over all records of the domain."""
    domain = np.array(list(itertools.product(*map(range, release.columns.sizes))))
    total = next(each.high for each in release.cells if not each.where)
    spots = itertools.combinations(range(total + len(domain) - 1), len(domain) - 1)
    bars = np.array(list(spots), np.int64).reshape(-1, len(domain) - 1)
    edges = np.concatenate(
        [np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), total + len(domain) - 1)], axis=1
    )
    fits = np.diff(edges, axis=1) - 1
    for each in release.cells:
        mask = np.ones(len(domain), bool)
        for at, levels in each.where:
            mask &= np.isin(domain[:, at], levels)
        sums = fits @ mask.astype(np.int64)
        fits = fits[(each.low <= sums) & (sums <= each.high)]
    for row in release.sums:
        sums = fits @ row.adds(domain)
        fits = fits[(row.low <= sums) & (sums <= row.high)]
    for median in release.medians:
        values = np.array(median.values)[domain[:, median.column]]
        keep = [2 * np.median(np.repeat(values, fit)) == median.twice for fit in fits]
        fits = fits[np.array(keep, bool)]
    return fits


def attacked(release: RandomRelease, effort: Effort) -> RecordBounds:
    """What the attack says about a release."""
    grids = grids_of(release.columns, release.cells)
    return settle(make_system(release.columns, grids, release.sums, release.medians), effort)


def compare(release: RandomRelease, seen: Counter[str]) -> None:
    """Hold every claim against brute force; whatever says too much fails here."""
    fits = brute_force(release)
    sizes = release.columns.sizes
    if release.honest:
        assert (fits == release.truth).all(axis=1).any(), "the truth fits what was published"
    for effort in EFFORTS:
        seen["runs"] += 1
        try:
            found = attacked(release, effort)
        except InputError:
            assert not len(fits), "an error although something fits"
            seen["contradictions"] += 1
            continue
        if effort is SHORT and not len(fits):
            continue  # not decided
        assert len(fits), "no error although nothing fits"
        at = np.ravel_multi_index(tuple(found.system.records.T), sizes)
        others = np.setdiff1d(np.arange(fits.shape[1]), at)
        assert not fits[:, others].any(), "a record that the support leaves out"
        least, most = fits[:, at].min(axis=0), fits[:, at].max(axis=0)
        assert (found.lo <= least).all(), "a certain claim that is wrong"
        assert (found.hi >= most).all(), "a limit that is wrong"
        for each in found.pieces:
            own = each.piece.records
            assert (found.lo[own] == least[own])[each.low_decided].all(), "an end called decided that is not"
            assert (found.hi[own] == most[own])[each.high_decided].all(), "an end called decided that is not"
            assert each.unique is not True or len(np.unique(fits[:, at[own]], axis=0)) == 1, "not unique"
        if effort is not SHORT:
            assert (found.lo == least).all(), "a certain record that was not found"
            assert (found.hi == most).all(), "a limit that was not found"
        seen["short of all"] += int((found.lo < least).sum())
        assert found.data_sets in (None, len(fits)), "another number of data sets"
        assert effort.fits < 1000 or found.data_sets == len(fits)
        seen["certain"] += int(found.lo.sum())
        _compare_named(release, found, fits, seen)


def _compare_named(release: RandomRelease, found: RecordBounds, fits: Whole, seen: Counter[str]) -> None:
    """Whoever is named for certain is alone with what is known, and has that record, in every data set."""
    rng = np.random.default_rng(int(release.truth.sum()))
    guess = best_guess(found)
    ranked = RankedCopies(*(np.zeros(0, np.int64),) * 2, np.zeros(0), 0)
    claims = RecordClaims(found, guess, count_units(found, guess), (), (), ranked)
    count = len(release.columns.names)
    known = sorted(rng.choice(count, size=int(rng.integers(1, count)), replace=False).tolist())
    domain = np.array(list(itertools.product(*map(range, release.columns.sizes))), np.int32)
    people = np.unique(domain[:, known], axis=0)
    named = match_named(claims, known, people)
    for person in np.flatnonzero(named.certain):
        same = (domain[:, known] == people[person]).all(axis=1)
        record = same & (domain[:, list(named.rest)] == named.claimed[person]).all(axis=1)
        assert (fits[:, same].sum(axis=1) == 1).all(), "somebody named who is not alone"
        assert (fits[:, record].sum(axis=1) == 1).all(), "a certain record of a named person that is wrong"
        seen["named"] += 1


def main(cases: int, first: int = 0) -> None:
    """Compare so many cases, from a seed on, and print what was seen."""
    seen: Counter[str] = Counter()
    for seed in range(first, first + cases):
        compare(random_release(np.random.default_rng(seed)), seen)
    print(f"{cases:,} cases, {dict(seen)}: none wrong")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:] or ["1000"]))
