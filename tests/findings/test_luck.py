"""Luck from matches outside the data: by hand, and against the exact mean at every size."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from dalenius.singling_out.released.luck import alone_when_drawn
from dalenius.theory.isolation import isolation, isolation_without_replacement


def mean(values: np.ndarray, rows: int, w: float) -> float:
    return float(binom.pmf(np.arange(values.size), rows, w) @ values)


def test_by_hand_and_as_draws_without_replacement() -> None:
    assert alone_when_drawn(3, 2).tolist() == pytest.approx([0, 2 / 3, 2 / 3, 0])
    assert alone_when_drawn(50, 50).tolist() == [0, 1, 0]
    values = alone_when_drawn(200, 50)
    for c in (1, 2, 7, 30):
        assert values[c] == pytest.approx(isolation_without_replacement(200, 50, c))


@pytest.mark.parametrize("rows", [100, 130, 1000])
@pytest.mark.parametrize("w", [1e-4, 0.003, 0.01, 0.05, 0.3])
def test_it_is_unbiased_whatever_the_rows_are(rows: int, w: float) -> None:
    assert mean(alone_when_drawn(rows, 100), rows, w) == pytest.approx(isolation(100, w), abs=1e-9)
    # planted: matches counted as if all rows had been drawn
    assert rows == 100 or w > 0.2 or abs(binom.pmf(1, rows, w) - isolation(100, w)) > 1e-5
