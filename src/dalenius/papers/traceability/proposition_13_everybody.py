"""Proposition 13. Answers of small bias that depend on the column means alone give everybody away."""

from __future__ import annotations

from dalenius.papers.experiment import Result
from dalenius.papers.settings import Settings
from dalenius.papers.simulated.crowd import (
    DELTA,
    control_rows,
    crowd_run,
    everybody,
    exact,
    members_row,
    simulate,
    soundness,
)
from dalenius.papers.statement import Statement
from dalenius.papers.traceability.small_bias import ALPHA, THRESHOLD, N, least_traceable, sized

STATEMENT = Statement(
    says="At the same d every member is accused with probability at least 1 - delta.",
    assumptions=(
        "As in trace-12.",
        "The law of the answers depends on the data through the column means alone.",
    ),
    parameters=(N, ALPHA, DELTA),
    runs=200,
    errata=(
        THRESHOLD,
        "Symmetric means: a function of the column means. Invariance under reordering the people is not "
        "enough: one shared random half has it, and leaves half the people untraceable.",
    ),
)


def run(settings: Settings) -> Result:
    """Run Proposition 13: small bias and symmetry give everybody away."""
    n, alpha, delta = settings.whole("n"), settings["alpha"], settings["delta"]
    strength, d, attack = sized(settings)
    promise, sound = everybody(delta), soundness(delta)
    plain = simulate(settings, "exact", crowd_run(n, d, exact, attack), (0.0, 0.5))
    worst = simulate(settings, "worst", crowd_run(n, d, least_traceable(n, alpha), attack), (0.5, 1.0))
    rows = (
        members_row("exact means", plain, promise),
        members_row("least traceable of bias alpha", worst, promise),
        *control_rows(plain, sound),
    )
    facts = (f"{d:,} columns, means uniform in [-1, 1]; gamma is {strength:.4g}.",)
    return Result((promise, sound), rows, facts)
