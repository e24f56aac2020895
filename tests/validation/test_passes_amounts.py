"""A short form of the table of amounts: each release about one draw of firms."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    from validation import passes_amounts

    return passes_amounts


def verdicts(passes: ModuleType, names: list[str]) -> dict[str, str]:
    return {name: passes.verdict(name, 0) for name in names}


def test_some_leaks_stop(passes: ModuleType) -> None:
    some = [name for name in passes.LEAKS if "standard deviation" not in name][::8]
    assert verdicts(passes, some) == dict.fromkeys(some, "stop")


@pytest.mark.slow(beside="test_some_leaks_stop")
def test_leaks_stop(passes: ModuleType) -> None:
    assert verdicts(passes, list(passes.LEAKS)) == dict.fromkeys(passes.LEAKS, "stop")


def test_what_does_not_leak_passes(passes: ModuleType) -> None:
    found = {name: passes.verdict(name, 0) for name in passes.HARMLESS}
    assert found == dict.fromkeys(passes.HARMLESS, "pass")
