"""Values at ranks by counting in buckets: those of a sort, whatever the numbers, and nothing is sorted."""

from __future__ import annotations

import ibis
import numpy as np
import pyarrow as pa
import pytest

from dalenius.people.engine import order_statistics
from dalenius.people.engine.levels import automatic_edges
from dalenius.people.engine.order_statistics import values_at

rng = np.random.default_rng(1)
LARGE = np.finfo(float).max
COLUMNS = {
    "normal": rng.normal(0, 1, 500),
    "skewed": np.exp(rng.normal(0, 40, 500)),
    "few values": rng.integers(0, 4, 500).astype(float),
    "one value": np.full(50, 7.5),
    "both ends of all numbers": np.array([-LARGE, LARGE, 0.0, 1.0, -1.0] * 20),
    "infinite": np.concatenate([rng.normal(0, 1, 90), np.full(10, np.inf), np.full(10, -np.inf)]),
    "near each other": 1e15 + rng.integers(0, 9, 300),
    "tiny": np.array([0.0, -1e-290, 1e-300, 1e-290, 1.0] * 10),
    "whole": rng.integers(-(10**12), 10**12, 500),
    "small whole": rng.integers(0, 90, 500).astype(np.int16),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_rank_is_that_of_a_sort(name: str) -> None:
    values = COLUMNS[name]
    ranks = [0, *(values.size * part // 5 for part in range(1, 5)), values.size - 1]
    found = values_at(ibis.memtable(pa.table({"x": values})), ranks)
    assert found == np.sort(values)[ranks].tolist()


def test_no_engine_sorts_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    """A window over all rows is one task on a cluster, whatever its size."""
    asked: list[str] = []

    def fetch(expression: ibis.Table) -> pa.Table:
        asked.append(str(ibis.to_sql(expression)).upper())
        return expression.to_pyarrow()

    monkeypatch.setattr(order_statistics, "fetch", fetch)
    monkeypatch.setattr("dalenius.people.engine.levels.fetch", fetch)
    values = np.exp(rng.normal(10, 1, 1_000))
    edges = automatic_edges(ibis.memtable(pa.table({"x": values})), 1_000)
    parts = np.histogram(values, [-np.inf, *edges, np.inf])[0]
    assert len(parts) == 5
    assert parts.min() > 150
    assert 2 <= len(asked) < 15
    assert not any(" OVER " in text or "ORDER BY" in text for text in asked)
