"""Kasiviswanathan, Rudelson, Smith (2013), The Power of Linear Reconstruction Attacks: contents.

One file a statement: what it says and assumes, what can be set, where we differ from the print, how it is run
and its picture.
"""

from __future__ import annotations

from dalenius.papers.statement import contents

CONTENTS = contents(
    "Kasiviswanathan, Rudelson, Smith (2013), The Power of Linear Reconstruction Attacks",
    __name__,
    ("krs-2.1", "Theorem 2.1", "Least squares against small errors everywhere", "theorem_2_1_least_squares"),
    (
        "krs-2.2",
        "Theorem 2.2",
        "Linear programming survives a fraction of wild answers",
        "theorem_2_2_linear_programming",
    ),
    (
        "krs-3.2",
        "Theorem 3.2",
        "Any non-degenerate function of a few attributes and the secret gives everybody away",
        "theorem_3_2_boolean_functions",
    ),
    (
        "krs-3.3",
        "Theorem 3.3",
        "Linear programming survives wild tables, once they are turned into parities",
        "theorem_3_3_corrupted_tables",
    ),
    (
        "krs-4.1",
        "Theorem 4.1",
        "Linear and logistic regressions of the secret give everybody away",
        "theorem_4_1_regressions",
    ),
    (
        "krs-4.2",
        "Theorem 4.2",
        "Whatever minimises a differentiable loss gives everybody away",
        "theorem_4_2_losses",
    ),
)
