"""LP decoding, partial discrepancy, uniqueness: checked by linear programs and enumeration."""

import math
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import hadamard
from scipy.optimize import linprog

from dalenius.errors import InputError
from dalenius.theory.reconstruction.discrepancy import (
    differing_people,
    indistinguishable_pair,
    partial_discrepancy,
    reconstruction_possibility,
    spectral_discrepancy_bound,
)
from dalenius.theory.reconstruction.lp import (
    gross_errors_tolerated,
    lp_gross_fraction_limit,
    lp_wrong_bound,
    lp_wrong_bound_from_tau1,
    section_lower_bound,
    tau1,
)
from dalenius.theory.reconstruction.subset_counts import (
    answers_for_uniqueness,
    uniqueness_probability,
)

Floats = NDArray[np.float64]
ROWS = ["1100", "0110", "0011", "1001", "1010", "0101", "1111", "1110", "0111", "1011"]
TEN = np.array([[int(bit) for bit in row] for row in ROWS], dtype=float)


def least_absolute(A: Floats, y: Floats) -> tuple[Floats, float]:
    m, n = A.shape
    one = np.eye(m)
    result = linprog(
        np.r_[np.zeros(n), np.ones(m)],
        A_ub=np.block([[A, -one], [-A, -one]]),
        b_ub=np.r_[y, -y],
        bounds=[(None, None)] * n + [(0, None)] * m,
    )
    assert result.status == 0
    return result.x[:n], float(result.fun)


# --- LP decoding


def test_tau1_golden_and_one_wild_answer_is_harmless() -> None:
    assert tau1(TEN) == pytest.approx(2 / 7, abs=1e-9)
    assert gross_errors_tolerated(tau1(TEN)) == 1
    for secret in ((1, 0, 0, 1), (0, 1, 1, 1)):
        for row, size in product(range(10), (8.0, -50.0)):
            y = TEN @ secret
            y[row] += size
            assert least_absolute(TEN, y)[0] == pytest.approx(np.array(secret), abs=1e-7)


def test_two_wild_answers_can_break_what_one_cannot() -> None:
    broken = 0
    for first in range(10):
        for second in range(first):
            for signs in product((-1.0, 1.0), repeat=2):
                y = np.zeros(10)
                y[[first, second]] = signs
                broken += least_absolute(TEN, y)[1] < 2 - 1e-7  # the truth 0 has objective 2
    assert broken > 0  # so a certificate that allowed two would be wrong


def test_gross_errors_are_strict() -> None:
    assert gross_errors_tolerated(1 / 6) == 2  # 1/(2 tau1) = 3 exactly: three are not certified
    assert gross_errors_tolerated(1.0) == 0


def test_section_lower_bound_is_below_sampled_ratios() -> None:
    rng = np.random.default_rng(2)
    for A in (TEN, rng.integers(0, 2, (30, 4)).astype(float)):
        image = rng.standard_normal((5000, A.shape[1])) @ A.T
        ratios = np.abs(image).sum(1) / np.linalg.norm(image, axis=1) / A.shape[0] ** 0.5
        assert 0 < section_lower_bound(A.shape[0], tau1(A)) <= ratios.min()


def test_lp_bounds_hold_with_wild_answers() -> None:
    rng = np.random.default_rng(3)
    A = rng.choice([-1.0, 1.0], (40, 4))
    sigma, tau = float(np.linalg.svd(A, compute_uv=False)[-1]), tau1(A)
    a, g = section_lower_bound(40, tau), 1 / 40
    assert g < lp_gross_fraction_limit(a)
    for beta in (0.0, 0.5, 1.0):
        bounds = lp_wrong_bound(40, beta, sigma, a, g), lp_wrong_bound_from_tau1(40, beta, sigma, tau, 1)
        for _ in range(20):
            s = rng.integers(0, 2, 4)
            e = beta * rng.choice([-1.0, 1.0], 40)
            e[rng.integers(40)] = 100 * rng.standard_normal()
            guess = least_absolute(A, A @ s + e)[0] >= 0.5
            assert np.sum(guess != s) <= min(bounds) + 1e-9


def test_lp_bad_input() -> None:
    with pytest.raises(InputError, match="gross_fraction must be below section"):
        lp_wrong_bound(40, 0.1, 1.0, 0.5, 0.0625)
    with pytest.raises(InputError, match="section must be at most 1"):
        lp_gross_fraction_limit(1.1)
    with pytest.raises(InputError, match="gross must be at most 1"):
        lp_wrong_bound_from_tau1(10, 0.1, 1.0, 2 / 7, 2)
    with pytest.raises(InputError, match="non-zero row"):
        tau1(np.zeros((2, 2)))


# --- partial discrepancy


def brute_force(A: Floats, beta: float) -> float:
    n = A.shape[1]
    x = np.array(list(product((-1.0, 0.0, 1.0), repeat=n)))
    allowed = x[np.count_nonzero(x, axis=1) > beta * n + 1e-12]
    return float(np.abs(allowed @ A.T).max(axis=1).min())


CIRCULANT = np.array([[float((j - i) % 7 in (0, 1, 3)) for j in range(7)] for i in range(7)])


@pytest.mark.parametrize(
    ("A", "sigma", "golden"),
    [
        (np.eye(8), 1.0, (1, 1, 1, 1)),
        (np.tril(np.ones((8, 8))), 0.508661, (1, 1, 1, 1)),
        (hadamard(8).astype(float), 2.828427, (1, 2, 3, 4)),
        ((hadamard(8) + 1) / 2, 0.828427, (1, 1, 1, 2)),
        (np.array(list(product((0.0, 1.0), repeat=4))), 2.0, (1, 1, 2, 2)),
        (CIRCULANT, 1.414214, (1, 1, 2, 2)),
    ],
)
def test_discrepancy_golden(A: Floats, sigma: float, golden: tuple[int, ...]) -> None:
    assert float(np.linalg.svd(A, compute_uv=False)[-1]) == pytest.approx(sigma, abs=1e-6)
    for beta, expected in zip((0, 0.25, 0.5, 0.75), golden, strict=True):
        found = partial_discrepancy(A, beta)
        assert found.lower == found.upper == expected
        assert spectral_discrepancy_bound(sigma, A.shape[1], A.shape[0], beta) <= expected + 1e-6


def test_spectral_golden() -> None:
    bounds = [spectral_discrepancy_bound(8**0.5, 8, 8, beta) for beta in (0, 0.25, 0.5, 0.75)]
    assert bounds == pytest.approx([1, 1.732051, 2.236068, 2.645751], abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_discrepancy_against_enumeration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(3, 8)), int(rng.integers(3, 10))
    matrices = (
        rng.integers(0, 2, (m, n)).astype(float),
        rng.choice([-1.0, 1.0], (m, n)),
        rng.standard_normal((m, n)),
    )
    for A, beta in product(matrices, (0.0, 0.5)):
        found, exact = partial_discrepancy(A, beta), brute_force(A, beta)
        assert found.upper == pytest.approx(exact, abs=1e-9)
        assert exact - 1e-5 <= found.lower <= exact + 1e-9
        assert found.minimiser is not None
        assert np.count_nonzero(found.minimiser) >= differing_people(n, beta)


def test_verdict_and_certificate_against_enumeration() -> None:
    rng = np.random.default_rng(1)
    cube = np.array(list(product((0, 1), repeat=5)))
    for _ in range(4):
        A = rng.integers(0, 2, (8, 5)).astype(float)
        found = partial_discrepancy(A, 0.4)
        for error in (0.2, 0.5, 0.7, 1.0):
            confusable = any(
                np.abs(A @ (s - c)).max() <= 2 * error and np.abs(s - c).sum() > 2
                for s, c in product(cube, cube)
            )
            assert reconstruction_possibility(found, error) == ("impossible" if confusable else "possible")
        assert found.minimiser is not None
        pair = indistinguishable_pair(A, found.minimiser)
        assert np.sum(pair.first != pair.second) > 2
        for secret in (pair.first, pair.second):
            assert np.abs(A @ secret - pair.published).max() == pair.error == found.upper / 2


def test_equality_belongs_to_the_defender() -> None:
    found = partial_discrepancy(np.tril(np.ones((4, 4))), 0.5)
    assert reconstruction_possibility(found, 4 * (1 / 8)) == "impossible"  # alpha = 1/8
    assert reconstruction_possibility(found, 0.4999) == "possible"


def test_rows_with_their_own_bounds() -> None:
    A = np.array([[1.0, 1, 0], [0, 1, 1], [1, 1, 1], [1, 0, 0]])
    errors = np.array([0.5, 0.25, 1.0, 2.0])
    scaled = partial_discrepancy(A, 0.3, errors=errors)
    assert scaled.upper == pytest.approx(brute_force(A / errors[:, None], 0.3))
    exact = partial_discrepancy(np.eye(3), 0.0, errors=0.0)
    assert exact.minimiser is None
    assert math.isinf(exact.lower)
    assert reconstruction_possibility(exact) == "possible"  # exact answers to everything
    one_free = partial_discrepancy(np.eye(3), 0.0, errors=[0.0, 0.0, 1.0])
    assert one_free.minimiser is not None
    assert np.abs(one_free.minimiser).tolist() == [0, 0, 1]


def test_short_of_time_says_undecided() -> None:
    A = np.random.default_rng(0).choice([-1.0, 1.0], (80, 60))
    found = partial_discrepancy(A, 0.5, seconds=0.5)
    assert 0 < found.lower < found.upper
    assert reconstruction_possibility(found, (found.lower + 0.5) / 2) == "undecided"
    assert reconstruction_possibility(found, found.lower / 2 - 0.01) == "possible"
    if found.minimiser is not None:
        assert reconstruction_possibility(found, found.upper / 2) == "impossible"


def test_discrepancy_bad_input() -> None:
    for beta in (-0.1, 1.0, float("nan")):
        with pytest.raises(InputError, match=r"^beta must"):
            partial_discrepancy(np.eye(3), beta)
    with pytest.raises(InputError, match="errors must be one bound"):
        partial_discrepancy(np.eye(3), 0.5, errors=[1.0, 1.0])
    with pytest.raises(InputError, match="x must hold -1, 0 or 1"):
        indistinguishable_pair(np.eye(3), [1, 2, 0])


# --- uniqueness


@pytest.mark.parametrize(
    ("n", "m", "golden"),
    [(10, 5, 0.5), (20, 12, 0.8203582764), (60, 36, 0.9412613249), (100, 60, 0.9780623532)],
)
def test_uniqueness_golden(n: int, m: int, golden: float) -> None:
    assert uniqueness_probability(n, m) == pytest.approx(golden, abs=1e-10)
    exact = sum(math.comb(n - 1, i) for i in range(m)) / 2 ** (n - 1)
    assert uniqueness_probability(n, m) == pytest.approx(exact, rel=1e-12)


def test_uniqueness_by_linear_programs() -> None:
    rng, runs = np.random.default_rng(12), 120
    for n, m in ((10, 4), (10, 7)):
        unique = 0
        for _ in range(runs):
            A, s, c = rng.standard_normal((m, n)), rng.integers(0, 2, n), rng.standard_normal(n)
            ends = [linprog(k * c, A_eq=A, b_eq=A @ s, bounds=(0, 1)).fun for k in (1, -1)]
            unique += abs(ends[0] + ends[1]) < 1e-6
        p = uniqueness_probability(n, m)
        assert abs(unique / runs - p) < 4 * (p * (1 - p) / runs) ** 0.5


def test_uniqueness_edges_and_inverse() -> None:
    assert [uniqueness_probability(5, m) for m in (0, 5, 9)] == [0, 1, 1]
    for n, p in product((1, 7, 60), (0.1, 0.5, 0.999)):
        m = answers_for_uniqueness(n, p)
        assert uniqueness_probability(n, m) >= p
        assert m == 1 or uniqueness_probability(n, m - 1) < p
