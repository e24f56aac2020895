"""Dwork, Smith, Steinke, Ullman (2017), Exposed! A Survey of Attacks on Private Data: contents.

One file a statement: what it says and assumes, what can be set, where we differ from the print, how it is run
and its picture.
"""

from __future__ import annotations

from dalenius.papers.statement import contents

CONTENTS = contents(
    "Dwork, Smith, Steinke, Ullman (2017), Exposed! A Survey of Attacks on Private Data",
    __name__,
    (
        "exposed-1",
        "Claim 1",
        "Rounding a close estimate gives few wrong bits",
        "reconstruction.claim_1_rounding",
    ),
    (
        "exposed-6",
        "Theorem 6",
        "All subset counts, roughly right, give everybody away",
        "reconstruction.theorem_6_all_subsets",
    ),
    (
        "exposed-7",
        "Theorem 7",
        "A linear number of chosen counts, recovered by a fast transform",
        "reconstruction.theorem_7_hadamard",
    ),
    (
        "exposed-8",
        "Theorem 8",
        "Random subsets serve as well as chosen ones",
        "reconstruction.theorem_8_random_subsets",
    ),
    (
        "exposed-9",
        "Definition 9",
        "Partial discrepancy decides whether reconstruction is possible",
        "reconstruction.definition_9_discrepancy",
    ),
    (
        "exposed-10",
        "Theorem 10",
        "Exact means and a pool of reference people give everybody away",
        "tracing.theorem_10_likelihood_ratio",
    ),
    (
        "exposed-14",
        "Theorem 14",
        "A small average error gives somebody away",
        "tracing.theorem_14_average_error",
    ),
    (
        "exposed-15",
        "Theorem 15",
        "More accuracy and more reference people: fewer attributes",
        "tracing.theorem_15_reference_pool",
    ),
    ("exposed-16", "Theorem 16", "Symmetric mechanisms give everybody away", "tracing.theorem_16_symmetric"),
    (
        "exposed-20",
        "Theorem 20",
        "Gaussian noise that stops every attack on one person",
        "theorem_20_gaussian_noise",
    ),
)
