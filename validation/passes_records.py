"""What passes of tables about whole records: nothing, and what stops is certain and true.

Run it whole with ``python -m validation.passes_records [--share 0.1] [--only WORD ...] [--kept FILE]``.
Tables without a list of people never pass, since others may be put beside them. So it is shown what stops:
tables that prove somebody's record, and whether what they prove is so. Exit code 1 if anything passes, if a
certain record is wrong, or if tables stop that say nothing about single people.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np
from validation.kept import Kept, asked
from validation.markdown import table

from dalenius.auditing.plan import check_plan
from dalenius.auditing.run import run_plan
from dalenius.records.finding import RecordsFinding

SEEDS = 40


LEAKS = {
    "30 people in 5 blocks, tables of two columns": (30, ("tables:k=2",), "exact"),
    "the same, tables of three columns": (30, ("tables:k=3",), "exact"),
    "the same, rounded to 3": (30, ("tables:k=3",), "rounding:base=3"),
    "the same, rounded to 5": (30, ("tables:k=2", "tables:k=3"), "rounding:base=5"),
    "counts below 3 hidden, one to three columns": (
        30,
        ("tables:k=1", "tables:k=2", "tables:k=3"),
        "suppression:below=3",
    ),
    "noise of 0.05, tables of three columns": (30, ("tables:k=3",), "gaussian:sigma=0.05"),
}
"""Somebody's whole record follows, or is as good as sure."""

HARMLESS = {
    "800 people, tables of one column": (800, ("tables:k=1",), "exact"),
    "800 people, all numbers rounded to 50": (800, ("tables:k=2",), "rounding:base=50"),
    "30 people, geometric noise of epsilon 0.5": (30, ("tables:k=2",), "geometric:epsilon=0.5"),
}
"""Nobody's record is certain."""

LEVELS = {"block": 5, "sex": 2, "age": 6, "race": 3}


def audited(name: str, seed: int) -> tuple[str, int, int]:
    """Audit tables about one draw of people: the verdict, certain records, and how many of them are wrong."""
    people, statistics, mechanism = (LEAKS | HARMLESS)[name]
    rng = np.random.default_rng([seed, 8])
    columns = [rng.integers(0, count, people) for count in LEVELS.values()]
    with tempfile.TemporaryDirectory() as place:
        rows = [",".join(f"{column}{code}" for column, code in zip("bsar", row, strict=True))
                for row in zip(*columns, strict=True)]  # fmt: skip
        Path(place, "people.csv").write_text("\n".join([",".join(LEVELS), *rows]) + "\n")
        released = {"name": "tables", "statistics": list(statistics), "mechanism": mechanism}
        raw = {"seed": seed, "data": {"path": "people.csv"}, "knowledge": {"roster": False}}
        report = run_plan(check_plan({**raw, "release": [released]}, Path(place))).report
    (finding,) = report.findings
    assert isinstance(finding, RecordsFinding)
    judged = finding.details.judged
    return report.verdict, finding.certain or 0, 0 if judged is None else judged.wrong


def shown(kept: Kept, head: str, cases: Mapping[str, object]) -> dict[str, Counter[str]]:
    """Print how often each release came to each verdict, and what was certain."""
    line = table(head, "pass", "undecided", "stop", "certain records", "wrong")
    every = {}
    for name in filter(kept.wants, cases):
        results = list(kept.results(name, partial(audited, name)))
        found = Counter(verdict for verdict, _, _ in results)
        found["wrong"] = sum(wrong for _, _, wrong in results)
        certain = sum(count for _, count, _ in results)
        line(
            [
                name,
                *(str(found[word]) for word in ("pass", "undecided", "stop")),
                f"{certain:,}",
                str(found["wrong"]),
            ]
        )
        every[name] = found
    return every


def main() -> int:
    """Print both tables; exit 1 if one shows what must not be."""
    kept = asked(SEEDS)
    leaks = shown(kept, "tables that prove records", LEAKS)
    harmless = shown(kept, "tables that do not", HARMLESS)
    wrong = any(found["pass"] or found["wrong"] for found in (*leaks.values(), *harmless.values()))
    return int(wrong or any(found["stop"] for found in harmless.values()))


if __name__ == "__main__":
    sys.exit(main())
