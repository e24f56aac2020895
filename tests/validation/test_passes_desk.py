"""A short form of the table of query interfaces: one draw of people."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    from validation import passes_desk

    return passes_desk


def test_a_desk_that_leaks_does_not_pass(passes: ModuleType) -> None:
    assert passes.verdict(passes.LEAKS["counts below 10 hidden, 20 questions"], 0) == "stop"


def test_a_desk_that_promises_enough_does_not_stop(passes: ModuleType) -> None:
    assert passes.verdict(passes.HARMLESS["noise, rho 0.005 for 100 questions"], 0) == "pass"
