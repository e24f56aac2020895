"""What an attacker reads out of published numbers: always true, and as sharp as the specification."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dalenius.errors import InputError
from dalenius.matrices.answers import Counts, Sensitivity
from dalenius.mechanisms.parse import parse_mechanism

CHAINS = [
    "exact",
    "unknown",
    "rounding:base=2",
    "rounding:base=2,ties=even",
    "rounding:base=10,ties=away",
    "rounding:base=6,ties=even | rounding:base=4,ties=even",
    "rounding:base=5",
    "rounding:base=10,how=random",
    "rounding:base=3,how=controlled",
    "rounding:base=5,how=down",
    "rounding:base=4,how=up",
    "topcode:at=12",
    "topcode:at=11 | rounding:base=5,how=down",
    "suppression:below=10,complementary=yes",
    "suppression:below=5,zeros=hide,complementary=yes | rounding:base=3",
    "bounded:error=3",
    "bounded:error=0.1",
    "bounded:error=2.7,how=extreme",
    "gaussian:sigma=4",
    "laplace:scale=2",
    "geometric:scale=2",
    "suppression:below=10",
    "suppression:below=10,zeros=hide",
    "suppression:below=10 | rounding:base=5",
    "suppression:below=7 | rounding:base=4,how=controlled",
    "rounding:base=5 | suppression:below=11,zeros=hide",
    "suppression:below=3 | rounding:base=5,how=random | suppression:below=20",
    "bounded:error=2 | rounding:base=5 | suppression:below=10",
    "bounded:error=2 | rounding:base=5,how=controlled | rounding:base=10",
    "rounding:base=3 | bounded:error=0.3 | suppression:below=4",
    "suppression:below=6 | bounded:error=1.1,how=extreme",
    "gaussian:sigma=1 | rounding:base=5 | suppression:below=10",
    "suppression:below=10 | geometric:scale=1",
    "subsample:rate=1",
    "subsample:rate=0.3",
    "subsample:rate=0.5 | rounding:base=3,how=random",
    "subsample:rate=0.5 | suppression:below=5 | rounding:base=4",
    "subsample:rate=0.5 | bounded:error=1",
    "subsample:rate=0.5 | laplace:scale=1 | suppression:below=5",
]
COUNTS = hnp.arrays(np.int64, st.tuples(st.integers(1, 6), st.integers(1, 3)), elements=st.integers(0, 40))


def read(text: str, published: list[float], total: float | None = None) -> list[tuple[float, float]]:
    totals = None if total is None else np.array([total])
    error = parse_mechanism(text).error(np.array([published]), totals)
    return list(zip(error.low[0].tolist(), error.high[0].tolist(), strict=True))


@pytest.mark.parametrize("text", CHAINS)
@given(counts=COUNTS, extra=st.integers(0, 5), tables=st.integers(1, 3), seed=st.integers(0, 2**32))
def test_the_true_count_is_always_inside(
    text: str, counts: np.ndarray, extra: int, tables: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    mechanism = parse_mechanism(text)
    counted = counts
    if text.startswith("subsample"):
        sample = mechanism.sample_rows(int(counts.sum()), rng=rng)
        assert sample is not None
        ends = np.cumsum(counts.ravel())
        counted = np.array([part.sum() for part in np.split(sample, ends[:-1])]).reshape(counts.shape)
    table = np.arange(len(counts)) % tables
    if text == "unknown":
        published = counts + rng.normal(size=counts.shape)
    else:
        published = mechanism.protect(Counts(counted, table, Sensitivity(2, 2)), rng=rng)
    for totals in (None, counts.sum(axis=1) + float(extra)):
        error = mechanism.error(published, totals)
        assert np.all(error.low <= counts)
        assert np.all(counts <= error.high)
        assert np.all(error.low >= 0)
        assert totals is None or np.all(error.high <= totals[:, None])
        assert np.array_equal(np.isnan(error.centre), np.isnan(published))


@pytest.mark.parametrize(
    ("text", "published", "interval"),
    [
        ("exact", 7.0, (7, 7)),
        ("rounding:base=5", 20.0, (18, 22)),
        ("rounding:base=3", 21.0, (20, 22)),
        ("rounding:base=4,ties=up", 20.0, (18, 21)),  # 22 would have become 24
        ("rounding:base=4,ties=away", 20.0, (18, 21)),
        ("rounding:base=4,ties=even", 20.0, (19, 21)),  # 20 is an odd multiple: both ties go elsewhere
        ("rounding:base=4,ties=even", 24.0, (22, 26)),
        ("rounding:base=4,ties=unknown", 20.0, (18, 22)),
        ("rounding:base=10", 20.0, (15, 25)),  # nobody says where ties go
        ("rounding:base=10,ties=even", 0.0, (0, 5)),
        ("rounding:base=5", 0.0, (0, 2)),
        ("rounding:base=5", 30.0, (28, 30)),  # the total is 30
        ("rounding:base=5,how=random", 20.0, (16, 24)),
        ("rounding:base=3,how=controlled", 21.0, (19, 23)),
        ("rounding:base=5,how=random", 0.0, (0, 4)),
        ("bounded:error=3", 12.5, (10, 15)),
        ("bounded:error=3,how=extreme", 12.0, (9, 15)),
        ("suppression:below=10", np.nan, (1, 9)),
        ("suppression:below=10,zeros=hide", np.nan, (0, 9)),
        ("suppression:below=50", np.nan, (1, 30)),
        ("suppression:below=10", 0.0, (0, 0)),
        ("suppression:below=10 | rounding:base=5", 10.0, (10, 12)),  # 8 and 9 would be hidden
        ("suppression:below=10 | rounding:base=5", 0.0, (0, 0)),  # so would 1 and 2
        ("suppression:below=10 | rounding:base=5", np.nan, (1, 9)),
        ("rounding:base=5 | suppression:below=10", np.nan, (3, 7)),  # only a 5 is hidden
        ("rounding:base=5 | suppression:below=10", 10.0, (8, 12)),
        ("rounding:base=5 | suppression:below=10,zeros=hide", np.nan, (0, 7)),
        ("suppression:below=20 | rounding:base=5 | suppression:below=5", np.nan, (1, 19)),
        ("rounding:base=5,how=random | rounding:base=10,how=random", 20.0, (11, 29)),  # through 15 .. 25
        ("bounded:error=1 | rounding:base=5", 20.0, (17, 23)),
        ("rounding:base=5 | bounded:error=1", 19.2, (18, 22)),
        ("gaussian:sigma=4", 35.0, (0, 30)),
        ("laplace:scale=2 | rounding:base=5", -5.0, (0, 30)),
        ("gaussian:sigma=4 | suppression:below=10", np.nan, (0, 30)),
        ("suppression:below=10 | gaussian:sigma=4", np.nan, (1, 9)),
        ("subsample:rate=0.5", 7.0, (7, 30)),
        ("subsample:rate=0.5 | rounding:base=5", 10.0, (8, 30)),
        ("subsample:rate=0.5 | suppression:below=10", np.nan, (1, 30)),
        ("subsample:rate=1 | rounding:base=5", 10.0, (8, 12)),
        ("rounding:base=5", np.nan, (0, 30)),  # missing for a reason that was not announced
        ("unknown", 7.0, (0, 30)),
    ],
)
def test_intervals_of_a_count_among_thirty(
    text: str, published: float, interval: tuple[float, float]
) -> None:
    assert read(text, [published], 30) == [interval]


@pytest.mark.parametrize(
    "text",
    [
        "exact",
        "rounding:base=5",
        "rounding:base=4 | rounding:base=10",
        "rounding:base=10,ties=even",
        "rounding:base=4,ties=even | suppression:below=10",
        "rounding:base=6,ties=away",
        "suppression:below=10",
        "suppression:below=8,zeros=hide | rounding:base=5",
        "suppression:below=8 | rounding:base=4",
        "rounding:base=4 | suppression:below=10,zeros=hide",
        "suppression:below=4 | rounding:base=5 | suppression:below=12",
        "suppression:below=20 | rounding:base=5 | suppression:below=5",
    ],
)
def test_intervals_of_what_has_no_chance_in_it_are_exact(text: str) -> None:
    """For each number that can be published: the least and the largest count that lead to it."""
    mechanism = parse_mechanism(text).applied()
    counts = np.arange(200)
    published = mechanism.protect(
        Counts(counts[:, None], counts, Sensitivity(1, 1)), rng=np.random.default_rng(1)
    )
    error = mechanism.error(published)
    key = np.nan_to_num(published[:, 0], nan=-1.0)
    for value in np.unique(key[:150]):  # beyond, larger counts than were tried lead there too
        origins = counts[key == value]
        assert np.all(error.low[key == value] == origins.min())
        assert np.all(error.high[key == value] == origins.max())


def test_without_totals_only_zero_bounds_a_count() -> None:
    assert read("gaussian:sigma=4", [7.0]) == [(0, np.inf)]
    assert read("rounding:base=5", [30.0]) == [(28, 32)]


@pytest.mark.parametrize(
    ("text", "published"),
    [
        ("rounding:base=5", 7.0),
        ("rounding:base=5,how=random", 7.0),
        ("rounding:base=5", 40.0),
        ("suppression:below=10", 7.0),
        ("exact", 7.5),
        ("exact", -1.0),
    ],
)
def test_a_number_the_mechanism_cannot_publish_is_refused(text: str, published: float) -> None:
    with pytest.raises(InputError) as caught:
        read(text, [0.0, published], 30)
    assert str(caught.value) == (
        f"published number in row 0, column 1 must be one that {text} can publish for a count between 0 "
        f"and the public total; got {published:g}. "
        "Check the mechanism and the totals, or write the mechanism as unknown."
    )


@pytest.mark.parametrize(
    ("text", "shape", "sd"),
    [
        ("exact", "none", 0.0),
        ("rounding:base=5", "none", 0.0),
        ("gaussian:sigma=4", "gaussian", 4.0),
        ("laplace:scale=2", "laplace", np.sqrt(8)),
        ("geometric:scale=2", "laplace", 1 / (np.sqrt(2) * np.sinh(0.25))),
        ("laplace:scale=2 | gaussian:sigma=1", "gaussian", 3.0),
        ("gaussian:sigma=4 | rounding:base=5", "gaussian", np.sqrt(16 + 25 / 12)),
        ("rounding:base=5 | gaussian:sigma=4", "gaussian", np.sqrt(16 + 24 / 12)),
        ("subsample:rate=0.5", "gaussian", np.sqrt(20 * 0.5) / 0.5),
        ("unknown", "unknown", np.nan),
    ],
)
def test_size_and_shape_of_the_noise(text: str, shape: str, sd: float) -> None:
    error = parse_mechanism(text).error(np.array([[20.0]]), np.array([100.0]))
    assert error.shape == shape
    assert error.sd[0, 0] == pytest.approx(sd, nan_ok=True)


def test_without_noise_the_interval_is_how_wrong_an_answer_can_be() -> None:
    mechanism = parse_mechanism("suppression:below=10 | rounding:base=5")
    error = mechanism.error(np.array([[np.nan, 0.0, 20.0, 30.0]]), np.array([30.0]))
    assert np.array_equal(error.centre[0], [np.nan, 0, 20, 29], equal_nan=True)
    assert (error.high - error.low)[0].tolist() == [8, 0, 4, 2]
    assert (error.sd == 0).all()
    unknown = parse_mechanism("unknown").error(np.array([[3.0]]))
    assert (unknown.high - unknown.low)[0, 0] == np.inf


def calibrated(errors: np.ndarray, sd: float) -> bool:
    """Whether errors have mean 0 and this standard deviation, to six standard errors."""
    n = errors.size
    return bool(abs(errors.mean()) < 6 * sd / np.sqrt(n) and abs(errors.std() / sd - 1) < 0.02)


@pytest.mark.parametrize(
    "text",
    [
        "gaussian:sigma=4",
        "laplace:scale=2",
        "geometric:scale=2",
        "gaussian:sigma=4 | rounding:base=6",
        "gaussian:sigma=4 | rounding:base=6,how=random",
        "rounding:base=6 | gaussian:sigma=3",
        "rounding:base=6,ties=even | gaussian:sigma=3",
        "rounding:base=5,how=random | gaussian:sigma=3",
        "bounded:error=4 | laplace:scale=1",
        "geometric:scale=3 | bounded:error=4,how=extreme",
    ],
)
def test_announced_standard_deviations_are_the_true_ones(text: str) -> None:
    rng = np.random.default_rng(7)
    counts = rng.integers(100, 400, (200_000, 1))
    mechanism = parse_mechanism(text).applied()
    published = mechanism.protect(Counts(counts, np.arange(len(counts)), Sensitivity(1, 1)), rng=rng)
    error = mechanism.error(published)
    sd = float(error.sd[0, 0])
    assert calibrated(error.centre - counts, sd)
    assert not calibrated(error.centre - counts, sd * 1.2)
    assert not calibrated(error.centre - counts, sd / 1.2)
    assert not calibrated(error.centre - counts + 0.1 * sd, sd)


def test_subsample_scales_up_without_bias() -> None:
    rng = np.random.default_rng(8)
    mechanism = parse_mechanism("subsample:rate=0.3")
    sample = mechanism.sample_rows(300 * 5_000, rng=rng)
    assert sample is not None
    published = sample.reshape(5_000, 300).sum(axis=1).astype(np.float64)[:, None]
    error = mechanism.error(published)
    standardised = (error.centre - 300) / np.sqrt(300 * 0.7 / 0.3)
    assert abs(standardised.mean()) < 6 / np.sqrt(5_000)
    assert abs(standardised.std() - 1) < 0.06
    assert np.median(error.sd) == pytest.approx(np.sqrt(300 * 0.7 / 0.3), rel=0.02)
    assert parse_mechanism("exact").sample_rows(5, rng=rng) is None
