"""What others print is never taken as more exact than it is: tables that once gave wrong certainties."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def attack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Callable[..., dict[str, str]]:
    """Attack tables about people, and return who is certain and of what."""
    monkeypatch.chdir(tmp_path)

    def certain(people: str, *tables: str, options: tuple[str, ...] = ()) -> dict[str, str]:
        Path("people.csv").write_text(people)
        words: list[str] = []
        for j, text in enumerate(tables):
            Path(f"t{j}.csv").write_text(text)
            words += ["--table", f"t{j}.csv"]
        result = run("reconstruct", "tables", "--people", "people.csv", "--id", "id", *words, *options)
        if result.exit_code == 2 and "nothing is guessed" in result.output:
            return {}
        assert result.exit_code == 0, result.output
        with Path("dalenius-report/claims.csv").open(newline="") as file:
            return {row["id"]: row["guess"] for row in csv.DictReader(file) if row["certain"] == "true"}

    return certain


Attack = Callable[..., dict[str, str]]


def test_ties_to_even_are_not_read_as_ties_up(attack: Attack) -> None:
    """Sixteen people, all ill, rounded by numpy: 15 became 20, and 5 in A became 0."""
    rows = [f"p{i},{'young' if i == 15 else 'old'},{'A' if i < 4 or i == 15 else 'B'}" for i in range(16)]
    people = "\n".join(["id,age,town", *rows, ""])
    tables = ("age,no,yes\nold,0,20\nyoung,0,0\n", "town,no,yes\nA,0,0\nB,0,10\n")
    for ties in ("", ",ties=unknown", ",ties=even"):
        found = attack(people, *tables, options=("--mechanism", f"rounding:base=10{ties}"))
        assert set(found.values()) <= {"yes"}
    wrong = attack(people, *tables, options=("--mechanism", "rounding:base=10,ties=up"))
    assert wrong["p15"] == "no"  # what a wrong statement leads to
