"""What passes among related people: a short form of the table in the documentation."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(ROOT)
    from validation import passes_inference

    return passes_inference


def test_what_leaks_never_passes(passes) -> None:
    for name, (_, make) in passes.LEAKS.items():
        assert passes.verdict_on(make, 0)[0] != "pass", name


def test_what_does_not_leak_passes(passes) -> None:
    for name, (_, make) in passes.SOUND.items():
        assert passes.verdict_on(make, 0)[0] == "pass", name
