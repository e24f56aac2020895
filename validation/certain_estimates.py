"""Does "certain" hold for regressions, trees and dated tables that other programs print?

People are drawn at random, statsmodels, scikit-learn or pandas fits something to their secrets and prints it
in one of the ways in which such numbers are usually printed, and ``reconstruct`` reads what is printed. Under
a true statement of how it was made (or none at all) nobody may be called certain wrongly, and nothing may be
refused. False statements are made too: digits that were not there, a penalty forgotten, secrets that changed.

    python validation/certain_estimates.py --cases 2400
"""

from __future__ import annotations

import argparse
import shutil
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import statsmodels.api as sm
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier, export_text

from dalenius.errors import InputError, SaysNothingError, SolveError, UnsupportedError
from dalenius.knowledge.view import View
from dalenius.reconstruction.attack.cost import ComputeBudget
from dalenius.reconstruction.published.attack_one import guess
from dalenius.reconstruction.published.options import PrintedCoefficients
from dalenius.reconstruction.published.regression import Published, read_regressions
from dalenius.reconstruction.published.scores import read_scores
from dalenius.reconstruction.published.tables import read_joint
from dalenius.statistics.estimates.optimum import NO_PENALTY, Penalty

Bits = NDArray[np.int64]

ILL = "ill"
BUDGET = 10.0
"""Seconds of the budget for one case: less finds fewer people, never a wrong one."""

DESIGNS = ("plain", "years", "nearly equal", "large", "words", "collinear")
"""What the public columns are like."""


@dataclass(frozen=True)
class Case:
    """What was published about whom, and the view that is read from it."""

    kind: str
    true: bool
    view: Callable[[], View]
    secret: Bits


def columns(rng: np.random.Generator, n: int, design: str, width: int) -> pd.DataFrame:
    """Draw public columns; those of ``years`` and ``nearly equal`` are badly conditioned."""
    frame = pd.DataFrame({f"x{j}": rng.normal(size=n).round(3) for j in range(width)})
    if design == "years":
        frame["year"] = rng.integers(1950, 2011, n)
        frame["year2"] = frame["year"] ** 2
    if design == "nearly equal":
        frame["x0b"] = (frame["x0"] + rng.normal(0, 1e-4, n)).round(7)
    if design == "large":
        frame["pay"] = rng.integers(10_000, 90_000, n)
    if design == "words":
        for j in range(width // 2):
            frame[f"x{j}"] = rng.integers(0, 2, n)
    if design == "collinear":
        frame["again"] = frame["x0"]
    return frame


def printed(rng: np.random.Generator, numbers: NDArray[np.float64], how: str) -> list[str]:
    """Print numbers: to a number of decimals or of significant digits, with or without zeros at the end."""
    digits = int(rng.integers(3, 9))
    match how:
        case "fixed":
            return [f"{x:.{digits}f}" for x in numbers]
        case "dropped":
            return [repr(float(np.round(x, digits))) for x in numbers]
        case "significant":
            return [f"{x:.{digits}g}" for x in numbers]
        case "signif":
            return [repr(float(f"{x:.{digits}g}")) for x in numbers]
        case "padded":
            short = [float(f"{x:.{digits}g}") for x in numbers]
            return [f"{x:.{digits + 4}f}" if abs(x) > 1e-4 else repr(x) for x in short]
    return [repr(float(x)) for x in numbers]


PRINTS = ("fixed", "dropped", "significant", "signif", "whole")


def regressions(rng: np.random.Generator, place: Path) -> Case | None:
    """Several linear or logistic models of one program about the same people."""
    n, design = int(rng.integers(8, 26)), str(rng.choice(DESIGNS))
    people = columns(rng, n, design, int(rng.integers(3, 7)))
    secret = rng.integers(0, 2, n)
    program = str(rng.choice(["linear-sk", "linear-sm", "logistic-sk", "logistic-sk-100", "logistic-sm"]))
    linear = program.startswith("linear")
    how = str(rng.choice(PRINTS))
    models = int(rng.integers(1, 5))
    rows: list[tuple[str, str, str]] = []
    summaries: list[Path] = []
    for j in range(models):
        size = int(rng.integers(2, people.shape[1] + 1)) if linear else int(rng.integers(1, 4))
        terms = list(rng.choice(people.columns, size, replace=False))
        if design == "years" and "year2" in terms and "year" not in terms:
            terms.append("year")
        found = fit(program, people[terms], secret)
        if found is None:
            return None
        numbers, text = found
        if text is not None and how == "fixed":
            summaries.append(place / f"m{j}.txt")
            summaries[-1].write_text(text)
            continue
        texts = printed(rng, numbers, how)
        rows += [(f"m{j}", term, x) for term, x in zip(["const", *terms], texts, strict=True)]
    people.insert(0, "id", [f"p{i}" for i in range(n)])
    people.to_csv(place / "people.csv", index=False)
    files = summaries
    if rows:
        pd.DataFrame(rows, columns=["model", "term", "estimate"]).to_csv(place / "coef.csv", index=False)
        files = [*summaries, place / "coef.csv"]
    stated, true = statement(rng, program, how, rows)
    read = lambda: read_regressions(place / "people.csv", files, stated, id="id", secret=ILL)  # noqa: E731
    return Case(f"{program.split('-')[0]} {'true' if true else 'false'}", true, read, secret)


def fit(program: str, X: pd.DataFrame, secret: Bits) -> tuple[NDArray[np.float64], str | None] | None:
    """Fit by another program; None where it says itself that it did not succeed."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        warnings.filterwarnings("error", module="statsmodels")
        warnings.simplefilter("error", RuntimeWarning)
        try:
            if program == "linear-sk":
                model = LinearRegression().fit(X, secret)
                return np.append(model.intercept_, model.coef_), None
            if program in ("logistic-sk", "logistic-sk-100"):
                C = 100.0 if program.endswith("100") else 1.0
                logistic = LogisticRegression(C=C).fit(X, secret)
                return np.append(logistic.intercept_, logistic.coef_[0]), None
            exog = sm.add_constant(X.astype(float), has_constant="add")
            chosen = sm.OLS(secret, exog) if program == "linear-sm" else sm.Logit(secret, exog)
            result = chosen.fit() if program == "linear-sm" else chosen.fit(disp=0)
            warnings.simplefilter("ignore")
            text = str(result.summary())
            return np.asarray(result.params), text
        except (Warning, np.linalg.LinAlgError, ValueError):
            return None


def statement(
    rng: np.random.Generator, program: str, how: str, rows: list[tuple[str, str, str]]
) -> tuple[Published, bool]:
    """What is said about the fits: mostly the truth or nothing, sometimes something false."""
    model = "linear" if program.startswith("linear") else "logistic"
    weights = {"logistic-sk": 1.0, "logistic-sk-100": 0.01}
    truth = Penalty("l2", weights[program]) if program in weights else NO_PENALTY
    # without a word about it a penalty other than none and the default would be a false statement
    penalty = None if truth.weight != 0.01 and rng.random() < 0.5 else truth
    said = Published(model, penalty)
    if rng.random() < 0.8:
        return said, True
    if model == "logistic" and rng.random() < 0.5:
        wrong = NO_PENALTY if truth.weight else Penalty("l2", 1.0)
        return replace(said, penalty=wrong), False
    if how in ("significant", "signif") and rows:
        return replace(said, printed=PrintedCoefficients(significant=11)), False
    return replace(said, penalty=truth, tolerance=0.0), model == "linear"


def trees(rng: np.random.Generator, place: Path) -> Case:
    """A tree as ``export_text`` prints it, two decimals by default, and its error on the data."""
    n, decimals = int(rng.integers(8, 31)), int(rng.choice([2, 2, 2, 1, 3]))
    X = pd.DataFrame({f"x{j}": rng.normal(size=n).round(3) for j in range(int(rng.integers(1, 5)))})
    X["age"] = rng.integers(20, 70, n)
    secret = rng.integers(0, 2, n)
    secret[:2] = 0, 1
    depth = None if rng.random() < 0.6 else int(rng.integers(1, 5))
    tree = DecisionTreeClassifier(max_depth=depth, random_state=1).fit(X, secret)
    (place / "tree.txt").write_text(
        export_text(tree, feature_names=list(X.columns), decimals=decimals, max_depth=100)
    )
    said = tree.predict(X)
    error = float((said != secret).mean())
    scores = {"error-rate": f"{error:.4f}"}
    if rng.random() < 0.3 and said.sum():
        scores = {"precision": f"{float(secret[said == 1].mean()):.4f}", "accuracy": f"{1 - error:.4f}"}
    true = rng.random() < 0.9
    if not true:
        scores = {"error-rate": f"{(error + 1 / n) if error < 0.5 else error - 1 / n:.4f}"}
    X.insert(0, "id", [f"p{i}" for i in range(n)])
    X.to_csv(place / "people.csv", index=False)
    read = lambda: read_scores(  # noqa: E731
        place / "people.csv", place / "tree.txt", id="id", given=scores, secret=ILL
    )
    return Case(f"tree {'true' if true else 'false'}", true, read, secret)


def years(rng: np.random.Generator, place: Path) -> Case:
    """Tables of pandas about two years: people come and go, and secrets change."""
    n = int(rng.integers(10, 40))
    people = pd.DataFrame({"sex": rng.choice(["f", "m"], n), "town": rng.choice(["a", "b", "c"], n)})
    people.insert(0, "id", [f"p{i:02}" for i in range(n)])
    before = rng.choice(["no", "yes"], n, p=[0.8, 0.2])
    before[:2] = "no", "yes"
    changed = rng.random(n) < (0.1 if rng.random() < 0.7 else 0.0)
    now = np.where(changed, np.where(before == "no", "yes", "no"), before)
    now[:2] = "no", "yes"
    stayed = rng.random(n) < 0.9
    stayed[:2] = True
    for year, who, secret in (("2018", stayed, before), ("2019", np.ones(n, bool), now)):
        (place / year).mkdir()
        people[who].to_csv(place / year / "people.csv", index=False)
        keys = [people.loc[who, "sex"], people.loc[who, "town"]]
        table = pd.crosstab(keys, pd.Series(secret, name=ILL)[who])
        for value in ("no", "yes"):
            table[value] = table.get(value, 0)
        table.reset_index().to_csv(place / year / "t.csv", index=False)
    unchanged = bool(rng.random() < 0.3)
    true = not unchanged or bool((before == now).all())
    read = lambda: read_joint(place, id="id", secret=ILL, unchanged=unchanged)  # noqa: E731
    order = {name: int(has == "yes") for name, has in zip(people["id"], now, strict=True)}
    ids = [*people.loc[stayed, "id"], *people.loc[~stayed, "id"]]
    return Case(f"two years {'true' if true else 'false'}", true, read, np.array([order[i] for i in ids]))


def cases(count: int, seed: int, place: Path) -> Iterator[Case]:
    """Draw cases: of ten two are trees and one is about two years."""
    rng, made = np.random.default_rng(seed), 0
    while made < count:
        draw = trees if made % 10 < 2 else years if made % 10 == 2 else regressions
        case = draw(rng, place)
        if case is not None:
            made += 1
            yield case
        else:
            empty(place)


def play(case: Case, seconds: float = BUDGET) -> tuple[str, int, int]:
    """Read and attack: what happened, how many are certain, how many of them wrongly."""
    try:
        claims = guess(case.view(), budget=ComputeBudget(seconds), rng=np.random.default_rng(1))
    except SaysNothingError:
        return "says nothing", 0, 0
    except (InputError, UnsupportedError, SolveError) as error:
        return f"refused: {str(error)[:60]}", 0, 0
    wrong = claims.certain & (claims.guess != case.secret)
    return "read", int(claims.certain.sum()), int(wrong.sum())


def tally(
    count: int, seed: int = 1, seconds: float = BUDGET, *, every: int | None = None
) -> dict[str, Counter[str]]:
    """Play cases; by kind how many were read, refused, and how many people were called certain.

    With ``every`` a line on standard error after so many cases says how far it is.
    """
    found: dict[str, Counter[str]] = {}
    with TemporaryDirectory() as folder:
        for played, case in enumerate(cases(count, seed, Path(folder)), start=1):
            what, certain, wrong = play(case, seconds)
            own = found.setdefault(case.kind, Counter())
            own["cases"] += 1
            own[what.split(":")[0]] += 1
            own["certain"] += certain
            own["wrong"] += wrong
            own["cases with a wrong one"] += wrong > 0
            if case.true and (wrong or what.startswith("refused")):
                own[what if not wrong else "FALSE"] += 1
            empty(Path(folder))
            if every is not None and played % every == 0:
                print(so_far(played, found), file=sys.stderr, flush=True)
    return found


def so_far(played: int, found: dict[str, Counter[str]]) -> str:
    """A line on the cases under true statements among those played."""
    true = sum((own for kind, own in found.items() if kind.endswith("true")), Counter[str]())
    said = f"{true['certain']} certain, {true['wrong']} of them wrong, {true['refused']} refused"
    return f"{played} cases, {true['cases']} under true statements: {said}"


def empty(folder: Path) -> None:
    """Remove what a case wrote."""
    for stale in folder.iterdir():
        shutil.rmtree(stale) if stale.is_dir() else stale.unlink()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=2400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=BUDGET, help="The budget for one case.")
    given = parser.parse_args()
    for kind, own in sorted(tally(given.cases, given.seed, given.seconds, every=50).items()):
        print(kind, dict(own))


if __name__ == "__main__":
    main()
