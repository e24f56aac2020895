"""The referee on beliefs: hand-made scores, honest intervals, and what it refuses."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.inference.attack.beliefs.beliefs import (
    BeliefsByPerson,
    RandomisedResponse,
    after_answers,
    after_noisy_sum,
)
from dalenius.inference.attack.beliefs.totals import totals
from dalenius.inference.referee.beliefs import judge_beliefs
from dalenius.knowledge.correlation.model import CorrelationModel
from dalenius.mechanisms.stages.noise import Laplace


def beliefs(before: list[float], after: list[float]) -> BeliefsByPerson:
    ids = np.array([f"p{i}" for i in range(len(before))])
    return BeliefsByPerson("id", ids, np.array(before), np.array(after), "by hand")


def bits(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def families(count: int, size: int, coupling: float) -> CorrelationModel:
    """Groups in which everybody is linked with the first."""
    n = count * size
    edges = [(g * size, g * size + i) for g in range(count) for i in range(1, size)]
    pairs = np.array(edges, np.int64).reshape(-1, 2)
    ids = np.array([f"p{i}" for i in range(n)])
    return CorrelationModel("id", ids, pairs, np.full(len(edges), coupling), np.zeros(n))


def test_scores_by_hand() -> None:
    seen = beliefs([0.0, 1.0, -1.0], [3.0, -1.0, -1.0])
    judged = judge_beliefs(seen, seen.ids, bits(0, 0, 1))
    p = 1 / (1 + np.exp(-1.0))
    assert (judged.right.attack.hits, judged.right.baseline.hits, judged.right.trials) == (2, 2, 3)
    assert (judged.right.only_attack, judged.right.only_baseline) == (1, 1)
    before, after = [np.log(0.5), np.log(p), np.log(p)], [-np.log1p(np.exp(-3)), np.log(1 - p), np.log(p)]
    assert judged.log_score.before == pytest.approx(np.mean(before))
    assert judged.log_score.after == pytest.approx(np.mean(after))
    assert judged.brier.before == pytest.approx((0.25 + 2 * (1 - p) ** 2) / 3)
    assert judged.brier.change == pytest.approx(judged.brier.after - judged.brier.before)
    assert (judged.nearer, judged.farther, judged.unmoved) == (1, 1, 1)
    assert judged.largest_shift == pytest.approx(3.0)
    assert (judged.exposed_before.trials, judged.exposed_after.trials, judged.exposed_after.hits) == (0, 1, 1)


def test_certainty_far_out_keeps_its_score() -> None:
    seen = beliefs([0.0, 0.0], [900.0, 900.0])
    judged = judge_beliefs(seen, seen.ids, bits(0, 1))
    assert judged.log_score.after == pytest.approx(-450.0)


def test_one_group_has_no_interval_and_json_says_so() -> None:
    seen = beliefs([0.0, 0.0], [1.0, -1.0])
    judged = judge_beliefs(seen, seen.ids, bits(0, 1), groups=np.zeros(2, np.int32))
    assert np.isinf([judged.log_score.low, judged.log_score.high]).all()
    plain = json.loads(json.dumps(judged.to_json(), allow_nan=False))
    assert plain["log_score"]["low"] is None
    assert plain["log_score"]["change"] == judged.log_score.change


def test_intervals_of_groups_hold_and_those_of_people_do_not() -> None:
    """Six people who always agree, 40 families: six times the same answer is one answer."""
    model, rng = families(40, 6, 3.0), np.random.default_rng(6)
    sums = totals(model, np.zeros(len(model), bool))
    epsilon = np.where(np.arange(len(model)) % 6 == 0, 1.5, 0.0)
    coin = RandomisedResponse(epsilon)
    judged = []
    for truth in sums.draw(300, rng=rng):
        seen = after_answers(model, coin.publish(truth, rng=rng), epsilon)
        pair = [
            judge_beliefs(seen, model.ids, truth.astype(np.int32), groups=g)
            for g in (model.components(), None)
        ]
        judged.append(pair)
    expected = np.mean([grouped.log_score.change for grouped, _ in judged])
    held = [
        np.mean([score.log_score.low <= expected <= score.log_score.high for score in column])
        for column in zip(*judged, strict=True)
    ]
    assert held[0] > 0.9
    assert held[1] < 0.8, "people of one family taken for independent: the interval is too narrow"


def test_beliefs_from_the_right_prior_are_calibrated_and_from_a_wrong_one_are_not() -> None:
    """A planted fault: an attacker who believes that relatives agree much more than they do."""
    model, rng = families(4000, 3, 0.4), np.random.default_rng(9)
    truth = totals(model, np.zeros(len(model), bool)).draw(1, rng=rng)[0]
    coin = RandomisedResponse(np.full(len(model), 0.8))
    answers = coin.publish(truth, rng=rng)
    right, wrong = (
        judge_beliefs(
            after_answers(prior, answers, 0.8), model.ids, truth.astype(np.int32), groups=model.components()
        )
        for prior in (model, families(4000, 3, 2.0))
    )
    assert right.calibration_after < 0.02
    assert wrong.calibration_after > 0.1
    assert right.log_score.low > 0
    assert wrong.log_score.high < right.log_score.low, "overconfident beliefs score worse"


def test_a_noisy_sum_is_judged_too() -> None:
    model = families(5, 3, 1.0)
    truth = np.zeros(15, np.int32)
    judged = judge_beliefs(after_noisy_sum(model, -2.0, Laplace(None, 1.0)), model.ids, truth)
    assert judged.nearer == 15
    assert judged.right.attack.hits == 15
    assert judged.right.baseline.hits == 0, "a tie goes to 1"


def test_bad_input_is_refused() -> None:
    seen = beliefs([0.0, 0.0], [1.0, -1.0])
    with pytest.raises(InputError, match="2 beliefs, 2 names and 3 bits"):
        judge_beliefs(seen, seen.ids, bits(0, 1, 1))
    with pytest.raises(InputError, match="first in row 1"):
        judge_beliefs(seen, seen.ids[::-1], bits(0, 1))
    with pytest.raises(InputError, match="truth must be 0 or 1"):
        judge_beliefs(seen, seen.ids, bits(0, 2))
    with pytest.raises(InputError, match="no number"):
        judge_beliefs(beliefs([0.0], [np.nan]), np.array(["p0"]), bits(0))
    with pytest.raises(InputError, match="groups must be one number for each of 2"):
        judge_beliefs(seen, seen.ids, bits(0, 1), groups=np.zeros(3, np.int32))
    with pytest.raises(InputError, match="strictly between 0 and 1"):
        judge_beliefs(seen, seen.ids, bits(0, 1), confidence=1.0)
    with pytest.raises(InputError, match="at least one"):
        judge_beliefs(beliefs([], []), np.array([], str), bits())
