"""Tables with noise: data sets are drawn by their probability, and nothing is claimed for certain."""

from __future__ import annotations

import itertools
from math import factorial
from pathlib import Path

import numpy as np
import pytest

from dalenius.records.attack.claims import claim_records
from dalenius.records.attack.noise.walk import draw_people, people_of
from dalenius.records.attack.ranked.simple import OneWay
from dalenius.records.cells.cell import cell
from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.grid import GroupedCells, grids_of
from dalenius.records.cells.noisy import NoisyCells, soft
from dalenius.records.cells.release import PublishedRecords
from dalenius.records.published.read import read_records
from dalenius.records.published.said import SaidOfTables
from dalenius.records.referee.baselines import rankings
from dalenius.records.referee.control import published_again
from dalenius.records.run import BesideTables, attack_and_examine

COLUMNS = RecordColumns.of({"a": ["0", "1"], "b": ["0", "1"]})
INNER = grids_of(COLUMNS, [cell(COLUMNS, {"a": [a], "b": [b]}, 0, 9) for a in "01" for b in "01"])[0]
TOTAL = grids_of(COLUMNS, [cell(COLUMNS, {}, 4, 4)])[0]


def brute_force(says: np.ndarray, totals: range) -> np.ndarray:
    """Pr(at least one) of the four records, every data set weighed."""
    weights, there = [], []
    for total in totals:
        for x in itertools.product(range(total + 1), repeat=4):
            if sum(x) == total:
                away = np.maximum(np.maximum(says[:, 0] - x, x - says[:, 1]), 0) * says[:, 2]
                cost = np.where(says[:, 3] > 0, away, away**2 / 2).sum()
                orders = factorial(total) / np.prod([factorial(n) for n in x])
                weights.append(orders * 0.25**total * np.exp(-cost))
                there.append(np.array(x) > 0)
    return np.average(there, axis=0, weights=weights)


def once(cells: list[NoisyCells]) -> np.ndarray:
    drawn = draw_people(COLUMNS, cells, None, rng=np.random.default_rng(1))
    found = np.zeros(4)
    first = drawn.copies == 1
    found[drawn.records[first] @ [2, 1]] = drawn.probability[first]
    return found


def test_geometric_noise_around_a_known_total() -> None:
    """R16: the most probable data set is not the published one."""
    cells = [NoisyCells(INNER, np.array([[v, v, 1.0, 1.0] for v in (3.0, 0, 0, 2)])), soft(TOTAL)]
    exact = brute_force(cells[0].says, range(4, 5))
    assert exact == pytest.approx([0.966125, 0.261777, 0.261777, 0.914353], abs=1e-6)
    assert np.abs(once(cells) - exact).max() < 0.04
    drawn = draw_people(COLUMNS, cells, None, rng=np.random.default_rng(1))
    assert drawn.mode == {(0, 0): 2, (1, 1): 2}


@pytest.mark.parametrize("by_size", [1.0, 0.0])
def test_noise_on_every_number_leaves_the_total_open(by_size: float) -> None:
    says = np.array([[v, v, 2.0, by_size] for v in (2.0, 0, 1, 0)])
    assert np.abs(once([NoisyCells(INNER, says)]) - brute_force(says, range(9))).max() < 0.05


def test_how_many_people_there_are_is_that_of_the_surest_table() -> None:
    noisy = NoisyCells(INNER, np.array([[1.0, 1.0, 0.5, 1.0]] * 4))
    assert people_of([noisy, soft(TOTAL)]) == (4, 4)
    low, high = people_of([noisy])
    assert low == 0 and high > 20  # noqa: PT018


def test_a_report_under_noise_claims_nothing_for_certain(tmp_path: Path) -> None:
    """Without rows every data set fits: that must never be told as one alone."""
    text = "block,a,b,count\n" + "".join(
        f"A{i},{a},{b},{a + b}\n" for i in (1, 2) for a in (0, 1) for b in (0, 1)
    )
    (tmp_path / "t.csv").write_text(text)
    said = SaidOfTables(mechanism={"": "gaussian:sigma=0.3"}, geography=("block",))
    published = read_records([tmp_path / "t.csv"], said)
    done = attack_and_examine(published, BesideTables())
    assert done.finding.certain == 0
    assert done.finding.details.data_sets is None
    assert (done.finding.details.unique_units, done.finding.details.noisy) == (0, True)
    assert "alone fits" not in " ".join([done.finding.sentence, *done.finding.facts])
    assert done.claims.units.unique.tolist() == [-1, -1]
    assert list(done.claims.certain_rows())[1:] == []


def test_exact_tables_beside_noise_prove_what_they_prove(tmp_path: Path) -> None:
    (tmp_path / "noisy.csv").write_text("a,b,count\n0,0,2\n0,1,0\n1,0,0\n1,1,1\n")
    (tmp_path / "a.csv").write_text("a,count\n0,2\n1,0\n")
    said = SaidOfTables(mechanism={"noisy": "geometric:scale=1", "": "exact"})
    published = read_records([tmp_path / "noisy.csv", tmp_path / "a.csv"], said)
    claims = claim_records(published, rng=np.random.default_rng(1))
    assert claims.people == 2
    assert all(record[0] == 0 for record in claims.bounds.system.records[claims.guess > 0].tolist())
    assert not claims.whole


def test_a_baseline_under_strong_noise_is_no_straw_man() -> None:
    """What is expected is counted, and the likeliest data set has about as many people as that."""
    columns = RecordColumns.of({"block": ["A", "B"], "sex": ["f", "m"], "age": [str(at) for at in range(12)]})
    people = np.array([[at % 2, at // 2 % 2, at % 12] for at in range(16)], np.int32)
    groups = tuple(np.arange(size, dtype=np.int32) for size in columns.sizes)
    places, none = np.arange(48), np.zeros(48, np.int64)
    cells = NoisyCells(GroupedCells("t", (0, 1, 2), groups, places, none, none), np.zeros((48, 4)))
    kind = "geometric:scale=8"
    draft = PublishedRecords("t", columns, (), 0, 48, kind, mechanisms={"t": kind}, noisy=(cells,))
    release = published_again(draft, people, rng=np.random.default_rng(0))
    assert release is not None
    claims = claim_records(release, rng=np.random.default_rng(0))
    expected = claims.ranked.probability.sum()
    assert OneWay.of(claims, 0).counts[1].sum() == pytest.approx(expected)
    assert expected / 2 < claims.guess.sum() < 2 * expected, "280 of 67 where data sets of all sizes compete"
    assert len(rankings(release, claims, None)["independent"]) == 48
