"""Coefficients as other programs compute and print them: nothing is more exact than it is."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from sklearn.linear_model import LinearRegression, LogisticRegression

from dalenius.errors import InputError
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.published.coefficients import summary
from dalenius.reconstruction.published.options import PrintedCoefficients
from dalenius.reconstruction.published.regression import Published, read_regressions
from dalenius.statistics.estimates.optimum import Penalty
from dalenius.statistics.estimates.score_equations import drift_of
from dalenius.statistics.estimates.truncated import directions
from dalenius.statistics.printed_number import half_units, last_units


def attack(place: Path, X: pd.DataFrame, rows: list[tuple[str, str, str]], how: Published) -> Guesses:
    people = X.assign(id=[f"p{i}" for i in range(len(X))])
    people.to_csv(place / "people.csv", index=False)
    pd.DataFrame(rows, columns=["model", "term", "estimate"]).to_csv(place / "coef.csv", index=False)
    view = read_regressions(place / "people.csv", [place / "coef.csv"], how, id="id", secret="ill")
    return reconstruct(view, rng=np.random.default_rng(1))


def normal(n: int, width: int, seed: int) -> tuple[pd.DataFrame, np.ndarray, np.random.Generator]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({f"x{j}": rng.normal(size=n).round(3) for j in range(width)})
    return X, rng.integers(0, 2, n), rng


def linear(X: pd.DataFrame, secret: np.ndarray) -> np.ndarray:
    model = LinearRegression().fit(X, secret)
    return np.append(model.intercept_, model.coef_)


def named(X: pd.DataFrame, texts: list[str], model: str = "m") -> list[tuple[str, str, str]]:
    return [(model, term, text) for term, text in zip(["const", *X.columns], texts, strict=True)]


def test_how_exact_printed_numbers_are():
    assert half_units(["1.20", "0.34"]) == (0.05, 0.005)  # two significant digits, filled up with zeros
    assert half_units(["1200", "340"]) == (50.0, 5.0)
    assert half_units(["12.3456", "-1.2500"]) == (5e-05, 5e-05)
    assert half_units(["0", "0.0", "-0.00"]) == (0.5, 0.05, 0.005)
    assert half_units(["0", "12.3"], significant=3) == (0.5, 0.05)
    assert last_units(["1.20", "340"]) == (0.005, 0.5)


@pytest.mark.parametrize("digits", [1, 2, 3, 5])
@pytest.mark.parametrize("form", ["%.{}g", "{}", "padded", "%.{}f"])
def test_every_number_is_within_what_its_print_says(digits: int, form: str):
    rng = np.random.default_rng(digits)
    for _ in range(200):
        numbers = rng.normal(size=rng.integers(1, 6)) * 10.0 ** rng.integers(-5, 6)
        if "f" in form:
            texts = [form.format(digits) % x for x in numbers]
        else:
            short = [f"{x:.{digits}g}" for x in numbers]
            texts = short if "%" in form else [repr(float(x)) for x in short]
            if form == "padded":
                longest = max(0, *(-int(np.floor(np.log10(abs(float(x))))) + digits for x in short))
                texts = [f"{float(x):.{longest}f}" for x in short]
        off = np.abs(np.array([float(t) for t in texts]) - numbers)
        assert (off <= np.array(half_units(texts)) * (1 + 1e-9)).all(), (numbers, texts)


@pytest.mark.parametrize("seed", range(8))
def test_three_significant_digits_are_neither_refused_nor_trusted_too_far(seed: int, tmp_path: Path):
    X, secret, _ = normal(9, 8, seed)
    X["pay"] = np.round(X["x0"] * 1000)
    texts = [f"{x:.3g}" for x in linear(X, secret)]
    claims = attack(tmp_path, X, named(X, texts), Published("linear"))
    assert (claims.guess == secret)[claims.certain].all()


def test_more_is_certain_where_the_digits_are_stated(tmp_path: Path):
    X, secret, _ = normal(9, 8, 3)
    texts = [f"{x:.4g}" for x in linear(X, secret)]
    open_, stated = (
        attack(tmp_path, X, named(X, texts), Published("linear", printed=PrintedCoefficients(significant=s)))
        for s in (None, 4)
    )
    assert stated.certain.sum() >= open_.certain.sum()
    assert stated.certain.all()
    assert (stated.guess == secret).all()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("program", ["scikit-learn", "statsmodels"])
def test_years_and_their_squares(seed: int, program: str, tmp_path: Path):
    """scikit-learn leaves a direction out here, statsmodels keeps it: neither is contradicted or believed."""
    X, secret, rng = normal(14, 4, seed)
    X["year"] = rng.integers(1950, 2011, 14)
    X["year2"] = X["year"] ** 2
    theta = (
        linear(X, secret) if program == "scikit-learn" else sm.OLS(secret, sm.add_constant(X)).fit().params
    )
    claims = attack(tmp_path, X, named(X, [f"{x:.10g}" for x in theta]), Published("linear"))
    assert (claims.guess == secret)[claims.certain].all()


def test_what_scikit_learn_leaves_out_is_not_read():
    years = np.arange(1950.0, 1990.0)
    X = np.column_stack([np.ones(40), years, years**2])
    assert not directions(X, intercept=True).whole
    assert directions(X[:, :2], intercept=True).whole
    truth = np.linalg.lstsq(X - X.mean(axis=0) * [0, 1, 1], np.arange(40) % 2, rcond=None)[0]
    fitted = LinearRegression().fit(X[:, 1:], np.arange(40) % 2)
    assert fitted.rank_ == 1
    assert abs(fitted.coef_[0] - truth[1]) > 1e-4


@pytest.mark.parametrize("years", [True, False])
def test_floating_point_stays_within_its_bound(years: bool):
    worst = 0.0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x = rng.integers(1950, 2011, 30).astype(np.float64) if years else rng.integers(-9, 10, 30) / 4
        X = np.column_stack([np.ones(30), x, x**2])
        secret = rng.integers(0, 2, 30)
        exact = solve_exactly([[Fraction(v) for v in row] for row in X], [Fraction(int(s)) for s in secret])
        for computed in (sm.OLS(secret, X).fit().params, np.linalg.lstsq(X, secret, rcond=None)[0]):
            found = zip(computed, exact, strict=True)
            off = np.array([abs(float(Fraction(float(c)) - e)) for c, e in found])
            assert (off <= drift_of(X)).all()
            worst = max(worst, float((off / np.abs([float(e) for e in exact])).max()))
    assert (worst > 1e-12) == years  # the precision of a number alone would not do
    assert years or drift_of(X).max() < 1e-11


def solve_exactly(X, s):
    """Normal equations in rational arithmetic."""
    size = len(X[0])
    rows = [
        [sum(r[i] * r[j] for r in X) for j in range(size)]
        + [sum(r[i] * v for r, v in zip(X, s, strict=True))]
        for i in range(size)
    ]
    for i in range(size):
        pivot = next(k for k in range(i, size) if rows[k][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(size):
            if k != i:
                share = rows[k][i] / rows[i][i]
                rows[k] = [a - share * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [rows[i][size] / rows[i][i] for i in range(size)]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("penalty", [None, Penalty("l2", 1.0)])
def test_the_default_of_scikit_learn_is_neither_refused_nor_wrong(seed: int, penalty, tmp_path: Path):
    """Its default penalty is covered without a word about it, and so is where its solver stops."""
    X, secret, _ = normal(8, 6, seed)
    rows = []
    for j in range(0, 6, 2):
        part = X[[f"x{j}", f"x{j + 1}"]]
        model = LogisticRegression().fit(part, secret)
        rows += named(part, [f"{x:.6f}" for x in (*model.intercept_, *model.coef_[0])], f"m{j}")
    claims = attack(tmp_path, X, rows, Published("logistic", penalty))
    assert (claims.guess == secret)[claims.certain].all()


@pytest.mark.parametrize("program", ["scikit-learn", "statsmodels", "R"])
def test_collinear_terms_are_read_as_programs_print_them(program: str, tmp_path: Path):
    X, secret, _ = normal(7, 6, 4)
    X["again"] = 2 * X["x0"]
    if program == "R":
        theta = linear(X.drop(columns="again"), secret)
        texts = [*(f"{x:.9f}" for x in theta), "NA"]
    else:
        design = sm.add_constant(X)
        with pytest.warns() if program == "statsmodels" else pytest.MonkeyPatch.context():
            theta = linear(X, secret) if program == "scikit-learn" else sm.OLS(secret, design).fit().params
        texts = [f"{x:.9f}" for x in theta]
    claims = attack(tmp_path, X, named(X, texts), Published("linear"))
    assert claims.certain.all()
    assert (claims.guess == secret).all()


def test_text_in_another_encoding_is_refused(tmp_path: Path):
    (tmp_path / "people.csv").write_text("id,x\np1,1\np2,2\n")
    (tmp_path / "m.txt").write_bytes("coef std err\n\xe9".encode("latin-1"))
    with pytest.raises(InputError, match=r"m\.txt"):
        read_regressions(tmp_path / "people.csv", [tmp_path / "m.txt"], Published(), id="id", secret="ill")


def test_a_fit_that_did_not_converge_is_refused():
    with pytest.raises(InputError, match="must be of a fit that converged"):
        summary("converged:                       False\n   coef    std err   z\n---\nconst 1.0 2.0 3.0\n===")


def test_terms_of_very_different_scales_stop_scikit_learn_far_from_the_optimum(tmp_path: Path):
    """Its solver takes it as done when nothing moves any more; then nobody follows from it."""
    X, _, rng = normal(16, 2, 5)
    X["year2"] = rng.integers(1950, 2011, 16) ** 2
    people = X.assign(id=[f"p{i}" for i in range(16)])
    people.to_csv(tmp_path / "people.csv", index=False)
    rows = named(X, ["1.7e-05", "0.37", "-0.18", "-6.1e-06"])
    pd.DataFrame(rows, columns=["model", "term", "estimate"]).to_csv(tmp_path / "coef.csv", index=False)
    for how, least, most in ((Published(), 300, 500), (Published(tolerance=1e-8), 1e-8, 1e-8)):
        files = [tmp_path / "coef.csv"]
        view = read_regressions(tmp_path / "people.csv", files, how, id="id", secret="ill")
        assert least <= view.release.blocks[0].statistic.tolerance <= most


@pytest.mark.parametrize("size", ["1e308", "1e150", "1e-300"])
@pytest.mark.parametrize("model", ["linear", "logistic", "poisson"])
def test_absurd_columns_are_refused(size: str, model: str, tmp_path: Path):
    rows = [f"p{i},{size if i == 3 or size == '1e-300' else i}" for i in range(8)]
    (tmp_path / "people.csv").write_text("\n".join(["id,x", *rows]) + "\n")
    (tmp_path / "coef.csv").write_text("term,estimate\nconst,0.1\nx,0.5\n")
    view = read_regressions(
        tmp_path / "people.csv",
        [tmp_path / "coef.csv"],
        Published(model, tolerance=0.0),
        id="id",
        secret="ill",
    )
    with pytest.raises(InputError, match="numbers of everyday size"):
        reconstruct(view, rng=np.random.default_rng(1))


@pytest.mark.parametrize("text", ["0e-999999999", "1e999999999999", "1e30", "0." + "1" * 2000])
def test_absurd_coefficients_are_refused(text: str, tmp_path: Path):
    (tmp_path / "people.csv").write_text("id,x\np1,1\np2,2\n")
    (tmp_path / "coef.csv").write_text(f"term,estimate\nconst,0.1\nx,{text}\n")
    with pytest.raises(InputError, match="must be a number, 0 or between"):
        read_regressions(tmp_path / "people.csv", [tmp_path / "coef.csv"], Published(), id="id", secret="ill")


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("GLS", "must be of one of OLS, Logit"),
        ("WLS", "must be of one of OLS, Logit"),
        ("RLM", "must be of one of OLS, Logit"),
        ("cloglog", "must be of one of OLS, Logit"),
        ("dropped", "must be fitted to the 12 people on the list; got 11 observations"),
        ("Probit", "--model must be what model 'm' says it is, probit; got linear"),
    ],
)
def test_a_summary_is_believed_about_what_and_whom_it_was_fitted_to(kind: str, message: str, tmp_path: Path):
    """Read as plain fits to everybody some of these made people certain wrongly."""
    X, secret, rng = normal(12, 2, 4)
    design, weights = sm.add_constant(X), rng.integers(1, 3, 12)
    fits = {
        "GLS": lambda: sm.GLS(secret, design, sigma=np.diag(weights)),
        "WLS": lambda: sm.WLS(secret, design, weights=weights),
        "RLM": lambda: sm.RLM(secret, design),
        "cloglog": lambda: sm.GLM(secret, design, family=sm.families.Binomial(sm.families.links.CLogLog())),
        "dropped": lambda: sm.OLS(secret[:11], design[:11]),
        "Probit": lambda: sm.Probit(secret, design),
    }
    fitted = fits[kind]().fit(**({"disp": 0} if kind == "Probit" else {}))
    X.assign(id=[f"p{i}" for i in range(12)]).to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "m.txt").write_text(str(fitted.summary()))
    with pytest.raises(InputError) as caught:
        read_regressions(
            tmp_path / "people.csv", [tmp_path / "m.txt"], Published("linear"), id="id", secret="ill"
        )
    assert message in str(caught.value)


@pytest.mark.parametrize("kind", ["OLS", "GLM"])
def test_a_summary_that_names_its_model_needs_no_other_word(kind: str, tmp_path: Path):
    X, secret, _ = normal(9, 7, 4)
    design = sm.add_constant(X)
    model = sm.OLS(secret, design) if kind == "OLS" else sm.GLM(secret, design)
    X.assign(id=[f"p{i}" for i in range(9)]).to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "m.txt").write_text(str(model.fit().summary()))
    view = read_regressions(tmp_path / "people.csv", [tmp_path / "m.txt"], Published(), id="id", secret="ill")
    claims = reconstruct(view, rng=np.random.default_rng(1))
    assert (claims.guess == secret)[claims.certain].all()
    assert claims.certain.any()
