"""A printed table of ten thousand numbers: CPU seconds to read it, and to find everything that follows.

20,000 people, four public columns crossed by pandas with a secret, printed in several ways.

    python validation/large_printed_tables.py
"""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from dalenius.printed.tables import Said
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.certain.cells import derive_cells
from dalenius.reconstruction.attack.certain.differencing import find_disclosures
from dalenius.reconstruction.published.tables import read_tables

LEVELS = {"a": 12, "b": 10, "c": 6, "d": 7}
ILL = "ill"


def made_up(n: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """People, and how many in each cell have each value."""
    rng = np.random.default_rng(1)
    people = pd.DataFrame({name: [f"{name}{x}" for x in rng.integers(0, k, n)] for name, k in LEVELS.items()})
    people.insert(0, "id", [f"p{i}" for i in range(n)])
    secret = pd.Series(rng.choice(["no", "yes"], n, p=[0.9, 0.1]), name=ILL)
    return people, pd.crosstab([people[name] for name in LEVELS], secret)


def printed(counts: pd.DataFrame) -> dict[str, tuple[pd.DataFrame, Said]]:
    """The table in several ways, and how each is stated."""
    whole = counts.sum(axis=1)
    rounded = 5 * (counts / 5).round()
    return {
        "counts": (counts, Said()),
        "counts below 3 hidden": (counts.where(counts >= 3), Said("suppression:below=3", numbers="counts")),
        "counts rounded to 5": (rounded.astype(int), Said("rounding:base=5")),
        "percent of rows": ((100 * counts.div(whole, axis=0)).round(1), Said(numbers="percent")),
        "percent of rows, of rounded counts": (
            (100 * rounded.div(whole, axis=0)).round(1),
            Said("rounding:base=5", numbers="percent"),
        ),
        "percent of columns": (
            (100 * counts.div(counts.sum(axis=0), axis=1)).round(4),
            Said(numbers="percent", of="column"),
        ),
    }


def main() -> None:
    """Print one line per table."""
    people, counts = made_up(20_000)
    print(f"{counts.size:,} numbers\n| printed as | read | cells and disclosures | people | certain |")
    print("|---|---|---|---|---|")
    with TemporaryDirectory() as place:
        people.to_csv(f"{place}/people.csv", index=False)
        for name, (table, said) in printed(counts).items():
            table.to_csv(f"{place}/t.csv")
            ends = [time.process_time()]
            view = read_tables(
                Path(place, "people.csv"), [Path(place, "t.csv")], id="id", said=said, secret=ILL
            )
            ends.append(time.process_time())
            find_disclosures(view)
            derive_cells(view)
            ends.append(time.process_time())
            claims = reconstruct(view, rng=np.random.default_rng(1))
            ends.append(time.process_time())
            spent = " | ".join(f"{b - a:.1f}" for a, b in pairwise(ends))
            print(f"| {name} | {spent} | {claims.certain.sum():,} |", flush=True)


if __name__ == "__main__":
    main()
