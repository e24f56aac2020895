"""Medians, quantiles and standard deviations: ends that hold in every data set that fits, insiders too."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.amounts.attack.intervals import AmountEnds, find_ends
from dalenius.amounts.attack.order import ranks as ranks_module
from dalenius.amounts.attack.order.quantiles import any_place, place
from dalenius.amounts.attack.order.ranks import others_of, read_ranks
from dalenius.amounts.attack.system import make_system
from dalenius.errors import InputError
from dalenius.knowledge.amounts import AmountPrior, AmountView, Insider
from dalenius.release.amounts import AmountGroup, AmountRelease, PrintedAmount, check_statistic
from dalenius.release.amounts_publish import AmountSettings, publish_amounts, quantile

LARGEST = 5
SETS = (
    ("median",), ("sum", "sd"), ("mean", "variance"), ("sum", "median"), ("sd", "min"), ("sd", "median"),
    ("q25", "median", "q75"), ("min", "q25", "median", "q75", "max"), ("sum", "sd", "median"), ("q90",),
    ("min", "max", "mean", "sd"), ("q10", "sum", "variance"), ("sd",), ("q33", "q66", "sum", "sd", "min"),
)  # fmt: skip


def prior(n: int, most: float = np.inf) -> AmountPrior:
    return AmountPrior(0.0, most, np.full(n, 3.0), np.full(n, 2.0), np.full(n, 3.0))


def printed(amounts: np.ndarray, statistics: tuple[str, ...], mechanism: str = "exact") -> AmountRelease:
    group = [AmountGroup("all", np.arange(amounts.size))]
    how = AmountSettings(statistics, mechanism)
    return publish_amounts(amounts, "x", group, how, rng=np.random.default_rng(0))


def ends_of(release: AmountRelease, most: float = np.inf, insiders: tuple[Insider, ...] = ()) -> AmountEnds:
    view = AmountView(release, prior(release.people, most), insiders)
    return find_ends(make_system(view), insiders)


def numbers(values: np.ndarray, statistics: tuple[str, ...]) -> np.ndarray:
    """The statistics of many data sets, a row each, by NumPy's own definitions."""
    said = {
        "sum": lambda x: x.sum(1), "mean": lambda x: x.mean(1), "min": lambda x: x.min(1),
        "max": lambda x: x.max(1), "sd": lambda x: x.std(1, ddof=1), "variance": lambda x: x.var(1, ddof=1),
        "median": lambda x: np.median(x, 1),
    }  # fmt: skip
    columns = [
        np.quantile(values, int(name[1:]) / 100, axis=1) if name.startswith("q") else said[name](values)
        for name in statistics
    ]
    return np.stack(columns, axis=1)


def before(amounts: np.ndarray, statistics: tuple[str, ...]) -> tuple[float, float]:
    """The ends that were known of one group before its statistics were taken together."""
    low, high, n = 0.0, np.inf, amounts.size
    if "min" in statistics:
        low = amounts.min()
    if "max" in statistics:
        high = amounts.max()
    if "mean" in statistics and "sd" in statistics:
        reach = amounts.std(ddof=1) * np.sqrt(n - 1)
        low, high = max(low, amounts.mean() - reach), min(high, amounts.mean() + reach)
    if {"sum", "mean"} & {*statistics}:
        high = min(high, amounts.sum() - (n - 1) * low)
    if n == 2 and "median" in statistics:
        high = min(high, amounts.sum() - low)
    return low, high


@settings(max_examples=25)
@given(st.integers(2, 5), st.sampled_from(SETS), st.data())
def test_ends_hold_in_every_data_set_that_fits(
    n: int, statistics: tuple[str, ...], data: st.DataObject
) -> None:
    amounts = np.array(data.draw(st.lists(st.integers(0, LARGEST), min_size=n, max_size=n)), float)
    every = np.array(list(product(range(LARGEST + 1), repeat=n)), float)
    fits = np.isclose(numbers(every, statistics), numbers(amounts[None], statistics), atol=1e-9).all(1)
    insider = data.draw(st.integers(0, n - 1))
    others = np.arange(n) != insider
    ends = ends_of(printed(amounts, statistics), np.inf, (Insider(insider, amounts[insider], np.arange(n)),))
    assert (every[fits] >= ends.low - 1e-6).all()
    assert (every[fits] <= ends.high + 1e-6).all()
    same = every[fits & (every[:, insider] == amounts[insider])][:, others]
    assert (same >= ends.inside_low[others] - 1e-6).all()
    assert (same <= ends.inside_high[others] + 1e-6).all()
    low, high = before(amounts, statistics)
    assert (ends.low >= low - 1e-6).all(), "never wider than they were"
    assert (ends.high <= high + 1e-6).all()


@settings(max_examples=25)
@given(
    st.lists(st.floats(0, 1e6), min_size=2, max_size=12),
    st.sets(st.sampled_from(["sum", "mean", "sd", "variance", "min", "max", "median", "q05", "q25", "q80"])),
    st.sampled_from(["exact", "rounding:base=100", "rounding:digits=1"]),
)
def test_the_truth_lies_between_the_ends(values: list[float], statistics: set[str], mechanism: str) -> None:
    amounts, n = np.array(values), len(values)
    release = printed(amounts, tuple(sorted(statistics)) or ("sum",), mechanism)
    insiders = tuple(Insider(i, float(amounts[i]), np.arange(n)) for i in range(n))
    ends = ends_of(release, 1e6, insiders)
    room = 1e-9 * np.maximum(amounts, 1.0)
    for low, high in ((ends.low, ends.high), (ends.inside_low, ends.inside_high)):
        assert (low <= amounts + room).all()
        assert (high >= amounts - room).all()


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 10, 11, 20, 37, 100])
@pytest.mark.parametrize("hundredths", [1, 10, 25, 33, 50, 75, 90, 99])
def test_places_hold_under_all_nine_definitions(n: int, hundredths: int) -> None:
    """NumPy computes all nine, and the one that is computed here."""
    values = np.random.default_rng(n).permutation(np.arange(n, dtype=float) ** 2)
    ordered, where = np.sort(values), any_place(n, hundredths)
    methods = (
        "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen",
        "weibull", "linear", "median_unbiased", "normal_unbiased",
    )  # fmt: skip
    for method in methods:
        found = np.quantile(values, hundredths / 100, method=method)
        assert ordered[where.first] - 1e-9 <= found <= ordered[where.last] + 1e-9, method
    own = place(n, hundredths)
    assert quantile(values, hundredths) == pytest.approx(np.quantile(values, hundredths / 100))
    assert ordered[own.first] <= quantile(values, hundredths) + 1e-9
    assert where.first <= own.first <= own.last <= where.last


@pytest.mark.parametrize("divided", [0, 1])
def test_a_standard_deviation_from_elsewhere_may_be_divided_either_way(divided: int) -> None:
    """Of one amount that is not 0 Samuelson's bound is attained: the closer form would cut it off."""
    amounts = np.array([0.0, 0.0, 0.0, 10.0])
    sd = amounts.std(ddof=divided)
    said = [PrintedAmount(0, "mean", 2.5, 2.5), PrintedAmount(0, "sd", sd, sd)]
    found = read_ranks(4, said, 0.0, np.inf)
    assert found.high[-1] >= 10 - 1e-9
    exact = read_ranks(
        4, [said[0], PrintedAmount(0, "sd", *[amounts.std(ddof=1)] * 2, defined=True)], 0.0, np.inf
    )
    assert exact.high[-1] == pytest.approx(10)


def test_somebody_inside_knows_the_other_two_from_sum_and_deviation() -> None:
    amounts = np.array([30.0, 50.0, 100.0])
    found = read_ranks(3, printed(amounts, ("sum", "sd")).said, 0.0, np.inf)
    others = others_of(found, 100.0)
    assert others is not None
    np.testing.assert_allclose([others.low, others.high], [[30, 50], [30, 50]], rtol=1e-6)
    known = read_ranks(
        4, printed(np.array([5.0, *amounts]), ("min", "max", "mean", "variance")).said, 0.0, np.inf
    )
    np.testing.assert_allclose([known.low, known.high], [[5, 30, 50, 100]] * 2, rtol=1e-6)


def test_whoever_is_above_a_median_of_three_bounds_the_other_two() -> None:
    amounts = np.array([30.0, 50.0, 100.0])
    release = printed(amounts, ("median",))
    above = ends_of(release, np.inf, (Insider(2, 100.0, np.arange(3)),))
    below = ends_of(release, np.inf, (Insider(0, 30.0, np.arange(3)),))
    assert above.inside_high[:2] == pytest.approx([50, 50])
    assert np.isinf(above.inside_high[2])
    assert below.inside_low[1:] == pytest.approx([50, 50])
    assert np.isinf(above.high).all()


def test_statistics_that_no_amounts_fit_are_refused() -> None:
    said = [PrintedAmount(0, "q25", 5, 5, defined=True), PrintedAmount(0, "median", 3, 3, defined=True)]
    with pytest.raises(InputError, match="contradict"):
        read_ranks(5, said, 0.0, np.inf)
    with pytest.raises(InputError, match="contradict"):
        read_ranks(3, [PrintedAmount(0, "sum", 3, 3), PrintedAmount(0, "sd", 50, 51)], 0.0, np.inf)


@pytest.mark.parametrize("text", ["q1", "q100", "quartile1", "p25", "q2.5", ""])
def test_names_that_could_mean_two_things_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="q25"):
        check_statistic(text)


def test_a_bound_that_is_too_close_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted fault: squares divided as if every deviation had been divided by n."""
    monkeypatch.setattr(ranks_module, "_squares", lambda n, low, high, defined: (0.0, (n - 2) * high))
    amounts = np.array([0.0, 0.0, 0.0, 10.0])
    try:
        ends = ends_of(printed(amounts, ("sum", "sd")))
    except InputError:
        return
    assert ends.high[3] < 10 - 1e-6
