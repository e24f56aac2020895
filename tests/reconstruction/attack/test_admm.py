from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import SolveError
from dalenius.matrices.operators import BitRows
from dalenius.reconstruction.attack.decoders import lp
from dalenius.reconstruction.attack.linalg.admm import least_misses
from dalenius.reconstruction.attack.linalg.programs import Misses
from dalenius.reconstruction.attack.system.system import LinearSystem


def system_of(
    people: int, answers: int, *, noise: float = 0.2, gross: float = 0.1, width: int = 0, seed: int = 0
) -> tuple[LinearSystem, np.ndarray]:
    """Random subset counts: noisy, some arbitrary; or, with a width, intervals of it that hold the count."""
    rng = np.random.default_rng(seed)
    A = BitRows.from_dense(rng.random((answers, people)) < 0.5)
    sizes = rng.integers(1, 4, people)
    secret = rng.integers(0, sizes + 1)
    truth = A.apply(secret.astype(np.float64))
    centre = truth + noise * people**0.5 * rng.standard_normal(answers)
    wild = rng.random(answers) < gross
    centre[wild] = rng.uniform(0, sizes.sum() / 2, wild.sum())
    low = np.floor(truth / max(width, 1)) * width if width else np.full(answers, -np.inf)
    high = low + width if width else np.full(answers, np.inf)
    centre = (low + high) / 2 if width else centre
    sd = np.zeros(answers) if width else np.full(answers, np.nan)
    system = LinearSystem(
        A,
        centre,
        low,
        high,
        sd,
        "none" if width else "unknown",
        sizes,
        np.zeros_like(sizes),
        sizes,
        np.full(people, 0.5),
        np.ones(answers, np.bool_),
    )
    return system, secret


def solved(system: LinearSystem, **options: float):
    return least_misses(lp.program_of(system), system.start, rng=np.random.default_rng(1), **options)


@settings(deadline=None, max_examples=15)
@given(st.integers(5, 40), st.floats(0.5, 4), st.sampled_from([0.0, 0.2, 1.0]), st.integers(0, 2**32))
def test_bound_and_value_enclose_the_exact_optimum(
    people: int, ratio: float, noise: float, seed: int
) -> None:
    system, _ = system_of(people, max(2, int(ratio * people)), noise=noise, seed=seed)
    found, (_, optimum) = solved(system, iterations=300 if ratio < 2 else 2000), lp.solve(system)
    slack = 1e-7 * (1 + optimum)
    assert found.bound <= optimum + slack
    assert optimum <= found.value + slack
    assert found.gap <= 1e-3 or ratio < 2  # few answers: many optima, and the proof takes longer


@settings(deadline=None, max_examples=25)
@given(st.integers(2, 30), st.integers(2, 60), st.integers(0, 2**32))
def test_any_dual_point_gives_a_bound(people: int, answers: int, seed: int) -> None:
    system, secret = system_of(people, answers, seed=seed)
    program, rng = lp.program_of(system), np.random.default_rng(seed)
    bound = program.bound(rng.normal(0, 1, answers))
    assert bound <= program.value(secret.astype(np.float64)) + 1e-9
    assert bound <= program.value(rng.uniform(program.least, program.most)) + 1e-9


class Backwards(Misses):
    """The planted fault: the box's share of the bound with the wrong sign."""

    def bound(self, dual: np.ndarray) -> float:
        y = np.clip(dual, -1, 1) / self.scale
        slope = self.A.apply_transpose(y)
        return float(np.maximum(slope * self.least, slope * self.most).sum() - (y * self.high).sum())


def test_a_bound_with_the_wrong_sign_would_be_caught() -> None:
    system, _ = system_of(40, 160)
    program = lp.program_of(system)
    found, (_, optimum) = solved(system), lp.solve(system)
    fault = Backwards(program.A, program.low, program.high, program.scale, program.least, program.most)
    assert program.bound(found.dual) <= optimum * (1 + 1e-9)
    assert fault.bound(found.dual) > optimum * (1 + 1e-9)


@pytest.mark.parametrize("gap", [1e-2, 1e-3, 1e-4])
def test_stops_at_the_gap_asked_for(gap: float) -> None:
    system, _ = system_of(100, 400)
    found, (_, optimum) = solved(system, gap=gap), lp.solve(system)
    assert found.gap <= gap
    assert optimum * (1 - 1e-9) <= found.value <= optimum * (1 + gap)


@pytest.mark.parametrize("gross", [0.1, 0.2])
def test_gross_errors_do_not_move_the_solution(gross: float) -> None:
    system, secret = system_of(300, 1200, noise=0.0, gross=gross)
    assert np.array_equal(np.round(solved(system).x), secret)


@pytest.mark.parametrize("width", [1, 5, 10])
def test_intervals_that_hold_the_truth_are_met(width: int) -> None:
    system, _ = system_of(80, 320, width=width)
    found = solved(system)
    image = system.A.apply(found.x)
    assert found.value <= 1e-5 * 320
    assert (image > system.low - 0.05).all()
    assert (image < system.high + 0.05).all()


def test_intervals_that_contradict_each_other_have_the_exact_smallest_sum() -> None:
    system, _ = system_of(40, 160, width=3)
    moved = np.where(np.arange(160) % 5 == 0, 4.0, 0.0)
    system = replace(system, low=system.low + moved, high=system.high + moved, centre=system.centre + moved)
    found, (_, optimum) = solved(system), lp.solve(system)
    assert optimum > 1
    assert found.bound <= optimum * (1 + 1e-7) <= found.value * (1 + 2e-7)
    assert found.gap <= 1e-3


def test_open_ends_are_never_missed_on_that_side() -> None:
    system, _ = system_of(40, 160, width=3)
    program = lp.program_of(system)
    program = replace(program, high=np.where(np.arange(160) % 2 == 0, np.inf, program.high))
    program = replace(program, low=np.where(np.arange(160) % 3 == 0, -np.inf, program.low))
    found = least_misses(program, system.start, rng=np.random.default_rng(1))
    assert np.isfinite(found.bound)
    assert found.gap <= 1e-3
    assert np.isfinite(program.bound(np.ones(160)))


def test_the_solution_is_inside_of_the_box() -> None:
    system, _ = system_of(100, 150, noise=2.0)
    found = solved(system)
    assert (found.x >= system.least).all()
    assert (found.x <= system.most).all()


def test_running_out_of_rounds_says_the_gap_that_was_reached() -> None:
    system, _ = system_of(100, 400)
    program = lp.program_of(system)
    told: list[str] = []
    found = least_misses(
        program,
        system.start,
        rng=np.random.default_rng(1),
        iterations=15,
        gap=1e-9,
        progress=lambda share, doing: told.append(doing),
    )
    assert found.iterations == 15
    assert 1e-9 < found.gap < 1
    assert len(told) == 1
    assert told[0].startswith("LP decoding, certified within")


def test_numbers_that_are_not_finite_are_an_error() -> None:
    system, _ = system_of(20, 80)
    centre = system.centre.copy()
    centre[3] = np.nan
    with pytest.raises(SolveError, match="finite"):
        solved(replace(system, centre=centre))


def test_decode_is_exact_when_small_and_else_certified() -> None:
    rng = np.random.default_rng(1)
    small, large = system_of(30, 120)[0], system_of(100, 400)[0]
    assert "exactly" in lp.decode(small, rng=rng).notes[-1]
    certified = lp.decode(large, rng=rng)
    assert certified.notes[-1].startswith("sum of misses certified within")
    apart = np.round(certified.share * large.sizes) != np.round(lp.solve(large)[0])
    assert apart.mean() < 0.1
