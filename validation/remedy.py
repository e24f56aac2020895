"""What a remedy proposes passes: fresh audits with other seeds, and what must not pass does not.

Run it with ``python -m validation.remedy [people] [audits] [survey|fair]``. Made people with columns like a
household survey, and the survey ``fair``. For every proposal 20 audits with other seeds are run; for noise
the theorem's bound is held against every measured gain. Prints one line a check, with its CPU seconds,
and ends with 1 if one fails.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

from dalenius.auditing.plan import Plan, check_plan
from dalenius.auditing.run import run_plan
from dalenius.remedy.bench import Workbench
from dalenius.remedy.find import find_remedy
from dalenius.remedy.options import RemedyOptions
from dalenius.remedy.result import Remedy

PEOPLE, AUDITS, FIRST_SEED = 7_600, 20, 100

MOST_SECONDS, CANDIDATES, MOST_FOR_CAUSES = 180.0, 40, 60.0

FAIR = ["age", "children", "religious", "educ"]


def household_survey(people: int, seed: int = 1) -> pa.Table:
    """Make people whose columns are as uneven as those of a real survey."""
    rng = np.random.default_rng(seed)
    age = rng.choice(8, people, p=np.array([9, 12, 14, 15, 16, 15, 11, 8]) / 100)
    columns = {"age": age, "sex": rng.integers(0, 2, people)}
    wed = rng.random(people) < 0.2 + 0.09 * age
    columns["married"] = np.where(wed, rng.choice([1, 2, 3, 4], people, p=[0.7, 0.18, 0.09, 0.03]), 0)
    columns["schooling"] = np.clip(rng.normal(4 - 0.2 * age, 1.8, people).round(), 0, 7).astype(int)
    columns["origin"] = rng.choice(7, people, p=[0.70, 0.12, 0.08, 0.05, 0.03, 0.015, 0.005])
    owns = rng.random(people) < 0.3 + 0.05 * age
    columns["housing"] = np.where(owns, 0, rng.choice([1, 2], people, p=[0.93, 0.07]))
    columns["work"] = rng.choice(4, people, p=[0.55, 0.07, 0.08, 0.30])
    odds = -3.6 + 0.38 * age + 0.7 * (columns["work"] == 3) - 0.15 * columns["schooling"]
    ill = rng.random(people) < 1 / (1 + np.exp(-odds))
    levels = {name: [f"{name} {code}" for code in codes] for name, codes in columns.items()}
    return pa.table({**levels, "ill": np.where(ill, "yes", "no")})


def plans(folder: Path, people: int) -> Iterator[tuple[str, Plan]]:
    """The plans that stop and are to be mended."""
    csv.write_csv(household_survey(people), folder / "people.csv")
    survey = {
        "data": {"path": "people.csv"},
        "schema": {"secret": "ill"},
        "release": [_release("tables:k=2", "suppression:below=10 | rounding:base=5")],
    }
    yield "household survey", check_plan(survey, folder)
    asked = f"tables:k=2,attributes={'+'.join(FAIR)}"
    yield "fair", check_plan({"data": {"example": "fair"}, "release": [_release(asked, "exact")]}, folder)


def _release(statistic: str, mechanism: str) -> dict[str, object]:
    return {"name": "planned", "statistics": [statistic], "mechanism": mechanism}


def fresh(remedy: Remedy, audits: int) -> tuple[int, float]:
    """How many audits of the proposal with other seeds pass, and the largest gain beyond its bound."""
    if remedy.best is None:
        return 0, 0.0
    passed, beyond = 0, -1.0
    budget = remedy.best.plan.budget.model_copy(update={"why": False})  # causes decide nothing
    for seed in range(FIRST_SEED, FIRST_SEED + audits):
        report = run_plan(remedy.best.plan.model_copy(update={"seed": seed, "budget": budget})).report
        passed += report.verdict == "pass"
        for finding in report.findings:
            if finding.bound is not None:
                beyond = max(beyond, finding.advantage.low - finding.bound.value)
    return passed, beyond


def causes_in(plan: Plan) -> float:
    """CPU seconds that looking for causes adds to an audit."""
    spent = []
    for why in (False, True):
        start = time.process_time()
        run_plan(plan.model_copy(update={"budget": plan.budget.model_copy(update={"why": why})}))
        spent.append(time.process_time() - start)
    return spent[1] - spent[0]


def must_not_pass(plan: Plan) -> dict[str, bool]:
    """Say of changes that only dodge the rules whether they are refused."""
    refused = {}
    with Workbench(plan) as bench:
        for mechanism in ("gaussian:sigma=0.01", "suppression:below=5"):
            release = plan.release[0].model_copy(update={"mechanism": mechanism})
            seen = bench.look(plan.model_copy(update={"release": [release]}))
            refused[mechanism] = seen.verdict != "pass"
    return refused


def main(people: int, audits: int, only: str = "") -> int:
    """Run all checks."""
    failed = 0

    def told(what: str, *, kept: bool) -> None:
        nonlocal failed
        failed += not kept
        print(f"{'kept  ' if kept else 'BROKEN'} {what}", flush=True)

    with tempfile.TemporaryDirectory() as place:
        for name, plan in plans(Path(place), people):
            if only not in name:
                continue
            seconds = causes_in(plan)
            told(f"{name}: causes in {seconds:.0f} CPU s", kept=seconds <= MOST_FOR_CAUSES)
            for mechanism, refused in must_not_pass(plan).items():
                told(f"{name}: {mechanism} does not pass", kept=refused)
            for allow in (RemedyOptions().allow, ("noise",)):
                start = time.process_time()
                found = find_remedy(plan, RemedyOptions(allow=allow))
                seconds = time.process_time() - start
                print(found.summary())
                tried = len(found.ladder.rungs) - 1
                told(f"{name}: {tried} changes in {seconds:.0f} CPU s", kept=found.passes)
                if tried >= CANDIDATES:
                    each = seconds / tried * CANDIDATES
                    told(f"{name}: {each:.0f} CPU s for {CANDIDATES} changes", kept=each <= MOST_SECONDS)
                passed, beyond = fresh(found, audits)
                told(f"{name}: {passed} of {audits} fresh audits pass", kept=passed == audits)
                told(f"{name}: no gain beyond a bound ({beyond:+.4f})", kept=beyond <= 0)
    return int(failed > 0)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    names = [word for word in sys.argv[1:] if not word.isdigit()]
    sys.exit(main(*(numbers + [PEOPLE, AUDITS][len(numbers) :]), *names))
