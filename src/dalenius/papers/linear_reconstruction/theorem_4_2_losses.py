"""Theorem 4.2. Whatever minimises a differentiable loss gives everybody away."""

from __future__ import annotations

import math

from dalenius.papers.experiment import Result
from dalenius.papers.linear_reconstruction.fitted_columns import PARAMETERS, LossBounds, run_losses
from dalenius.papers.settings import Settings
from dalenius.papers.statement import Statement

PROBIT, HINGE = LossBounds("probit", 1.0, 4 / math.sqrt(2 * math.pi)), LossBounds("squared-hinge", 2.0, 4.0)

STATEMENT = Statement(
    says=(
        "Two gradients a person, without and with the secret, make every minimiser an equation linear in "
        "the bits; with d of the order of n, least squares gets all but a vanishing fraction right. For one "
        "matrix: at most 4 (lambda h)^2 sum N_j^2 / (gap sigma)^2 wrong bits, gap the least difference "
        "of the two gradients."
    ),
    assumptions=(
        "People have d bounded, independent public columns, and one secret bit each.",
        "For every column the minimiser of a loss of that column and the secret is published.",
        "One person's gradient has Lipschitz constant lambda, and depends on the secret.",
        "Every number is off by less than the order of 1/(lambda sqrt(n)); the errors may be chosen.",
    ),
    parameters=PARAMETERS,
    runs=5,
    errata=(
        "Print: a one-sided bound on the Hessian as the Lipschitz condition. It takes both sides.",
        "Print: the proof treats the gradient differences as independent of the published numbers. They "
        "depend on them unless the loss is linear, logistic or another canonical one; the bound here is "
        "for the matrix at hand.",
        "Print: d >= 2n. The constant is larger in general; sigma_min is computed instead.",
    ),
)


def run(settings: Settings) -> Result:
    """Run Theorem 4.2: two losses whose gradient is not the residual."""
    return run_losses(settings, (PROBIT, HINGE))
