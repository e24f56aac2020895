"""Fitted models of other packages, taken as they are; and regressions through files and engines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import statsmodels.api as sm
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge

from dalenius.errors import InputError, UnsupportedError
from dalenius.people.dataset import read
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.people.truth import replace_secrets
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.published.coefficients import Fitted, from_sklearn, from_statsmodels, summary
from dalenius.reconstruction.published.regression import SOLVED, Published, regression_view
from dalenius.release.files import read_release, write_release
from dalenius.release.publish import publish, roster_of
from dalenius.statistics.estimates.optimum import NO_PENALTY, Penalty

N, D = 40, 90
SCALES = 10.0 ** (np.arange(D) % 4 - 1)


@pytest.fixture(scope="module")
def people() -> tuple[Roster, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X, secret = rng.normal(size=(N, D)) * SCALES, (rng.random(N) < 0.4).astype(np.int32)
    columns = tuple(Column(f"x{j}", Role.PUBLIC, Kind.NUMERIC, ("all",)) for j in range(D))
    numbers = {f"x{j}": X[:, j] for j in range(D)}
    roster = Roster(
        "id", np.arange(N).astype(np.str_), CodedColumns(columns, np.zeros((N, D), np.int32)), numbers
    )
    return roster, X, secret


def guessed(roster: Roster, fits: list[Fitted], secret: np.ndarray) -> float:
    view = regression_view(roster, fits, Published(), secret="ill")
    assert view.release.mechanism == SOLVED
    claims = reconstruct(view, decoder="posterior", rng=np.random.default_rng(1))
    assert not claims.certain.any()
    return float((claims.guess == secret).mean())


@pytest.mark.parametrize("kind", ["OLS", "Logit", "Probit", "Poisson", "GLM"])
def test_statsmodels_results_are_taken_as_they_are(kind: str, people: Any) -> None:
    roster, X, secret = people
    fits = []
    for j in range(0, D, 3):
        exog = sm.add_constant(X[:, j : j + 3])
        model = (
            sm.GLM(secret, exog, family=sm.families.Binomial())
            if kind == "GLM"
            else getattr(sm, kind)(secret, exog)
        )
        result = model.fit() if kind in ("OLS", "GLM") else model.fit(disp=0, maxiter=100)
        fitted = from_statsmodels(result, f"m{j}")
        fits.append(replace(fitted, terms=("const", *(f"x{j + k}" for k in range(3)))))
    expected = {"OLS": "linear", "GLM": "logistic", "Logit": "logistic"}.get(kind, kind.lower())
    assert {fitted.model for fitted in fits} == {expected}
    assert guessed(roster, fits, secret) == 1.0


@pytest.mark.parametrize(
    ("make", "model", "penalty"),
    [
        (lambda: LogisticRegression(max_iter=5000), "logistic", Penalty("l2", 1.0)),
        (lambda: LogisticRegression(C=0.25, fit_intercept=False), "logistic", Penalty("l2", 4.0)),
        (lambda: LogisticRegression(C=np.inf, max_iter=5000), "logistic", NO_PENALTY),
        (lambda: LinearRegression(), "linear", NO_PENALTY),
        (lambda: Ridge(alpha=2.0), "linear", Penalty("l2", 2.0)),
    ],
)  # fmt: skip
def test_scikit_learn_estimators_are_taken_as_they_are(
    make: Any, model: str, penalty: Penalty, people: Any
) -> None:
    roster, X, secret = people
    fits = []
    for j in range(0, D, 3):
        estimator = make().fit(X[:, j : j + 3] / SCALES[j : j + 3], secret)
        fitted = from_sklearn(estimator, [f"x{j + k}" for k in range(3)], f"m{j}")
        assert (fitted.model, fitted.penalty) == (model, penalty)
        fits.append(fitted)
    numbers = {name: values / SCALES[int(name[1:])] for name, values in roster.numbers.items()}
    scaled = replace(roster, numbers=numbers)
    how = Published(intercept=False)
    view = regression_view(scaled, fits, how, secret="ill")
    claims = reconstruct(view, decoder="posterior", rng=np.random.default_rng(1))
    assert float((claims.guess == secret).mean()) == 1.0


def test_forgetting_the_penalty_is_noticed(people: Any) -> None:
    roster, X, secret = people
    fits = [
        from_sklearn(LogisticRegression(C=0.05, max_iter=5000).fit(X[:, [j]], secret), [f"x{j}"], f"m{j}")
        for j in range(0, D, 4)
    ]
    shares = [
        float((reconstruct(
            regression_view(roster, some, Published(), secret="ill"),
            decoder="least-squares", rng=np.random.default_rng(1)).guess == secret).mean())
        for some in (fits, [replace(fitted, penalty=NO_PENALTY) for fitted in fits])
    ]  # fmt: skip
    assert shares[0] > shares[1]


def test_what_cannot_be_taken() -> None:
    X, y = np.random.default_rng(1).normal(size=(30, 2)), np.arange(30) % 2
    with pytest.raises(UnsupportedError, match="Lasso is not"):
        from_sklearn(Lasso().fit(X, y), ["a", "b"])
    with pytest.raises(UnsupportedError, match="3 outcomes"):
        from_sklearn(LogisticRegression().fit(X, np.arange(30) % 3), ["a", "b"])
    with pytest.raises(InputError, match="one for each of 2 features"):
        from_sklearn(LinearRegression().fit(X, y), ["a"])
    with pytest.raises(UnsupportedError, match="liblinear penalises its intercept"):
        from_sklearn(LogisticRegression(solver="liblinear").fit(X, y), ["a", "b"])
    mixed = LogisticRegression(solver="saga", max_iter=5000).fit(X, y)
    mixed.penalty, mixed.l1_ratio = "elasticnet", 0.5  # how to ask for it depends on the version
    with pytest.raises(UnsupportedError, match="elastic net"):
        from_sklearn(mixed, ["a", "b"])
    with pytest.raises(UnsupportedError, match="WLS is not one of"):
        from_statsmodels(sm.WLS(y, X).fit())
    with pytest.raises(UnsupportedError, match="does not say its penalty"):
        from_statsmodels(sm.Logit(y, X).fit_regularized(disp=0))
    model = type("OLS", (SimpleNamespace,), {})(exog_names=["x"])
    with pytest.raises(InputError, match="must be finite"):
        from_statsmodels(SimpleNamespace(model=model, params=np.array([np.nan])))


def test_a_summary_keeps_the_digits_of_every_number(people: Any) -> None:
    roster, X, secret = people
    result = sm.Logit(secret, sm.add_constant(X[:, :4])).fit(disp=0)
    fitted = summary(str(result.summary(xname=["const", "x0", "x1", "x2", "x3"])))
    assert fitted.terms == ("const", "x0", "x1", "x2", "x3")
    assert fitted.within is not None
    assert (np.abs(np.array(fitted.numbers) - result.params) <= 1.0001 * np.array(fitted.within)).all()
    assert max(fitted.within) == 5e-5
    view = regression_view(roster, [fitted], Published(), secret="ill")
    (block,) = view.release.blocks
    truth = block.statistic.compute(roster, secret.astype(np.float64))
    assert ((block.low[:, 0] <= truth) & (truth <= block.high[:, 0])).all()
    assert block.statistic.penalty == NO_PENALTY  # statsmodels has none


def test_two_models_of_one_name_are_refused(people: Any) -> None:
    roster, _, _ = people
    with pytest.raises(InputError, match="'m' twice"):
        regression_view(roster, [Fitted("m", ("const",), (0.1,))] * 2, Published(), secret="ill")


def test_regressions_survive_the_folder_of_a_release_and_the_engine(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    table = {
        "age": rng.normal(50, 12, 90),
        "sex": rng.choice(["f", "m"], 90),
        "ill": rng.choice(["no", "yes"], 90),
    }
    asked = [
        "logistic-regression:terms=age+sex,penalty=l1,C=0.3,standardise=yes",
        "linear-regression:terms=age,fit=rss",
        "m-estimator:loss=huber,terms=age+sex,threshold=1",
        "secret-regressor:outcome=age,terms=sex",
        "tables:k=1,attributes=sex",
    ]
    with read(pa.table(table), secret="ill") as dataset:
        assert dataset.schema.public[0].edges
        roster = roster_of(dataset)
        assert np.array_equal(roster.numbers["age"], table["age"])
        release = publish(dataset, asked, "rounding:digits=2", rng=rng)
        with replace_secrets(dataset, (np.arange(90) % 2).astype(np.int32)) as others:
            assert np.array_equal(roster_of(others).numbers["age"], table["age"])
    write_release(release, tmp_path / "out")
    again = read_release(tmp_path / "out")
    for one, two in zip(release.blocks, again.blocks, strict=True):
        assert one.statistic == two.statistic
        assert np.array_equal(one.answers, two.answers)
