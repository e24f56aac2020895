"""A short form of the table of whole records: what is proven is so, and nothing passes."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    from validation import passes_records

    return passes_records


@pytest.mark.parametrize("name", ["the same, tables of three columns", "the same, rounded to 3"])
def test_tables_that_prove_records_stop(passes: ModuleType, name: str) -> None:
    verdict, certain, wrong = passes.audited(name, 0)
    assert (verdict, certain > 0, wrong) == ("stop", True, 0)


def test_noise_proves_nothing_and_does_not_pass(passes: ModuleType) -> None:
    assert passes.audited("30 people, geometric noise of epsilon 0.5", 0) == ("undecided", 0, 0)
