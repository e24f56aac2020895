"""Tables as other tools print them, under true and false statements of what was done to their counts.

pandas counts (``crosstab``, ``pivot_table``, ``groupby``), numpy rounds and hides, pandas or openpyxl writes.
What is stated of a table is true unless it says otherwise; nothing here comes from dalenius but the words of
its mechanisms.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from validation.printed_counts import (
    cases_beside_people,
    counts_table,
    long_table,
    pivoted,
    subtotals,
    two_tables,
)
from validation.printed_fractions import (
    columns_under_levels,
    normalised,
    pairs,
    percent_cells,
    sample,
    shares_table,
)
from validation.printed_people import ILL, Frame, Printed, Rng, draw_people

__all__ = ["ILL", "Printed", "draw_people", "make", "misstate"]


MAKERS = (
    (counts_table, 10),
    (two_tables, 3),
    (subtotals, 2),
    (percent_cells, 2),
    (shares_table, 10),
    (normalised, 3),
    (cases_beside_people, 1),
    (long_table, 2),
    (pivoted, 2),
    (sample, 2),
    (columns_under_levels, 3),
    (pairs, 2),
)


def make(people: Frame, folder: Path, rng: Rng) -> Printed:
    """Print one table, sometimes with a second one about the same people made in the same way."""
    weights = np.array([weight for _, weight in MAKERS], np.float64)
    maker = MAKERS[int(rng.choice(len(MAKERS), p=weights / weights.sum()))][0]
    return maker(people, folder, rng)


WRONG = (
    "exact", "rounding:base=3", "rounding:base=5", "rounding:base=10,ties=up", "rounding:base=4,ties=even",
    "rounding:base=5,how=down", "suppression:below=3", "suppression:below=5",
    "suppression:below=10,zeros=hide", "topcode:at=5", "bounded:error=1",
)  # fmt: skip


def misstate(printed: Printed, rng: Rng) -> Printed:
    """State something else of the same table, which may by luck be as good as true."""
    options = dict(printed.options)
    change = str(rng.choice(["mechanism", "mechanism", "margins", "of", "numbers"]))
    if change == "mechanism":
        options["mechanism"] = str(rng.choice([text for text in WRONG if text != options["mechanism"]]))
    elif change == "margins":
        options["margins"] = str(rng.choice(["exact", "rounding:base=5", "suppression:below=5"]))
    elif change == "of":
        options["of"] = str(
            rng.choice([of for of in ("row", "column", "all") if of != options.get("of", "row")])
        )
    else:
        options["numbers"] = str(rng.choice(["counts", "percent", "fraction"]))
    return Printed(f"false {change}", printed.files, options, true=False)
