"""Statements of *Inferential Privacy Guarantees for Differentially Private Mechanisms*."""

from __future__ import annotations

from dalenius.theory.statements.statement import Statement

_PAPER = "Ghosh, Kleinberg (2016), Inferential Privacy Guarantees for Differentially Private Mechanisms"

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "infer-3.4",
        _PAPER,
        "Theorem 3.4",
        "What epsilon is worth to people whose bits go together, at worst",
        (
            "Everybody has one bit; the attacker's prior is positively affiliated, such as a tree of "
            "relatives who rather agree.",
            "The release is differentially private, with an epsilon for each person.",
        ),
        "No output moves anybody's log-odds by more than nu: what the same prior says when every person's "
        "own log-odds are moved by their epsilon, all the same way. Some mechanism moves them that far: an "
        "event of probability proportional to exp(-sum eps_i |x_i - z|), such as the same answer from "
        "everybody in randomised response.",
    ),
    Statement(
        "infer-3.5",
        _PAPER,
        "Lemma 3.5",
        "A sum with Laplace noise is as bad as it gets",
        (
            "As in infer-3.4, with the same epsilon for everybody.",
            "The number of ones is published with Laplace noise of scale 1/epsilon.",
        ),
        "An output of 0 or less, or of n or more, moves everybody's log-odds as far as any mechanism can: "
        "all of nu.",
    ),
    Statement(
        "infer-4.2",
        _PAPER,
        "Theorem 4.2",
        "Weak enough influence keeps nu within a multiple of epsilon",
        (
            "Every combination of values has a positive probability.",
            "gamma_ij is half the most that person j can change the logarithm of a probability about person "
            "i, everybody else being fixed; its matrix has spectral radius below 1.",
        ),
        "nu is at most 2 Phi eps, Phi the sum of the powers of Gamma. Sharper, and proven here: eps + Phi "
        "eps; for bits Phi eps; with influences on odds, 2 eps + Gamma Phit eps, and for bits eps + Gamma "
        "Phit eps.",
    ),
    Statement(
        "infer-A1",
        _PAPER,
        "Example A.1",
        "Pairs that are independent promise nothing",
        (
            "One person's bit is the parity of each of r groups of s others; apart from that bits are fair "
            "coins.",
            "The release is differentially private with epsilon for everybody.",
        ),
        "nu of the one is (r + 1) epsilon, by counting odd groups with Laplace noise. The formula for "
        "positively affiliated data would say eps + 2 r atanh(tanh(eps/2)^s): all bits together are needed, "
        "not pairs.",
    ),
    Statement(
        "infer-A2a",
        _PAPER,
        "Theorem A.2(a)",
        "Above a critical agreement no epsilon makes nu small",
        (
            "Relatives form any tree in which nobody has more than d + 1 of them, and agree with strength J.",
            "Everybody alone is a fair coin; the release has the same epsilon for everybody.",
        ),
        "nu in all such trees is (Delta u - eps)/(Delta - 1), Delta = d + 1 and u the solution of u = eps + "
        "d f(J, u). If d tanh J < 1 it is at most eps (Delta/(1 - d tanh J) - 1)/(Delta - 1); if d tanh J > "
        "1 it stays above a constant however small epsilon is.",
    ),
    Statement(
        "infer-A2b",
        _PAPER,
        "Theorem A.2(b)",
        "Epsilon 0.19 or 0.2: nu 0.2 or 20",
        (
            "A complete tree of relatives who agree strongly; the attacker's prior about everybody is "
            "tilted by a field h with 2 h between the two epsilons.",
        ),
        "For any two epsilons and any 1 < r < R there are such trees with nu < r epsilon at the smaller and "
        "nu > R epsilon at the larger one.",
    ),
    Statement(
        "infer-zeus",
        _PAPER,
        "Example of Section 1",
        "Zeus and his descendants: close relatives, or the dragnet",
        (
            "Zeus's bit is a fair coin; every child has the parent's bit with probability p, d children "
            "each.",
            "The release has the same epsilon for everybody.",
        ),
        "nu of Zeus is u after so many steps of u = eps + d f(J, u), J = atanh(2p - 1). If d (2p - 1) < 1 "
        "each further generation adds less; above, it adds more until everything that can be known is "
        "known.",
    ),
)
