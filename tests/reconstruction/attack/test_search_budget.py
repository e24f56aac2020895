"""What the search may spend: counted in steps, never read from a clock, and who was left out is said."""

from __future__ import annotations

import re
import time
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import dalenius
from dalenius.reconstruction.attack.linalg import programs as repeated
from dalenius.reconstruction.attack.linalg.programs import Repeated
from dalenius.reconstruction.attack.program import Solution, UnsolvedError
from dalenius.reconstruction.attack.search import search
from dalenius.reconstruction.attack.search import search_steps as middle
from dalenius.reconstruction.attack.search import search_steps as whole_point
from dalenius.reconstruction.attack.search.open_part import make_board
from dalenius.reconstruction.attack.search.parts import SET_UP, Part, Work
from dalenius.reconstruction.attack.search.settle import settle
from dalenius.reconstruction.attack.system.build import build

from .conftest import certain_people


def test_dives_use_no_more_than_their_share(rounded, monkeypatch):
    """Planted: a program that would take all steps there are."""
    monkeypatch.setattr(Repeated, "solve", lambda self, cost, steps: give_up(steps))
    (system,) = build(rounded(80, 2, mechanism="rounding:base=10")[0]).systems
    ends = system.low, system.high, system.counting, system.least, system.most, system.sizes
    made = Part(sparse.csr_array(system.A.explicit()), *ends, both=True)
    work = Work(10.0)
    monkeypatch.setattr(search, "FIRST_STEPS", 0)
    monkeypatch.setattr(search, "whole_point", lambda *ends: (None, 0))
    assert search._any_solution(made, make_board(made), work) is None
    assert work.left == pytest.approx((1 - search.DIVE_SHARE) * 10, abs=0.1)


def large(rounded):
    """Tables of 400 people whose secrets are one part of 1,499 open sums, which single rows do not settle."""
    seen, secrets = rounded(400, 4)
    return build(seen), secrets


def test_large_parts_are_searched_and_one_program_proves_all_that_programs_prove(rounded, monkeypatch):
    problem, secrets = large(rounded)
    sizes = []
    honest = search.make_board
    monkeypatch.setattr(search, "make_board", lambda made: sizes.append(made.sizes.size) or honest(made))
    found = settle(problem, 12.0)
    assert max(sizes) > 1_200
    certain = certain_people(problem, found.systems)
    alone = certain_people(problem, settle(problem, 0.0).systems)
    assert alone.sum() < 40
    assert certain.sum() > 380
    values = np.argmax(np.stack([system.most for system in found.systems])[:, problem.group], axis=0)
    assert np.array_equal(values[certain], secrets[certain])


def test_large_parts_are_found_alike_whatever_the_clock_says(rounded, monkeypatch):
    problem, _ = large(rounded)
    found = []
    for rate, seconds in ((1e-4, 12.0), (1.0, 12.0), (1e-4, 0.6), (1.0, 0.6)):
        for name in ("process_time", "perf_counter", "monotonic", "time"):
            monkeypatch.setattr(time, name, Hands(rate))
        found.append(settle(problem, seconds))
        monkeypatch.undo()
    for one, two in (found[:2], found[2:]):
        assert one.notes == two.notes
        for a, b in zip(one.systems, two.systems, strict=True):
            assert np.array_equal(a.least, b.least)
            assert np.array_equal(a.most, b.most)
    assert not any("not searched" in note for note in found[0].notes)
    assert any("not searched" in note for note in found[2].notes)


def test_a_large_part_that_would_use_up_the_work_is_said_not_to_be_searched(rounded, monkeypatch):
    """No program is asked that is foretold to take more than its share, so none is begun here."""
    problem, _ = large(rounded)
    monkeypatch.setattr(middle, "settle_by_middle", None)
    monkeypatch.setattr(search, "settle_by_middle", None)
    monkeypatch.setattr(search, "LARGEST_SHARE", 1e-9)
    found = settle(problem, 12.0)
    assert "open people were not searched by linear programs" in found.notes[0]


def test_who_was_not_searched_is_said(rounded):
    seen, _ = rounded(80, 2, mechanism="rounding:base=10")
    problem = build(seen)
    found = settle(problem, 0.0)
    full = settle(problem, 30.0)
    assert "open people were not searched by linear programs" in found.notes[0]
    assert certain_people(problem, found.systems).sum() <= certain_people(problem, full.systems).sum()
    assert not any("not searched" in note for note in full.notes)


class Hands:
    """A clock that runs as fast as it is told."""

    def __init__(self, rate):
        self.rate, self.read = rate, 0

    def __call__(self):
        self.read += 1
        return self.rate * self.read


@pytest.mark.parametrize("seconds", [0.005, 0.01, 30.0])
def test_the_same_is_found_whatever_the_clock_says(rounded, monkeypatch, seconds):
    """A hundred times faster or slower, out of work early or never: the same bounds, and the same words."""
    seen, _ = rounded(150, 2, mechanism="rounding:base=10")
    problem = build(seen)
    found = []
    for rate in (1e-4, 1e-2, 1.0):
        for name in ("process_time", "perf_counter", "monotonic", "time"):
            monkeypatch.setattr(time, name, Hands(rate))
        found.append(settle(problem, seconds))
        monkeypatch.undo()
    for other in found[1:]:
        assert other.notes == found[0].notes
        for one, two in zip(found[0].systems, other.systems, strict=True):
            assert np.array_equal(one.least, two.least)
            assert np.array_equal(one.most, two.most)
    assert any("open people were not searched" in note for note in found[0].notes) == (seconds < 30)


def test_more_work_never_finds_less_and_open_people_are_counted(rounded):
    seen, secrets = rounded(150, 2, mechanism="rounding:base=10")
    problem = build(seen)
    before = np.zeros(secrets.size, bool)
    for seconds in (0.0, 0.01, 0.02, 0.03, 0.1, 30.0):
        found = settle(problem, seconds)
        certain = certain_people(problem, found.systems)
        assert (certain >= before).all()
        before = certain
        for note in found.notes:
            if "not searched" in note:
                missed, people = (int(word.replace(",", "")) for word in note.split()[:3:2])
                assert 0 < missed <= people == (~certain).sum()


def test_nothing_reads_a_clock_or_sets_a_solver_one():
    """A clock inside a solver cannot be patched, so nobody may set one; a screen may have one."""
    folder = Path(dalenius.__file__).parent
    for path in sorted(folder.glob("**/*.py")):
        text = path.read_text(encoding="utf-8")
        assert "time_limit" not in text, path.name
        reads = re.search(r"^\s*(import time|from time import)\b", text, re.MULTILINE)
        screens = (folder / "console" / "progress.py", folder / "console" / "notebook.py")
        assert not reads or path in screens, path.name


def test_a_budget_is_spent_by_steps():
    work = Work(1.0)
    solved = work.solved(1_000, 1e6, lambda steps: Solution(0.0, np.zeros(1), np.zeros(1), steps // 2))
    assert solved.steps == 500
    assert work.left == pytest.approx(0.5 - SET_UP)
    with pytest.raises(UnsolvedError):
        work.solved(1_000, 1e6, lambda steps: give_up(steps))
    assert work.left == 0


def give_up(steps):
    raise UnsolvedError("no more steps", steps)


@pytest.mark.parametrize("door", [True, False])
def test_a_solver_keeps_to_its_steps(rounded, monkeypatch, door):
    """Both ways to it: started from the program before, and from nothing."""
    if not door:
        monkeypatch.setattr(repeated, "open_highs", lambda: None)
    (system,) = build(rounded(80, 2, mechanism="rounding:base=10")[0]).systems
    program = Repeated(
        sparse.csr_array(system.A.explicit()), system.low, system.high, system.least, system.most
    )
    cost = np.random.default_rng(1).standard_normal(system.unknowns)
    with pytest.raises(UnsolvedError) as caught:
        program.solve(cost, 3)
    assert caught.value.steps <= 4
    whole = program.solve(cost)
    assert whole.steps > 4
    assert program.solve(cost, 10_000).value == pytest.approx(whole.value)


@pytest.mark.parametrize("door", [True, False])
def test_whole_numbers_are_found_again_in_the_same_steps(rounded, monkeypatch, door):
    if not door:
        monkeypatch.setattr(whole_point, "open_highs", lambda: None)
    (system,) = build(rounded(80, 2, mechanism="rounding:base=5")[0]).systems
    rows = sparse.csr_array(system.A.explicit())
    ends = rows, system.low, system.high, system.least, system.most
    point, steps = whole_point.whole_point(*ends, 100_000)
    again, steps_again = whole_point.whole_point(*ends, 100_000)
    assert point.tolist() == again.tolist()
    assert steps == steps_again
    assert ((rows @ point >= system.low) & (rows @ point <= system.high)).all()


def test_too_many_entries_are_not_written_out(rounded, monkeypatch):
    from dalenius.reconstruction.attack.search import settle as module

    seen, _ = rounded(80, 2, mechanism="rounding:base=10")
    monkeypatch.setattr(module, "ENTRY_LIMIT", 10)
    monkeypatch.setattr(module, "all_values", None)  # must not be reached
    found = settle(build(seen), 30.0)
    assert "not searched" in found.notes[0]
