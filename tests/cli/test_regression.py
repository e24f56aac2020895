"""``dalenius reconstruct regression``: coefficients somebody else published, and regressions in a plan."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Run = Callable[..., Any]

FIRST = ["x0", "x2", "x4", "x6", "x8"]


@pytest.fixture(scope="module")
def world() -> dict[str, Any]:
    """People with ten numbers and a word, and logistic fits of all pairs by statsmodels."""
    import pandas as pd
    import statsmodels.formula.api as smf

    rng = np.random.default_rng(5)
    n = 40
    people = pd.DataFrame({f"x{j}": np.round(rng.normal(size=n) * 10.0 ** (j % 3), 2) for j in range(20)})
    people["sex"] = rng.choice(["f", "m"], n)
    secret = (rng.random(n) < 0.45).astype(int)
    both = people.assign(ill=secret)
    fits = {
        f"m{j}": smf.logit(f"ill ~ x{j} + x{j + 1} + C(sex)", both).fit(disp=0, tol=1e-10)
        for j in range(0, 20, 2)
    }
    people.insert(0, "pid", [f"p{i:02}" for i in range(n)])
    ols = smf.ols("ill ~ x0 + x1 + sex", both).fit()
    return {"people": people, "secret": secret, "fits": fits, "ols": ols}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, world: dict[str, Any]) -> Path:
    people = world["people"]
    people.to_csv(tmp_path / "public.csv", index=False)
    truth = [f"{p},{s}" for p, s in zip(people.pid, world["secret"], strict=True)]
    (tmp_path / "truth.csv").write_text("\n".join(["pid,ill", *truth]) + "\n")
    rows = [f"{m},{t},{v:.3f}" for m, fit in world["fits"].items() for t, v in fit.params.items()]
    (tmp_path / "coef.csv").write_text("\n".join(["model,term,estimate", *rows]) + "\n")
    odds = [f"{m},{t},{np.exp(v):.4f}" for m, fit in world["fits"].items() for t, v in fit.params.items()]
    (tmp_path / "odds.csv").write_text("\n".join(["model,term,odds_ratio", *odds]) + "\n")
    (tmp_path / "m0.txt").write_text(str(world["fits"]["m0"].summary()))
    (tmp_path / "ols.txt").write_text(str(world["ols"].summary()))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def regress(run: Run) -> Run:
    words = ("reconstruct", "regression", "--people", "public.csv", "--id", "pid")
    return lambda *more: run(*words, *more)


def test_coefficients_with_three_digits(folder: Path, regress: Run) -> None:
    words = "--model logistic --coefficients coef.csv --digits 3 --truth truth.csv --out o"
    result = regress(*words.split())
    assert result.exit_code == 1, result.output
    claims = [line.split(",") for line in (folder / "o/claims.csv").read_text().splitlines()]
    assert claims[0] == ["pid", "probability", "guess", "certain"]
    finding = json.loads((folder / "o/findings.json").read_text())["findings"][0]
    assert finding["measures"][0]["attack"]["rate"] > 0.9
    assert finding["measures"][0]["advantage"]["low"] > 0
    assert "40 numbers published; mechanism rounding:digits=3" in result.output
    truth = dict(line.split(",") for line in (folder / "truth.csv").read_text().splitlines()[1:])
    assert all(truth[row[0]] == row[2] for row in claims[1:] if row[3] == "yes")


def test_odds_ratios_and_decimals_as_printed(folder: Path, regress: Run) -> None:
    result = regress("--coefficients", "odds.csv", "--truth", "truth.csv")
    assert result.exit_code == 1, result.output
    assert "mechanism stated" in result.output
    finding = json.loads((folder / "dalenius-report/findings.json").read_text())["findings"][0]
    assert finding["measures"][0]["attack"]["rate"] > 0.9


def test_a_summary_that_statsmodels_printed(folder: Path, regress: Run) -> None:
    result = regress("--coefficients", "m0.txt", "--decoder", "least-squares")
    assert result.exit_code == 1, result.output
    assert "4 numbers published; mechanism stated" in result.output
    linear = regress("--model", "linear", "--coefficients", "ols.txt", "--decoder", "box")
    assert linear.exit_code == 1, linear.output


def test_several_files_and_the_goodness_of_fit(folder: Path, regress: Run, world: dict[str, Any]) -> None:
    ols = world["ols"]
    rows = [f"{t},{v:.3f}" for t, v in ols.params.items()] + [f"R2,{ols.rsquared:.3f}"]
    (folder / "linear.csv").write_text("\n".join(["term,estimate", *rows]) + "\n")
    result = regress(
        "--model", "linear", "--coefficients", "linear.csv", "--coefficients", "ols.txt", "--out", "o"
    )
    assert result.exit_code == 1, result.output
    assert "9 numbers published" in result.output


@pytest.mark.parametrize(
    ("change", "words", "said"),
    [
        (lambda t: t.replace("x0", "xx0"), (), "model 'm0', term 3 must be a public column"),
        (lambda t: t.replace("m0,Intercept,", "m0,x13,"), (), "'m0' must have its intercept among its terms"),
        (lambda t: t.replace("m0,x1,", "m0,x0,"), (), "model 'm0' must name every term once; got 'x0' twice"),
        (lambda t: t.replace("[T.m]", "[T.w]"), (), "term 2 must be a public column"),
        (lambda t: t.replace("m0,x0,", "m0,x0,nan#").split("#")[0] + "\n", (), "must be finite"),
        (lambda t: t.replace("estimate", "value"), (), "must have one column 'estimate' or 'odds_ratio'"),
        (lambda t: t, ("--digits", "2"), "must be one that rounding:digits=2 can publish"),
        (lambda t: t, ("--model", "logit"), "Did you mean 'logistic'?"),
        (lambda t: t, ("--penalty", "l2", "--C", "0"), "--C must be above 0"),
        (lambda t: t, ("--penalty", "ridge"), "penalty must be none, l2 or l1"),
        (lambda t: t, ("--digits", "3", "--noise", "exact"), "must not be given with --noise"),
        (lambda t: t, ("--digits", "3", "--significant", "3"), "must not be given with --significant"),
        (lambda t: t, ("--significant", "99"), "--significant must be from 1 to 15"),
        (lambda t: t.replace("m0,x0,", "m0,x0,1e308#").split("#")[0] + "\n", (), "between 1e-20 and 1e20"),
        (lambda t: t.replace("m0,x0,", "m0,x0,o#").split("#")[0] + "\n", (), "row 3, must be a number, 0 or"),
        (lambda t: t.replace("m0,x0,", "m0,R2,"), ("--model", "logistic"), "must belong to a linear model"),
        (lambda t: "term,estimate\nIntercept,-900.1\nx0,812.4\n", (), "no finite optimum"),
    ],
)  # fmt: skip
def test_bad_input(
    folder: Path, regress: Run, change: Callable[[str], str], words: tuple[str, ...], said: str
) -> None:
    (folder / "bad.csv").write_text(change((folder / "coef.csv").read_text()))
    result = regress("--coefficients", "bad.csv", *words)
    assert result.exit_code == 2, result.output
    assert said in result.output
    assert not (folder / "dalenius-report").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("term,estimate\nIntercept,0\n", ("--noise", "bounded:error=90")),
        ("term,estimate\nIntercept,0\nx0,0\n", ("--digits", "0")),
    ],
)
def test_estimates_that_say_nothing_are_not_bad_input(
    folder: Path, regress: Run, text: str, words: tuple[str, ...]
) -> None:
    (folder / "coarse.csv").write_text(text)
    result = regress("--model", "logistic", "--coefficients", "coarse.csv", *words)
    assert result.exit_code == 1, result.output
    assert "nothing learnt: the published numbers are too coarse" in result.output
    assert "nothing is guessed" in result.output
    assert not (folder / "dalenius-report").exists()


def test_what_is_assumed_of_the_fit_is_printed_and_written(folder: Path, regress: Run) -> None:
    unsaid = regress("--coefficients", "coef.csv")
    assert unsaid.exit_code == 1, unsaid.output
    penalty = "no penalty or l2 up to C = 1 (not stated: --penalty)"
    assert penalty in " ".join(unsaid.output.split())
    assert "left by the solver (not stated: --tolerance)" in " ".join(unsaid.output.split())
    assert penalty in (folder / "dalenius-report" / "findings.json").read_text()
    said = regress("--coefficients", "coef.csv", "--penalty", "none", "--tolerance", "1e-8")
    told = "no penalty (as stated); mean scores of at most 1e-08 left by the solver (as stated)"
    assert told in " ".join(said.output.split())


def test_a_summary_without_a_table(folder: Path, regress: Run) -> None:
    (folder / "bad.txt").write_text("nothing here")
    result = regress("--coefficients", "bad.txt")
    assert result.exit_code == 2
    assert "must hold one table with the columns coef and std err" in result.output


PLAN = """
[data]
path = "people.csv"
[schema]
id = "pid"
secret = "ill"
{schema}
[[release]]
name = "fits"
statistics = [{statistics}]
mechanism = "rounding:digits=3"
"""


@pytest.fixture
def plan(folder: Path, world: dict[str, Any]) -> Callable[..., None]:
    def write(*statistics: str, secret: list[str] | None = None, schema: str = "") -> None:
        values = [("no", "yes")[s] for s in world["secret"]] if secret is None else secret
        world["people"].assign(ill=values).to_csv(folder / "people.csv", index=False)
        quoted = ", ".join(f'"{text}"' for text in statistics)
        (folder / "audit.toml").write_text(PLAN.format(statistics=quoted, schema=schema))

    return write


def test_regressions_in_a_plan(folder: Path, run: Run, plan: Callable[..., None]) -> None:
    fits = [f"logistic-regression:terms={x}+x{int(x[1:]) + 1}+sex" for x in FIRST]
    plan(
        *fits,
        "linear-regression:terms=x0+x1,fit=r2",
        "m-estimator:loss=poisson,terms=x2",
        "tables:k=1,attributes=sex",
    )
    result = run("audit", "audit.toml")
    assert result.exit_code in (0, 1), result.output
    (finding,) = json.loads((folder / "dalenius-report/findings.json").read_text())["findings"]
    assert finding["measures"][0]["attack"]["rate"] > 0.6
    assert finding["measures"][0]["control"] is not None


def test_a_secret_of_three_values_is_refused_plainly(
    folder: Path, run: Run, plan: Callable[..., None]
) -> None:
    plan("logistic-regression:terms=x0", secret=["a", "b", "c", "a"] * 10)
    result = run("audit", "audit.toml")
    assert result.exit_code == 2
    assert "logistic-regression needs a secret of two values, and this one has 3" in result.output


def test_terms_that_nobody_has(folder: Path, run: Run, plan: Callable[..., None]) -> None:
    plan("linear-regression:terms=x0+agee")
    assert "term 'agee' must be a public column" in run("audit", "audit.toml").output
    plan("linear-regression:terms=")
    assert run("audit", "audit.toml").exit_code == 2
