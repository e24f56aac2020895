from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.linalg import lstsq

from dalenius.errors import SolveError
from dalenius.matrices.operators import BitRows, SparseRows, single
from dalenius.reconstruction.attack.linalg.cgls import cgls


def noisy_counts(people: int, answers: int, noise: float, seed: int) -> tuple[BitRows, np.ndarray]:
    """Random subsets, and their counts less what a prior of one half expects."""
    rng = np.random.default_rng(seed)
    A = BitRows.from_dense(rng.random((answers, people)) < 0.5)
    secret = rng.integers(0, 2, people).astype(np.float64)
    counts = A.apply(secret) + noise * people**0.5 * rng.standard_normal(answers)
    return A, counts - A.apply(np.full(people, 0.5))


def exact(A: BitRows, target: np.ndarray, scale: np.ndarray) -> np.ndarray:
    matrix = A.rows(0, A.shape[0]) / scale[:, None]
    return lstsq(matrix, target / scale, lapack_driver="gelsy")[0]


@pytest.mark.parametrize(
    ("people", "noise"),
    [
        *((people, noise) for people in (256, 512) for noise in (0.1, 0.3, 0.5)),
        (1024, 0.3),
        *(
            pytest.param(
                1024, noise, marks=pytest.mark.slow(beside="test_rounds_to_the_same_secrets_as_lapack")
            )
            for noise in (0.1, 0.5)
        ),
    ],
)
def test_rounds_to_the_same_secrets_as_lapack(people: int, noise: float) -> None:
    A, target = noisy_counts(people, 4 * people, noise, people)
    found = cgls(single(A), target, np.ones(4 * people))
    expected = exact(A, target, np.ones(4 * people))
    assert np.array_equal(found.x >= 0, expected >= 0)
    assert np.abs(found.x - expected).max() < 1e-4
    assert found.settled
    assert found.iterations < 40


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 40), st.floats(1.5, 5.0), st.integers(0, 2**32))
def test_rows_of_different_accuracy(people: int, ratio: float, seed: int) -> None:
    answers = int(people * ratio) + 2
    A, target = noisy_counts(people, answers, 0.3, seed)
    scale = 10 ** np.random.default_rng(seed).uniform(-1, 1, answers)
    found = cgls(SparseRows(A.explicit()), target, scale, tolerance=1e-7)
    gradient = A.apply_transpose((target - A.apply(found.x)) / scale**2)
    expected = exact(A, target, scale)
    weighted = A.apply_transpose(np.abs(target - A.apply(expected)) / scale**2)
    assert np.abs(gradient).max() <= 1e-5 * weighted.max() + 1e-9
    assert np.allclose(found.residual, (target - A.apply(found.x)) / scale, atol=1e-6)


def test_stops_on_the_gradient_not_on_the_first_small_step() -> None:
    # after one step the gradient is small beside the outlier of the spectrum, and the answer still useless
    A, target = noisy_counts(2048, 8192, 0.1, 1)
    loose = cgls(single(A), target, np.ones(8192), tolerance=1e-3)
    tight = cgls(single(A), target, np.ones(8192), tolerance=1e-6)
    assert loose.iterations > 10
    assert np.abs(loose.x - tight.x).max() < 1e-3


def test_the_shortest_of_many_solutions() -> None:
    A, target = noisy_counts(60, 24, 0.0, 3)
    found = cgls(A, target, np.ones(24), tolerance=1e-8)
    assert np.allclose(found.x, np.linalg.pinv(A.explicit().toarray()) @ target, atol=1e-5)


def test_nothing_to_fit_is_settled_at_once() -> None:
    A, _ = noisy_counts(20, 40, 0.0, 4)
    found = cgls(A, np.zeros(40), np.ones(40))
    assert found.settled
    assert found.iterations == 0
    assert np.array_equal(found.x, np.zeros(20))


def test_rows_that_count_nobody_do_not_disturb() -> None:
    matrix = sparse.csr_array(np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]))
    found = cgls(SparseRows(matrix), np.array([5.0, 1.0, 3.0]), np.ones(3))
    assert np.allclose(found.x, [1.0, 2.0])
    assert np.allclose(found.residual, [5.0, 0.0, 0.0])


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_an_error(wrong: float) -> None:
    A, target = noisy_counts(20, 40, 0.0, 5)
    target[7] = wrong
    with pytest.raises(SolveError, match="finite"):
        cgls(A, target, np.ones(40))


def test_running_out_of_steps_is_said_and_progress_is_told() -> None:
    A, target = noisy_counts(100, 110, 0.3, 6)
    told: list[float] = []
    found = cgls(A, target, np.ones(110), iterations=5, progress=lambda share, doing: told.append(share))
    assert not found.settled
    assert found.iterations == 5
    assert told == [0.0, 0.2, 0.4, 0.6, 0.8]
