"""What is done to means: golden correlations of members with the release, bad input, the size of noise."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from dalenius.errors import InputError
from dalenius.matrices.answers import Counts, Sensitivity
from dalenius.mechanisms.chain import Mechanism
from dalenius.mechanisms.means import noise_sd, sensitivity_of_means
from dalenius.mechanisms.parse import parse_mechanism

Floats = NDArray[np.float64]
NOWHERE = Sensitivity(0.0, 0.0)


def parse_means(text: str) -> Mechanism:
    return parse_mechanism(text, "means")


def published(text: str, fractions: Floats, seed: int = 1) -> Floats:
    counts = Counts(fractions[:, None], np.arange(fractions.size), NOWHERE)
    return parse_means(text).protect(counts, rng=np.random.default_rng(seed))[:, 0]


def correlation(text: str, n: int, prior: str) -> float:
    """``E[q sum_i (x_i - p)]`` in signed units (Lemma 5), summed exactly over how many of n say yes."""
    yes = np.arange(n + 1)
    q = 2 * published(text, yes / n) - 1
    total = 2.0 * yes - n
    if prior == "uniform":  # the count is uniform, and the mean of p given it is Laplace's rule
        weight, expected = np.full(n + 1, 1 / (n + 1)), total / (n + 2)
    else:  # p is +1/2 or -1/2 with even odds
        low, high = binom.pmf(yes, n, 0.25), binom.pmf(yes, n, 0.75)
        weight, expected = (low + high) / 2, (high - low) / (high + low) / 2
    return float((weight * q * (total - n * expected)).sum())


@pytest.mark.parametrize(
    ("text", "n", "prior", "golden"),
    [
        ("exact", 7, "uniform", 2 / 3),
        ("exact", 40, "uniform", 2 / 3),
        ("exact", 20, "two-point", 0.75),
        ("sign", 101, "uniform", 0.990291262136),
        ("sign", 20, "uniform", 0.952380952381),
        ("sign:scale=0.5", 20, "two-point", 0.0992227527968),
        ("sign:scale=0.5", 51, "two-point", 0.00161590848062),
        ("sign:scale=0.5", 101, "two-point", 1.7071439939e-06),
        ("rounding:step=0.25", 20, "uniform", 0.683982683983),
        ("extreme-flip:above=0.77", 50, "uniform", -0.109200603318),
        ("constant:value=0.5", 20, "uniform", 0.0),
        ("worst-case:alpha=0.1,people=10", 10, "uniform", 0.570692627213),
        ("worst-case:alpha=0.5,people=20", 20, "uniform", 0.178395838398),
    ],
)
def test_members_are_correlated_with_the_release_as_computed(
    text: str, n: int, prior: str, golden: float
) -> None:
    assert correlation(text, n, prior) == pytest.approx(
        golden, abs=1e-5 if text.startswith("worst") else 2e-12, rel=1e-9
    )


def test_extreme_flip_is_accurate_on_average() -> None:
    yes = np.arange(51)
    q = 2 * published("extreme-flip:above=0.77", yes / 50) - 1
    error = np.abs(q - (2 * yes / 50 - 1)).mean()  # with a uniform prior the count is uniform
    assert error == pytest.approx(0.447058823529, abs=1e-12)


def test_rounding_takes_ties_to_the_even_multiple_and_clipping_cuts() -> None:
    given = np.array([0.05, 0.15, 0.25, 0.349, np.nan])
    assert published("rounding:step=0.1", given)[:4] == pytest.approx([0.0, 0.2, 0.2, 0.3])
    assert np.isnan(published("rounding:step=0.1", given)[4])
    assert published("clip", np.array([-0.2, 0.4, 1.3])).tolist() == [0.0, 0.4, 1.0]
    assert published("clip:low=-1,high=2", np.array([-3.0, 5.0])).tolist() == [-1.0, 2.0]


def test_rare_values_are_hidden_on_both_ends() -> None:
    hidden = np.isnan(published("suppression:rare=0.05", np.array([0.04, 0.05, 0.5, 0.95, 0.96])))
    assert hidden.tolist() == [True, False, False, False, True]


@pytest.mark.parametrize(
    ("text", "sd"),
    [
        ("exact", 0.0),
        ("gaussian:sigma=0.03 | clip", 0.03),
        ("gaussian:sigma=0.03 | laplace:scale=0.02", np.sqrt(0.03**2 + 2 * 0.02**2)),
        ("rounding:digits=1", 0.1 / np.sqrt(12)),
        ("rounding:step=0.2", 0.2 / np.sqrt(12)),
        ("bounded:error=0.3", 0.3 / np.sqrt(3)),
        ("subsample:size=5", 0.0),
        ("sign", None),
        ("extreme-flip:above=0.5", None),
        ("population", None),
        ("unknown", None),
        ("subsample:size=5,per=column", None),
    ],
)
def test_the_size_of_the_noise_is_read_off_the_chain(text: str, sd: float | None) -> None:
    found = noise_sd(parse_means(text), np.array([0.2, 0.4]))
    assert found == (None if sd is None else pytest.approx(sd))


@pytest.mark.parametrize(
    "text",
    [
        "exact",
        "rounding:digits=2",
        "rounding:step=0.05",
        "gaussian:sigma=0.01 | clip",
        "gaussian:rho=0.5 | rounding:digits=3",
        "laplace:epsilon=2",
        "subsample:rate=0.5",
        "subsample:size=50",
        "subsample:size=50,per=column | gaussian:sigma=0.1",
        "population",
        "constant:value=0.25",
        "sign:scale=0.5",
        "extreme-flip:above=0.77",
        "suppression:rare=0.01",
        "clip:low=-1,high=2",
        "worst-case:alpha=0.1,people=50",
    ],
)
def test_the_grammar_writes_back_what_it_reads(text: str) -> None:
    assert str(parse_means(text)) == text


def test_epsilon_and_delta_become_the_rho_of_the_least_noise() -> None:
    chain = parse_means("gaussian:epsilon=1,delta=1e-5")
    one = Sensitivity(1.0, 1.0)
    sigma = float(str(chain.resolve(one)).removeprefix("gaussian:sigma="))
    assert sigma == pytest.approx(1 / 0.268051, rel=1e-5)  # Balle and Wang (2018), Theorem 8


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("suppression:below=10", "'below' must be one for means.*for counts.*suppression:rare"),
        ("rounding:base=5", "'base' must be one for means.*for counts.*rounding:digits"),
        ("geometric:epsilon=1", "must be one for means.*It is for counts"),
        ("gaussian:sigma=0.1 | subsample:size=5", "must come first"),
        ("exact | population", "must come first"),
        ("clip:low=1,high=0", "below high"),
        ("sign:scale=0", "above 0"),
        ("extreme-flip:above=1.5", "at most 1"),
        ("suppression:rare=0.6", "at most 0.5"),
        ("rounding:step=0", "above 0"),
        ("subsample:size=0", "at least 1"),
        ("subsample", "size"),
        ("rounding:digits=2 | gaussian:rho=1", "before what depends on the counts"),
        ("sign | laplace:epsilon=1", "before what depends on the counts"),
        ("gaussian:epsilon=1", "delta"),
        ("unknown | clip", "stand alone"),
    ],
)
def test_what_means_cannot_have_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_means(text)


def test_the_worst_case_needs_the_counts_of_its_people() -> None:
    with pytest.raises(InputError, match="number of people averaged"):
        published("worst-case:alpha=0.1,people=10", np.array([0.25]))


def test_one_person_moves_every_mean_by_one_part_of_the_people() -> None:
    plain = sensitivity_of_means(np.full(1000, 500))
    assert plain.l2_squared == pytest.approx(1000 / 500**2)
    some = sensitivity_of_means(np.full(1000, 500), moved=2)
    assert (some.l1, some.l2_squared) == pytest.approx((2 / 500, 2 / 500**2))
