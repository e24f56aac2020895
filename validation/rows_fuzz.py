"""Random released rows that hold a secret: nobody may be certain of a value that is not theirs.

``python -m validation.rows_fuzz 150 [SEED]`` prints how many plans were audited and how many claims were
certain. Each plan has one or two files of the same people, whose cells are classes, overlap or are starred;
secrets are starred, rows left out. What follows by arithmetic from one file or both is held against the
truth.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dalenius.auditing.plan import check_plan
from dalenius.auditing.run import run_plan
from dalenius.reconstruction.finding import SecretsFinding

WIDTHS = (3, 5, 10, 30)


def people(rng: np.random.Generator) -> pd.DataFrame:
    """A few people of some towns; some values of the secret may be rare."""
    n, values = int(rng.integers(12, 60)), int(rng.integers(2, 4))
    ill = rng.choice([f"v{i}" for i in range(values)], n, p=rng.dirichlet(np.ones(values)))
    ill[:2] = "v0", "v1"
    town = rng.choice(["a", "b", "c"], n)
    return pd.DataFrame({"id": np.arange(n), "age": rng.integers(20, 50, n), "town": town, "ill": ill})


def released(who: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Their rows: every cell is true of its person."""
    width, rows = int(rng.choice(WIDTHS)), who.drop(columns="id").astype(str)
    rows["age"] = [_cell(age, width, rng) for age in who["age"].tolist()]
    rows["town"] = np.where(rng.random(len(who)) < 0.2, "*", who["town"])
    if rng.random() < 0.5:
        rows.loc[rng.random(len(who)) < 0.1, "ill"] = "*"
    if rng.random() < 0.4:
        rows = rows[rng.random(len(who)) < 0.85]
    return rows.sample(frac=1, random_state=int(rng.integers(1 << 31)))


def _cell(age: int, width: int, rng: np.random.Generator) -> str:
    drawn = rng.random()
    if drawn < 0.1:
        return "*"
    if drawn < 0.3:  # one of its own, which overlaps others
        return f"{age - rng.integers(0, 6)}-{age + rng.integers(0, 6)}"
    return f"{age // width * width}-{age // width * width + width - 1}"


def compare(place: Path, seed: int, seen: Counter[str]) -> None:
    """Audit one plan, and count what is certain and what of that is wrong."""
    rng = np.random.default_rng(seed)
    who = people(rng)
    who.to_csv(place / "people.csv", index=False)
    files: list[dict[str, Any]] = []
    for number in range(int(rng.integers(1, 3))):
        released(who, rng).to_csv(place / f"r{number}.csv", index=False)
        row = {"kind": "anonymised-rows", "quasi": ["age", "town"], "dropped": True}
        files.append(row | {"name": f"r{number}", "path": f"r{number}.csv"})
    plan = {
        "data": {"path": "people.csv"},
        "schema": {"id": "id", "secret": "ill", "public": ["age", "town"], "bins": {"age": [30, 40]}},
        "release": files,
        "budget": {"why": False},
    }
    found = run_plan(check_plan(plan, place)).report.findings
    for finding in found:
        if isinstance(finding, SecretsFinding) and (judged := finding.details.judged) is not None:
            seen["certain"] += finding.certain or 0
            seen["wrong"] += (finding.certain or 0) - judged.certain_right + judged.certain_wrong
            seen["attacked"] += 1


def main() -> None:
    """Audit so many plans; end with 1 if a claim was wrong."""
    plans, first = (int(word) for word in (*sys.argv[1:], "150", "1")[:2])
    seen: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        for seed in range(first, first + plans):
            compare(Path(place), seed, seen)
    print(
        f"{plans:,} plans, {seen['attacked']:,} attacks: {seen['certain']:,} certain, {seen['wrong']:,} wrong"
    )
    sys.exit(1 if seen["wrong"] else 0)


if __name__ == "__main__":
    main()
