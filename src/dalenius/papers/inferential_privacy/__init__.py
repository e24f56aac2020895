"""Ghosh, Kleinberg (2016), Inferential Privacy Guarantees for Differentially Private Mechanisms: contents.

One file a statement: what it says and assumes, what can be set, where we differ from the print, how it is run
and its picture.
"""

from __future__ import annotations

from dalenius.papers.statement import contents

CONTENTS = contents(
    "Ghosh, Kleinberg (2016), Inferential Privacy Guarantees for Differentially Private Mechanisms",
    __name__,
    (
        "infer-3.4",
        "Theorem 3.4",
        "What epsilon is worth to people whose bits go together, at worst",
        "theorem_3_4_worst_case",
    ),
    ("infer-3.5", "Lemma 3.5", "A sum with Laplace noise is as bad as it gets", "lemma_3_5_noisy_sum"),
    (
        "infer-4.2",
        "Theorem 4.2",
        "Weak enough influence keeps nu within a multiple of epsilon",
        "theorem_4_2_bounded_influence",
    ),
    ("infer-A1", "Example A.1", "Pairs that are independent promise nothing", "example_a1_parities"),
    (
        "infer-A2a",
        "Theorem A.2(a)",
        "Above a critical agreement no epsilon makes nu small",
        "theorem_a2a_agreement",
    ),
    ("infer-A2b", "Theorem A.2(b)", "Epsilon 0.19 or 0.2: nu 0.2 or 20", "theorem_a2b_epsilon"),
    (
        "infer-zeus",
        "Example of Section 1",
        "Zeus and his descendants: close relatives, or the dragnet",
        "example_zeus",
    ),
)
