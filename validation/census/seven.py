"""The block of seven people of a well-known example: counts, medians and means of age, small cells hidden.

``python -m validation.census.seven`` attacks it whole, and with tables left out, beside what is known of it.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from dalenius.records.attack.certain.settle import settle
from dalenius.records.attack.system import make_system
from dalenius.records.published.read import read_records
from dalenius.records.published.said import ALL, SaidOfTables, parse_universe

TABLES = {
    "all": "count,median age,mean age\n7,30.0,38.0\n",
    "sex": "sex,count,median age,mean age\nF,4,30.0,33.5\nM,3,30.0,44.0\n",
    "race": "race,count,median age,mean age\nB,4,51.0,48.5\nW,3,24.0,24.0\n",
    "adults": "married,count,median age,mean age\nM,4,51.0,54.0\nS,x,x,x\n",
    "black": "race,sex,count,median age,mean age\nB,F,3,36.0,36.7\nB,M,x,x,x\nW,M,x,x,x\nW,F,x,x,x\n",
    "ages": "age,count\nunder 5,x\nunder 18,x\n64+,x\n",
    "impossible": "age,married,count\n0-14,M,0\n",
}
"""Hidden cells are of 0 to 2 people; nobody under 15 is married."""

WITHOUT_BLACK_WOMEN = {"black": "race,sex,count\nB,M,x\nW,M,x\nW,F,x\n"}

SAID = SaidOfTables(
    mechanism={ALL: "suppression:below=3,zeros=hide", "impossible": "exact"},
    universe=parse_universe(["adults=age=18+"]),
    numbers={"age": (0, 125)},
    digits="full",
)

TRUTH = {"8FBS", "18MWS", "24FWS", "30MWM", "36FBM", "66FBM", "84MBM"}
"""Age, sex, race, married or single."""

CASES = (
    ("all tables", (), {}, 1, TRUTH),
    ("without sex", ("sex",), {}, 6, {"8FBS", "36FBM", "66FBM", "84MBM"}),
    ("without black women", (), WITHOUT_BLACK_WOMEN, 2, set()),
)
"""Name, tables left out, tables instead, how many data sets fit, who is in all of them."""


def proven(leave_out: tuple[str, ...], instead: dict[str, str] | None = None) -> tuple[int | None, set[str]]:
    """How many data sets fit, and who is certain."""
    with tempfile.TemporaryDirectory() as place:
        paths = []
        for name, text in (TABLES | (instead or {})).items():
            if name not in leave_out:
                paths.append(Path(place, f"{name}.csv"))
                paths[-1].write_text(text)
        published = read_records(paths, SAID)
    system = make_system(published.columns, published.grids, published.sums, published.medians)
    found = settle(system)
    at = [system.columns.position(name) for name in ("age", "sex", "race", "married")]
    certain = {
        "".join(system.columns.levels[column][record[column]] for column in at)
        for record, least in zip(system.records, found.lo, strict=True)
        if least
    }
    return found.data_sets, certain


def main() -> None:
    """Print every case."""
    for name, leave_out, instead, count, expected in CASES:
        begun = time.process_time()
        found = proven(leave_out, instead)
        held = "held" if found == (count, expected) else "NOT HELD"
        print(f"{name}: {found[0]} data sets, certain {sorted(found[1])}: {held}; "
              f"{time.process_time() - begun:.1f} CPU s")  # fmt: skip


if __name__ == "__main__":
    main()
