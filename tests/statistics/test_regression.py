"""Regressions: golden values, identities on random data, bounds that hold, and planted faults that do not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError, UnsupportedError
from dalenius.matrices.answers import LinearForm
from dalenius.people.schema import Roster
from dalenius.statistics.estimates.goodness_of_fit import total_of
from dalenius.statistics.estimates.losses import LOSSES, Logistic, loss_of
from dalenius.statistics.estimates.m_estimator import m_estimator
from dalenius.statistics.estimates.optimum import NO_PENALTY, Penalty
from dalenius.statistics.estimates.regression import Regression, regression
from dalenius.statistics.estimates.score_equations import Inexact, score_form
from dalenius.statistics.estimates.secret_regressor import SecretRegressor, secret_regressor
from helpers.rosters import numbered

X12 = np.array([-1, 0.5, 0.8, -0.3, 1, -0.6])
S12 = np.array([0, 1, 0, 1, 1, 0.0])
PENALTIES = [NO_PENALTY, Penalty("l2", 0.7), Penalty("l1", 3.0)]


def model_of(roster: Roster, model: str, terms: int = 1, **options: Any) -> Regression:
    return regression(roster, tuple(f"x{j}" for j in range(terms)), model, **options)


def draw(seed: int, people: int = 50, terms: int = 3) -> tuple[Roster, np.ndarray, np.random.Generator]:
    """People with columns on very different scales, and a secret."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(people, terms)) * 10.0 ** np.arange(terms) + rng.normal(size=terms)
    secret = (rng.random(people) < 0.4).astype(np.float64)
    secret[:2] = 0, 1
    return numbered(X), secret, rng


def miss(form: LinearForm, secret: np.ndarray) -> np.ndarray:
    """How far each equation is from holding, beyond its slack."""
    slack = 0.0 if form.slack is None else form.slack
    return np.abs(form.rows @ secret - form.target) - slack


# golden values


def test_linear_golden() -> None:
    roster, secret = numbered([[0], [1], [2], [3], [5]]), np.array([0, 0, 1, 0, 1.0])
    fitted = model_of(roster, "linear")
    theta = fitted.compute(roster, secret)
    assert theta == pytest.approx([1 / 74, 13 / 74], abs=1e-12)
    assert fitted.linear(roster, theta).target == pytest.approx([2, 7])
    rounded = fitted.linear(roster, np.array([0.01, 0.18]))
    assert rounded.target == pytest.approx([2.03, 7.13])
    assert rounded.reach is not None
    assert rounded.reach @ [0.005, 0.005] == pytest.approx([0.08, 0.25])
    total = replace(fitted, fit="rss")
    answers = total.compute(roster, secret)
    assert answers[-1] == pytest.approx(0.7432432432, abs=1e-10)
    assert total.linear_within(roster, answers, np.zeros(3)).target[-1] == pytest.approx(2)


def test_logistic_golden() -> None:
    roster = numbered(X12[:, None])
    alone = model_of(roster, "logistic", intercept=False)
    theta = alone.compute(roster, S12)
    form = alone.linear(roster, theta)
    assert theta == pytest.approx([1.3301677253], abs=1e-9)
    assert form.target == pytest.approx([1.2])
    assert form.reach == pytest.approx(np.array([[0.835]]))
    near = score_form(
        X12[:, None],
        theta,
        Logistic(),
        ridge=np.zeros(1),
        lasso=np.zeros(1),
        inexact=Inexact(np.array([1e-6])),
    )
    hessian = 1 / (near.rows[0, 0] / X12[0])
    assert hessian == pytest.approx(0.6076088120, abs=1e-9)
    assert alone.linear(roster, np.array([1.3])).target == pytest.approx([1.1815480804], abs=1e-9)
    both = model_of(roster, "logistic").compute(roster, S12)
    assert both == pytest.approx([-0.0975111848, 1.3432793139], abs=1e-9)
    ridge = model_of(roster, "logistic", penalty=Penalty("l2", 1.0))
    theta = ridge.compute(roster, S12)
    assert theta == pytest.approx([-0.0374015122, 0.5517773130], abs=1e-9)
    assert ridge.linear(roster, theta).target == pytest.approx([3, 1.2])


def test_probit_golden() -> None:
    roster = numbered(X12[:, None])
    fitted = model_of(roster, "probit", intercept=False)
    theta = fitted.compute(roster, S12)
    assert theta == pytest.approx([0.8260554843], abs=1e-9)
    without = X12 * loss_of("probit").slope(X12 * theta, 0.0)
    golden = [-0.3564786813, 0.5390411178, 1.0086173760, -0.1941309532, 1.3876630024, -0.3068440433]
    assert without == pytest.approx(golden, abs=1e-9)
    rows = fitted.linear(roster, theta).rows
    gaps = [1.7441416837, -0.8164730691, -1.3526796338, 0.4827469344, -1.7441416837, 0.9895750364]
    assert -rows[0] == pytest.approx(gaps, abs=1e-9)
    assert without.sum() - rows[0] @ S12 == pytest.approx(0, abs=1e-9)


# identities on random data


@given(seed=st.integers(0, 10**6), model=st.sampled_from(sorted(LOSSES)), which=st.integers(0, 2))
@settings(max_examples=20, deadline=None)
def test_the_true_coefficients_give_equations_that_hold(seed: int, model: str, which: int) -> None:
    roster, secret, _ = draw(seed)
    fitted = model_of(roster, model, 3, penalty=PENALTIES[which])
    theta = _compute(fitted, roster, secret)
    if theta is None:
        return
    for size in (0.0, 1e-4, np.inf):
        form = fitted.linear_within(roster, theta, np.full(4, size))
        assert (miss(form, secret) <= 1e-7 * (1 + np.abs(form.rows).sum(axis=1))).all()


@given(seed=st.integers(0, 10**6), model=st.sampled_from(sorted(LOSSES)), which=st.integers(0, 2))
@settings(max_examples=20, deadline=None)
def test_no_error_reaches_beyond_the_reach(seed: int, model: str, which: int) -> None:
    roster, secret, rng = draw(seed)
    fitted = model_of(roster, model, 3, penalty=PENALTIES[which])
    theta = _compute(fitted, roster, secret)
    if theta is None:
        return
    for size in (1e-3, 0.05):
        wrong = rng.uniform(-size, size, 4)
        try:
            form = fitted.linear_within(roster, theta + wrong, np.full(4, size))
        except UnsupportedError:
            continue
        assert form.reach is not None
        assert (miss(form, secret) <= form.reach @ np.abs(wrong) + 1e-6 * np.abs(form.rows).sum(axis=1)).all()


def _compute(fitted: Any, roster: Roster, secret: np.ndarray) -> np.ndarray | None:
    try:
        return fitted.compute(roster, secret)
    except UnsupportedError:  # separated by chance: an answer of its own
        return None


@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_first_order_is_first_order(seed: int) -> None:
    roster, secret, rng = draw(seed)
    fitted = model_of(roster, "logistic", 3)
    theta = _compute(fitted, roster, secret)
    if theta is None:
        return
    wrong = 1e-5 * rng.normal(size=4) * [1, 1, 0.1, 0.01]
    form = fitted.linear_within(roster, theta + wrong, np.full(4, 1e-4))
    left = form.rows @ secret - form.target + form.gain @ wrong
    assert np.abs(left).max() < 1e-3 * np.abs(form.gain @ wrong).max()


@given(seed=st.integers(0, 10**6), model=st.sampled_from(["linear", "logistic"]))
@settings(max_examples=25, deadline=None)
def test_the_secret_as_a_regressor(seed: int, model: str) -> None:
    rng = np.random.default_rng(seed)
    secret = (rng.random(60) < 0.4).astype(np.float64)
    secret[:2] = 0, 1
    X = rng.normal(size=(60, 2))
    y = X @ [0.5, -1] + secret + rng.normal(size=60)
    roster = numbered(X, y=(y > 0.3).astype(np.float64) if model == "logistic" else y)
    fitted = secret_regressor(roster, "y", ("x0", "x1"), model)
    theta = fitted.compute(roster, secret)
    assert miss(fitted.linear(roster, theta), secret).max() < 1e-6
    wrong = rng.uniform(-0.05, 0.05, 4)
    form = fitted.linear_within(roster, theta + wrong, np.full(4, 0.05))
    assert form.reach is not None
    assert (miss(form, secret) <= form.reach @ np.abs(wrong) + 1e-9).all()
    again = SecretRegressor.from_json(fitted.to_json(), roster.attributes.columns)
    assert again == fitted


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("fit", ["rss", "r2"])
def test_the_goodness_of_fit_gives_the_total(fit: str, intercept: bool) -> None:
    for seed in range(20):
        roster, secret, rng = draw(seed)
        fitted = model_of(roster, "linear", 3, fit=fit, intercept=intercept)
        answers = fitted.compute(roster, secret)
        wrong = rng.uniform(-1e-4, 1e-4, answers.size)
        form = fitted.linear_within(roster, answers + wrong, np.full(answers.size, 1e-4))
        exact = fitted.linear_within(roster, answers, np.zeros(answers.size))
        assert exact.target[-1] == pytest.approx(secret.sum(), abs=1e-8)
        assert form.reach is not None
        assert abs(form.target[-1] - secret.sum()) <= (form.reach @ np.full(answers.size, 1e-4))[-1] + 1e-9


def test_odds_ratios_are_read_as_intervals_of_coefficients() -> None:
    roster, secret, _ = draw(3)
    fitted = model_of(roster, "logistic", 1, published="odds-ratios")
    odds = fitted.compute(roster, secret)
    assert odds == pytest.approx(np.exp(model_of(roster, "logistic", 1).compute(roster, secret)))
    half = np.full(2, 0.005)
    rounded = odds.round(2)
    form = fitted.linear_within(roster, rounded, half)
    assert form.reach is not None
    assert (miss(form, secret) <= form.reach @ half + 1e-9).all()
    with pytest.raises(InputError, match="odds ratio must be above 0"):
        fitted.linear_within(roster, np.array([0.0, 1.0]), half)


def test_units_change_the_numbers_and_not_the_equations() -> None:
    roster, secret, _ = draw(4)
    plain = model_of(roster, "logistic", 3, penalty=Penalty("l2", 2.0))
    scaled = replace(plain, units=(1.0, 10.0, 0.1, 1000.0))
    answers = scaled.compute(roster, secret)
    assert answers == pytest.approx(plain.compute(roster, secret) * [1, 10, 0.1, 1000])
    size = np.full(4, 1e-3)
    one, two = (
        plain.linear_within(roster, answers / scaled.scale, size / scaled.scale),
        scaled.linear_within(roster, answers, size),
    )
    assert one.rows == pytest.approx(two.rows)
    assert one.target == pytest.approx(two.target)
    assert one.reach @ (size / scaled.scale) == pytest.approx(two.reach @ size)


# any gradient


def _logistic(theta: np.ndarray, X: np.ndarray, s: np.ndarray) -> np.ndarray:
    return X * (1 / (1 + np.exp(-X @ theta)) - s)[:, None]


def test_a_gradient_of_your_own_gives_the_same_equations() -> None:
    roster, secret, _ = draw(5, terms=2)
    own = m_estimator(roster, ("x0", "x1"), _logistic, ridge=0.5)
    known = model_of(roster, "logistic", 2, penalty=Penalty("l2", 0.5))
    theta = known.compute(roster, secret)
    assert own.compute(roster, secret) == pytest.approx(theta, abs=1e-7)
    mine, theirs = own.linear(roster, theta), known.linear(roster, theta)
    assert mine.rows == pytest.approx(theirs.rows)
    assert mine.target == pytest.approx(theirs.target)
    assert mine.reach is None
    near = known.loss.curvature(known.design(roster) @ theta, 0.0)
    hessian = known.design(roster).T @ (known.design(roster) * near[:, None]) + np.diag([0, 0.5, 0.5])
    assert mine.gain == pytest.approx(hessian, rel=1e-4)


@pytest.mark.parametrize(
    ("gradient", "said"),
    [
        (lambda theta, X, s: X[:, 0], r"must return one row per person and one column per coefficient"),
        (lambda theta, X, s: X * np.nan, r"gradient must return finite numbers; got NaN or infinity for 50"),
    ],
)
def test_a_broken_gradient_is_refused(gradient: Any, said: str) -> None:
    roster, _, _ = draw(6)
    with pytest.raises(InputError, match=said):
        m_estimator(roster, ("x0",), gradient).linear(roster, np.zeros(2))


def test_a_gradient_that_is_never_zero_has_no_optimum() -> None:
    roster, secret, _ = draw(6)
    own = m_estimator(roster, ("x0",), lambda theta, X, s: np.ones_like(X))
    with pytest.raises(UnsupportedError, match="no finite optimum"):
        own.compute(roster, secret)
    with pytest.raises(UnsupportedError, match="cannot be written"):
        own.to_json()


# faults that these identities catch


def test_planted_faults_break_the_identity() -> None:
    roster, secret, _ = draw(7)
    penalised = model_of(roster, "logistic", 3, penalty=Penalty("l2", 5.0))
    theta = penalised.compute(roster, secret)
    X, eta = penalised.design(roster), penalised.design(roster) @ theta
    good = penalised.linear(roster, theta)
    faults = {
        "zeta upside down": (X.T @ (1 + np.exp(-eta)) + [0, *5 * theta[1:]], good.rows @ secret),
        "penalty missing": (good.target - [0, *5 * theta[1:]], good.rows @ secret),
        "intercept penalised": (good.target + np.array([5 * theta[0], 0, 0, 0]), good.rows @ secret),
        "intercept forgotten": (
            X[:, 1:].T @ Logistic().slope(X[:, 1:] @ theta[1:], 0.0) + 5 * theta[1:],
            good.rows[1:] @ secret,
        ),
    }
    assert miss(good, secret).max() < 1e-6
    for name, (target, left) in faults.items():
        assert np.abs(left - target).max() > 1e-2, name


# what is refused


def test_separated_data_have_no_optimum() -> None:
    x = np.arange(10.0)
    roster, secret = numbered(x[:, None]), (x > 4).astype(np.float64)
    for model in ("logistic", "probit", "squared-hinge"):
        with pytest.raises(UnsupportedError, match="no finite optimum"):
            model_of(roster, model).compute(roster, secret)
    with pytest.raises(UnsupportedError, match="no finite optimum"):
        model_of(roster, "logistic").linear(roster, np.array([-180.0, 40.0]))
    assert np.isfinite(model_of(roster, "logistic", penalty=Penalty("l2", 1.0)).compute(roster, secret)).all()
    nobody = np.zeros(10)
    with pytest.raises(UnsupportedError, match="no finite optimum"):
        model_of(roster, "poisson").compute(roster, nobody)


@pytest.mark.parametrize("model", ["linear", "logistic", "probit"])
def test_terms_that_depend_on_each_other_are_left_out_as_r_does(model: str) -> None:
    x = np.array([3.0, 1, 4, 1, 5, 9, 2, 6, 5, 3])
    secret = np.array([0.0, 1, 0, 1, 1, 0, 1, 0, 0, 1])
    roster = numbered(np.stack([x, 2 * x], axis=1))
    theta = model_of(roster, model, 2).compute(roster, secret)
    alone = model_of(numbered(x[:, None]), model).compute(numbered(x[:, None]), secret)
    assert theta == pytest.approx([*alone, 0.0])
    form = model_of(roster, model, 2).linear_within(roster, theta, np.full(3, 1e-9))
    assert (miss(form, secret) <= form.slack + 1e-7).all()
    assert form.slack.max() < 1e-6  # and they say as much as the term alone


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"model": "logistc"}, "Did you mean 'logistic'"),
        ({"published": "z-values"}, "must be one of coefficients, odds-ratios"),
        ({"fit": "rss"}, "must be rss or r2 of a linear fit without penalty"),
        ({"model": "logistic", "threshold": 1.0}, "for huber only"),
        ({"units": (1.0,)}, "must be one for each of 2 numbers"),
    ],
)
def test_options_that_do_not_fit(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Regression((), ("x0",), **({"model": "logistic"} | options))


def test_penalties_have_a_weight() -> None:
    for kind, weight in (("l2", 0.0), ("none", 1.0), ("l3", 1.0), ("l1", np.nan)):
        with pytest.raises(InputError):
            Penalty(kind, weight)
    with pytest.raises(InputError, match="R\\^2"):
        total_of(np.ones((3, 1)), np.array([0.5, 1.5]), np.zeros(2), "r2", intercept=True)


# against other packages


def test_the_optimum_is_that_of_statsmodels_and_scikit_learn() -> None:
    import statsmodels.api as sm
    from sklearn.linear_model import LogisticRegression, Ridge

    roster, secret, _ = draw(8, people=80)
    X = model_of(roster, "linear", 3).design(roster)
    pairs = {
        "linear": sm.OLS(secret, X).fit(),
        "logistic": sm.Logit(secret, X).fit(disp=0, tol=1e-12),
        "probit": sm.Probit(secret, X).fit(disp=0, tol=1e-12),
        "poisson": sm.Poisson(secret, X).fit(disp=0, tol=1e-12),
    }
    for model, result in pairs.items():
        assert model_of(roster, model, 3).compute(roster, secret) == pytest.approx(result.params, rel=1e-5), (
            model
        )
    ridge = Ridge(alpha=3.0).fit(X[:, 1:], secret)
    own = model_of(roster, "linear", 3, penalty=Penalty("l2", 3.0)).compute(roster, secret)
    assert own == pytest.approx([ridge.intercept_, *ridge.coef_], rel=1e-8)
    scaled = model_of(roster, "logistic", 3, standardise=True)
    Z = scaled.design(roster)[:, 1:]
    l2 = LogisticRegression(C=0.5, tol=1e-10, max_iter=10_000).fit(Z, secret)
    own = replace(scaled, penalty=Penalty("l2", 2.0)).compute(roster, secret)
    assert own == pytest.approx([l2.intercept_[0], *l2.coef_[0]], rel=1e-4)
    # saga leaves its intercept unfinished, so the values of the two objectives are compared
    l1 = LogisticRegression(C=0.3, l1_ratio=1.0, solver="saga", tol=1e-10, max_iter=20_000).fit(Z, secret)
    own = replace(scaled, penalty=Penalty("l1", 1 / 0.3)).compute(roster, secret)
    theirs = np.array([l1.intercept_[0], *l1.coef_[0]])
    full = scaled.design(roster)
    mine, other = (
        float(Logistic().value(full @ theta, secret).sum() + np.abs(theta[1:]).sum() / 0.3)
        for theta in (own, theirs)
    )
    assert other - 0.5 < mine <= other + 1e-9
    assert ((own == 0) == (np.abs(theirs) < 1e-6))[1:].all()
