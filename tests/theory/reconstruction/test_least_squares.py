"""Least squares, LMMSE and the limits of any attack: golden values, adversaries, simulation."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.linalg import hadamard
from scipy.special import binom, ndtr

from dalenius.errors import InputError
from dalenius.theory.reconstruction.gaussian_limits import any_attack_accuracy, noise_to_stop_all
from dalenius.theory.reconstruction.least_squares import (
    inverse_gram_diagonal,
    least_squares_accuracy,
    least_squares_expected_wrong_bound,
    least_squares_wrong_bound,
    least_squares_wrong_bound_from_norm,
    lmmse_accuracy,
    lmmse_variances,
)
from dalenius.theory.reconstruction.subset_counts import (
    random_subsets_accuracy,
    random_subsets_alpha_scale,
    random_subsets_sigma_min,
)
from dalenius.theory.reconstruction.tables import attributes_for_full_rank, table_rank_bound

Floats = NDArray[np.float64]
SMALL = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]], dtype=float)


def subsets(rng: np.random.Generator, m: int, n: int) -> Floats:
    return rng.integers(0, 2, (m, n)).astype(float)


def test_golden_small_system() -> None:
    assert inverse_gram_diagonal(SMALL) == pytest.approx(np.full(3, 5 / 7))
    assert least_squares_accuracy(1.0, inverse_gram_diagonal(SMALL)) == pytest.approx(0.7229434350, abs=1e-10)
    norms = np.linalg.norm(SMALL, axis=0)
    assert any_attack_accuracy(norms, 1.0) == pytest.approx(0.8067618846, abs=1e-10)
    e = np.array([1.2, 0.9, 2.1, 1.7]) - SMALL @ [1, 0, 1]
    assert least_squares_wrong_bound_from_norm(float(np.linalg.norm(e)), 1.0) == pytest.approx(0.6)
    assert least_squares_wrong_bound(4, float(np.abs(e).max()), 1.0) == pytest.approx(1.44)


def test_golden_hadamard_meets_the_limit() -> None:
    H = hadamard(8).astype(float)
    norms = np.linalg.norm(H, axis=0)
    assert least_squares_accuracy(2.0, inverse_gram_diagonal(H)) == pytest.approx(0.7602499389, abs=1e-10)
    assert any_attack_accuracy(norms, 2.0) == pytest.approx(0.7602499389, abs=1e-10)
    assert any_attack_accuracy(norms, 2.0, 0.3) == pytest.approx(0.7958826665, abs=1e-10)


def test_adversarial_errors_never_beat_the_bound() -> None:
    rng = np.random.default_rng(3)
    signs = np.array(list(product((-1.0, 1.0), repeat=6)))
    for _ in range(20):
        A = subsets(rng, 6, 3)
        sigma = float(np.linalg.svd(A, compute_uv=False)[-1])
        if sigma < 1e-9:
            continue
        moved = signs @ np.linalg.pinv(A).T
        for beta, secret in product((0.1, 0.3, 0.5, 1.0), product((0.0, 1.0), repeat=3)):
            s = np.array(secret)
            worst = int(np.sum((s + beta * moved >= 0.5) != (s == 1), axis=1).max())
            assert worst <= least_squares_wrong_bound(6, beta, sigma) + 1e-9


def test_bound_is_tight_and_half_of_it_is_violated() -> None:
    n = 9  # identity queries, every answer half a unit too high
    bound = least_squares_wrong_bound(n, 0.5, 1.0)
    wrong = int(np.sum(np.linalg.pinv(np.eye(n)) @ np.full(n, 0.5) >= 0.5))
    assert wrong == bound == n


def test_worst_direction_hurts_more_than_random_errors() -> None:
    rng = np.random.default_rng(11)
    A, s = subsets(rng, 400, 100), rng.integers(0, 2, 100)
    left, sizes, _ = np.linalg.svd(A, full_matrices=False)
    beta, inverse = 2.0, np.linalg.pinv(A)
    chosen = int(np.sum((s + inverse @ (beta * np.sign(left[:, -1])) >= 0.5) != s))
    uniform = int(np.sum((s + inverse @ rng.uniform(-beta, beta, 400) >= 0.5) != s))
    assert uniform <= 2
    assert 20 <= chosen <= least_squares_wrong_bound(400, beta, float(sizes[-1]))


def test_accuracy_by_simulation_and_expectation_bound() -> None:
    rng = np.random.default_rng(5)
    variances = inverse_gram_diagonal(SMALL)
    errors = rng.standard_normal((60_000, 4)) @ np.linalg.pinv(SMALL).T
    right = 1 - np.mean(errors >= 0.5)
    assert right == pytest.approx(least_squares_accuracy(1.0, variances), abs=0.006)
    tau = 0.3
    wrong = 3 * (1 - least_squares_accuracy(tau, variances))
    assert wrong <= least_squares_expected_wrong_bound(tau, variances)
    assert least_squares_expected_wrong_bound(tau, variances) == pytest.approx(4 * 0.09 * 15 / 7)


@pytest.fixture(scope="module")
def queries() -> list[tuple[Floats, Floats]]:
    """Variance factors and column norms of four draws of 512 random subsets of 128 people."""
    rng = np.random.default_rng(1)
    draws = [subsets(rng, 512, 128) for _ in range(4)]
    return [(inverse_gram_diagonal(A), np.linalg.norm(A, axis=0)) for A in draws]


@pytest.mark.parametrize(
    ("c", "least_squares", "formula", "limit"),
    [
        (0.2, 0.9852, 0.9848, 0.9998),
        (0.3, 0.9266, 0.9255, 0.9907),
        (0.5, 0.8080, 0.8068, 0.9212),
        (1.0, 0.6683, 0.6675, 0.7602),
        (4.0, 0.5433, 0.5431, 0.5701),
    ],
)
def test_golden_random_subsets(
    queries: list[tuple[Floats, Floats]], c: float, least_squares: float, formula: float, limit: float
) -> None:
    tau = c * 128**0.5
    predicted = np.mean([least_squares_accuracy(tau, variances) for variances, _ in queries])
    bound = np.mean([any_attack_accuracy(norms, tau) for _, norms in queries])
    assert predicted == pytest.approx(least_squares, abs=0.003)
    assert random_subsets_accuracy(128, 512, tau) == pytest.approx(formula, abs=6e-5)
    assert bound == pytest.approx(limit, abs=0.003)


@pytest.mark.parametrize(
    ("ratio", "expected"), [(2, 0.599), (4, 0.668), (8, 0.746), (16, 0.834), (32, 0.918)]
)
def test_golden_more_queries_help_against_random_noise(ratio: int, expected: float) -> None:
    assert random_subsets_accuracy(64, 64 * ratio, 8.0) == pytest.approx(expected, abs=0.001)


@pytest.mark.parametrize(
    ("n", "d", "k", "golden"),
    [
        (100, 200, 1, {0.25: 0.9783, 0.5: 0.8446, 1: 0.6940, 2: 0.6001, 8: 0.5253}),
        (200, 40, 2, {0.25: 0.9969, 0.5: 0.9159, 1: 0.7549, 2: 0.6350, 8: 0.5344}),
    ],
)
def test_golden_tables(n: int, d: int, k: int, golden: dict[float, float]) -> None:
    rng = np.random.default_rng(2)
    diagonals = []
    for _ in range(4):
        V = 2 * rng.integers(0, 2, (n, d)) - 1
        gram = 2 * binom((V @ V.T + d) / 2, k)
        diagonals.append(np.diagonal(np.linalg.inv(gram)))
    for c, expected in golden.items():
        predicted = np.mean([least_squares_accuracy(c * n**0.5, values) for values in diagonals])
        assert predicted == pytest.approx(expected, abs=0.008)


@pytest.mark.parametrize(
    ("m", "c", "expected"), [(512, 1.0, 0.690), (160, 0.3, 0.784), (96, 0.3, 0.723), (96, 1.0, 0.589)]
)
def test_golden_lmmse(m: int, c: float, expected: float) -> None:
    rng, tau = np.random.default_rng(4), c * 128**0.5
    values = [lmmse_accuracy(lmmse_variances(subsets(rng, m, 128), tau)) for _ in range(4)]
    assert np.mean(values) == pytest.approx(expected, abs=0.008)


@pytest.mark.parametrize("p", [0.5, 0.3, 0.8])
def test_lmmse_with_prior_is_exact_for_one_person(p: float) -> None:
    tau, v = 0.7, p * (1 - p)
    cut = p + (0.5 - p) * (v + tau**2) / v  # where the estimate p + v/(v + tau^2) (y - p) is 1/2
    expected = p * ndtr((1 - cut) / tau) + (1 - p) * ndtr(cut / tau)
    assert lmmse_accuracy(lmmse_variances([[1.0]], tau, p), p) == pytest.approx(float(expected))


def test_lmmse_with_prior_by_simulation() -> None:
    rng, p, tau = np.random.default_rng(8), 0.3, 3.0
    A = subsets(rng, 60, 40)
    predicted = lmmse_accuracy(lmmse_variances(A, tau, p), p)
    gain = np.linalg.solve(A.T @ A / tau**2 + np.eye(40) / (p * (1 - p)), A.T / tau**2)
    secrets = rng.random((3000, 40)) < p
    noise = tau * rng.standard_normal((3000, 60))
    estimate = p + ((secrets - p) @ A.T + noise) @ gain.T
    assert np.mean((estimate >= 0.5) == secrets) == pytest.approx(predicted, abs=0.01)


def test_lmmse_knows_when_nothing_was_learned() -> None:
    assert lmmse_accuracy([0.21], 0.3) == pytest.approx(0.7)
    with pytest.raises(InputError, match="must not exceed prior"):
        lmmse_accuracy([0.22], 0.3)


def test_no_attack_beats_the_limit() -> None:
    """The exact posterior, which no attack beats, stays below the limit."""
    rng, tau, p = np.random.default_rng(9), 1.2, 0.4
    cube = np.array(list(product((0.0, 1.0), repeat=3)))
    weight = p ** cube.sum(1) * (1 - p) ** (3 - cube.sum(1))
    truth = cube[rng.choice(8, 20_000, p=weight)]
    seen = truth @ SMALL.T + tau * rng.standard_normal((20_000, 4))
    squared = ((seen[:, None, :] - (cube @ SMALL.T)[None]) ** 2).sum(2)
    posterior = weight * np.exp(-squared / (2 * tau**2))
    guess = (posterior @ cube) / posterior.sum(1, keepdims=True) >= 0.5
    best = float(np.mean(guess == truth))
    limit = any_attack_accuracy(np.linalg.norm(SMALL, axis=0), tau, p)
    assert max(p, 1 - p) + 0.02 < best < limit
    assert limit < any_attack_accuracy(np.linalg.norm(SMALL, axis=0), tau / 2, p)


def test_limit_for_people_in_no_statistic() -> None:
    assert any_attack_accuracy([0.0, 0.0], 1.0, 0.3) == pytest.approx(0.7)


def test_noise_to_stop_all_is_the_inverse() -> None:
    assert noise_to_stop_all(1.0, 0.05) == pytest.approx(3.979, abs=1e-3)
    assert any_attack_accuracy([3.0], noise_to_stop_all(3.0, 0.05)) == pytest.approx(0.55)


@settings(deadline=None, derandomize=True, max_examples=50)
@given(st.floats(0.01, 50), st.floats(1.01, 3), st.lists(st.floats(0.001, 10), min_size=1, max_size=8))
def test_more_noise_never_helps(tau: float, factor: float, variances: list[float]) -> None:
    more, less = (least_squares_accuracy(t, variances) for t in (tau * factor, tau))
    assert 0.5 <= more <= less <= 1


def test_random_subsets_scale() -> None:
    rng = np.random.default_rng(6)
    measured = np.linalg.svd(subsets(rng, 800, 200), compute_uv=False)[-1]
    assert random_subsets_sigma_min(200, 800) == pytest.approx(float(measured), rel=0.06)
    assert random_subsets_sigma_min(200, 800, signed=True) == 2 * random_subsets_sigma_min(200, 800)
    assert random_subsets_sigma_min(10, 5) == 0
    assert random_subsets_alpha_scale(10, 1024) == pytest.approx((np.log(102.4) / 10) ** 0.5)
    for m in (10, 1025):
        with pytest.raises(InputError, match=r"must lie between 1\.1 n and 2\^n"):
            random_subsets_alpha_scale(10, m)
    with pytest.raises(InputError, match="must exceed n"):
        random_subsets_accuracy(10, 10, 1.0)


@pytest.mark.parametrize(("n", "d", "k", "rank"), [(40, 12, 1, 13), (60, 8, 2, 37), (20, 8, 2, 20)])
def test_table_rank(n: int, d: int, k: int, rank: int) -> None:
    U = np.random.default_rng(1).integers(0, 2, (n, d))
    rows = [
        np.all(U[:, list(J)] == pattern, axis=1)
        for J in combinations(range(d), k)
        for pattern in product((0, 1), repeat=k)
    ]
    assert np.linalg.matrix_rank(np.array(rows, dtype=float)) == rank == min(n, table_rank_bound(d, k))


def test_attributes_needed() -> None:
    for n, k in product((1, 5, 40, 500), (1, 2, 3)):
        d = attributes_for_full_rank(n, k)
        assert table_rank_bound(d, k) >= n
        assert d == k or table_rank_bound(d - 1, k) < n


def test_bad_input() -> None:
    with pytest.raises(InputError, match="A must have rank 2; got rank 1"):
        inverse_gram_diagonal([[1, 1], [2, 2]])
    with pytest.raises(InputError, match="sigma_min must be above 0"):
        least_squares_wrong_bound(4, 0.1, 0.0)
    with pytest.raises(InputError, match="A must be a non-empty matrix"):
        inverse_gram_diagonal([1, 2, 3])
    with pytest.raises(InputError, match="A must hold finite numbers"):
        lmmse_variances([[np.nan]], 1.0)
    with pytest.raises(InputError, match="prior must be one number"):
        lmmse_variances(SMALL, 1.0, [0.5, 0.5])
    with pytest.raises(InputError, match="prior must lie strictly"):
        lmmse_variances(SMALL, 1.0, 1.0)
    with pytest.raises(InputError, match="excess must lie"):
        noise_to_stop_all(1.0, 0.5)
    with pytest.raises(InputError, match="column_norms must be at least 0"):
        any_attack_accuracy([-1.0], 1.0)
    with pytest.raises(InputError, match="inverse_gram must hold only numbers above 0"):
        least_squares_accuracy(1.0, [0.0])
    with pytest.raises(InputError, match="tau must be above 0"):
        least_squares_accuracy(0.0, [1.0])
