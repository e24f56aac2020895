"""Ends of amounts: as wide as a program over single people says, never narrower, and the truth inside."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from dalenius.amounts.attack.claims import claim_amounts
from dalenius.amounts.attack.intervals import find_ends
from dalenius.amounts.attack.programs import Programs
from dalenius.amounts.attack.system import make_system
from dalenius.errors import InputError
from dalenius.knowledge.amounts import AmountPrior, AmountView, Insider
from dalenius.release.amounts import AmountGroup, AmountRelease, PrintedAmount
from dalenius.release.amounts_publish import AmountSettings, publish_amounts


def prior(n: int, most: float = np.inf) -> AmountPrior:
    return AmountPrior(0.0, most, np.full(n, 50.0), np.full(n, 30.0), np.full(n, 40.0))


def by_person(release: AmountRelease, most: float, known: dict[int, float]) -> list[tuple[float, float]]:
    """Everybody's ends by programs over single people, rows as they are printed."""
    rows, ends = [], []
    for said in release.said:
        group = release.groups[said.group]
        size = group.size if said.statistic == "mean" else 1
        row = np.isin(np.arange(release.people), group.members).astype(float)
        rows += [row, -row]
        ends += [size * said.high, -size * said.low]
    bounds = [
        (known.get(i, 0.0), known.get(i, None if np.isinf(most) else most)) for i in range(release.people)
    ]
    found = []
    for i in range(release.people):
        pair = []
        for sign in (1, -1):
            cost = np.zeros(release.people)
            cost[i] = sign
            solved = linprog(cost, np.array(rows), np.array(ends), bounds=bounds, method="highs")
            pair.append(sign * solved.fun if solved.status == 0 else sign * -np.inf)
        found.append((pair[0], pair[1]))
    return found


@st.composite
def releases(draw: st.DrawFn) -> tuple[AmountRelease, np.ndarray, float]:
    n = draw(st.integers(3, 7))
    amounts = np.array(draw(st.lists(st.integers(0, 100), min_size=n, max_size=n)), float)
    masks = draw(
        st.lists(st.lists(st.booleans(), min_size=n, max_size=n).filter(any), min_size=1, max_size=5)
    )
    groups = [AmountGroup(f"g{k}", np.flatnonzero(mask)) for k, mask in enumerate(masks)]
    how = AmountSettings(
        tuple(draw(st.sampled_from([("sum",), ("mean",), ("count", "sum")]))),
        draw(st.sampled_from(["exact", "rounding:base=5", "rounding:digits=1"])),
    )
    most = draw(st.sampled_from([np.inf, 100.0]))
    return publish_amounts(amounts, "x", groups, how, rng=np.random.default_rng(0)), amounts, most


@settings(max_examples=25)
@given(releases())
def test_ends_are_those_of_a_program_over_single_people(
    made: tuple[AmountRelease, np.ndarray, float],
) -> None:
    release, amounts, most = made
    release = AmountRelease(
        release.name, "x", release.people, release.groups,
        tuple(said for said in release.said if said.statistic != "count"),
    )  # fmt: skip
    n = release.people
    insider = int(np.argmax(amounts))
    view = AmountView(release, prior(n, most), (Insider(insider, float(amounts[insider]), np.arange(n)),))
    ends = find_ends(make_system(view), view.insiders)
    assert ends.searched.all()
    plain, inside = by_person(release, most, {}), by_person(release, most, {insider: float(amounts[insider])})
    for i in range(n):
        assert ends.low[i] <= amounts[i] + 1e-6
        assert ends.high[i] >= amounts[i] - 1e-6
        np.testing.assert_allclose([ends.low[i], ends.high[i]], plain[i], atol=1e-5)
        if i != insider:
            # an insider of the same class is answered by a formula, which may be wider, never narrower
            assert ends.inside_low[i] <= inside[i][0] + 1e-5
            assert ends.inside_high[i] >= inside[i][1] - 1e-5


@settings(max_examples=60)
@given(st.integers(0, 10_000))
def test_any_multipliers_prove_no_more_than_is_true(seed: int) -> None:
    """The proof must hold whatever a solver returns: a wrong multiplier may only weaken it."""
    rng = np.random.default_rng(seed)
    A = sparse.csr_array((rng.random((3, 4)) < 0.6).astype(float))
    point = rng.integers(0, 20, 4).astype(float)
    low = A @ point - rng.integers(0, 3, 3)
    programs = Programs(A, low, A @ point + 1, np.zeros(4), np.array([30.0, 30.0, 30.0, np.inf]))
    proved = programs._proved(np.eye(4)[0], rng.normal(size=3), programs.least, programs.most)
    assert proved <= programs.least_of(0, 1)[0] + 1e-6


def test_a_solver_behind_a_closed_door_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    A, ends = sparse.csr_array(np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])), np.array([10.0, 7.0])
    arguments = A, ends, ends, np.zeros(3), np.full(3, np.inf)
    opened = Programs(*arguments)
    monkeypatch.setattr("dalenius.amounts.attack.programs.open_highs", lambda: None)
    closed = Programs(*arguments)
    for which in range(3):
        for sign in (1, -1):
            assert opened.least_of(which, sign)[0] == pytest.approx(closed.least_of(which, sign)[0])
    with pytest.raises(InputError, match="contradict"):
        Programs(A, ends, ends, np.zeros(3), np.full(3, 1.0)).least_of(0, 1)


def test_tables_that_no_amounts_fit_are_refused() -> None:
    groups = (AmountGroup("all", np.arange(2)), AmountGroup("one", np.array([0])))
    said = (PrintedAmount(0, "sum", 10, 10), PrintedAmount(1, "sum", 12, 12))
    view = AmountView(AmountRelease("r", "x", 2, groups, said), prior(2))
    with pytest.raises(InputError, match="contradict"):
        claim_amounts(view, ("a", "b"))


@settings(max_examples=60)
@given(
    st.lists(st.integers(0, 1000), min_size=2, max_size=9),
    st.sampled_from(["median", "min", "max", "sd", "sd of all"]),
)
def test_what_other_statistics_say_is_true(values: list[int], statistic: str) -> None:
    """Half are on either side of a median; sd * sqrt(n - 1) holds whichever way sd was divided."""
    amounts, n = np.array(values, float), len(values)
    group = (AmountGroup("all", np.arange(n)),)
    mean, sd = amounts.mean(), amounts.std(ddof=0 if statistic == "sd of all" else 1)
    number = {"median": np.median(amounts), "min": amounts.min(), "max": amounts.max()}.get(statistic, sd)
    said = [
        PrintedAmount(0, "mean", mean, mean),
        PrintedAmount(0, statistic.split()[0], float(number), float(number)),
    ]
    ends = find_ends(
        make_system(AmountView(AmountRelease("r", "x", n, group, tuple(said)), prior(n, 1000.0)))
    )
    assert (ends.low <= amounts + 1e-6).all()
    assert (ends.high >= amounts - 1e-6).all()


def test_who_is_asked_changes_nothing_for_outsiders() -> None:
    rng = np.random.default_rng(5)
    amounts = np.round(rng.lognormal(3, 1, 30))
    groups = [AmountGroup(f"g{k}", np.flatnonzero(rng.random(30) < 0.5)) for k in range(12)]
    release = publish_amounts(amounts, "x", groups, AmountSettings(), rng=rng)
    ids = tuple(map(str, range(30)))
    alone = claim_amounts(AmountView(release, prior(30)), ids)
    insiders = (Insider(3, float(amounts[3]), np.arange(30)),)
    asked = claim_amounts(AmountView(release, prior(30), insiders), ids)
    assert alone.to_csv() == asked.to_csv()
    assert (asked.ends.inside_high <= asked.ends.high).all()
    assert (asked.ends.inside_high < asked.ends.high).any()
