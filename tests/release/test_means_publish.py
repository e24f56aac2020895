"""Means are exact before they are protected, and samples are of the people they say."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dalenius.errors import InputError, UnsupportedError
from dalenius.people.traits.traits import CodedTraits, RealTraits, coded_from_values
from dalenius.release.means_publish import publish_means


def coded(values: NDArray[np.float64], kind: Literal["binary", "genotype"] = "binary") -> CodedTraits:
    n, d = values.shape
    ids, names = np.arange(n).astype(np.str_), np.array([f"a{j}" for j in range(d)])
    return coded_from_values("id", ids, names, values, kind)


def drawn(n: int, d: int, seed: int = 1, kind: str = "binary") -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    f = rng.uniform(0.1, 0.9, d)
    if kind == "binary":
        return 2.0 * (rng.random((n, d)) < f) - 1
    return rng.binomial(2, f, (n, d)) - 1.0


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


@given(st.integers(1, 30), st.integers(1, 8), st.integers(0, 10_000))
def test_exact_means_are_the_means_of_those_who_answered(n: int, d: int, seed: int) -> None:
    values = drawn(n, d, seed, "genotype")
    values[np.random.default_rng(seed).random((n, d)) < 0.2] = np.nan
    seen = ~np.isnan(values).all(axis=0)
    if not seen.any():
        return
    release = publish_means(coded(values, "genotype"), "exact", rng=rng())
    assert release.means == pytest.approx(np.nanmean(values[:, seen], axis=0))
    assert (release.n, release.sigma, release.promise) == (n, 0.0, None)


def test_noise_is_in_printed_units_and_doubled_inside() -> None:
    release = publish_means(coded(drawn(50, 20_000)), "gaussian:sigma=0.05", rng=rng())
    exact = publish_means(coded(drawn(50, 20_000)), "exact", rng=rng())
    assert release.sigma == pytest.approx(0.1)
    assert np.std(release.means - exact.means) == pytest.approx(0.1, rel=0.03)


def test_rho_of_a_thousand_fractions_of_five_hundred_people() -> None:
    people = coded(drawn(500, 1000))
    told = publish_means(people, "gaussian:sigma=0.05", rng=rng())
    assert told.promise is not None
    assert told.promise.rho == pytest.approx(0.8)  # k / (2 n^2 sigma^2)
    asked = publish_means(people, "gaussian:rho=0.8", rng=rng())
    assert asked.sigma == pytest.approx(0.1, rel=1e-9)
    assert asked.mechanism == "gaussian:sigma=0.05000000001"  # ten digits, rounded up: never less than asked


def test_a_shared_sample_is_the_mean_of_exactly_its_people() -> None:
    values = drawn(12, 40)
    release = publish_means(coded(values), "subsample:size=3", rng=rng(5))
    assert release.n == 3
    fits = [
        (a, b, c)
        for a in range(12)
        for b in range(a)
        for c in range(b)
        if np.allclose(values[[a, b, c]].mean(axis=0), release.means)
    ]
    assert len(fits) == 1
    rate = publish_means(coded(values), "subsample:rate=0.5", rng=rng(5))
    assert rate.n is not None
    assert 0 < rate.n < 12


@pytest.mark.parametrize("kind", ["binary", "genotype"])
def test_column_samples_have_the_right_mean_and_spread(kind: Literal["binary", "genotype"]) -> None:
    one = drawn(40, 1, 3, kind)
    release = publish_means(
        coded(np.repeat(one, 20_000, axis=1), kind), "subsample:size=5,per=column", rng=rng()
    )
    assert release.means.mean() == pytest.approx(one.mean(), abs=4 * one.std() / np.sqrt(5 * 20_000))
    expected = one.var() / 5 * (40 - 5) / (40 - 1)  # without replacement
    assert release.means.var() == pytest.approx(expected, rel=0.05)
    assert release.n == 40


def test_column_samples_of_real_values() -> None:
    one = np.random.default_rng(1).normal(size=(30, 1))
    people = RealTraits(
        "id", np.arange(30).astype(np.str_), np.arange(5000).astype(np.str_), np.tile(one, 5000)
    )
    release = publish_means(people, "subsample:size=10,per=column", rng=rng())
    assert release.means.mean() == pytest.approx(one.mean(), abs=0.02)
    assert release.means.var() == pytest.approx(one.var() / 10 * 20 / 29, rel=0.08)


def test_the_population_has_nothing_of_the_people() -> None:
    p = np.linspace(-0.8, 0.8, 6)
    first = publish_means(coded(drawn(10, 6, 1)), "population", rng=rng(), population=p)
    second = publish_means(coded(drawn(10, 6, 2)), "population", rng=rng(), population=p)
    assert first.means == pytest.approx(p)
    assert np.array_equal(first.means, second.means)
    with pytest.raises(InputError, match="means of the population"):
        publish_means(coded(drawn(10, 6)), "population", rng=rng())


def test_hidden_attributes_are_left_out() -> None:
    values = np.array([[1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    release = publish_means(coded(values), "suppression:rare=0.1", rng=rng())
    assert release.names.tolist() == ["a1"]
    with pytest.raises(InputError, match="at least one mean"):
        publish_means(coded(values), "suppression:rare=0.5", rng=rng())


def test_real_values_get_no_promise() -> None:
    people = RealTraits("id", np.array(["a", "b"]), np.array(["income"]), np.array([[1.0], [4.0]]))
    assert publish_means(people, "exact", rng=rng()).means.tolist() == [2.5]
    noisy = publish_means(people, "gaussian:sigma=0.5", rng=rng())
    assert (noisy.sigma, noisy.promise) == (0.5, None)
    with pytest.raises(InputError, match="limited amount"):
        publish_means(people, "gaussian:rho=1", rng=rng())


def test_opendp_draws_noise_of_the_stated_size_and_takes_no_seed() -> None:
    people = coded(drawn(100, 800))
    exact = publish_means(people, "exact", rng=rng())
    first = publish_means(people, "gaussian:rho=0.5", rng=rng(), for_the_world=True)
    second = publish_means(people, "gaussian:rho=0.5", rng=rng(), for_the_world=True)
    assert first.sigma is not None
    assert np.std(first.means - exact.means) == pytest.approx(first.sigma, rel=0.12)
    assert not np.array_equal(first.means, second.means)
    with pytest.raises(UnsupportedError, match="OpenDP"):
        publish_means(people, "exact", rng=rng(), for_the_world=True)


def test_bad_sizes_are_refused() -> None:
    with pytest.raises(InputError, match="at most the number of people"):
        publish_means(coded(drawn(4, 2)), "subsample:size=5", rng=rng())
    with pytest.raises(InputError, match="at most the number of people"):
        publish_means(coded(drawn(4, 2)), "subsample:size=5,per=column", rng=rng())
    with pytest.raises(UnsupportedError, match="unknown"):
        publish_means(coded(drawn(4, 2)), "unknown", rng=rng())
