"""Noise that was not drawn as stated is seen by whoever has the true counts; noise that was is left alone."""

from __future__ import annotations

import numpy as np
import pytest

from dalenius.mechanisms import as_stated
from dalenius.mechanisms.as_stated import AnswersKnown, drawn_once, independent, rank, unlike_stated
from dalenius.mechanisms.parse import parse_mechanism

TABLES, ROWS = 20, 8
TRUE = np.random.default_rng(7).integers(0, 30, (TABLES * ROWS, 2)).astype(float)
TABLE = np.repeat(np.arange(TABLES), ROWS)
ALONE = np.arange(TABLES * ROWS)


def noise(seed: int, sd: float = 3.0) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, sd, TRUE.shape)


def ranked(answers: np.ndarray, mechanism: str = "gaussian:sigma=3", slack: float = 0.0) -> as_stated.Ranked:
    known = AnswersKnown(answers, TRUE, np.full(TRUE.shape, slack), TABLE, np.arange(len(TRUE)) + 0.5)
    return rank(known, parse_mechanism(mechanism), ALONE, rng=np.random.default_rng(1))


@pytest.fixture(autouse=True)
def fewer_tries(monkeypatch):
    monkeypatch.setattr(as_stated, "MOST_TRIES", 499)


@pytest.mark.parametrize(
    ("mechanism", "drawn"),
    [
        ("gaussian:sigma=3", noise(1)),
        ("laplace:scale=2", np.random.default_rng(2).laplace(0, 2, TRUE.shape)),
        ("bounded:error=4", np.random.default_rng(3).uniform(-4, 4, TRUE.shape)),
    ],
)
def test_noise_that_was_drawn_as_stated_is_left_alone(mechanism, drawn):
    found = ranked(TRUE + drawn, mechanism)
    assert not unlike_stated(found).any()
    assert not drawn_once([found])
    chances = [as_stated._by_luck(found, np.repeat((t == TABLE)[:, None], 2, 1)) for t in range(TABLES)]
    assert sum(chance < 0.01 for chance in chances) <= 1


def test_numbers_cut_at_zero_and_printed_whole_are_left_alone():
    answers = np.maximum(np.round(TRUE + noise(4)), 0)
    assert not unlike_stated(ranked(answers, slack=0.5)).any()


def test_one_exact_table_among_many_is_seen_and_no_other():
    answers = np.where((TABLE == 5)[:, None], TRUE, TRUE + noise(5))
    assert unlike_stated(ranked(answers))[TABLE == 5].all()
    assert not unlike_stated(ranked(answers))[TABLE != 5].any()


def test_six_exact_whole_numbers_are_seen_one_of_them_empty():
    """Print tells them only up to one half, and an empty cell is often told as it is."""
    true = np.array([[130.0, 69.0], [140.0, 60.0], [0.0, 1.0]])
    known = AnswersKnown(true, true, np.full((3, 2), 0.75), np.zeros(3, np.int64), np.arange(3.0))
    found = rank(known, parse_mechanism("gaussian:sigma=5"), np.arange(3), rng=np.random.default_rng(1))
    assert unlike_stated(found).all()


def test_empty_cells_that_stay_empty_are_seen():
    answers = np.where(TRUE == 0, 0, np.round(TRUE + noise(6)))
    assert np.array_equal(unlike_stated(ranked(answers, slack=0.5)), TRUE == 0)


def test_a_stage_before_the_noise_is_no_noise():
    """Counts cut off at 20 are far from the true ones, and none of them got any noise."""
    answers = np.minimum(TRUE, 20)
    assert unlike_stated(ranked(answers, "topcode:at=20 | gaussian:sigma=4")).all()
    assert not unlike_stated(ranked(answers + noise(12, 4), "topcode:at=20 | gaussian:sigma=4")).any()


@pytest.mark.parametrize("sd", [0.3, 12.0], ids=["a tenth", "four times"])
def test_noise_of_another_size_is_seen(sd):
    assert unlike_stated(ranked(TRUE + noise(7, sd))).all()


def test_the_same_noise_in_two_tables_is_seen():
    drawn = noise(8)
    drawn[TABLE == 9] = drawn[TABLE == 3]
    found = ranked(TRUE + drawn)
    assert not unlike_stated(found).any()
    assert drawn_once([found])


def test_the_same_noise_in_both_columns_is_seen():
    drawn = noise(9)
    drawn[TABLE == 9, 1] = drawn[TABLE == 9, 0]
    assert drawn_once([ranked(TRUE + drawn)])


def test_two_releases_with_one_noise_are_seen_unless_they_are_about_the_same_people():
    found = ranked(TRUE + noise(10))
    assert not drawn_once([found, found])
    moved = found.known.whom + np.where(ALONE == 0, 0.1, 0.0)
    other = as_stated.Ranked(
        AnswersKnown(found.known.answers, TRUE, found.known.slack, TABLE, moved),
        found.error,
        found.nearer,
        found.farther,
        found.exact,
        found.again,
    )
    assert drawn_once([found, other])


def test_whole_numbers_are_alike_by_chance():
    drawn = np.round(noise(11, 1.0))
    assert not drawn_once([ranked(TRUE + drawn, "gaussian:sigma=1 | rounding:digits=0")])


@pytest.mark.parametrize(
    ("mechanism", "told"),
    [
        ("gaussian:sigma=3", True),
        ("suppression:below=5 | laplace:scale=1 | rounding:base=5", True),
        ("gaussian:rho=1", False),
        ("rounding:base=5", False),
        ("rounding:base=5,how=controlled", False),
        ("subsample:rate=0.5 | gaussian:sigma=1", False),
    ],
)
def test_only_errors_that_are_independent_and_of_a_stated_size_are_ranked(mechanism, told):
    assert independent(parse_mechanism(mechanism)) is told
