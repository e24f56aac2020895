"""Theorem 14. A small average error gives somebody away."""

from __future__ import annotations

import numpy as np

from dalenius.papers.experiment import Result
from dalenius.papers.exposed.tracing.average_error import ACCURACY, MEASURED, N, alpha_up_to, counterexamples
from dalenius.papers.settings import Settings
from dalenius.papers.simulated.crowd import (
    DELTA,
    against_one,
    columns,
    control_rows,
    crowd_run,
    enough_row,
    half,
    mean_error,
    members_row,
    simulate,
    somebody,
    soundness,
)
from dalenius.papers.statement import Statement
from dalenius.theory.tracing import traceability
from dalenius.theory.tracing.priors import density_of
from dalenius.theory.tracing.strong_distributions import best_eta

STATEMENT = Statement(
    says=(
        "With d >= ln(1/delta) (2n + (4n + 2/eta)/sqrt 2)^2 / (gamma - alpha/eta)^2 columns, an outsider is "
        "accused with probability at most delta, and with probability at least 1 - delta somebody in the "
        "data is accused."
    ),
    assumptions=(
        "The population's means are drawn from an (eta, gamma)-robustly strong law, as the uniform one "
        "on [-1, 1].",
        "The average distance of the answers from the population's means is at most alpha < eta gamma; "
        "each is computed from its own column.",
        "The attacker holds the target's record and one reference record.",
    ),
    parameters=(N, alpha_up_to(0.27), DELTA),
    runs=20,
    errata=(ACCURACY, MEASURED),
)


def run(settings: Settings) -> Result:
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
            "means of one random half: somebody", sampled, promise if mean_error(sampled) <= alpha else None
        ),
        members_row("means of one random half: each member", sampled),
        *control_rows(sampled, sound),
    )
    facts = (
        f"{d:,} columns, means uniform in [-1, 1]; average distance of a half's means from the population's "
        f"{mean_error(sampled):.3g}.",
        *counterexamples(50),
    )
    return Result((promise, sound), rows, facts)
