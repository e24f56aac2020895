"""In which order people and columns stand in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import dalenius


def test_the_order_of_rows_is_free_and_that_of_columns_moves_no_count(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    rows = [
        (f"c{i:02}", str(20 + rng.integers(4)), rng.choice(["f", "m"]), rng.choice(["no", "yes"]))
        for i in range(40)
    ]
    names = ("client", "age", "sex", "ill")

    def finding(order: tuple[int, ...], people: list[tuple[str, ...]]) -> dict[str, Any]:
        lines = [",".join(line[j] for j in order) for line in (names, *people)]
        (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
        with dalenius.read(tmp_path / "people.csv", secret="ill", id="client") as opened:
            said = dalenius.audit(opened, statistics=["tables:k=2"], mechanism="exact", seed=1).report
        return said.model_dump(mode="json")["findings"][0]

    first, shuffled, turned = (
        finding((0, 1, 2, 3), rows),
        finding((0, 1, 2, 3), rows[::-1]),
        finding((3, 2, 1, 0), rows),
    )
    assert first == shuffled
    for key in ("attack", "best_baseline", "certain", "known", "severity", "sentence"):
        assert first[key] == turned[key]
