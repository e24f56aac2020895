"""Statements of *Exposed!*."""

from __future__ import annotations

from dalenius.theory.statements.statement import Statement

_PAPER = "Dwork, Smith, Steinke, Ullman (2017), Exposed! A Survey of Attacks on Private Data"

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "exposed-1",
        _PAPER,
        "Claim 1",
        "Rounding a close estimate gives few wrong bits",
        ("The secret is a vector of bits.", "The estimate is rounded at 1/2."),
        "At most 4 times the squared Euclidean distance between estimate and secret bits are wrong.",
    ),
    Statement(
        "exposed-6",
        _PAPER,
        "Theorem 6",
        "All subset counts, roughly right, give everybody away",
        (
            "The count of every subset of people is published.",
            "Each is off by at most alpha n; the errors may be chosen.",
        ),
        "Every secret consistent with the release is wrong about at most 4 alpha n people; at most a "
        "tenth when alpha is 1/40 or less. Finding one may take 2^n steps.",
    ),
    Statement(
        "exposed-7",
        _PAPER,
        "Theorem 7",
        "A linear number of chosen counts, recovered by a fast transform",
        (
            "The attacker chooses the subsets: plus and minus people of each Hadamard row.",
            "Each count is off by at most alpha n; the errors may be chosen.",
        ),
        "With 2N - 1 counts, N the power of two from n upward, at most a fraction 16 alpha^2 n of the "
        "bits is wrong, in N log N steps. Asking only the plus counts: 36 alpha^2 n. Asking with "
        "coefficients -1 and +1: 4 alpha^2 n. Padding to N costs queries, not accuracy.",
    ),
    Statement(
        "exposed-8",
        _PAPER,
        "Theorem 8",
        "Random subsets serve as well as chosen ones",
        (
            "The m subsets are uniformly random, between 1.1 n and 2^n of them.",
            "Each count is off by at most alpha n; the errors may be chosen.",
            "The attacker's computing time is unlimited.",
        ),
        "With high probability over the subsets the fraction of wrong bits vanishes when alpha is of "
        "smaller order than sqrt(log(m/n)/n). No explicit constant: for one matrix compute its partial "
        "discrepancy.",
    ),
    Statement(
        "exposed-9",
        _PAPER,
        "Definition 9",
        "Partial discrepancy decides whether reconstruction is possible",
        (
            "The statistics are linear in the secret bits, with a known matrix A.",
            "Every error is at most E in counts; the errors may be chosen.",
        ),
        "Let D be the least possible largest answer |A x| over x in {-1,0,1}^n with more than beta n "
        "non-zeros. If D > 2E, everything consistent with the release is within beta n people of the "
        "truth. If D <= 2E, some release fits two secrets more than beta n people apart, so every "
        "attack misses more than beta n / 2 people on one of them. D is at least "
        "sigma_min sqrt((floor(beta n) + 1) / m).",
    ),
    Statement(
        "exposed-10",
        _PAPER,
        "Theorem 10",
        "Exact means and a pool of reference people give everybody away",
        (
            "The exact means of d independent attributes of n people are published.",
            "The attacker holds the target's record and m records of the same population.",
        ),
        "The likelihood ratio test accuses an outsider with probability at most delta, and a member with "
        "probability at least 1 - delta once d is about (t + z)^2 n (1 + n/m): of the order of n "
        "log(1/delta) with as many references as people.",
    ),
    Statement(
        "exposed-14",
        _PAPER,
        "Theorem 14",
        "A small average error gives somebody away",
        (
            "The population's means are drawn from an (eta, gamma)-robustly strong law, as the uniform one "
            "on [-1, 1].",
            "The average distance of the answers from the population's means is at most alpha < eta gamma; "
            "each is computed from its own column.",
            "The attacker holds the target's record and one reference record.",
        ),
        "With d >= ln(1/delta) (2n + (4n + 2/eta)/sqrt 2)^2 / (gamma - alpha/eta)^2 columns, an outsider is "
        "accused with probability at most delta, and with probability at least 1 - delta somebody in the "
        "data is accused.",
    ),
    Statement(
        "exposed-15",
        _PAPER,
        "Theorem 15",
        "More accuracy and more reference people: fewer attributes",
        (
            "The population's means are drawn from a strong law; answers are off by at most alpha.",
            "The attacker holds the target's record, a pool of about log(n)/alpha^2 reference records and "
            "one more.",
        ),
        "The weights q - w, w the mean of the pool, trace somebody with d of the order of alpha^2 n^2 "
        "log(1/delta); an outsider is accused with probability at most delta at the threshold 2 ||q - w|| "
        "sqrt(ln(1/delta)). Constants: trace-26.",
    ),
    Statement(
        "exposed-16",
        _PAPER,
        "Theorem 16",
        "Symmetric mechanisms give everybody away",
        ("As in exposed-14, and the law of the answers depends on the data through the column means alone.",),
        "With d >= 23.4 n^2 ln(1/delta) / (gamma - alpha/eta)^2 columns, every member is accused with "
        "probability at least 1 - delta, and an outsider with at most delta.",
    ),
    Statement(
        "exposed-20",
        _PAPER,
        "Theorem 20",
        "Gaussian noise that stops every attack on one person",
        (
            "k counting queries are answered as fractions of n.",
            "Independent Gaussian noise of standard deviation sigma is added to each.",
            "One record may be replaced; everybody else's is known to the attacker.",
        ),
        "rho = k / (2 n^2 sigma^2) at most. A test of level a has power at most "
        "Phi(Phi^-1(a) + sqrt(2 rho)); a bit with prior 1/2 is guessed with probability at most "
        "Phi(sqrt(rho/2)). So k = n^2 queries need sigma of order 1, not 0.01, for a small rho.",
    ),
)
