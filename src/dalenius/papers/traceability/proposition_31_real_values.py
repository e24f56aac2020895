"""Proposition 31. Means of real values give people away."""

from __future__ import annotations

import math

import numpy as np

from dalenius.papers.experiment import Result
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated.crowd import (
    DELTA,
    OUTSIDERS,
    Records,
    Values,
    Verdicts,
    against_one,
    columns,
    control_rows,
    enough_row,
    everybody,
    members_row,
    simulate,
    somebody,
    soundness,
)
from dalenius.papers.statement import Statement
from dalenius.papers.traceability.small_bias import N
from dalenius.theory.tracing import traceability
from dalenius.theory.tracing.power import effect_real
from dalenius.theory.tracing.strong_distributions import gamma_gaussian

STATEMENT = Statement(
    says=(
        "With d >= (2 + 4 sqrt(1 + 1/n))^2 n^2 sigma^2 ln(1/delta) / gamma^2 columns somebody is accused "
        "with probability at least 1 - delta; with (2 + 4 sqrt 2)^2 in front every member, if the answers "
        "depend on the column means alone."
    ),
    assumptions=(
        "Values are Gaussian around means drawn from a law that is (alpha, gamma)-strong for Gaussians; "
        "uniform on [-1, 1]: gamma = sigma^2 (1 - alpha).",
        "Every answer lies in [-1, 1], has bias at most alpha and is computed from its own column.",
    ),
    parameters=(N, Parameter("sigma", "standard deviation of the data", 1.0, 0.05, 1.5), DELTA),
    runs=100,
    errata=(
        "Printed: d = O(n^2 sigma^2 log(1/delta)), with gamma hidden. gamma is of the order of sigma^2, "
        "so more spread means fewer columns; with it the constant is (2 + 4 sqrt 2)^2 = 58.6 (ours).",
        "Printed: threshold 2 sigma sqrt(d ln(1/delta)). Its proof leaves room for ln(1/(2 delta)).",
    ),
)


def run(settings: Settings) -> Result:
    """Run Proposition 31: means of Gaussian data, cut off at -1 and +1."""
    n, sigma, delta = settings.whole("n"), settings["sigma"], settings["delta"]
    # a clipped mean is most biased at the ends, by E[max(N(0, sigma^2/n), 0)]
    alpha = sigma / math.sqrt(2 * math.pi * n)
    strength = gamma_gaussian(alpha, sigma)
    d = columns(settings, traceability.columns_for_real(n, delta, strength, sigma, everybody=True))
    attack = against_one(traceability.real_threshold(d, sigma, delta))
    one, each, sound = somebody(delta), everybody(delta), soundness(delta)

    def publish(x: Records) -> Values:
        return np.asarray(np.clip(x.mean(axis=0, dtype=np.float64), -1.0, 1.0))

    def one_run(world: np.random.Generator) -> Verdicts:
        means = world.uniform(-1.0, 1.0, d)
        members, others, outsiders = (
            (means + sigma * world.normal(size=(people, d))).astype(np.float32)
            for people in (n, n, OUTSIDERS)
        )
        z = (means + sigma * world.normal(size=d)).astype(np.float32)
        q = publish(members)
        return Verdicts(attack(members, q, z), attack(outsiders, q, z), attack(members, publish(others), z))

    runs = simulate(settings, "real", one_run, (0.0, 1.0))
    rows = (
        enough_row("clipped means: somebody", runs, one),
        members_row("clipped means: each member", runs, each),
        *control_rows(runs, sound),
    )
    facts = (
        f"{d:,} columns of Gaussian data around means uniform in [-1, 1]; clipping gives a bias of at most "
        f"{alpha:.3g}, and gamma is {strength:.4g}.",
        f"With so many a member's score is expected {effect_real(d, n, sigma):.3g} standard deviations above "
        "an outsider's.",
    )
    return Result((one, each, sound), rows, facts)
