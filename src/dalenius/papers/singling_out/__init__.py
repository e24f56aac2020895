"""Cohen, Nissim (2022), Towards Formalizing the GDPR's Notion of Singling Out: contents.

One file a statement: what it says and assumes, what can be set, where we differ from the print, how it is run
and its picture.
"""

from __future__ import annotations

from dalenius.papers.statement import contents

CONTENTS = contents(
    "Cohen, Nissim (2022), Towards Formalizing the GDPR's Notion of Singling Out",
    __name__,
    ("pso-3.1", "Claim 3.1", "What luck reaches: the heaviest condition allowed", "claim_3_1_luck"),
    ("pso-3.3", "Claim 3.3", "Luck need not know who the people are", "claim_3_3_blind_luck"),
    (
        "pso-4.1",
        "Lemma 4.1",
        "What is made from a release tells no more than the release",
        "lemma_4_1_post_processing",
    ),
    ("pso-4.2", "Proposition 4.2", "Few possible outputs tell little", "proposition_4_2_few_outputs"),
    ("pso-4.5", "Proposition 4.5", "The order of the rows is worth nothing", "proposition_4_5_order"),
    (
        "pso-4.6",
        "Theorem 4.6",
        "Counts that are safe one by one single somebody out together",
        "composition.theorem_4_6_counts",
    ),
    (
        "pso-4.7",
        "Remark 4.7",
        "Hiding small counts does not help",
        "composition.remark_4_7_suppressed_counts",
    ),
    (
        "pso-4.8",
        "Claim 4.8",
        "One bit of every row is safe, all bits single everybody out",
        "composition.claim_4_8_whole_rows",
    ),
    (
        "pso-4.9",
        "Theorem 4.9",
        "Two releases, each safe, together give a row away",
        "composition.theorem_4_9_two_releases",
    ),
    ("pso-5.4", "Theorem 5.4", "Differential privacy limits singling out", "theorem_5_4_private_counts"),
    (
        "pso-5.6",
        "Claim 5.6",
        "Differential privacy limits heavy conditions too",
        "claim_5_6_heavy_conditions",
    ),
    ("pso-6.1", "Theorem 6.1", "k-anonymity does not prevent singling out", "theorem_6_1_k_anonymity"),
)
