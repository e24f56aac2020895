"""Domains too wide to be written down: people who fit are searched for, and nothing is called decided."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from validation.census.wide import tables

from dalenius.errors import TooLargeError
from dalenius.records.attack import claims as attack
from dalenius.records.attack.system import make_system
from dalenius.records.attack.wide import anneal
from dalenius.records.attack.wide._swap_kernels import misses
from dalenius.records.build import make_records_finding
from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.grid import GroupedCells
from dalenius.records.cells.release import PublishedRecords
from dalenius.records.referee.judge import judge_records


def released(rng: np.random.Generator, k: int) -> tuple[PublishedRecords, np.ndarray]:
    columns = RecordColumns.of({f"c{at}": [str(level) for level in range(6)] for at in range(5)})
    people = rng.integers(0, 6, (14, 5)).astype(np.int32)
    return tables(columns, people, k), people


def too_wide(*_: object, **__: object) -> None:
    raise TooLargeError("tables", "must leave fewer records", "more")


def test_people_who_fit_are_found_and_nothing_is_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    published, people = released(np.random.default_rng(1), 3)
    monkeypatch.setattr(attack, "make_system", too_wide)
    found = attack.claim_records(published, rng=np.random.default_rng(2))
    assert found.wide
    assert found.ranked.missed == 0
    truth = Counter(map(tuple, people.tolist()))
    first = [tuple(found.bounds.system.records[at].tolist()) for at in found.ranked.record[: len(truth)]]
    assert set(first) == set(truth), "tables of three columns leave one data set"
    assert found.ranked.probability.max() < 1
    told = make_records_finding(published, found)
    assert (told.certain, told.details.data_sets, told.details.unique_units) == (0, None, 0)
    assert "Not decided is not safe" in told.sentence
    assert "radius" not in " ".join(told.facts)
    assert judge_records(found, truth).claims == 0
    assert found.units.unique.tolist() == [-1]


def test_a_search_keeps_the_counts_of_every_column() -> None:
    published, people = released(np.random.default_rng(3), 2)
    found = anneal.anneal_people(published.columns, published.grids, rng=np.random.default_rng(1), runs=2)
    assert found is not None
    for run, missed in zip(found.people, found.missed, strict=True):
        for at in range(5):
            assert (
                np.bincount(run[:, at], minlength=6).tolist()
                == np.bincount(people[:, at], minlength=6).tolist()
            )
        assert missed == total_missed(published.grids, run)


def total_missed(grids: tuple[GroupedCells, ...], people: np.ndarray) -> int:
    """By brute force."""
    total = 0
    for grid in grids:
        want = dict(zip(grid.places.tolist(), grid.low.tolist(), strict=True))
        have = Counter(grid.place_of(people).tolist())
        total += sum(abs(want.get(key, 0) - have.get(key, 0)) for key in {*want, *have})
    return total


def test_without_the_counts_of_a_column_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    published, _ = released(np.random.default_rng(4), 2)
    some = tuple(grid for grid in published.grids if 4 not in grid.columns)
    without = PublishedRecords("t", published.columns, some, None, 0, "exact")
    monkeypatch.setattr(attack, "make_system", too_wide)
    with pytest.raises(TooLargeError):
        attack.claim_records(without, rng=np.random.default_rng(1))


def test_searches_rank_what_no_walk_can(monkeypatch: pytest.MonkeyPatch) -> None:
    """Certain records stay certain; open ones get the share of the searches that have them."""
    published, _ = released(np.random.default_rng(5), 2)
    monkeypatch.setattr(attack, "MOST_OPEN", -1)
    monkeypatch.setattr(anneal, "RUNS", 2)
    found = attack.claim_records(published, rng=np.random.default_rng(1))
    assert found.ranked.searches
    assert not found.wide
    system = make_system(published.columns, published.grids)
    assert len(found.bounds.lo) == len(system.records)
    keys = list(itertools.zip_longest(found.ranked.record.tolist(), found.ranked.copy.tolist()))
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("seed", range(4))
def test_what_a_search_says_it_misses_is_what_its_people_miss(seed: int) -> None:
    """With groups of levels, tables about some people only, and cells between two ends."""
    rng = np.random.default_rng(seed)
    columns = RecordColumns.of({"a": ["0", "1", "2", "3"], "b": ["0", "1", "2"], "c": ["0", "1"]})
    sizes = np.array(columns.sizes)
    groups = [rng.integers(-1, 2, size).astype(np.int32) for size in sizes]
    groups = [np.where(np.arange(own.size) == 0, 1, own).astype(np.int32) for own in groups]
    grids = []
    for own in ((0, 1), (1, 2), (0, 1, 2)):
        size = int(np.prod([groups[at].max() + 1 for at in own]))
        low = rng.integers(0, 4, size)
        chosen = tuple(groups[at] for at in own)
        grids.append(GroupedCells("t", own, chosen, np.arange(size), low, low + rng.integers(0, 2, size)))
    flat = anneal._FlatTables(columns, grids)
    margins = tuple(rng.multinomial(20, np.ones(size) / size) for size in sizes)
    usual = rng.normal(size=int(sizes.prod())) if seed % 2 else anneal.ALIKE
    done = anneal.SwapSearch(flat, margins, 2_000, seed, usual).arrays(0)
    places = flat.of_start, flat.of_column, flat.adds, flat.widest, flat.first
    counts = np.zeros_like(flat.counts)
    assert int(done["missed"]) == misses(done["people"], *places, flat.low, flat.high, counts)
