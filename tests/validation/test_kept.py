"""Results of many seeds outlive an interrupted run."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    from validation import kept

    return kept


def test_an_interrupted_run_goes_on_where_it_ended(kept: ModuleType, tmp_path: Path) -> None:
    asked: list[int] = []

    def run(seed: int) -> tuple[str, int]:
        asked.append(seed)
        if asked == [0, 1, 2]:
            raise KeyboardInterrupt
        return "pass", seed

    path = tmp_path / "kept.jsonl"
    with pytest.raises(KeyboardInterrupt):
        list(kept.Kept(4, path).results("a case", run))
    assert list(kept.Kept(4, path).results("a case", run)) == [
        ["pass", 0],
        ["pass", 1],
        ("pass", 2),
        ("pass", 3),
    ]
    assert asked == [0, 1, 2, 2, 3]
    assert list(kept.Kept(1, path).results("another", run)) == [("pass", 0)]
    assert list(kept.Kept(2, path, first=7).results("another", run)) == [("pass", 7), ("pass", 8)]


def test_only_cases_that_hold_a_word(kept: ModuleType) -> None:
    assert kept.Kept(1, None, ["rows", "copies"]).wants("copies of 1%")
    assert not kept.Kept(1, None, ["rows"]).wants("copies of 1%")
    assert kept.Kept(1).wants("anything")
