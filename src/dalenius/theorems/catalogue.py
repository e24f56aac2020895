"""Every statement that can be run, by id; a new family is one more file and one more name here."""

from __future__ import annotations

from collections.abc import Mapping

from dalenius.errors import InputError
from dalenius.progress import Progress, silent
from dalenius.theorems import (
    boolean,
    exposed,
    exposed_noise,
    exposed_search,
    inference,
    inference_bounds,
    inference_family,
    inference_transitions,
    krs,
    parities,
    regression,
    singling_out,
    singling_out_counts,
    singling_out_private,
    singling_out_rows,
    tracing,
    tracing_pool,
    tracing_survey,
)
from dalenius.theorems.experiment import CONFIDENCE, Experiment, Outcome, measure
from dalenius.theorems.interval import METHOD
from dalenius.theorems.settings import Parameter, Settings
from dalenius.theory.catalogue import statement

FAMILIES = (
    exposed,
    exposed_search,
    exposed_noise,
    krs,
    boolean,
    parities,
    regression,
    tracing,
    tracing_pool,
    tracing_survey,
    singling_out,
    singling_out_counts,
    singling_out_rows,
    singling_out_private,
    inference,
    inference_bounds,
    inference_transitions,
    inference_family,
)

EXPERIMENTS: dict[str, Experiment] = {
    experiment.id: experiment for family in FAMILIES for experiment in family.EXPERIMENTS
}

_RUNS = Parameter("runs", "number of simulations", 20, 1, 10_000, whole=True)


def run(
    id: str,
    given: Mapping[str, float] | None = None,
    *,
    runs: int | None = None,
    seed: int = 1,
    progress: Progress = silent,
) -> Outcome:
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
    from threadpoolctl import threadpool_limits

    experiment = EXPERIMENTS[statement(id).id]
    values = check(experiment, given or {})
    repeated = int(_RUNS.check(experiment.runs if runs is None else runs))
    settings = Settings(id, values, repeated, seed, progress)
    # the matrices are small: threads would only get in each other's way
    with threadpool_limits(1, user_api="blas"):
        result = experiment.run(settings)
    return Outcome(
        statement(id),
        settings,
        result.promised,
        measure(result.rows),
        result.computed,
        result.facts,
        experiment.errata,
        CONFIDENCE,
        METHOD,
        result.pictures,
    )


def check(experiment: Experiment, given: Mapping[str, float]) -> dict[str, float]:
    """Return the value of every parameter of an experiment.

    Examples
    --------
    >>> check(EXPERIMENTS["exposed-9"], {"n": 8})
    {'n': 8, 'm': 32, 'alpha': 0.06, 'beta': 0.25}
    """
    known = [parameter.name for parameter in experiment.parameters]
    for name in given:
        if name not in known:
            takes = ", ".join([*known, "runs", "seed"])
            raise InputError(
                f"--{name}", f"must be a parameter of {experiment.id}", name, f"It takes {takes}."
            )
    values: dict[str, float] = {}
    for parameter in experiment.parameters:
        default = parameter.default * (values["n"] if parameter.per_person else 1)
        value = parameter.check(given.get(parameter.name, default))
        values[parameter.name] = int(value) if parameter.whole else value
    return values
