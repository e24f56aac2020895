"""Releases whose every data set is known: ranges, certain records, radius and probabilities."""

from __future__ import annotations

import re

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.records.attack.certain.partial import partial_claims, whole_claims
from dalenius.records.attack.certain.pieces import split
from dalenius.records.attack.certain.ranges import tighten_by_programs
from dalenius.records.attack.certain.settle import Effort, RecordBounds, settle
from dalenius.records.attack.radius import distance, radius_of, spread
from dalenius.records.attack.ranked.copies import rank_copies
from dalenius.records.attack.system import CellSystem, make_system
from dalenius.records.attack.units import best_guess, count_units
from dalenius.records.cells.grid import grids_of
from helpers.records_golden import GOLDEN, R13, R14, Golden

EVERYTHING, PROGRAMS = Effort(), Effort(fits=0, steps=0)


def system_of(golden: Golden) -> CellSystem:
    return make_system(golden.record_columns, grids_of(golden.record_columns, golden.published))


def named(system: CellSystem, golden: Golden) -> list[str]:
    """Records as the golden values write them: bits without spaces."""
    words = [[system.columns.levels[at][code] for at, code in enumerate(record)] for record in system.records]
    bits = all(len(level) == 1 and level.isdigit() for own in system.columns.levels for level in own)
    return [("" if bits else " ").join(word) for word in words]


def all_points(found: RecordBounds) -> np.ndarray:
    """Every data set, where pieces are independent of each other."""
    points = found.lo[None].copy()
    for settled in found.pieces:
        points = np.repeat(points, len(settled.points), axis=0)
        points[:, settled.piece.records] = np.tile(settled.points, (len(points) // len(settled.points), 1))
    return points


@pytest.mark.parametrize("name", GOLDEN)
@pytest.mark.parametrize("effort", [EVERYTHING, PROGRAMS], ids=["all", "programs"])
def test_ranges_and_certain_records(name: str, effort: Effort) -> None:
    golden = GOLDEN[name]
    found = settle(system_of(golden), effort)
    assert found.certain == golden.certain
    if effort is EVERYTHING:
        assert found.data_sets == golden.data_sets
    if golden.ranges:
        ends = zip(named(found.system, golden), found.lo.tolist(), found.hi.tolist(), strict=True)
        assert {word: (lo, hi) for word, lo, hi in ends if hi} == golden.ranges


@pytest.mark.parametrize("name", [name for name, golden in GOLDEN.items() if golden.diameter])
def test_radius_diameter_and_probability(name: str) -> None:
    golden = GOLDEN[name]
    found = settle(system_of(golden))
    points = all_points(found)
    assert len(points) == golden.data_sets
    assert spread(points) == (golden.diameter, golden.least_radius)
    words = named(found.system, golden)
    if golden.first:
        first = np.array([golden.first.get(word, 0) for word in words])
        assert (points[-1] == first).all(), "the largest in the order of records"
        assert distance(first, points).max() == golden.radius
        radii = [radius_of(each, first[each.piece.records]) for each in found.pieces]
        assert sum(radius.low for radius in radii) == golden.radius
    ranked = rank_copies(found, rng=np.random.default_rng(1))
    once = ranked.copy == 1
    probability = dict(zip((words[at] for at in ranked.record[once]), ranked.probability[once], strict=True))
    for word, expected in golden.probability.items():
        assert probability[word] == pytest.approx(expected, abs=0.005 if name == "R11" else 1e-9)


@pytest.mark.parametrize("name", [name for name, golden in GOLDEN.items() if golden.diameter])
def test_the_radius_by_programs_is_that_of_all_data_sets(name: str) -> None:
    exact, asked = (settle(system_of(GOLDEN[name]), effort) for effort in (EVERYTHING, PROGRAMS))
    points = all_points(exact)
    for settled in asked.pieces:
        for guess in points:
            own = guess[settled.piece.records]
            found = radius_of(settled, own)
            assert found.low == found.high == distance(own, points[:, settled.piece.records]).max()
            assert found.evidence is not None
            assert distance(own, found.evidence) == found.low


def test_linear_programs_alone_certify_three_of_eight() -> None:
    """R3: and once more with their bounds rounded they certify all of them."""
    system = system_of(GOLDEN["R3"])
    (piece,) = split(system.rows, system.low, system.high, np.zeros(16, np.int64), np.full(16, 8))
    tighten_by_programs(piece)
    after = piece.lo.copy()
    for _ in range(5):
        piece.tightened()
        tighten_by_programs(piece)
    assert piece.lo.sum() == 8 > after.sum() >= 3


def test_certain_partial_records_that_no_table_says() -> None:
    found = settle(system_of(GOLDEN["R11"]))
    claims = {claim.levels: claim.least for claim in partial_claims(found)}
    assert claims == {(1, 1, None): 2, (1, 0, None): 1, (1, None, 0): 1, (1, None, 1): 1}
    asked = settle(system_of(GOLDEN["R11"]), PROGRAMS)
    assert {claim.levels: claim.least for claim in partial_claims(asked)} == claims
    assert whole_claims(found) == []
    assert partial_claims(settle(system_of(GOLDEN["R2"]))) == [], "every pair is a published cell"


def test_totals_that_differ_are_named() -> None:
    said = "tables a and b must count the same people; got 5 and 6 people."
    with pytest.raises(InputError, match=re.escape(said)):
        settle(system_of(R13))


@pytest.mark.parametrize("effort", [EVERYTHING, PROGRAMS], ids=["all", "programs"])
def test_what_only_fractions_of_people_fit_is_an_error(effort: Effort) -> None:
    with pytest.raises(InputError, match="tables ab, ac, ad, bc, bd and cd must fit one data set; got cells "
                       "that fractions of people would fit, and whole people do not"):  # fmt: skip
        settle(system_of(R14), effort)


def test_blocks_that_a_tract_leaves_open_together_are_tied() -> None:
    alone = settle(system_of(GOLDEN["R7 without the tract"]))
    units = count_units(alone, best_guess(alone), 0)
    assert units.unique.tolist() == [0, 0]
    assert not units.tied.any()
    tied = settle(system_of(GOLDEN["R8"]))
    units = count_units(tied, best_guess(tied), 0)
    assert units.tied.all()
    assert (units.people.tolist(), units.certain.tolist(), units.radius_high.tolist()) == (
        [3, 3],
        [1, 1],
        [2, 2],
    )
    settled = settle(system_of(GOLDEN["R7"]))
    assert count_units(settled, best_guess(settled), 0).unique.tolist() == [1, 1]
