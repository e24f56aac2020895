"""Exact numbers that are said to be noisy: the data tell that the noise was never drawn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import dalenius
from dalenius.release.publish import publish, try_again


@pytest.mark.parametrize(
    ("made", "wrong"), [("exact", True), ("gaussian:sigma=0.5", True), ("gaussian:sigma=5", False)]
)
def test_noise_that_is_said_to_be_larger_than_it_is(made: str, wrong: bool) -> None:
    """An exact table passed if it was said to have noise of 5."""
    rng = np.random.default_rng(1)
    ages = [str(age) for age in rng.integers(0, 12, 80)]
    table = pa.table({"age": ages, "ill": ["ny"[i] for i in rng.integers(0, 2, 80)]})
    with dalenius.read(table, secret="ill") as people:
        printed = publish(people, ["tables:k=1"], made, rng=rng)
        blocks = tuple(replace(block, mechanism="gaussian:sigma=5") for block in printed.blocks)
        said = replace(printed, mechanism="gaussian:sigma=5", blocks=blocks)
        assert bool(try_again(people, said, rng=rng).wrong) is wrong
