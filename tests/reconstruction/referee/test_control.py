"""What the control is for: it tells leaking about members from learning about everybody."""

import numpy as np
import pytest

from dalenius.findings.tally import Comparison, paired_difference
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.referee.baseline import deal_redraw
from dalenius.reconstruction.referee.judge import judge, judge_control

PEOPLE = 4000
IDS = np.arange(PEOPLE).astype(np.str_)


@pytest.fixture
def world() -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    """Secrets that public columns predict right about 70% of the time."""
    rng = np.random.default_rng(11)
    yes = np.where(rng.random(PEOPLE) < 0.5, 0.3, 0.7)
    truth = (rng.random(PEOPLE) < yes).astype(np.int32)
    return truth, np.column_stack([1 - yes, yes]), rng


def claim(probability: np.ndarray) -> Guesses:
    return Guesses("id", IDS, ("no", "yes"), probability, np.zeros(PEOPLE, bool), "planted")


def told(secrets: np.ndarray, rng: np.random.Generator) -> Guesses:
    """An attack that reads nine in ten of these secrets."""
    seen = np.where(rng.random(PEOPLE) < 0.9, secrets, 1 - secrets)
    return claim(np.column_stack([1 - seen, seen]) * 0.8 + 0.1)


def interval_of(comparison: Comparison) -> tuple[float, float]:
    found = paired_difference(comparison.trials, comparison.only_attack, comparison.only_baseline, 0.95)
    return found.low, found.high


def test_population_correlation_gains_nothing_anywhere(world):
    truth, population, rng = world
    redraw = deal_redraw(truth, population, rng=rng)
    control = judge_control(claim(population), redraw, truth, population, truth_ids=IDS)
    judgement = judge(claim(population), IDS, truth, population=population, control=control)
    assert judgement.advantage.difference == 0
    assert control.difference == 0


def test_reading_the_release_gains_on_members_and_not_on_the_control(world):
    truth, population, rng = world
    redraw = deal_redraw(truth, population, rng=rng)
    judgement = judge(told(truth, rng), IDS, truth, population=population)
    control = judge_control(told(redraw.codes, rng), redraw, truth, population, truth_ids=IDS)
    assert interval_of(judgement.advantage)[0] > 0.15
    assert interval_of(control)[1] < 0  # it recovers the redrawn secrets, faithfully and in vain


def test_an_attack_that_sees_the_truth_itself_gains_on_the_control(world):
    truth, population, rng = world
    redraw = deal_redraw(truth, population, rng=rng)
    control = judge_control(told(truth, rng), redraw, truth, population, truth_ids=IDS)
    assert interval_of(control)[0] > 0.1


def test_a_correlation_that_the_baseline_missed_gains_on_both(world):
    truth, population, rng = world
    weak = np.tile([0.5, 0.5], (PEOPLE, 1))
    redraw = deal_redraw(truth, weak, rng=rng)
    judgement = judge(claim(population), IDS, truth, population=weak)
    control = judge_control(claim(population), redraw, truth, weak, truth_ids=IDS)
    assert interval_of(judgement.advantage)[0] > 0
    assert interval_of(control)[0] > 0


def test_the_size_of_the_control_moves_its_width_and_not_its_place(world):
    truth, population, rng = world
    found = []
    for share in (0.05, 0.2, 0.8):
        redraw = deal_redraw(truth, population, share, rng=rng)
        control = judge_control(told(redraw.codes, rng), redraw, truth, population, truth_ids=IDS)
        found.append((control.difference, *interval_of(control)))
    widths = [high - low for _, low, high in found]
    assert widths[0] > widths[1] > widths[2]
    assert all(low <= found[2][0] <= high for _, low, high in found)
