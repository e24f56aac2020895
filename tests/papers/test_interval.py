"""The interval over runs: exact where people are independent, wide where runs differ, never empty."""

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.findings.tally import Tally, clopper_pearson
from dalenius.papers.measure import over_runs


def test_single_trials_give_the_exact_interval() -> None:
    tallies = [Tally(int(hit), 1) for hit in [1] * 30 + [0] * 70]
    ours, exact = over_runs(tallies, 0.95), clopper_pearson(30, 100, 0.95)
    assert ours.low == pytest.approx(exact.low, abs=2e-3)
    assert ours.high == pytest.approx(exact.high, abs=2e-3)


@pytest.mark.parametrize("hits", [0, 50])
def test_runs_without_spread_count_once_each(hits: int) -> None:
    interval = over_runs([Tally(hits, 50)] * 20, 0.95)
    exact = clopper_pearson(20 if hits else 0, 20, 0.95)
    assert (interval.low, interval.high) == (exact.low, exact.high)


def test_it_holds_the_truth_when_people_of_a_run_fall_together() -> None:
    rng = np.random.default_rng(1)
    held = pooled = 0
    for _ in range(400):
        chances = rng.beta(2, 6, 20)
        tallies = [Tally(int(rng.binomial(200, chance)), 200) for chance in chances]
        interval = over_runs(tallies, 0.95)
        held += interval.low <= 0.25 <= interval.high
        naive = clopper_pearson(sum(t.hits for t in tallies), 4000, 0.95)
        pooled += naive.low <= 0.25 <= naive.high
    assert held >= 0.93 * 400
    assert pooled < 0.6 * 400, "the pooled interval is the fault this one is there to avoid"


def test_confidence_is_checked() -> None:
    with pytest.raises(InputError, match="confidence must lie strictly between 0 and 1"):
        over_runs([Tally(1, 2)], 1.0)
