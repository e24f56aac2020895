"""People who are read by a difference under noise: decoders may not hide them by more noise than there is."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from dalenius.reconstruction.attack import readings
from dalenius.reconstruction.attack.decoders import exhaustive
from dalenius.statistics.tables import Tables

ONES = np.ones(2, np.int64)


def odds(chance: float) -> float:
    return float(np.log(chance / (1 - chance)))


def test_somebody_alone_in_a_noisy_count_is_read_as_the_noise_is(linear):
    system = linear([[1.0]], [0.9], sd=0.3, shape="gaussian", prior=0.2)
    direct = norm.logpdf(0.9, 1, 0.3) - norm.logpdf(0.9, 0, 0.3) + odds(0.2)
    assert readings.applies([system])
    assert odds(readings.read_each([system])[0, 1]) == pytest.approx(direct)
    # the search through all vectors is exact, too, and widens nothing
    assert odds(exhaustive.decode(system, rng=np.random.default_rng(1)).share[0]) == pytest.approx(direct)


def test_two_counts_that_differ_by_one_person_read_them_both_noises_counted(linear):
    rows = [[1, 1, 1, 1, 1], [1, 1, 1, 1, 0]]
    system = linear(rows, [3.1, 1.9], sd=0.2, shape="gaussian", prior=0.5, sizes=[1, 1, 1, 1, 1])
    read = readings.read_each([system])[:, 1]
    variance = 2 * 0.2**2
    assert odds(read[4]) == pytest.approx((1.2 - 0.5) / variance, rel=0.01)
    assert read[4] > 0.999
    assert (np.abs(read[:4] - 0.5) < 0.3).all()  # nothing is said of one of four


def test_of_too_many_people_those_are_read_who_have_a_cell_of_their_own(linear, monkeypatch):
    rows = [[1, 0, 0], [1, 0, 0], [1, 1, 1], [0, 1, 1]]
    system = linear(rows, [0.6, 0.8, 2.0, 1.1], sd=0.3, shape="gaussian", prior=0.2)
    monkeypatch.setattr(readings, "MOST_SIDE", 2)
    read = readings.read_each([system])[:, 1]
    assert odds(read[0]) == pytest.approx((0.7 - 0.5) / (0.09 / 2) + odds(0.2))
    assert read[1:] == pytest.approx(0.2, abs=1e-6)


@pytest.mark.parametrize(("unknowns", "answers"), [(40, 12), (9, 8), (25, 24)])
def test_many_people_in_few_rows_are_read_by_differences_too(linear, monkeypatch, unknowns, answers):
    """Beyond so many people only cells of their own were read, and two tables one person apart passed."""
    rng = np.random.default_rng(unknowns)
    rows = (rng.random((answers, unknowns)) < 0.4).astype(float)
    rows[1] = rows[0]
    rows[1, 0] = 1 - rows[0, 0]
    secret = rng.random(unknowns) < 0.3
    counts = rows @ secret + rng.normal(0, 0.2, answers)
    system = linear(rows, counts, sd=0.2, shape="gaussian", prior=0.3)
    all_pairs = readings._readings(system)
    monkeypatch.setattr(readings, "MOST_SIDE", unknowns - 1)
    monkeypatch.setattr(readings, "MANY", 7)
    by_rows = readings._readings(system)
    assert by_rows[0] == pytest.approx(all_pairs[0], rel=1e-6, abs=1e-6)
    assert by_rows[1] == pytest.approx(all_pairs[1], rel=1e-6)


def test_people_who_are_alike_are_read_by_their_sum(linear):
    both = linear([[1.0]], [2.0], sd=0.3, shape="gaussian", prior=0.3, sizes=[2])
    one = linear([[1.0]], [1.0], sd=0.3, shape="gaussian", prior=0.3, sizes=[2])
    assert readings.read_each([both])[0, 1] > 0.99
    assert readings.read_each([one])[0, 1] == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("shape", ["gaussian", "laplace"])
@pytest.mark.parametrize("answer", [4.1, 3.7, 0.1, 4.6])
def test_a_number_about_few_people_is_read_whole(linear, shape, answer):
    """Two alike, and two others who differ in another column: against every combination of secrets."""
    system = replace(
        linear([[1.0, 1.0, 1.0]], [answer], sd=0.2, shape=shape, sizes=[2, 1, 1]),
        prior=np.array([0.3, 0.4, 0.1]),
    )
    chances = np.array([0.3, 0.3, 0.4, 0.1])
    secrets = np.array(list(itertools.product([0, 1], repeat=4)))
    off = np.abs(secrets.sum(axis=1) - answer)
    cost = off * 2**0.5 / 0.2 if shape == "laplace" else off**2 / (2 * 0.2**2)
    weight = np.exp(-cost) * np.prod(np.where(secrets, chances, 1 - chances), axis=1)
    true = (weight @ secrets / weight.sum())[[0, 2, 3]]
    assert readings._shares_by_row(system, pooled=True) == pytest.approx(true, abs=1e-9)
    read = readings.read_each([system])[:, 1]
    assert (np.abs(read - 0.5) >= np.abs(true - 0.5) - 2e-4).all()


def test_of_several_values_a_number_about_few_people_is_read_whole(linear):
    """Both of two people who differ in another column have the second of three values."""
    counts = {0: 0.05, 1: 1.95, 2: -0.1}
    systems = [
        linear([[1.0, 1.0]], [answer], sd=0.2, shape="gaussian", prior=[0.6, 0.3, 0.1][value])
        for value, answer in counts.items()
    ]
    assert (readings.read_each(systems)[:, 1] > 0.99).all()


def test_numbers_that_say_of_some_and_not_of_whom_are_not_read_whole(linear):
    system = linear([[1.0, 1.0, 1.0]], [1.5], sd=0.2, shape="gaussian", prior=0.3)
    assert np.isnan(readings._shares_by_row(system, pooled=True)).all()


def test_laplace_noise_is_not_sure_of_a_wild_answer(linear):
    # a Gaussian of the same variance would hold it with odds of e^(2.5 / 0.08)
    system = linear([[1.0]], [3.1], sd=0.2 * 2**0.5, shape="laplace", prior=0.01)
    assert odds(readings.read_each([system])[0, 1]) == pytest.approx(1 / 0.2 + odds(0.01))


def test_geometric_noise_is_not_taken_for_smaller_because_it_is_mostly_zero(linear):
    ratio = np.exp(-1 / 0.2)
    sd = (ratio**0.5) / (1 - ratio)  # of the mean of two answers
    system = linear([[1.0]], [1.0], sd=sd, shape="laplace", prior=0.001)
    assert odds(readings.read_each([system])[0, 1]) == pytest.approx(2 / 0.2 + odds(0.001))


@pytest.mark.parametrize(
    ("sd", "shape"), [(0.8, "gaussian"), (0.0, "none"), (np.nan, "unknown")], ids=["wide", "exact", "unknown"]
)
def test_what_decoders_read_as_it_is_needs_no_reading(linear, sd, shape):
    system = linear([[1.0]], [1.0], sd=sd, shape=shape)
    assert not readings.applies([system])


@pytest.mark.parametrize("shape", ["gaussian", "laplace"])
def test_what_is_read_comes_true(linear, shape):
    rng = np.random.default_rng(5)
    said, right = [], []
    for _ in range(150):
        rows = (rng.random((24, 12)) < rng.uniform(0.1, 0.5)).astype(float)
        secret = rng.random(12) < 0.3
        noise = rng.normal(0, 0.3, 24) if shape == "gaussian" else rng.laplace(0, 0.3 / 2**0.5, 24)
        system = linear(rows, rows @ secret + noise, sd=0.3, shape=shape, prior=0.3)
        read = readings.read_each([system])[:, 1]
        said.append(np.maximum(read, 1 - read))
        right.append((read > 0.5) == secret)
    held, true = np.concatenate(said), np.concatenate(right)
    known = held >= 0.99
    assert known.sum() > 300
    assert true[known].mean() >= held[known].mean() - 3 * (0.01 / known.sum()) ** 0.5
    middle = (held > 0.8) & (held < 0.97)
    assert true[middle].mean() == pytest.approx(held[middle].mean(), abs=0.06)


@pytest.mark.parametrize("mechanism", ["gaussian:sigma=0.25", "laplace:scale=0.15", "geometric:scale=0.2"])
def test_noise_below_half_a_person_does_not_hide_who_is_alone(people, attack, mechanism):
    """Read with half a person's noise, as decoders have it, nobody here was held above 0.9."""
    rng = np.random.default_rng(2)
    codes = np.stack([rng.integers(0, 2, 60), rng.integers(0, 2, 60)], axis=1)
    codes[:3] = [[2, 0], [3, 1], [4, 0]]
    secret = (rng.random(60) < 0.2).astype(int)
    secret[:3] = 1
    roster = people(codes)
    asked = Tables(roster.attributes.columns, (("a0",), ("a0", "a1")))
    claims = attack([asked], roster, secret, mechanism=mechanism, prior=0.2)
    assert (claims.probability[:3, 1] > 0.99).all()
    assert not claims.certain.any()


@pytest.mark.parametrize("mechanism", ["gaussian:sigma=0.2", "laplace:scale=0.1"])
def test_of_several_values_too(people, attack, mechanism):
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (60, 1))
    codes[:3, 0] = [2, 3, 4]
    secret = rng.integers(0, 3, 60)
    roster = people(codes)
    asked = Tables(roster.attributes.columns, (("a0",),))
    claims = attack([asked], roster, secret, mechanism=mechanism, levels=("none", "mild", "grave"))
    assert (claims.guess[:3] == secret[:3]).all()
    assert (claims.confidence[:3] > 0.99).all()


def test_where_nobody_is_open_nothing_is_read(linear):
    """Tables with noise about people whose secrets follow from exact numbers ended in an error."""
    known = replace(linear([[1.0, 1.0]], [1.1], sd=0.1, shape="gaussian"), least=ONES, most=ONES)
    read = readings.read_each([known])
    assert read.shape == (2, 2)
    assert np.isnan(read).all()
