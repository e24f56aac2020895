"""Small valid files of printed tables, amounts, whole records, findings and workbooks of people.

As in `damaged_make` names of people begin with ``ZQ``. Amounts end in `ENDS`, which no sum of them does.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

CANARY = "ZQ"
ENDS = 31_973
"""How everybody's amount ends; the sum of two ends otherwise."""


def make_more(folder: Path) -> None:
    """Write the files, beside those that stand there already."""
    rng = np.random.default_rng(12)
    _amounts(folder, rng)
    _records(folder, rng)
    _workbooks(folder)
    _labels(folder)
    for name, text in MORE_PLANS.items():
        (folder / f"{name}.toml").write_text(text)
    (folder / "policy.toml").write_text("[policy]\nmax_certain = 2\nmax_advantage = 0.1\n")
    _findings(folder)


def _write(path: Path, header: str, rows: list[str]) -> None:
    path.write_text("\n".join([header, *rows]) + "\n")


def _amounts(folder: Path, rng: np.random.Generator) -> None:
    """Firms with a turnover, its sums by town and sector, and the turnovers for the referee."""
    import openpyxl

    count = 30
    names = [f"{CANARY}f{i:03}x" for i in range(count)]
    towns, sectors = rng.choice(["a", "b"], count), rng.choice(["shop", "farm"], count)
    amounts = rng.integers(1, 90, count) * 100_000 + ENDS
    public = [f"{n},{t},{s}" for n, t, s in zip(names, towns, sectors, strict=True)]
    _write(folder / "firms.csv", "client,town,sector", public)
    whole = [f"{row},{x}" for row, x in zip(public, amounts, strict=True)]
    _write(folder / "turnovers.csv", "client,town,sector,turnover", whole)
    paid = [f"{n},{x}" for n, x in zip(names, amounts, strict=True)]
    _write(folder / "true-turnovers.csv", "client,turnover", paid)
    groups = [(t, s, (towns == t) & (sectors == s)) for t in "ab" for s in ("shop", "farm")]
    lines = [f"{t},{s},{int(who.sum())},{amounts[who].sum()}" for t, s, who in groups]
    _write(folder / "sums.csv", "town,sector,count,sum", lines)
    book = openpyxl.Workbook()
    book.active.append(["town", "shop", "farm"])
    for town in "ab":
        sums = [int(amounts[who].sum()) for t, _, who in groups if t == town]
        book.active.append([town, *sums])
    book.save(folder / "sums.xlsx")


def _records(folder: Path, rng: np.random.Generator) -> None:
    """Records of two blocks, four tables of them, other people, and people with names."""
    import openpyxl

    count = 14
    blocks, sexes = rng.choice(["1a", "1b"], count), rng.choice(["f", "m"], count)
    ages, races = rng.choice(["0-17", "18+"], count), rng.choice(["x", "y", "z"], count)
    names = [f"{CANARY}r{i:03}x" for i in range(count)]
    rows = list(zip(blocks, sexes, ages, races, strict=True))
    whole = [",".join([name, *row]) for name, row in zip(names, rows, strict=True)]
    _write(folder / "true-records.csv", "who,block,sex,age,race", whole)
    named = [",".join([name, *row[:3]]) for name, row in zip(names[:9], rows, strict=False)]
    _write(folder / "named.csv", "who,block,sex,age", named)
    elsewhere = [",".join(row[1:]) for row in rows]
    _write(folder / "elsewhere.csv", "sex,age,race", [elsewhere[i] for i in rng.permutation(count)])
    _write(folder / "within.csv", "block,tract", ["1a,1", "1b,1"])
    levels = (("1a", "1b"), ("f", "m"), ("0-17", "18+"), ("x", "y", "z"))

    def counted(columns: tuple[int, ...]) -> list[list[str]]:
        keys: list[tuple[str, ...]] = [()]
        for column in columns:
            keys = [(*key, level) for key in keys for level in levels[column]]
        return [[*key, str(sum(tuple(row[c] for c in columns) == key for row in rows))] for key in keys]

    _write(folder / "block-sex.csv", "block,sex,count", [",".join(line) for line in counted((0, 1))])
    _write(folder / "block-age.csv", "block,age,count", [",".join(line) for line in counted((0, 2))])
    _write(folder / "sex-age-race.csv", "sex,age,race,count", [",".join(r) for r in counted((1, 2, 3))])
    book = openpyxl.Workbook()
    book.active.append([None, "race"])
    book.active.append(["block", *levels[3]])
    for block in levels[0]:
        book.active.append([block, *(int(line[2]) for line in counted((0, 3)) if line[0] == block)])
    book.save(folder / "block-race.xlsx")


def _workbooks(folder: Path) -> None:
    """The people of ``people.csv`` as other programs keep them."""
    import openpyxl
    import pandas as pd

    people = pd.read_csv(folder / "people.csv")
    book = openpyxl.Workbook()
    for row in [list(people.columns), *people.itertuples(index=False)]:
        book.active.append(list(row))
    book.save(folder / "people.xlsx")
    try:
        import pyreadstat
    except ImportError:
        return
    pyreadstat.write_sav(people, folder / "people.sav")
    pyreadstat.write_dta(people, folder / "people.dta")


def _labels(folder: Path) -> None:
    """A dictionary of codes, both ways."""
    _write(folder / "codes.csv", "column,code,label", ["sex,f,woman", "sex,m,man", "town,a,Aarau"])
    codes = {"sex": {"f": "woman", "m": "man"}, "town": {"values": {"a": "Aarau", "b": "Bern"}}}
    (folder / "codes.json").write_text(json.dumps(codes, indent=1))


def _findings(folder: Path) -> None:
    """What audits of three families have written."""
    from dalenius.auditing.plan import read_plan
    from dalenius.auditing.run import run_plan

    for name in ("csv", "amounts", "no-roster"):
        report = run_plan(read_plan(folder / f"{name}.toml")).report
        (folder / f"found-{name}.json").write_text(report.to_json())


TABLES = """seed = 1
[data]
path = "people.csv"
[schema]
id = "client"
secret = "ill"
"""

MORE_PLANS = {
    "printed": f"""{TABLES}
[[release]]
tables = ["crossed.csv", "crossed.xlsx"]
name = "out"
fixed = true
[[release]]
name = "planned"
statistics = ["tables:k=1"]
mechanism = "rounding:base=5"
""",
    "labels": """seed = 1
[data]
path = "people.csv"
[schema]
id = "client"
secret = "ill"
labels = "codes.json"
bins = { age = [21, 23] }
missing_codes = { town = ["b"] }
missing = "value"
[[release]]
name = "planned"
statistics = ["tables:k=1"]
mechanism = "suppression:below=3"
""",
    "amounts": """seed = 1
[data]
path = "turnovers.csv"
[schema]
id = "client"
[[release]]
name = "towns"
kind = "amounts"
amount = "turnover"
groups = ["town*sector"]
statistics = ["count", "sum"]
mechanism = "rounding:base=1000"
hide_below = 3
within = 0.1
least = 0
""",
    "no-roster": """seed = 1
[data]
path = "true-records.csv"
[schema]
ignored = ["who"]
[knowledge]
roster = false
[[release]]
name = "planned"
statistics = ["tables:k=2"]
mechanism = "rounding:base=3"
""",
    "asked-counts": """seed = 1
[data]
path = "own.csv"
[knowledge]
population = "everybody.csv"
[[release]]
name = "asked"
kind = "counts"
queries = 10
mechanism = "laplace:epsilon=0.5"
trials = 20
""",
}
"""Plans of the newer kinds of releases."""

WORKBOOKS = {"xlsx": "people.xlsx", "sav": "people.sav", "dta": "people.dta"}
"""People in files of other programs."""
