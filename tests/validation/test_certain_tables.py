"""A few tables that other tools print: nothing wrongly certain or refused; a false statement is seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT)
    from validation import certain_tables, printed_by_others

    return certain_tables, printed_by_others


@pytest.mark.parametrize(
    "cases", [30, pytest.param(60, marks=pytest.mark.slow(beside="test_true_statements"))]
)
def test_true_statements(modules: Any, cases: int) -> None:
    tallies, bad = modules[0].run(cases, seed=70_000)
    assert bad == []
    tally = tallies["true statements"]
    assert tally.cases == cases
    assert tally.certain > cases * 5 / 3


def test_shares_of_a_column_beside_one_that_nobody_is_in(modules: Any, tmp_path: Path) -> None:
    """Seven people alone, all of them healthy: 0% of nothing, and a column of the ill that is not printed."""
    people = pd.DataFrame({"id": [f"p{i}" for i in range(7)], "town": list("ABCDEFG"), "ill": "no"})
    people.drop(columns="ill").to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "t.csv").write_text("town,no\n" + "".join(f"{town},0%\n" for town in "ABCDEFG"))
    options = {"mechanism": "rounding:base=3 | suppression:below=5", "of": "column"}
    printed = modules[1].Printed("shares", [tmp_path / "t.csv"], options)
    outcome = modules[0].read(printed, people, tmp_path)
    assert (outcome.refused, outcome.nothing, outcome.certain) == ("", True, 0)


def test_a_false_statement_is_counted(modules: Any, tmp_path: Path) -> None:
    """Sixteen ill people, rounded to even, with ties said to go up: one is called healthy."""
    judged, made = modules
    rows = [
        (f"p{i}", "young" if i == 15 else "old", "A" if i < 4 or i == 15 else "B", "yes") for i in range(16)
    ]
    people = pd.DataFrame(rows, columns=["id", "age", "town", "ill"])
    people.drop(columns="ill").to_csv(tmp_path / "people.csv", index=False)
    files = []
    for name in ("age", "town"):
        table = pd.crosstab(people[name], people["ill"]).round(-1)
        files.append(tmp_path / f"{name}.csv")
        table.assign(no=0)[["no", "yes"]].to_csv(files[-1])
    for ties, wrong in (("even", False), ("unknown", False), ("up", True)):
        printed = made.Printed("rounded", files, {"mechanism": f"rounding:base=10,ties={ties}"})
        outcome = judged.read(printed, people, tmp_path)
        assert outcome.refused == ""
        assert (outcome.wrong > 0) == wrong
