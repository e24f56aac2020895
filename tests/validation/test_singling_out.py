"""The claims of the validation of singling out, small; each rejects a planted fault."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dalenius.mechanisms.anonymise.parse import anonymise
from dalenius.people.examples.census import census
from dalenius.people.rows.rows import Rows

ROOT = Path(__file__).parents[2]


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(ROOT)
    from validation import singling_out_counts, singling_out_rows

    return singling_out_rows, singling_out_counts


def play(rows, k: int, releases: int = 5):
    homes = Rows.of_table(rows.households(20_000))
    rng, laws = np.random.default_rng(k), []
    for _ in range(releases):
        original = homes.take(rng.choice(len(homes), 200, replace=False))
        released = anonymise(original, homes.names, f"mondrian:k={k}", rng).rows
        laws.append(rows.law(released, original, homes, homes.names, rng))
    return rows.pooled(laws)


@pytest.mark.parametrize("k", [2, 20])
def test_a_hash_in_fine_cells_reaches_its_law(modules, k: int):
    found = play(modules[0], k)
    assert found.light > 0.5 * found.trials  # cells are fine: most conditions are light enough
    assert found.off < modules[0].ERRORS


def test_a_hash_that_keeps_too_many_is_seen(modules, monkeypatch: pytest.MonkeyPatch):
    rows = modules[0]
    honest = rows.hash_candidates

    def heavier(classes: object) -> Iterator[object]:
        for own in honest(classes):
            yield replace(own, one_in=np.maximum(1, own.one_in // 4))

    assert play(rows, 5).off < rows.ERRORS
    monkeypatch.setattr(rows, "hash_candidates", heavier)
    assert play(rows, 5).off > rows.ERRORS


def test_noise_keeps_its_guarantee_and_exact_counts_do_not(modules):
    counts = modules[1]
    people = Rows.of_table(census(3000))
    limit = counts.guarantee(people, 100)
    assert limit < 0.5
    noisy = counts.everybody_counted(people, 100, counts.EPSILON, 3000)
    assert counts.kept(noisy, 3000, limit)
    exact = counts.everybody_counted(people, 100, np.inf, 300)
    assert exact > 250
    assert not counts.kept(exact, 300, limit)


def test_a_loud_promise_is_seen(modules):
    """Noise for epsilon = 4 sold as epsilon = 0.5 breaks the guarantee of 0.5."""
    counts = modules[1]
    people = Rows.of_table(census(3000))
    hits = counts.everybody_counted(people, 100, 8 * counts.EPSILON, 2000)
    assert not counts.kept(hits, 2000, counts.guarantee(people, 100))
