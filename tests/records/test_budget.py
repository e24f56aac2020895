"""Proofs that would take too long end, and what they leave open is told as open."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from validation.census.wide import tables

from dalenius.records.attack.certain import whole
from dalenius.records.attack.certain.settle import Effort, begin, settle
from dalenius.records.attack.certain.verify import AskedEnds, verify_ends
from dalenius.records.attack.claims import claim_records
from dalenius.records.attack.radius import radius_of
from dalenius.records.attack.ranked import searched
from dalenius.records.attack.ranked.copies import draw_open, log_shares_of, weights_of
from dalenius.records.attack.ranked.corners import with_corners
from dalenius.records.attack.ranked.gibbs import draw_piece, pairs_change
from dalenius.records.attack.ranked.others import PopulationShares
from dalenius.records.attack.system import CellSystem, make_system
from dalenius.records.attack.units import count_people
from dalenius.records.attack.wide import fits
from dalenius.records.attack.wide.fits import searched_fits
from dalenius.records.build import make_records_finding
from dalenius.records.cells.columns import RecordColumns
from dalenius.records.cells.release import PublishedRecords

R3 = ("0101", "0111", "0011", "1000", "0111", "0110", "0111", "1111")
"""One data set fits their tables of two columns, and linear programs prove three people of eight."""

NO_QUESTIONS = Effort(fits=0, steps=0, rounds=0, work=0)


def two_way(people: np.ndarray, levels: int) -> PublishedRecords:
    names = [f"c{at}" for at in range(people.shape[1])]
    columns = RecordColumns.of({name: [str(level) for level in range(levels)] for name in names})
    return tables(columns, people.astype(np.int32), 2)


def eight() -> PublishedRecords:
    return two_way(np.array([[int(bit) for bit in person] for person in R3]), 2)


def system_of(published: PublishedRecords) -> CellSystem:
    return make_system(published.columns, published.grids)


def independent(seed: int, levels: int = 3, count: int = 100) -> tuple[PublishedRecords, np.ndarray]:
    people = np.random.default_rng(seed).integers(0, levels, (count, 5))
    return two_way(people, levels), people


def test_what_is_in_every_data_set_found_and_not_proved_is_told() -> None:
    """Ten people of whom three are certain: two by linear programs, one by a question."""
    published, _ = independent(7, levels=2, count=10)
    told = make_records_finding(published, claim_records(published, rng=np.random.default_rng(1)))
    assert (told.certain, told.details.unproved) == (3, 0)
    short = claim_records(published, effort=NO_QUESTIONS, rng=np.random.default_rng(1))
    told = make_records_finding(published, short)
    assert (told.certain, told.details.unproved) == (2, 1)
    assert "1 record is in every data set that was found" in " ".join(told.facts)
    assert "was not decided: not decided is not safe" in " ".join(told.facts)
    assert not short.units.decided.any()


def test_a_question_too_large_is_asked_without_branches_and_stays_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []

    class Stopped:
        status, x = whole.LIMIT, None

    def solve(*_: object, options: dict[str, int], **__: object) -> Stopped:
        asked.append(options["node_limit"])
        return Stopped()

    monkeypatch.setattr(whole, "solve_whole", solve)
    (piece,) = begin(system_of(eight()), Effort()).pieces
    assert whole.any_fit(piece).said == "open"
    monkeypatch.setattr(whole, "WORK", 50 * whole.size_of(piece))
    answer = whole.any_fit(piece)
    assert (answer.said, answer.work) == ("open", (whole.FIRST + 50) * whole.size_of(piece))
    monkeypatch.setattr(whole, "MOST_BRANCHED", whole.size_of(piece) - 1)
    assert whole.any_fit(piece).said == "open"
    assert asked == [min(whole.NODES, 200_000_000 // whole.size_of(piece)), 50, 0]


def test_ends_are_asked_about_as_far_as_the_work_goes() -> None:
    published, people = independent(3, levels=2, count=12)
    (piece,) = begin(system_of(published), Effort()).pieces
    truth = Counter(map(tuple, people.tolist()))
    records = system_of(published).records[piece.records]
    own = np.array([[truth[tuple(record)] for record in records.tolist()]])
    shares: list[float] = []
    none = verify_ends(piece, own, AskedEnds(50, 1000, 0), shares.append)
    assert (none.moved, none.work, len(none.points), shares) == (False, 0, 1, [])
    some = verify_ends(piece, own, AskedEnds(50, 1000, 10**9), shares.append)
    assert len(some.points) > 1 or some.moved
    assert some.work > 0
    assert shares == sorted(shares)
    assert shares[-1] < 1


def test_how_many_people_there_are_is_said_without_a_data_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searched, "NUMBERS", range(0))
    published, _ = independent(1, levels=2, count=30)
    nothing = claim_records(published, effort=Effort(fits=0, steps=0, most=0), rng=np.random.default_rng(1))
    assert not nothing.fits
    assert count_people(nothing.bounds) == (30, 30)
    assert nothing.units.people.tolist() == [30]
    told = make_records_finding(published, nothing)
    assert told.people == 30
    assert "0 of 30 people" in told.sentence
    assert "radius" not in " ".join(told.facts)
    monkeypatch.setattr(searched, "NUMBERS", range(8))
    found = claim_records(published, effort=Effort(fits=0, steps=0, most=0), rng=np.random.default_rng(1))
    assert found.fits
    assert found.units.people.tolist() == [30]


def test_searches_fit_and_a_record_that_cannot_be_is_no_data_set() -> None:
    published, _ = independent(2)
    system = system_of(published)
    found = searched_fits(system, range(3))
    assert len(np.unique(found, axis=0)) == 3
    sums = system.rows @ found.T
    assert ((system.low[:, None] <= sums) & (sums <= system.high[:, None])).all()
    fewer = CellSystem(
        system.columns, system.records[::2], system.rows, system.low, system.high, system.grids
    )
    assert len(searched_fits(fewer, range(3))) == 0


def brier(above: tuple[np.ndarray, ...], own: list[int], lo: np.ndarray) -> float:
    stated = np.concatenate(above)
    hits = np.concatenate([each > at + np.arange(len(p)) for p, each, at in zip(above, own, lo, strict=True)])
    told = stated > 0
    return float(((stated - hits)[told] ** 2).mean())


def test_searches_rank_where_no_two_people_can_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """A walk stays near where it began and calls that almost certain: searches begin anew."""
    monkeypatch.setattr(searched, "NUMBERS", range(20, 60))
    published, people = independent(2)
    system = system_of(published)
    quick = Effort(fits=0, steps=0, rounds=0, questions=0, programmed=0)
    (settled,) = settle(system, quick).pieces
    truth = Counter(map(tuple, people.tolist()))
    own = [truth[tuple(record)] for record in system.records[settled.piece.records].tolist()]
    assert not pairs_change(settled.piece)
    drawn = searched.draw_searched(settled, system, log_shares_of(len(system.records), None))
    assert drawn is not None
    assert settled.piece.fits(drawn.mode)
    assert max(float(each.max(initial=0)) for each in drawn.above) < 1
    assert abs(sum(float(each.sum()) for each in drawn.above) - 40 / 41 * 100) < 1e-9
    walked = draw_piece(settled, log_shares_of(settled.piece.size, None), rng=np.random.default_rng(1))
    assert walked is not None
    assert brier(drawn.above, own, settled.piece.lo) < 0.17 < brier(walked.above, own, settled.piece.lo)


def by_threes(seed: int) -> tuple[CellSystem, np.ndarray]:
    """A hundred people alike in a hidden group, by every three of seven columns."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, 100)
    own = [np.where(rng.random(100) < 0.5, group, rng.integers(0, 2, 100)) for _ in range(7)]
    people = np.stack(own, axis=1).astype(np.int32)
    columns = RecordColumns.of({name: ["0", "1"] for name in "abcdefg"})
    return system_of(tables(columns, people, 3)), people


@pytest.mark.parametrize("seed", [13, 14])
def test_walks_that_cannot_move_are_held_against_corners(seed: int) -> None:
    """No search fits tables by every three columns: alone, walks call what they saw almost certain."""
    system, people = by_threes(seed)
    quick = Effort(fits=0, steps=0, rounds=1, questions=1, others=0, searched=10**6)
    (settled,) = settle(system, quick).pieces
    truth = Counter(map(tuple, people.tolist()))
    own = [truth[tuple(record)] for record in system.records[settled.piece.records].tolist()]
    assert not pairs_change(settled.piece)
    logs = np.zeros(settled.piece.size)
    walked = draw_piece(settled, logs, rng=np.random.default_rng(1))
    assert walked is not None
    drawn = with_corners(walked, settled, logs, rng=np.random.default_rng(1))
    assert settled.piece.fits(drawn.mode)
    came = {}
    for name, each in (("walks", walked), ("corners", drawn)):
        stated = np.concatenate(each.above)
        pairs = zip(each.above, own, settled.piece.lo, strict=True)
        hits = np.concatenate([count > at + np.arange(len(p)) for p, count, at in pairs])
        sure = stated > 0.9
        came[name] = float(stated[sure].mean() - hits[sure].mean()), float(((stated - hits) ** 2).mean())
    assert came["walks"][0] > 0.1, "far too sure"
    assert came["corners"][0] < 0.05
    assert came["corners"][1] < 0.7 * came["walks"][1]
    usual = logs.copy()
    usual[0] = 3.0  # twenty times as many elsewhere
    more = with_corners(walked, settled, usual, rng=np.random.default_rng(1))
    assert more.above[0].sum() > drawn.above[0].sum()


def shares_elsewhere(system: CellSystem, seed: int) -> np.ndarray:
    shares = np.random.default_rng(seed).dirichlet(np.full(len(system.records), 0.5))
    return log_shares_of(len(system.records), shares + 0.002)


@pytest.mark.parametrize("seed", [0, 3, 5, 6])
def test_searches_draw_people_who_are_usual_elsewhere(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Held against all data sets, written down: as usual as these or less, and not as if all were alike."""
    published, _ = independent(seed, levels=2, count=24)
    system = system_of(published)
    (settled,) = settle(system, Effort(fits=20_000, steps=10_000_000)).pieces
    assert settled.complete
    logs, own = shares_elsewhere(system, seed), settled.piece.records
    usual = settled.points @ logs[own]
    alike, exact = (float(weights_of(settled.points, law[own]) @ usual) for law in (0 * logs, logs))
    found = searched_fits(system, range(8, 108), logs)
    assert (alike + exact) / 2 < float((found @ logs).mean()) < exact + 0.5
    monkeypatch.setattr(fits, "MOST_WRITTEN", 31)  # too many records to be told how usual each is
    assert (searched_fits(system, range(3), logs) == searched_fits(system, range(3))).all()


def test_searches_rank_with_a_population_where_no_two_people_can_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Walks know what is usual elsewhere as well, and are too sure all the same."""
    monkeypatch.setattr(searched, "NUMBERS", range(20, 60))
    rng = np.random.default_rng(1)
    shares = rng.dirichlet(np.ones(3), 5)
    people, others = (
        np.stack([rng.choice(3, count, p=own) for own in shares], axis=1) for count in (100, 2000)
    )
    published = two_way(people, 3)
    system = system_of(published)
    (settled,) = settle(system, Effort(fits=0, steps=0, rounds=0, questions=0, programmed=0)).pieces
    usual = PopulationShares((0, 1, 2, 3, 4), others.astype(np.int32)).shares(system.columns, system.records)
    logs = log_shares_of(len(system.records), usual)
    truth = Counter(map(tuple, people.tolist()))
    own = [truth[tuple(record)] for record in system.records[settled.piece.records].tolist()]
    drawn = draw_open(settled, system, logs, rng)
    walked = draw_piece(settled, logs[settled.piece.records], rng=rng)
    assert drawn is not None
    assert walked is not None
    assert brier(drawn.above, own, settled.piece.lo) < 0.14 < brier(walked.above, own, settled.piece.lo)


def test_walks_rank_where_two_people_can_change() -> None:
    people = np.random.default_rng(5).integers(0, 6, (60, 2))
    columns = RecordColumns.of({name: [str(level) for level in range(6)] for name in "ab"})
    one_way = tables(columns, people.astype(np.int32), 1)
    system = make_system(columns, one_way.grids)
    (settled,) = settle(system, Effort(fits=0, steps=0, rounds=0, questions=0)).pieces
    assert pairs_change(settled.piece)
    assert searched.draw_searched(settled, system, log_shares_of(len(system.records), None)) is None


def test_a_radius_too_large_for_an_integer_solver_is_bounded_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    published, people = independent(4, levels=2, count=30)
    system = system_of(published)
    (settled,) = settle(system, Effort(fits=0, steps=0)).pieces
    guess = settled.points[0]
    exact = radius_of(settled, guess)
    monkeypatch.setattr("dalenius.records.attack.radius.LARGEST_FARTHEST", 0)
    monkeypatch.setattr("dalenius.records.attack.radius.MOST_PARTS", 0)
    bounded = radius_of(settled, guess)
    assert bounded.low <= exact.low <= exact.high <= bounded.high <= len(people)


def test_a_radius_without_a_data_set_is_bounded_by_how_many_people_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a program would say of data sets nobody has seen is never more than the counts say."""
    published, people = independent(4, levels=2, count=30)
    (settled,) = settle(system_of(published), Effort(fits=0, steps=0)).pieces
    guess = settled.points[0].copy()
    guess[np.flatnonzero(guess)[:3]] -= 1
    exact = radius_of(settled, guess)
    monkeypatch.setattr("dalenius.records.attack.radius.LARGEST_FARTHEST", 0)
    unseen = replace(settled, points=settled.points[:0], complete=False)
    bounded = radius_of(unseen, guess)
    assert (bounded.low, bounded.high, bounded.evidence) == (3, 30, None)
    assert bounded.low <= exact.low <= exact.high <= bounded.high == len(people)


@given(
    people=st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=12),
    within=st.lists(st.booleans(), min_size=27, max_size=27),
    loose=st.integers(0, 26),
)
def test_people_of_some_records_are_summed_only_where_exact_rows_part_them(
    people: list[tuple[int, int, int]], within: list[bool], loose: int
) -> None:
    """A sum is the truth, whichever records are asked about; a row that is a range says nothing."""
    codes = np.array(people, np.int32)
    columns = RecordColumns.of({name: ["0", "1", "2"] for name in "abc"})
    system = make_system(columns, tables(columns, codes, 2).grids)
    have = Counter(people)
    truth = np.array([have[tuple(record)] for record in system.records.tolist()])
    for settled in settle(system, Effort(fits=0, steps=0, rounds=0, questions=0)).pieces:
        piece, own = settled.piece, truth[settled.piece.records]
        asked = np.array(within)[: piece.size]
        total = piece.summed(asked)
        assert total is None or total == own[asked].sum()
        everybody = np.ones(piece.size, np.bool_)
        assert piece.summed(everybody) == own.sum()
        ranged = replace(piece, high=piece.high + 1)
        assert ranged.summed(everybody) is None
        row = loose % piece.A.shape[0]
        of_row = piece.A[[row]].toarray()[0] > 0
        assert piece.summed(of_row) == own[of_row].sum()


def test_where_a_long_proof_stands_is_told() -> None:
    said: list[tuple[float, str]] = []
    claim_records(
        eight(), rng=np.random.default_rng(1), progress=lambda share, doing: said.append((share, doing))
    )
    published, _ = independent(6, levels=2, count=30)
    short = Effort(fits=0, steps=0, questions=2)
    claim_records(
        published,
        effort=short,
        rng=np.random.default_rng(1),
        progress=lambda share, doing: said.append((share, doing)),
    )
    assert {"settling records", "ranking records"} <= {doing for _, doing in said}
    assert all(0 <= share <= 1 for share, _ in said)
