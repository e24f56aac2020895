"""A few random tables: no bound is below the linear program's nu, and a wrong one is."""

from __future__ import annotations

from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

from dalenius.random import stream

ROOT = Path(__file__).parents[2]


@pytest.fixture
def against(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(ROOT)
    from validation import inference_bounds

    with threadpool_limits(1):
        yield inference_bounds


def test_only_the_wrong_bound_is_broken(against):
    found = against.compare(against.BINARY, 36) | against.compare(against.TERNARY[:4], 8)
    assert against.broken(found) == [against.WRONG]
    closest = max(own["B-bin"][1] for own in found.values() if "B-bin" in own)
    assert closest > 0.999, "and nothing smaller than B-bin would hold"


def test_a_search_does_not_break_it(against):
    family = against.Family(2, 2, 0.5)
    assert 0.3 < against.search(stream(8, "quick"), family, "B-bin", 15) <= against.LIMIT
