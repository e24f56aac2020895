"""People drawn at random, small enough that an audit takes a moment."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest

from dalenius.people.dataset import Dataset, read


def drawn(n: int, seed: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 9, n)
    return pa.table(
        {
            "id": [f"p{seed}-{i:03}" for i in range(n)],
            "age": age,
            "sex": rng.choice(["f", "m"], n),
            "town": rng.choice(["a", "b", "c"], n),
            "ill": np.where(rng.random(n) < 0.15 + 0.5 * (age > 5), "yes", "no"),
        }
    )


@pytest.fixture
def people() -> Iterator[Dataset]:
    with read(drawn(120, 1), secret="ill", id="id") as dataset:
        yield dataset


@pytest.fixture
def others() -> Iterator[Dataset]:
    with read(drawn(600, 2), secret="ill", id="id") as dataset:
        yield dataset
