"""Proposition 28. A small average error gives somebody away."""

from __future__ import annotations

import numpy as np

from dalenius.papers.experiment import Computed, Result
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated.crowd import (
    DELTA,
    Verdicts,
    against_one,
    columns,
    control_rows,
    crowd_run,
    enough_row,
    exact,
    extreme_flip,
    mean_error,
    simulate,
    somebody,
    soundness,
    table,
)
from dalenius.papers.statement import Statement
from dalenius.theory.tracing import traceability
from dalenius.theory.tracing.priors import density_of
from dalenius.theory.tracing.strong_distributions import best_eta, robust_error_limit, robust_gamma_uniform

FLIPPED = 0.7
"""Beyond this sample mean, the misleading mechanism of trace-28 answers the opposite end."""

STATEMENT = Statement(
    says=(
        "With d >= ln(1/delta) (2n + (4n + 2/eta)/sqrt 2)^2 / (gamma - alpha/eta)^2 columns, with "
        "probability at least 1 - delta somebody is accused or the answers are off by more than alpha on "
        "average."
    ),
    assumptions=(
        "The population's means are drawn from an (eta, gamma)-robustly strong law; uniform on [-1, 1]: "
        "(1/2, 2/3).",
        "alpha < eta gamma; every answer is computed from its own column.",
        "The attacker holds the target's record and one reference record.",
    ),
    parameters=(
        Parameter("n", "number of people", 12, 2, 500, "Ask about fewer people.", whole=True),
        Parameter("alpha", "largest average error of a mean, in units of -1/+1", 0.2, 0.0, 0.368),
        DELTA,
    ),
    runs=20,
    errata=(
        "Printed: no relation between alpha and (eta, gamma). It must be below eta gamma; for the "
        "uniform law that leaves alpha below 0.3684.",
        "Printed: the uniform law is (1/2, 1/3)-robustly strong. It is (1/2, 2/3)-robustly strong.",
    ),
)


def run(settings: Settings) -> Result:
    """Run Proposition 28: a small average error gives somebody away; a larger one need not."""
    n, alpha, delta = settings.whole("n"), settings["alpha"], settings["delta"]
    flat = density_of(np.ones_like)
    eta, slack = best_eta(flat, alpha)
    limit, _ = robust_error_limit(flat)
    strength = slack + alpha / eta
    d = columns(settings, traceability.columns_to_trace_l1(n, delta, eta, strength, alpha))
    attack = against_one(traceability.proof_threshold(d, delta))
    promise, sound = somebody(delta), soundness(delta)
    plain = simulate(settings, "exact", crowd_run(n, d, exact, attack), (0.0, 0.5))
    misleading = table(extreme_flip(n, FLIPPED))
    flipped = simulate(settings, "flip", crowd_run(n, d, misleading, attack), (0.5, 1.0))
    rows = (
        enough_row("exact means: somebody, or off by more than alpha", _excused(plain, alpha), promise),
        enough_row("extreme flip, off by more than alpha: somebody", flipped, None),
        *control_rows(plain, sound),
    )
    facts = (
        f"{d:,} columns, means uniform in [-1, 1]; eta is {eta:.3g}, gamma {strength:.4g}.",
        f"Average distance from the population's means: {mean_error(plain):.3g} for exact means.",
        f"The extreme flip answers -1 where the sample mean is above {FLIPPED:g} and +1 where it is below "
        f"{-FLIPPED:g}: average distance {mean_error(flipped):.3g}. Above {limit:.4g} nothing can be "
        "promised.",
    )
    closed = robust_gamma_uniform(eta)
    gamma = Computed("gamma at this eta, by integration", strength, closed, "equal", 1e-3)
    return Result((promise, sound), rows, facts, (gamma,))


def _excused(runs: list[Verdicts], alpha: float) -> list[Verdicts]:
    """Let a run count as traced where the release was less accurate than assumed, as the statement does."""
    return [
        Verdicts(run.members | (run.error > alpha), run.outsiders, run.unrelated, run.error) for run in runs
    ]
