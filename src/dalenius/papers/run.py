"""Run one statement at finite sizes: what it promises beside what its attack reaches on simulated people."""

from __future__ import annotations

from collections.abc import Mapping

from dalenius.accelerate import one_blas_thread
from dalenius.findings.default_policy import CONFIDENCE
from dalenius.papers.experiment import StatementOutcome
from dalenius.papers.measure import METHOD, measure
from dalenius.papers.registry import check, experiment, heading, statement
from dalenius.papers.settings import Settings
from dalenius.progress import Progress, silent


def run(
    id: str,
    given: Mapping[str, float] | None = None,
    *,
    runs: int | None = None,
    seed: int = 1,
    progress: Progress = silent,
) -> StatementOutcome:
    """Run one statement.

    Parameters
    ----------
    id
        For example ``exposed-7``.
    given
        Values of the statement's parameters; the others take their defaults.
    runs
        How often each simulation is repeated.
    seed
        The same seed gives the same outcome.
    progress
        Told how far the work is.

    Raises
    ------
    InputError
        If there is no such statement, or it does not take a parameter or its value.
    TooLargeError
        If it would not finish.

    Examples
    --------
    >>> outcome = run("exposed-7", {"n": 64, "alpha": 0.017}, runs=2)
    >>> [(row.hits, row.trials, row.kept) for row in outcome.measured[:2]]
    [(0, 128, True), (16, 64, True)]
    """
    found = statement(id)
    repeated = found.runs if runs is None else runs
    values = check(id, {**(given or {}), "runs": repeated, "seed": seed})
    settings = Settings(id, values, int(values.pop("runs")), int(values.pop("seed")), progress)
    # the matrices are small: threads would only get in each other's way
    with one_blas_thread():
        result = experiment(id)(settings)
    return StatementOutcome(
        heading(id),
        found,
        settings,
        result.promised,
        measure(result.rows),
        result.computed,
        result.facts,
        CONFIDENCE,
        METHOD,
        result.pictures,
    )
