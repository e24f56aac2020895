"""Two truths with the same output give the same beliefs, to the last byte, in any order of asking."""

from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np
import pytest

from dalenius.inference.attack.beliefs.beliefs import after_answers, after_noisy_sum
from dalenius.knowledge.correlation.model import CorrelationModel
from dalenius.mechanisms.stages.noise import Gaussian, Geometric, Laplace, Noise
from dalenius.testing import as_bytes

LOOP = CorrelationModel(
    "id",
    np.array(["a", "b", "c", "d", "e"]),
    np.array([[0, 1], [1, 2], [2, 0], [3, 4]]),
    np.array([0.5, 0.3, 0.8, 0.9]),
    np.array([0.1, 0.0, -0.2, 0.0, 0.3]),
)


def said(output: float, noise: Noise) -> bytes:
    return as_bytes(after_noisy_sum(LOOP, output, noise))


@pytest.mark.parametrize("noise", [Laplace(1.0), Geometric(1.0), Gaussian(1.0)])
def test_databases_with_one_sum(noise: Noise) -> None:
    by_total = defaultdict(set)
    truths = list(itertools.product((0, 1), repeat=5))
    for truth in [*truths, *truths[::-1]]:
        by_total[sum(truth)].add(said(float(sum(truth)), noise))
    assert all(len(beliefs) == 1 for beliefs in by_total.values())
    assert len(set.union(*by_total.values())) == len(by_total), "different sums say different things"


def test_answers_alone_decide() -> None:
    answers = np.array([0.0, 1.0, np.nan, 1.0, 0.0])
    first = after_answers(LOOP, answers, 0.7).after.tobytes()
    after_answers(LOOP, 1 - answers, 0.7)
    assert after_answers(LOOP, answers, 0.7).after.tobytes() == first
