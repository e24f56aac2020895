"""Statements of *The Power of Linear Reconstruction Attacks*."""

from __future__ import annotations

from dalenius.theory.statements.statement import Statement

_PAPER = "Kasiviswanathan, Rudelson, Smith (2013), The Power of Linear Reconstruction Attacks"

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "krs-2.1",
        _PAPER,
        "Theorem 2.1",
        "Least squares against small errors everywhere",
        (
            "The release is linear in the secret bits: z = b + A s + e, with A and b known.",
            "A has rank n and least singular value sigma.",
            "Every error is at most beta in counts; the errors may be chosen.",
        ),
        "Rounded least squares has at most 4 ||e||^2 / sigma^2, hence at most 4 m beta^2 / sigma^2, "
        "wrong bits. With independent noise of standard deviation tau the expected number is at most "
        "4 n tau^2 / sigma^2.",
    ),
    Statement(
        "krs-2.2",
        _PAPER,
        "Theorem 2.2",
        "Linear programming survives a fraction of wild answers",
        (
            "The release is linear in the secret bits: z = b + A s + e, with A and b known.",
            "A has least singular value sigma > 0, and ||A x||_1 >= a sqrt(m) ||A x||_2 for all x.",
            "A fraction g < a^2/4 of the errors is arbitrary, all others are at most beta in counts.",
        ),
        "The rounded solution of least absolute error has at most "
        "16 m beta^2 / (sigma^2 (a - 2 sqrt g)^2) wrong bits; none if beta is 0.",
    ),
    Statement(
        "krs-3.2",
        _PAPER,
        "Theorem 3.2",
        "Any non-degenerate function of a few attributes and the secret gives everybody away",
        (
            "People have d random, fair public bits, and one secret bit each.",
            "A function of k public bits and the secret is counted over all sets of k attributes.",
            "Its polynomial contains the product of all k + 1 inputs.",
            "Every count is off by less than the order of sqrt(n); the errors may be chosen.",
        ),
        "With n up to the order of d^k, up to iterated logarithms, least squares gets all but a vanishing "
        "fraction of the bits right. For one matrix: at most 4 C(d,k) beta^2 / sigma^2 wrong bits. A "
        "degenerate function still gives equations, of rank at most the sum of C(d,j) over the sizes j of "
        "its parities.",
    ),
    Statement(
        "krs-3.3",
        _PAPER,
        "Theorem 3.3",
        "Linear programming survives wild tables, once they are turned into parities",
        (
            "People have d random, fair public bits, and one secret bit each.",
            "All tables of the secret with k attributes are published.",
            "A small fraction of the tables is arbitrary, the cells of all others are off by less than the "
            "order of sqrt(n).",
        ),
        "Least absolute error on the parities of at most k attributes gets all but a vanishing fraction of "
        "the bits right. For one matrix: t wild tables do no harm if no parity can carry 1/(2t) of the "
        "whole. Raw conjunctions have no such guarantee.",
    ),
    Statement(
        "krs-4.1",
        _PAPER,
        "Theorem 4.1",
        "Linear and logistic regressions of the secret give everybody away",
        (
            "People have d bounded, independent, centred public columns, and one secret bit each.",
            "For every column the coefficient of a fit of the secret on it alone is published.",
            "Every coefficient is off by less than the order of 1/sqrt(n); the errors may be chosen.",
        ),
        "With d of the order of n, at least 2n, least squares on the score equations gets all but a "
        "vanishing fraction of the bits right. For one matrix of columns with sums of squares N_j: at most "
        "4 h^2 sum N_j^2 / sigma^2 wrong bits for linear fits off by at most h, and a sixteenth of that for "
        "logistic ones, which bear four times the error.",
    ),
    Statement(
        "krs-4.2",
        _PAPER,
        "Theorem 4.2",
        "Whatever minimises a differentiable loss gives everybody away",
        (
            "People have d bounded, independent public columns, and one secret bit each.",
            "For every column the minimiser of a loss of that column and the secret is published.",
            "One person's gradient has Lipschitz constant lambda, and depends on the secret.",
            "Every number is off by less than the order of 1/(lambda sqrt(n)); the errors may be chosen.",
        ),
        "Two gradients a person, without and with the secret, make every minimiser an equation linear in "
        "the bits; with d of the order of n, least squares gets all but a vanishing fraction right. For one "
        "matrix: at most 4 (lambda h)^2 sum N_j^2 / (gap sigma)^2 wrong bits, gap the least difference "
        "of the two gradients.",
    ),
)
