"""The predictor without the release, where people are few: Newton's steps against scikit-learn's fit.

An audit of fewer than 64 people fits it hundreds of times, since everybody is a fold of their own. Both fit
the same penalised likelihood; the largest difference of a stated probability is shown. Run with
``python -m benchmarks.population``; exit code 1 if Newton's steps are not three times quicker.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy.special import expit
from sklearn import config_context
from sklearn.linear_model import LogisticRegression

from benchmarks.common import best_by_turns
from dalenius.reconstruction.attack.population_prior import newton_logistic

SIZES = ((60, (3, 4, 5)), (150, (12, 12, 12)), (300, (2, 3, 4, 5, 7, 9)))
"""People, and levels of their columns: those of small audits."""

FITS, REPEATS, GOAL = 50, 5, 3.0


def one_hot(rng: np.random.Generator, people: int, levels: tuple[int, ...]) -> NDArray[np.float64]:
    """Draw people and write down one indicator for each level."""
    return np.hstack([np.eye(size)[rng.integers(0, size, people)] for size in levels])


def main() -> None:
    """Fit by turns and compare."""
    rng, quick = np.random.default_rng(1), True
    table = Table("people", "columns", "ours, ms", "scikit-learn, ms", "ratio", "largest difference")
    for people, levels in SIZES:
        design = one_hot(rng, people, levels)
        second = rng.random(people) < expit(design @ rng.standard_normal(design.shape[1]))

        def ours(design: NDArray[np.float64] = design, second: NDArray[np.bool_] = second) -> None:
            for _ in range(FITS):
                newton_logistic(design, second)

        def theirs(design: NDArray[np.float64] = design, second: NDArray[np.bool_] = second) -> None:
            with config_context(assume_finite=True, skip_parameter_validation=True):
                for _ in range(FITS):
                    LogisticRegression(max_iter=300).fit(design, second)

        best = best_by_turns({"ours": ours, "theirs": theirs}, REPEATS)
        weights = newton_logistic(design, second)
        if weights is None:
            sys.exit("Newton's steps did not settle")
        peer = LogisticRegression(tol=1e-9, max_iter=10_000).fit(design, second).predict_proba(design)[:, 1]
        difference = np.abs(expit(design @ weights[:-1] + weights[-1]) - peer).max()
        ratio = best["theirs"].cpu / best["ours"].cpu
        quick &= ratio >= GOAL
        milliseconds = (1000 * best[name].cpu / FITS for name in ("ours", "theirs"))
        table.add_row(
            str(people),
            str(design.shape[1]),
            *(f"{each:.2f}" for each in milliseconds),
            f"{ratio:.1f}",
            f"{difference:.0e}",
        )
    Console().print(table)
    sys.exit(0 if quick else 1)


if __name__ == "__main__":
    main()
