"""Attacks on published regressions: the tables of noise and rounding, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dalenius.errors import InputError, SaysNothingError, UnsupportedError
from dalenius.knowledge.view import Knowledge, View
from dalenius.matrices.answers import Counts, Sensitivity
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.schema import Column, Kind, Role, Roster
from dalenius.reconstruction import m_estimator
from dalenius.reconstruction.attack import attack as module
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.decoders.least_squares import solve
from dalenius.reconstruction.attack.system.build import build
from dalenius.release.release import Block, Release
from dalenius.statistics.estimates.regression import Regression
from dalenius.statistics.estimates.secret_regressor import secret_regressor
from dalenius.theory.reconstruction.regression import single_column_accuracy
from helpers.rosters import numbered

SECRET = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))
N, D = 100, 400


def publish(statistics: list[Any], roster: Roster, secret: np.ndarray, mechanism: str, seed: int = 1) -> View:
    chain, rng = parse_mechanism(mechanism), np.random.default_rng([seed, 99])
    blocks = []
    for statistic in statistics:
        answers = statistic.compute(roster, secret)
        counts = Counts(answers[:, None], np.arange(answers.size), Sensitivity(1, 1))
        blocks.append(Block(statistic, ("estimate",), chain.protect(counts, rng=rng)))
    prior = np.full((len(roster), 2), 0.5)
    return View(Release("r", SECRET, tuple(blocks), mechanism), Knowledge(roster, prior))


def single_columns(model: str, mechanism: str, seed: int, signs: bool = False) -> tuple[View, np.ndarray]:
    """400 fits of one column each without intercept, on 100 people."""
    rng = np.random.default_rng(seed)
    secret = rng.integers(0, 2, N).astype(np.float64)
    X = rng.choice([-1.0, 1.0], (N, D)) if signs else rng.uniform(-1, 1, (N, D))
    roster = numbered(X)
    fits = [
        Regression(roster.attributes.columns[j : j + 1], (f"x{j}",), model, intercept=False) for j in range(D)
    ]
    return publish(fits, roster, secret, mechanism, seed), secret


def several_columns(
    mechanism: str, seed: int, models: int = 100, scaled: bool = False
) -> tuple[View, np.ndarray]:
    """Logistic fits with intercept and four columns of different means and scales each, on 100 people."""
    rng = np.random.default_rng(seed)
    secret = rng.integers(0, 2, N).astype(np.float64)
    X = rng.normal(size=(N, 4 * models)) * rng.uniform(0.5, 3, 4 * models) + 2 * rng.normal(size=4 * models)
    roster = numbered(X)
    fits = []
    for j in range(0, 4 * models, 4):
        terms = tuple(f"x{j + k}" for k in range(4))
        fits.append(Regression(roster.attributes.columns[j : j + 4], terms, standardise=scaled))
    return publish(fits, roster, secret, mechanism, seed), secret


@pytest.fixture(autouse=True)
def _no_linear_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Certain bits are tested by themselves below; two hundred programs a run would take minutes."""
    monkeypatch.setattr(module, "SEARCH", 0.0)


def rates(
    make: Callable[[int], tuple[View, np.ndarray]], runs: int, decoder: str = "least-squares"
) -> list[float]:
    shares = []
    for seed in range(runs):
        view, secret = make(seed)
        claims = reconstruct(view, decoder=decoder, rng=np.random.default_rng(seed))
        shares.append(float((claims.guess == secret).mean()))
    return shares


# noise on coefficients: mean (sd of one run) of the reference runs


@pytest.mark.parametrize(
    "seeds", [1, pytest.param(4, marks=pytest.mark.slow(beside="test_noise_on_coefficients"))]
)
@pytest.mark.parametrize(
    ("model", "signs", "c", "mean", "sd", "runs"),
    [
        ("logistic", False, 4.0, 0.9317, 0.021, 30),
        ("logistic", True, 4.0, 0.8050, 0.041, 20),
        ("linear", False, 1.0, 0.9310, 0.024, 30),
        ("logistic", False, 8.0, 0.7690, 0.030, 30),
    ],
)
def test_noise_on_coefficients(
    accept: Callable[..., bool],
    model: str,
    signs: bool,
    c: float,
    mean: float,
    sd: float,
    runs: int,
    seeds: int,
) -> None:
    own = rates(lambda seed: single_columns(model, f"gaussian:sigma={c / N**0.5}", seed, signs), seeds)
    assert accept(own, mean, sd, runs)
    predicted = single_column_accuracy(
        N, D, c / N**0.5, second_moment=1.0 if signs else 1 / 3, curvature=1.0 if model == "linear" else 0.25
    )
    assert accept(own, predicted, sd, runs)


def test_a_wrong_size_of_the_noise_is_noticed(accept: Callable[..., bool]) -> None:
    own = rates(lambda seed: single_columns("linear", f"gaussian:sigma={2 / N**0.5}", seed), 1)
    assert not accept(own, 0.9310, 0.024, 30)


# rounded coefficients


@pytest.mark.parametrize(
    ("model", "digits", "mean", "sd"),
    [
        ("logistic", 0, 0.974, 0.013),
        pytest.param("logistic", 1, 1.0, 0.0, marks=pytest.mark.slow(beside="test_rounded_single_columns")),
        ("linear", 1, 1.0, 0.0),
    ],
)
def test_rounded_single_columns(
    accept: Callable[..., bool], model: str, digits: int, mean: float, sd: float
) -> None:
    own = rates(lambda seed: single_columns(model, f"rounding:digits={digits}", seed), 1)
    assert accept(own, mean, sd, 20)


@pytest.mark.parametrize(
    "seed",
    [
        0,
        *(
            pytest.param(
                seed,
                marks=pytest.mark.slow(
                    beside="test_coefficients_that_all_round_to_zero_are_not_guessed_from"
                ),
            )
            for seed in (1, 2, 3)
        ),
    ],
)
def test_coefficients_that_all_round_to_zero_are_not_guessed_from(seed: int) -> None:
    """Where guessing all the same would get 0.488 right (sd 0.054 over 20 runs): a coin."""
    view, _ = single_columns("linear", "rounding:digits=0", seed)
    with pytest.raises(SaysNothingError, match="nothing is guessed"):
        reconstruct(view, decoder="posterior", rng=np.random.default_rng(1))


@pytest.mark.parametrize(("digits", "mean", "sd"), [(0, 0.837, 0.037), (2, 1.0, 0.0)])
def test_rounded_models_with_several_columns(
    accept: Callable[..., bool], digits: int, mean: float, sd: float
) -> None:
    own = rates(lambda seed: several_columns(f"rounding:digits={digits}", seed), 2 if digits == 0 else 1)
    assert accept(own, mean, sd, 15)


def test_raw_rows_instead_of_whitened_ones_fail(accept: Callable[..., bool]) -> None:
    view, secret = several_columns("rounding:digits=0", 0)
    rows, targets = [], []
    for block in view.release.blocks:
        form = block.statistic.linear(view.knowledge.roster, block.answers[:, 0])
        rows.append(form.rows)
        targets.append(form.target)
    A, y = np.concatenate(rows), np.concatenate(targets)
    raw = 0.5 + np.linalg.lstsq(A, y - A.sum(axis=1) / 2, rcond=None)[0]
    share = float(((raw >= 0.5) == secret).mean())
    assert accept([share], 0.359, 0.048, 15)
    assert not accept([share], 0.837, 0.037, 15)


def test_whitened_rows_have_the_errors_of_the_coefficients() -> None:
    view, secret = several_columns("gaussian:sigma=0.02", 5, models=20)
    system = build(view).systems[0]
    scaled = (system.A.apply(secret) - system.centre) / system.sd
    assert 0.75 < float(np.sqrt(np.mean(scaled**2))) < 1.25
    assert abs(np.corrcoef(scaled[::5], scaled[1::5])[0, 1]) < 0.7
    assert solve(system, system.sd).shape == (N,)


# certain bits, vacuous digits, wrong numbers


def test_certain_secrets_are_true(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SEARCH", 0.1)
    rng = np.random.default_rng(4)
    secret = (rng.random(14) < 0.4).astype(np.float64)
    roster = numbered(rng.normal(size=(14, 12)))
    fits = [
        Regression(roster.attributes.columns[j : j + 2], (f"x{j}", f"x{j + 1}"), "linear")
        for j in range(0, 12, 2)
    ]
    for digits in (2, 3):
        view = publish(fits, roster, secret, f"rounding:digits={digits}")
        claims = reconstruct(view, decoder="least-squares", rng=rng)
        assert claims.certain.any()
        assert (claims.guess == secret)[claims.certain].all()


def test_digits_that_say_nothing_are_refused() -> None:
    rng = np.random.default_rng(5)
    roster = numbered(rng.normal(size=(6, 2)) / 10)
    fits = [Regression(roster.attributes.columns[:1], ("x0",), "linear", intercept=False)]
    secret = np.array([0, 1, 0, 1, 1, 0.0])
    big = parse_mechanism("bounded:error=50")
    answers = fits[0].compute(roster, secret)[:, None]
    view = View(Release("r", SECRET, (Block(fits[0], ("estimate",), answers),), str(big)), Knowledge(roster))
    with pytest.raises(UnsupportedError, match="too coarse: with their stated error every secret"):
        reconstruct(view, rng=rng)


@pytest.mark.parametrize("mechanism", ["exact", "rounding:digits=3"])
def test_a_gradient_of_your_own_is_attacked(mechanism: str) -> None:
    """How far errors can move its equations is not known: nothing is certain. How far they usually do is."""
    rng = np.random.default_rng(9)
    secret = (rng.random(40) < 0.5).astype(np.float64)
    roster = numbered(rng.normal(size=(40, 60)))

    def gradient(theta: np.ndarray, X: np.ndarray, s: np.ndarray) -> np.ndarray:
        return X * (1 / (1 + np.exp(-X @ theta)) - s)[:, None]

    fits = [m_estimator(roster, (f"x{j}", f"x{j + 1}"), gradient) for j in range(0, 60, 2)]
    claims = reconstruct(publish(fits, roster, secret, mechanism), rng=rng)
    assert float((claims.guess == secret).mean()) > 0.95
    assert not claims.certain.any()


def test_contradictory_coefficients_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SEARCH", 0.1)
    rng = np.random.default_rng(6)
    roster = numbered(rng.normal(size=(20, 2)))
    fit = Regression(roster.attributes.columns, ("x0", "x1"), "linear")
    block = Block(fit, ("estimate",), np.array([[0.4], [3.0], [-2.0]]))
    view = View(Release("r", SECRET, (block,), "rounding:digits=2"), Knowledge(roster))
    with pytest.raises(InputError, match="contradict"):
        reconstruct(view, rng=rng)


def test_two_secrets_with_one_release_get_one_guess() -> None:
    rng = np.random.default_rng(7)
    roster = numbered(rng.choice([-1.0, 1.0], (30, 2)))
    fit = Regression(roster.attributes.columns, ("x0", "x1"), "logistic")
    secret = (rng.random(30) < 0.5).astype(np.float64)
    swapped = secret.copy()
    X = fit.design(roster)
    same = [
        (i, j) for i in range(30) for j in range(30) if secret[i] > secret[j] and np.array_equal(X[i], X[j])
    ]
    swapped[list(same[0])] = swapped[list(same[0])][::-1]
    assert not np.array_equal(secret, swapped)
    guesses = [
        reconstruct(publish([fit], roster, s, "rounding:digits=6"), rng=np.random.default_rng(1)).probability
        for s in (secret, swapped)
    ]
    assert np.array_equal(*guesses)


# the secret as a regressor


@pytest.mark.parametrize("model", ["linear", "logistic"])
def test_the_secret_as_a_regressor_is_recovered(model: str) -> None:
    rng = np.random.default_rng(8)
    n, d = 40, 60
    secret = rng.integers(0, 2, n).astype(np.float64)
    X = rng.normal(size=(n, d))
    y = X / 2 + secret[:, None] + 1.5 * rng.normal(size=(n, d))
    outcomes = (y > 0.5).astype(np.float64) if model == "logistic" else y
    roster = numbered(np.concatenate([X, outcomes], axis=1))
    fits = [secret_regressor(roster, f"x{d + j}", (f"x{j}",), model) for j in range(d)]
    view = publish(fits, roster, secret, "rounding:digits=4")
    claims = reconstruct(view, decoder="posterior", rng=rng)
    assert float((claims.guess == secret).mean()) > 0.95
