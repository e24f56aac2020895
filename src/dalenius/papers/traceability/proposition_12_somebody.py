"""Proposition 12. Answers of small bias give somebody away."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal

from dalenius.papers.experiment import Result
from dalenius.papers.settings import Settings
from dalenius.papers.simulated.crowd import (
    DELTA,
    control_rows,
    crowd_run,
    enough_row,
    half,
    members_row,
    simulate,
    somebody,
    soundness,
)
from dalenius.papers.statement import Statement
from dalenius.papers.traceability.small_bias import ALPHA, THRESHOLD, N, least_traceable, sized
from dalenius.theory.tracing import traceability
from dalenius.theory.tracing.power import figure1_threshold, power_of_subsample
from dalenius.theory.tracing.strong_distributions import (
    gamma_beta,
    gamma_beta_in_print,
    gamma_reciprocal,
    gamma_uniform,
    gamma_uniform_in_print,
)

_COLUMNS = (
    "Printed: answers are conditioned on as if other columns told nothing. Proven here for mechanisms that "
    "answer each column by itself, which all of these do but for a shared choice of people."
)

KINDS: tuple[Literal["norm", "proof", "figure"], ...] = ("norm", "proof", "figure")

STATEMENT = Statement(
    says=(
        "With d >= 23.4 n^2 ln(1/delta) / gamma^2 columns and the threshold 2 sqrt(d ln(1/delta)), somebody "
        "in the data is accused with probability at least 1 - delta; an outsider with at most delta, "
        "whatever the mechanism."
    ),
    assumptions=(
        "The population's means are drawn from an (alpha, gamma)-strong law; uniform on [-1, 1]: gamma "
        "= 2/3 - alpha.",
        "Every answer has bias at most alpha at every mean, and is computed from its own column.",
        "The attacker holds the target's record and one reference record.",
    ),
    parameters=(N, ALPHA, DELTA),
    runs=200,
    errata=(
        THRESHOLD,
        "Printed in Lemma 11: gamma/(2d). It is gamma d/2; the constant behind d > O(n^2 ...) is "
        "(2 + 2 sqrt 2)^2 = 23.3.",
        _COLUMNS,
        "Printed for the uniform law on an interval: constants that drop the factors 1 - a^2 at the "
        f"ends, for [-1/2, 1/2] and alpha 1/4 even {gamma_uniform_in_print(0.25, -0.5, 0.5):.3f} where "
        "0.417 is true.",
    ),
)


def run(settings: Settings) -> Result:
    """Run Proposition 12: small bias gives somebody away."""
    n, alpha, delta = settings.whole("n"), settings["alpha"], settings["delta"]
    strength, d, attack = sized(settings)
    promise, sound = somebody(delta), soundness(delta)
    sampled = simulate(settings, "half", crowd_run(n, d, half, attack), (0.0, 0.5))
    worst = simulate(settings, "worst", crowd_run(n, d, least_traceable(n, alpha), attack), (0.5, 1.0))
    rows = (
        enough_row("least traceable of bias alpha: somebody", worst, promise),
        enough_row("means of one random half: somebody", sampled, promise),
        members_row("means of one random half: each member", sampled),
        *control_rows(worst, sound),
    )
    most = power_of_subsample(1.0, delta, (n + 1) // 2, n)
    facts = (
        f"{d:,} columns, means uniform in [-1, 1]; gamma is {strength:.4g}.",
        f"In the figure's own form, threshold sqrt(8 d ln(1/delta)), it would take "
        f"{math.ceil(traceability.columns_to_trace(n, delta, strength, 'figure')):,}.",
        "With a random half published the other half cannot be traced: one person is all that can be "
        f"promised, and each member is accused with probability {most:.3g} at most.",
        *_thresholds(n, d, delta),
        *_other_laws(alpha),
    )
    return Result((promise, sound), rows, facts)


def _thresholds(n: int, d: int, delta: float) -> Iterator[str]:
    """Say how far apart the thresholds of figure and proof are."""
    figure, proof = traceability.figure_threshold(d, delta), traceability.proof_threshold(d, delta)
    norm, own, printed = (figure1_threshold(n, delta, kind) for kind in KINDS)
    yield (
        f"The threshold is {proof:,.1f}, in the figure {figure:,.1f}. In standard deviations of an "
        f"outsider's score that is {own:.3g} and {printed:.3g}; {norm:.3g} would do with the norm "
        "of the answers."
    )


def _other_laws(alpha: float) -> Iterator[str]:
    """Say how strong other laws of the means are, and what is printed about them."""
    narrow, narrow_printed = gamma_uniform(alpha, -0.5, 0.5), gamma_uniform_in_print(alpha, -0.5, 0.5)
    beta, beta_printed = gamma_beta(alpha, 2, 2), gamma_beta_in_print(alpha, 2, 2)
    yield (
        f"gamma under other laws: {narrow:.3g} (printed {narrow_printed:.3g}) if means are uniform in [-1/2, "
        f"1/2], {beta:.3g} (printed {beta_printed:.3g}) for Beta(2, 2), {gamma_reciprocal(alpha, 0.85):.3g} "
        "for a density like 1/(1 - p^2) up to 0.85, close to that of genetic variants."
    )
