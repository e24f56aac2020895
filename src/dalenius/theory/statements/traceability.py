"""Statements of *Robust Traceability from Trace Amounts*."""

from __future__ import annotations

from dalenius.theory.statements.statement import Statement

_PAPER = "Dwork, Smith, Steinke, Ullman, Vadhan (2015), Robust Traceability from Trace Amounts"

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "trace-12",
        _PAPER,
        "Proposition 12",
        "Answers of small bias give somebody away",
        (
            "The population's means are drawn from an (alpha, gamma)-strong law; uniform on [-1, 1]: gamma "
            "= 2/3 - alpha.",
            "Every answer has bias at most alpha at every mean, and is computed from its own column.",
            "The attacker holds the target's record and one reference record.",
        ),
        "With d >= 23.4 n^2 ln(1/delta) / gamma^2 columns and the threshold 2 sqrt(d ln(1/delta)), somebody "
        "in the data is accused with probability at least 1 - delta; an outsider with at most delta, "
        "whatever the mechanism.",
    ),
    Statement(
        "trace-13",
        _PAPER,
        "Proposition 13",
        "Answers of small bias that depend on the column means alone give everybody away",
        (
            "As in trace-12.",
            "The law of the answers depends on the data through the column means alone.",
        ),
        "At the same d every member is accused with probability at least 1 - delta.",
    ),
    Statement(
        "trace-26",
        _PAPER,
        "Proposition 26",
        "Accurate answers and a pool of reference people give several people away",
        (
            "The population's means are drawn from an (alpha + 2 beta, gamma)-strong law.",
            "Every answer is off by more than alpha with probability at most beta <= gamma/(24 n).",
            "The attacker holds 2 ln(48 n/gamma)/alpha^2 reference records and one more.",
        ),
        "With d >= max(1152 alpha^2 n^2 ln(1/delta)/gamma^2, 64 (n + sqrt(ln(1/delta)))) columns, at least "
        "gamma^2/(256 alpha^2) members are accused with probability at least 1 - 2 delta; an outsider with "
        "at most delta. Stated as Theorem 17, too.",
    ),
    Statement(
        "trace-28",
        _PAPER,
        "Proposition 28",
        "A small average error gives somebody away",
        (
            "The population's means are drawn from an (eta, gamma)-robustly strong law; uniform on [-1, 1]: "
            "(1/2, 2/3).",
            "alpha < eta gamma; every answer is computed from its own column.",
            "The attacker holds the target's record and one reference record.",
        ),
        "With d >= ln(1/delta) (2n + (4n + 2/eta)/sqrt 2)^2 / (gamma - alpha/eta)^2 columns, with "
        "probability at least 1 - delta somebody is accused or the answers are off by more than alpha on "
        "average.",
    ),
    Statement(
        "trace-31",
        _PAPER,
        "Proposition 31",
        "Means of real values give people away",
        (
            "Values are Gaussian around means drawn from a law that is (alpha, gamma)-strong for Gaussians; "
            "uniform on [-1, 1]: gamma = sigma^2 (1 - alpha).",
            "Every answer lies in [-1, 1], has bias at most alpha and is computed from its own column.",
        ),
        "With d >= (2 + 4 sqrt(1 + 1/n))^2 n^2 sigma^2 ln(1/delta) / gamma^2 columns somebody is accused "
        "with probability at least 1 - delta; with (2 + 4 sqrt 2)^2 in front every member, if the answers "
        "depend on the column means alone.",
    ),
)
