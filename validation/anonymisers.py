"""Anonymisers that other people made, driven as they are: CSV in, CSV out.

``python -m validation.anonymisers [--rows 2000] [--out FOLDER]``

anonypyx (MIT) runs in an environment of its own. It writes a line for each different record with a ``count``;
here each line is repeated as often, cells as it wrote them (``18-22``, ``10047,10423``).
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from pyarrow import csv
from rich.console import Console
from validation.environments import environment, run

from dalenius.dataset.census import census
from dalenius.records.equivalence import anonymity
from dalenius.records.rows import read_rows

QUASI, SENSITIVE = ["age", "sex", "zip"], "work"

ANONYPYX = """
import json, sys
import anonypyx
import pandas as pd
source, out, quasi, sensitive, k = sys.argv[1:]
quasi = quasi.split("+")
frame = pd.read_csv(source, dtype={"zip": str})[[*quasi, sensitive]]
for name in frame.columns:
    if not pd.api.types.is_numeric_dtype(frame[name]):
        frame[name] = frame[name].astype("category")
found = anonypyx.Anonymiser(
    frame, k=int(k), algorithm="Mondrian", feature_columns=quasi, sensitive_column=sensitive,
    generalisation_strategy="human-readable",
).anonymise()
found.loc[found.index.repeat(found.pop("count"))].to_csv(out, index=False)
print(json.dumps({"rows": len(frame)}))
"""


def anonypyx_mondrian(source: Path, out: Path, k: int) -> bool:
    """Let anonypyx recode a file; False if it cannot be installed here."""
    python = environment("anonypyx")
    if python is None:
        return False
    run(python, ANONYPYX, str(source), str(out), "+".join(QUASI), SENSITIVE, str(k))
    return True


def main() -> None:
    """Recode the census at several k, and measure what came out."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--out", type=Path, help="keep the files here")
    options, console = parser.parse_args(), Console()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.out or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        csv.write_csv(census(options.rows), folder / "people.csv")
        for k in (2, 5, 10, 20):
            out = folder / f"anonypyx-{k}.csv"
            if not anonypyx_mondrian(folder / "people.csv", out, k):
                console.print("anonypyx cannot be installed here")
                return
            console.print(f"anonypyx k={k}:", str(anonymity(read_rows(out, QUASI), QUASI, [SENSITIVE])))


if __name__ == "__main__":
    main()
