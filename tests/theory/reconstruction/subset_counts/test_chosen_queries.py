"""Rounding lemma, all subsets, Hadamard queries: brute force and tightness."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.linalg import hadamard

from dalenius.errors import InputError
from dalenius.theory.reconstruction.rounding import (
    blatantly_nonprivate,
    rounding_wrong_bound,
    rounding_wrong_bound_l1,
)
from dalenius.theory.reconstruction.subset_counts import (
    all_subsets_blatant_alpha,
    all_subsets_error_bound,
    hadamard_accuracy,
    hadamard_blatant_alpha,
    hadamard_error_bound,
    hadamard_query_count,
    hadamard_size,
)

Floats = NDArray[np.float64]


def cube(n: int) -> Floats:
    return np.array(list(product((0.0, 1.0), repeat=n)))


def wrong(estimate: Floats, secret: Floats) -> NDArray[np.int64]:
    return np.sum((estimate >= 0.5) != (secret >= 0.5), axis=-1)


@settings(deadline=None, derandomize=True, max_examples=50)
@given(st.lists(st.tuples(st.floats(-3, 3), st.integers(0, 1)), min_size=1, max_size=20))
def test_rounding_lemma_holds(pairs: list[tuple[float, int]]) -> None:
    r, s = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    mistakes = int(wrong(r, s))
    assert mistakes <= rounding_wrong_bound(float(np.sum((r - s) ** 2)))
    assert mistakes <= rounding_wrong_bound_l1(float(np.sum(np.abs(r - s))))


def test_rounding_lemma_is_tight() -> None:
    r, s = np.full(7, 0.5), np.zeros(7)
    assert wrong(r, s) == rounding_wrong_bound(7 / 4) == rounding_wrong_bound_l1(7 / 2) == 7


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_all_subsets_over_every_secret_and_every_candidate(n: int) -> None:
    subsets = cube(n)
    reached = 0.0
    for s, c in product(subsets, subsets):
        # some release within alpha is consistent with both iff their answers differ by at most 2 alpha
        alpha = float(np.abs(subsets @ (s - c)).max()) / (2 * n)
        error = float(np.abs(s - c).sum()) / n
        assert error <= all_subsets_error_bound(alpha) + 1e-12
        reached = max(reached, error / (4 * alpha) if alpha > 0 else 0.0)
    assert reached == (1.0 if n > 1 else 0.5)  # half the constant would be violated


def test_all_subsets_golden() -> None:
    assert all_subsets_error_bound(0.25) * 4 == 4  # G3: largest distance found there is 2
    assert all_subsets_error_bound(0.9) == 1
    assert blatantly_nonprivate(all_subsets_error_bound(all_subsets_blatant_alpha()))
    assert not blatantly_nonprivate(all_subsets_error_bound(0.0251))


def decode(signed_errors: Floats, n: int) -> Floats:
    """Return r - s of the attack for errors (fractions) on the N signed answers."""
    size = hadamard_size(n)
    return (n / size) * (signed_errors @ hadamard(size))[..., :n]


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 8])
def test_hadamard_bound_over_all_sign_patterns_and_secrets(n: int) -> None:
    signs = 2 * cube(hadamard_size(n)) - 1
    for alpha in (0.04, 0.1, 0.15, 0.25):
        for secret in cube(n):
            worst = int(wrong(secret + decode(alpha * signs, n), secret).max())
            assert worst <= n * hadamard_error_bound(n, alpha, "signed") + 1e-9
            worst = int(wrong(secret + decode(2 * alpha * signs, n), secret).max())
            assert worst <= n * hadamard_error_bound(n, alpha) + 1e-9


def test_hadamard_plus_variant_over_all_sign_patterns() -> None:
    signs = 2 * cube(8) - 1
    for alpha in (0.02, 0.05, 0.1):
        # q_j = 2 plus_j - plus_0: errors 2 e_j - e_0
        errors = alpha * (2 * signs - signs[:, :1])
        for secret in cube(8)[::5]:
            worst = int(wrong(secret + decode(errors, 8), secret).max())
            assert worst <= 8 * hadamard_error_bound(8, alpha, "plus") + 1e-9


@pytest.mark.parametrize(("queries", "factor"), [("signed", 1.0), ("split", 2.0)])
def test_hadamard_bound_is_tight(queries: str, factor: float) -> None:
    n = 8
    alpha = 1 / (2 * n * factor)
    errors = factor * alpha * hadamard(n)[3].astype(float)  # all pushed on person 3
    mistakes = int(wrong(decode(errors, n), np.zeros(n)))
    bound = n * hadamard_error_bound(n, alpha, queries)
    assert mistakes == 1
    assert bound == pytest.approx(1)  # so half the constant is violated


def test_padded_golden() -> None:
    e = np.array([0.06, -0.06, 0.06, 0.06, -0.06, 0.06, -0.06, -0.06])
    s = np.array([1, 1, 0, 0, 1])
    assert s + decode(2 * e, 5) == pytest.approx(np.array([1, 1, 0, 0, 1.3]))
    assert hadamard_error_bound(5, 0.06) == pytest.approx(0.288)


def test_printed_thresholds_are_implied() -> None:
    for n in (1, 10, 100, 1000):
        assert blatantly_nonprivate(hadamard_error_bound(n, 1 / (13 * n**0.5)))
        assert hadamard_error_bound(n, hadamard_blatant_alpha(n)) == pytest.approx(0.1)
        assert hadamard_query_count(n) < 4 * n
    assert hadamard_query_count(64) == 127


def test_hadamard_accuracy_by_simulation() -> None:
    rng = np.random.default_rng(7)
    for n, noise in ((5, 0.3), (8, 0.1)):
        errors = noise * rng.standard_normal((40_000, hadamard_size(n)))
        share = 1 - wrong(decode(errors, n), np.zeros(n)).mean() / n
        assert share == pytest.approx(hadamard_accuracy(n, noise), abs=4 * 0.5 / 200 / n**0.5)


@pytest.mark.parametrize("alpha", [-0.1, float("nan"), float("inf"), "much", None])
def test_bad_alpha(alpha: float) -> None:
    with pytest.raises(InputError, match=r"^alpha must be"):
        hadamard_error_bound(8, alpha)
    with pytest.raises(InputError, match=r"^alpha must be"):
        all_subsets_error_bound(alpha)


@pytest.mark.parametrize("n", [0, -1, 2.5, True, "8"])
def test_bad_n(n: int) -> None:
    with pytest.raises(InputError, match=r"^n must be"):
        hadamard_size(n)


def test_bad_queries() -> None:
    with pytest.raises(InputError, match="must be one of split, plus, signed; got 'both'"):
        hadamard_error_bound(8, 0.1, "both")
