"""Theorem 4.1. Linear and logistic regressions of the secret give everybody away."""

from __future__ import annotations

from dalenius.papers.experiment import Result
from dalenius.papers.linear_reconstruction.fitted_columns import PARAMETERS, LossBounds, run_losses
from dalenius.papers.settings import Settings
from dalenius.papers.statement import Statement

LINEAR, LOGISTIC = LossBounds("linear", 1.0, 1.0), LossBounds("logistic", 0.25, 1.0)

STATEMENT = Statement(
    says=(
        "With d of the order of n, at least 2n, least squares on the score equations gets all but a "
        "vanishing fraction of the bits right. For one matrix of columns with sums of squares N_j: at most "
        "4 h^2 sum N_j^2 / sigma^2 wrong bits for linear fits off by at most h, and a sixteenth of that for "
        "logistic ones, which bear four times the error."
    ),
    assumptions=(
        "People have d bounded, independent, centred public columns, and one secret bit each.",
        "For every column the coefficient of a fit of the secret on it alone is published.",
        "Every coefficient is off by less than the order of 1/sqrt(n); the errors may be chosen.",
    ),
    parameters=PARAMETERS,
    runs=5,
    errata=(
        "Print: the logistic function upside down, (1 + e^t) / e^t; and its loss with the sign of the "
        "log-likelihood.",
        "Print: the logistic Hessian is bounded like the linear one. It is at most a quarter of it, so "
        "logistic coefficients bear four times the error.",
        "Print: one column, no intercept, no penalty. Real fits have them, and so have our equations.",
    ),
)


def run(settings: Settings) -> Result:
    """Run Theorem 4.1: linear and logistic fits, each coefficient off by at most c / sqrt(n)."""
    return run_losses(settings, (LINEAR, LOGISTIC))
