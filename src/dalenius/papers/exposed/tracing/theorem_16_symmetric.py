"""Theorem 16. Symmetric mechanisms give everybody away."""

from __future__ import annotations

import numpy as np

from dalenius.papers.experiment import Result
from dalenius.papers.exposed.tracing.average_error import (
    ACCURACY,
    FLIP,
    MEASURED,
    N,
    alpha_up_to,
    counterexamples,
)
from dalenius.papers.settings import Settings
from dalenius.papers.simulated.crowd import (
    DELTA,
    Mechanism,
    Records,
    Values,
    against_one,
    columns,
    control_rows,
    crowd_run,
    everybody,
    exact,
    extreme_flip,
    mean_error,
    members_row,
    simulate,
    soundness,
    table,
)
from dalenius.papers.statement import Statement
from dalenius.theory.tracing import traceability
from dalenius.theory.tracing.priors import density_of
from dalenius.theory.tracing.strong_distributions import best_eta, robust_error_limit

STATEMENT = Statement(
    says=(
        "With d >= 23.4 n^2 ln(1/delta) / (gamma - alpha/eta)^2 columns, every member is accused with "
        "probability at least 1 - delta, and an outsider with at most delta."
    ),
    assumptions=(
        "As in exposed-14, and the law of the answers depends on the data through the column means alone.",
    ),
    parameters=(N, alpha_up_to(0.22), DELTA),
    runs=20,
    errata=(ACCURACY, MEASURED),
)


def _noisy(size: float) -> Mechanism:
    """Add errors of +-size, cut off at -1 and +1: symmetric, a fresh coin a column."""

    def publish(x: Records, rng: np.random.Generator) -> Values:
        errors = size * rng.choice([-1.0, 1.0], x.shape[1])
        return np.asarray(np.clip(exact(x, rng) + errors, -1.0, 1.0))

    return publish


def run(settings: Settings) -> Result:
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
        members_row("exact means", plain, promise if mean_error(plain) <= alpha else None),
        members_row(f"off by {size:.3g} either way", noisy, promise if mean_error(noisy) <= alpha else None),
        members_row("extreme flip, too far off for a promise", flipped),
        *control_rows(plain, sound),
    )
    limit, _ = robust_error_limit(flat)
    facts = (
        f"{d:,} columns, means uniform in [-1, 1]; average distance from the population's means "
        f"{mean_error(plain):.3g} exact, {mean_error(noisy):.3g} off by {size:.3g}, "
        f"{mean_error(flipped):.3g} for the extreme flip; above {limit:.4g} nothing can be promised.",
        *counterexamples(50),
    )
    return Result((promise, sound), rows, facts)
