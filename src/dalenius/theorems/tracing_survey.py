"""Dwork, Smith, Steinke and Ullman (2017), Theorems 14 and 16: small average error, as corrected."""

from __future__ import annotations

import numpy as np

from dalenius.theorems.crowd import (
    Mechanism,
    Records,
    Values,
    Verdicts,
    against_one,
    control_rows,
    crowd_run,
    enough_row,
    everybody,
    exact,
    extreme_flip,
    half,
    members_row,
    simulate,
    somebody,
    soundness,
    table,
)
from dalenius.theorems.experiment import Experiment, Result
from dalenius.theorems.settings import Parameter, Settings
from dalenius.theorems.tracing import DELTA, columns
from dalenius.theory import traceability
from dalenius.theory.count_mechanisms import average_error, effective_gamma, sample_means
from dalenius.theory.priors import density_of
from dalenius.theory.strong import best_eta, robust_error_limit

FLIP = 0.77
"""Beyond this sample mean the misleading mechanism answers the opposite end."""

NARROW = 0.8
"""Half the width of the law of means under which answering 0 is half accurate."""


def _noisy(size: float) -> Mechanism:
    """Add errors of +-size, cut off at -1 and +1: symmetric, a fresh coin a column."""

    def publish(x: Records, rng: np.random.Generator) -> Values:
        errors = size * rng.choice([-1.0, 1.0], x.shape[1])
        return np.asarray(np.clip(exact(x, rng) + errors, -1.0, 1.0))

    return publish


def _error(runs: list[Verdicts]) -> float:
    return float(np.mean([run.error for run in runs]))


def _counterexamples(n: int) -> tuple[str, ...]:
    """Say why an average error of 1/2 is too much, in numbers of the theory."""
    flip = extreme_flip(n, FLIP)
    zero = np.zeros(n + 1)
    narrow = density_of(np.ones_like, -NARROW, NARROW, cells=2000)
    exact_gamma = effective_gamma(sample_means(n))
    return (
        f"Counterexample to the print, n = {n}: publish 0 everywhere. With means uniform in [-{NARROW:g}, "
        f"{NARROW:g}] its average error is {average_error(zero, narrow):.3f}, below 1/2, and it depends on "
        "nobody.",
        f"Counterexample to the print, n = {n}: the exact mean up to {FLIP:g} in size, beyond that the "
        f"opposite end. With means uniform in [-1, 1] its average error is {average_error(flip):.3f}; "
        f"members score {effective_gamma(flip):.3f} d/n, below outsiders, where exact means give "
        f"{exact_gamma:.3f} d/n.",
    )


def run_average(settings: Settings) -> Result:
    """Run Theorem 14: a small average error gives somebody away."""
    n, alpha, delta = settings.whole("n"), settings["alpha"], settings["delta"]
    flat = density_of(np.ones_like)
    eta, slack = best_eta(flat, alpha)
    d = columns(settings, traceability.columns_to_trace_l1(n, delta, eta, slack + alpha / eta, alpha))
    attack = against_one(traceability.proof_threshold(d, delta))
    promise, sound = somebody(delta), soundness(delta)
    sampled = simulate(settings, "half", crowd_run(n, d, half, attack), (0.0, 1.0))
    rows = (
        enough_row(
            "means of one random half: somebody", sampled, promise if _error(sampled) <= alpha else None
        ),
        members_row("means of one random half: each member", sampled),
        *control_rows(sampled, sound),
    )
    facts = (
        f"{d:,} columns, means uniform in [-1, 1]; average distance of a half's means from the population's "
        f"{_error(sampled):.3g}.",
        *_counterexamples(50),
    )
    return Result((promise, sound), rows, facts)


def run_symmetric(settings: Settings) -> Result:
    """Run Theorem 16: small average error and symmetry give everybody away."""
    n, alpha, delta = settings.whole("n"), settings["alpha"], settings["delta"]
    flat = density_of(np.ones_like)
    eta, slack = best_eta(flat, alpha)
    gamma = slack + alpha / eta
    d = columns(settings, traceability.columns_to_trace_everybody_l1(n, delta, eta, gamma, alpha))
    attack = against_one(traceability.proof_threshold(d, delta))
    promise, sound = everybody(delta), soundness(delta)
    size = alpha / 3
    plain = simulate(settings, "exact", crowd_run(n, d, exact, attack), (0.0, 0.3))
    noisy = simulate(settings, "noisy", crowd_run(n, d, _noisy(size), attack), (0.3, 0.6))
    flipped = simulate(settings, "flip", crowd_run(n, d, table(extreme_flip(n, FLIP)), attack), (0.6, 1.0))
    rows = (
        members_row("exact means", plain, promise if _error(plain) <= alpha else None),
        members_row(f"off by {size:.3g} either way", noisy, promise if _error(noisy) <= alpha else None),
        members_row("extreme flip, too far off for a promise", flipped),
        *control_rows(plain, sound),
    )
    limit, _ = robust_error_limit(flat)
    facts = (
        f"{d:,} columns, means uniform in [-1, 1]; average distance from the population's means "
        f"{_error(plain):.3g} exact, {_error(noisy):.3g} off by {size:.3g}, {_error(flipped):.3g} for the "
        f"extreme flip; above {limit:.4g} nothing can be promised.",
        *_counterexamples(50),
    )
    return Result((promise, sound), rows, facts)


_N = Parameter("n", "number of people", 12, 2, 500, "Ask about fewer people.", whole=True)


def _alpha(default: float) -> Parameter:
    return Parameter("alpha", "largest average error of a mean, in units of -1/+1", default, 0.0, 0.368)


_ACCURACY = (
    "Printed: 1/2-accurate on average, any strong law. False, see the two counterexamples; alpha must be "
    "below the largest eta gamma, for the uniform law 0.3684."
)
_MEASURED = (
    "Printed: accurate to the sample's means with probability 2/3. A mechanism that publishes a constant one "
    "time in three has that, and traces nobody then; accuracy here is to the population's means, on average."
)

EXPERIMENTS = (
    Experiment("exposed-14", (_N, _alpha(0.27), DELTA), run_average, runs=20, errata=(_ACCURACY, _MEASURED)),
    Experiment(
        "exposed-16", (_N, _alpha(0.22), DELTA), run_symmetric, runs=20, errata=(_ACCURACY, _MEASURED)
    ),
)
