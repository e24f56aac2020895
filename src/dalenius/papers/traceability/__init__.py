"""Dwork, Smith, Steinke, Ullman, Vadhan (2015), Robust Traceability from Trace Amounts: contents.

One file a statement: what it says and assumes, what can be set, where we differ from the print, how it is run
and its picture.
"""

from __future__ import annotations

from dalenius.papers.statement import contents

CONTENTS = contents(
    "Dwork, Smith, Steinke, Ullman, Vadhan (2015), Robust Traceability from Trace Amounts",
    __name__,
    ("trace-12", "Proposition 12", "Answers of small bias give somebody away", "proposition_12_somebody"),
    (
        "trace-13",
        "Proposition 13",
        "Answers of small bias that depend on the column means alone give everybody away",
        "proposition_13_everybody",
    ),
    (
        "trace-26",
        "Proposition 26",
        "Accurate answers and a pool of reference people give several people away",
        "proposition_26_reference_pool",
    ),
    (
        "trace-28",
        "Proposition 28",
        "A small average error gives somebody away",
        "proposition_28_average_error",
    ),
    ("trace-31", "Proposition 31", "Means of real values give people away", "proposition_31_real_values"),
)
