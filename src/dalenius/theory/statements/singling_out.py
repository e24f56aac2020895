"""Statements of *Towards Formalizing the GDPR's Notion of Singling Out*."""

from __future__ import annotations

from dalenius.theory.statements.statement import Statement

_PAPER = "Cohen, Nissim (2022), Towards Formalizing the GDPR's Notion of Singling Out"

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "pso-3.1",
        _PAPER,
        "Claim 3.1",
        "What luck reaches: the heaviest condition allowed",
        (
            "The rows are drawn independently from one law.",
            "The condition is chosen before, and at most a share w <= 1/n of the law meets it.",
        ),
        "It matches exactly one of n rows with probability at most B(n, w*) = n w* (1 - w*)^(n-1), w* the "
        "largest weight up to w that any condition has; at w = 1/n that is about 37%. For a share of at "
        "least w >= 1/n, w* is the smallest such weight from w on. Drawn without replacement from N rows of "
        "which K match, it is K C(N-K, n-1) / C(N, n).",
    ),
    Statement(
        "pso-3.3",
        _PAPER,
        "Claim 3.3",
        "Luck need not know who the people are",
        (
            "The rows are drawn independently from one law with min-entropy at least 5 ceil(b + log2 n + 2).",
            "The condition is on a keyed hash; of the law nothing is known.",
        ),
        "It matches exactly one of n rows with probability at least B(n, w) - 2^-b, for weights up to 1/n "
        "and from 1/n on.",
    ),
    Statement(
        "pso-4.1",
        _PAPER,
        "Lemma 4.1",
        "What is made from a release tells no more than the release",
        ("The rows are drawn independently from one law.", "What is made uses the release alone."),
        "No attack on what is made from a release isolates somebody more often than the best attack on the "
        "release itself.",
    ),
    Statement(
        "pso-4.2",
        _PAPER,
        "Proposition 4.2",
        "Few possible outputs tell little",
        (
            "The rows are drawn independently from one law.",
            "The release has a given number of possible values; for 2 n w, it is one exact count.",
        ),
        "No attack isolates somebody with a condition of weight at most w more often than the number of "
        "outputs times the baseline. For anything made from a sum over people of a vector with V values: n V "
        "w, so 2 n w for one count and n 2^m w for m of them.",
    ),
    Statement(
        "pso-4.5",
        _PAPER,
        "Proposition 4.5",
        "The order of the rows is worth nothing",
        ("The rows are drawn independently from one law.", "The order is chosen without looking at them."),
        "Reordering the rows before the release changes no attack's success.",
    ),
    Statement(
        "pso-4.6",
        _PAPER,
        "Theorem 4.6",
        "Counts that are safe one by one single somebody out together",
        (
            "The rows are uniform strings of m bits, or are hashed to m bits.",
            "m + 1 exact counts are published: of a region of weight 1/n, and of it with each bit.",
        ),
        "Somebody is isolated by a condition of weight 2^-m with probability about B(n, 1/n), 37%; nearly "
        "always with some dozens of regions, or with m counts asked one after the other.",
    ),
    Statement(
        "pso-4.7",
        _PAPER,
        "Remark 4.7",
        "Hiding small counts does not help",
        ("As in pso-4.6, but every count below a threshold is hidden.",),
        "Joined with a condition that half of all rows meet no count is small, and somebody is isolated with "
        "probability B(n, w/2) for a region of weight w: 30% for 1/n, 37% for 2/n.",
    ),
    Statement(
        "pso-4.8",
        _PAPER,
        "Claim 4.8",
        "One bit of every row is safe, all bits single everybody out",
        ("The rows are uniform strings of m bits.", "Every bit of every row is published, column by column."),
        "All n rows are isolated at once, each by a condition of weight 2^-m, whenever all rows are "
        "different: with probability prod (1 - i 2^-m) over i < n.",
    ),
    Statement(
        "pso-4.9",
        _PAPER,
        "Theorem 4.9",
        "Two releases, each safe, together give a row away",
        (
            "The rows are uniform strings of m bits, n is divisible by 4.",
            "One release is m bits extracted from half of the rows, the other the last row masked by them.",
        ),
        "Together they isolate the last row with probability at least P(Bin(n/4, 1/2) >= m) (1 - (n-1) "
        "2^-m). The extracted bits alone allow at most twice the baseline.",
    ),
    Statement(
        "pso-5.4",
        _PAPER,
        "Theorem 5.4",
        "Differential privacy limits singling out",
        (
            "The rows are drawn independently from one law.",
            "The release is (epsilon, delta)-differentially private.",
        ),
        "No attack isolates somebody with a condition of weight at most w with probability above n "
        "(e^epsilon w + delta); nothing is said unless w is below e^-epsilon / n.",
    ),
    Statement(
        "pso-5.6",
        _PAPER,
        "Claim 5.6",
        "Differential privacy limits heavy conditions too",
        (
            "The rows are drawn independently from one law.",
            "The release is epsilon-differentially private; n is at least 4.",
        ),
        "No attack isolates somebody with a condition of weight at least w with probability above 2 n ln(n) "
        "exp(-(n epsilon/2) (e^(-2 epsilon) (1 - 1/n) w - 3/n)).",
    ),
    Statement(
        "pso-6.1",
        _PAPER,
        "Theorem 6.1",
        "k-anonymity does not prevent singling out",
        (
            "Classes of k different rows are published, each as a condition that its rows meet.",
            "With probability eta the attacked class has a weight within the limit.",
        ),
        "The condition of a class together with a keyed hash of weight 1/k isolates one of its rows with "
        "probability eta B(k, 1/k), above eta/e.",
    ),
)
