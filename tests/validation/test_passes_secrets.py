"""A short form of the table of what passes: one leak, and one draw of people."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    from validation import passes_secrets

    return passes_secrets


def test_a_leak_does_not_pass(passes: ModuleType) -> None:
    verdict, certain, known = passes.leak("noise 0.01, then rounded to 5")
    assert verdict != "pass"
    assert (certain, known > 0) == (0, True)


def test_what_does_not_leak_does_not_stop(passes: ModuleType) -> None:
    verdicts = passes.harmless("400 people, a strong rule", 0)
    assert verdicts == dict.fromkeys(passes.HARMLESS, "pass")
