"""Survey weights: weighted sums as sums with known coefficients, ends that hold where weights do not."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from typer.testing import CliRunner
from validation.amounts_fuzz import compare, random_view

from dalenius.amounts.attack.claims import claim_amounts
from dalenius.amounts.attack.intervals import AmountEnds
from dalenius.amounts.attack.weights import ends_of, parts_of
from dalenius.amounts.finding import AmountsFinding
from dalenius.amounts.referee.cell_rules import hold_cells
from dalenius.amounts.referee.insiders import choose_insiders
from dalenius.amounts.together import join
from dalenius.auditing.plan import check_plan
from dalenius.auditing.run import Audit, run_plan
from dalenius.cli.main import app
from dalenius.errors import InputError
from dalenius.knowledge.amounts import AmountPrior, AmountView, Insider
from dalenius.knowledge.weights import SurveyWeights, known_weights, parse_weights
from dalenius.release.amounts import AmountGroup, AmountRelease, PrintedAmount
from dalenius.release.amounts_publish import AmountSettings, publish_amounts

Groups = list[AmountGroup]


def prior(n: int, most: float = np.inf, least: float = 0.0) -> AmountPrior:
    return AmountPrior(least, most, np.full(n, 50.0), np.full(n, 30.0), np.full(n, 40.0))


def printed(
    amounts: np.ndarray,
    groups: Groups,
    weights: np.ndarray | None,
    statistics: tuple[str, ...] = ("count", "sum"),
    mechanism: str = "exact",
) -> AmountRelease:
    how = AmountSettings(statistics, mechanism, weights=weights)
    return publish_amounts(amounts, "x", groups, how, rng=np.random.default_rng(0))


def ends(
    release: AmountRelease, weights: SurveyWeights, most: float = np.inf, *insiders: Insider
) -> AmountEnds:
    view = AmountView(release, prior(release.people, most), insiders, weights)
    return ends_of(parts_of(view))


def known(weights: np.ndarray) -> SurveyWeights:
    return SurveyWeights(weights, weights)


Made = tuple[np.ndarray, np.ndarray, Groups, tuple[str, ...], str, float]


@st.composite
def releases(draw: st.DrawFn) -> Made:
    n = draw(st.integers(2, 6))
    amounts = np.array(draw(st.lists(st.integers(0, 100), min_size=n, max_size=n)), float)
    weights = np.array(draw(st.lists(st.integers(4, 20), min_size=n, max_size=n)), float) / 4
    masks = draw(
        st.lists(st.lists(st.booleans(), min_size=n, max_size=n).filter(any), min_size=1, max_size=4)
    )
    groups = [AmountGroup(f"g{k}", np.flatnonzero(mask)) for k, mask in enumerate(masks)]
    statistics = draw(
        st.sampled_from([("sum",), ("mean",), ("count", "sum"), ("count", "mean"), ("count", "sum", "max")])
    )
    mechanism = draw(st.sampled_from(["exact", "rounding:base=5"]))
    return amounts, weights, groups, statistics, mechanism, draw(st.sampled_from([np.inf, 100.0]))


def by_person(
    parts: list[AmountRelease], weights: np.ndarray, most: float, fixed: dict[int, float]
) -> np.ndarray:
    """Everybody's ends by programs over single people, with a coefficient for each of them."""
    n = weights.size
    rows, sides = [], []
    for one, group in [(one, part.groups[one.group]) for part in parts for one in part.said]:
        if one.statistic not in ("sum", "mean"):
            continue
        row = np.isin(np.arange(n), group.members) * (weights if one.weighted else 1.0)
        size = row.sum() if one.statistic == "mean" else 1.0
        rows += [row, -row]
        sides += [size * one.high, -size * one.low]
    box = [(fixed.get(i, 0.0), fixed.get(i, None if np.isinf(most) else most)) for i in range(n)]
    found = np.empty((2, n))
    for i in range(n):
        for at, sign in enumerate((1, -1)):
            solved = linprog(sign * np.eye(n)[i], np.array(rows), np.array(sides), bounds=box, method="highs")
            found[at, i] = sign * solved.fun if solved.status == 0 else -sign * np.inf
    return found


@settings(max_examples=10)
@given(releases())
def test_ends_by_known_weights_are_those_of_a_program_over_single_people(made: Made) -> None:
    amounts, weights, groups, statistics, mechanism, most = made
    release = printed(amounts, groups, weights, tuple(s for s in statistics if s != "max"), mechanism)
    insider = int(np.argmax(weights * amounts))
    found = ends(
        release, known(weights), most, Insider(insider, float(amounts[insider]), np.arange(amounts.size))
    )
    low, high = by_person([release], weights, most, {})
    np.testing.assert_allclose(found.low, low, atol=1e-5)
    np.testing.assert_allclose(found.high, high, atol=1e-5)
    low, high = by_person([release], weights, most, {insider: float(amounts[insider])})
    others = np.arange(amounts.size) != insider
    assert (found.inside_low[others] <= low[others] + 1e-5).all()
    assert (found.inside_high[others] >= high[others] - 1e-5).all()


@settings(max_examples=6)
@given(releases())
def test_weighted_and_plain_sums_of_one_amount_are_taken_together(made: Made) -> None:
    amounts, weights, groups, _, mechanism, most = made
    both = [printed(amounts, groups, w, ("sum",), mechanism) for w in (weights, None)]
    found = ends(join(both, "both"), known(weights), most)
    low, high = by_person(both, weights, most, {})
    np.testing.assert_allclose(found.low, low, atol=1e-4)
    np.testing.assert_allclose(found.high, high, atol=1e-4)


@settings(max_examples=15)
@given(releases(), st.sampled_from([(1.0, 5.0), (0.5, 9.0), (0.0, np.inf)]))
def test_ends_hold_whatever_the_weights_are(made: Made, between: tuple[float, float]) -> None:
    amounts, weights, groups, statistics, mechanism, most = made
    release = printed(amounts, groups, weights, statistics, mechanism)
    said = known_weights(weights, between)
    insider = int(np.argmax(weights * amounts))
    found = ends(release, said, most, Insider(insider, float(amounts[insider]), np.arange(amounts.size)))
    slack = 1e-6 * (1 + amounts)
    assert (found.low <= amounts + slack).all()
    assert (found.high >= amounts - slack).all()
    others = np.arange(amounts.size) != insider
    assert (found.inside_low <= amounts + slack)[others].all()
    assert (found.inside_high >= amounts - slack)[others].all()
    exact = ends(release, known(weights), most)
    assert (found.low <= exact.low + slack).all(), "less knowledge must not give closer ends"
    assert (found.high >= exact.high - slack).all()


def test_weighted_sums_read_as_plain_ones_are_refuted_by_the_truth() -> None:
    amounts, weights = np.array([10.0, 20.0, 30.0]), np.array([2.0, 3.0, 4.0])
    release = printed(
        amounts, [AmountGroup("a", np.array([0])), AmountGroup("bc", np.array([1, 2]))], weights, ("sum",)
    )
    wrong = replace(release, said=tuple(replace(one, weighted=False) for one in release.said))
    assert ends(release, known(weights)).high[0] == pytest.approx(10.0)
    assert ends(wrong, known(weights)).low[0] > 10.0


def test_two_sums_of_two_people_give_both_away() -> None:
    """Neither does alone: plain and weighted sums of people who weigh differently are two equations."""
    amounts, weights = np.array([70.0, 40.0]), np.array([2.0, 3.0])
    groups = [AmountGroup("both", np.arange(2))]
    heavy, plain = (printed(amounts, groups, w, ("sum",)) for w in (weights, None))
    together = ends(join([heavy, plain], "both"), known(weights))
    np.testing.assert_allclose([together.low, together.high], [amounts, amounts], atol=1e-6)
    for alone in (heavy, plain):
        found = ends(alone, known(weights))
        assert (found.high - found.low > 50).all()


@pytest.mark.parametrize("statistics", [("mean",), ("count", "sum")])
def test_somebody_alone_is_known_whatever_they_weigh(statistics: tuple[str, ...]) -> None:
    amounts, weights = np.array([70.0, 40.0, 50.0]), np.array([2.5, 3.0, 9.0])
    groups = [AmountGroup("a", np.array([0])), AmountGroup("bc", np.array([1, 2]))]
    found = ends(printed(amounts, groups, weights, statistics), SurveyWeights.between(3, 0.0, np.inf))
    assert (found.low[0], found.high[0]) == pytest.approx((70.0, 70.0))
    assert np.isinf(found.high[1:]).all()


def test_a_weight_follows_from_two_counts() -> None:
    """A total less the others is one person: their weight and what they count for, so their amount."""
    amounts, weights = np.array([70.0, 40.0, 50.0]), np.array([2.5, 3.0, 9.0])
    groups = [AmountGroup("all", np.arange(3)), AmountGroup("bc", np.array([1, 2]))]
    found = ends(printed(amounts, groups, weights), SurveyWeights.between(3, 0.0, np.inf))
    assert (found.low[0], found.high[0]) == pytest.approx((70.0, 70.0))


def test_ranges_of_weights_bound_by_division() -> None:
    release = printed(np.array([60.0]), [AmountGroup("a", np.array([0]))], np.array([10.0]), ("sum",))
    found = ends(release, SurveyWeights.between(1, 5.0, 20.0))
    assert (found.low[0], found.high[0]) == pytest.approx((30.0, 120.0))


def test_rules_of_cells_are_of_weighted_amounts() -> None:
    """The largest contribution counts, not the largest amount; without weights only the number of people."""
    amounts, weights = np.array([100.0, 100.0, 100.0, 100.0]), np.array([100.0, 1.0, 1.0, 1.0])
    release = printed(amounts, [AmountGroup("all", np.arange(4))], weights, ("sum",))
    assert hold_cells(release, amounts, 0.1, weights).p_rule == 1
    assert hold_cells(release, amounts, 0.1, weights).dominated == 1
    unknown = hold_cells(release, amounts, 0.1)
    assert (unknown.few, unknown.dominated, unknown.p_rule) == (0, 0, 0)
    plain = printed(amounts, [AmountGroup("all", np.arange(4))], None, ("sum",))
    assert hold_cells(plain, amounts, 0.1, weights).p_rule == 0


def test_an_insider_is_who_counts_for_most() -> None:
    """The second largest contribution tells the largest: 2% remain, though both have small amounts."""
    amounts = np.array([10.0, 9.0, 40.0, 40.0])
    weights = np.array([1000.0, 800.0, 2.0, 2.0])
    release = printed(amounts, [AmountGroup("all", np.arange(4))], weights, ("sum",))
    view = AmountView(release, prior(4), (), known(weights))
    asked = choose_insiders(view, amounts, 0.1, weights)
    assert {0, 1} <= {insider.person for insider in asked}
    found = ends_of(parts_of(replace(view, insiders=asked)))
    assert found.inside_high[0] < 10.0 * 1.1
    assert found.high[0] > 10.0 * 1.1


def test_estimates_move_by_weights() -> None:
    """Two who weigh alike and one who weighs nothing much: a weighted mean is about the first two."""
    weights = np.array([50.0, 50.0, 0.01])
    release = printed(np.array([90.0, 90.0, 10.0]), [AmountGroup("all", np.arange(3))], weights, ("mean",))
    claims = claim_amounts(AmountView(release, prior(3), (), known(weights)), ("a", "b", "c"))
    assert claims.guessed.value[:2] == pytest.approx([90, 90], abs=3)
    assert claims.guessed.value[2] == pytest.approx(40, abs=12)


def test_random_releases_leave_nobody_outside_and_wrong_weights_are_seen() -> None:
    """A hundredth of ``validation/amounts_fuzz.py``; weights that are up to twice as large are refuted."""
    seen: Counter[str] = Counter()
    refuted = 0
    for seed in range(20):
        view, amounts = random_view(np.random.default_rng(seed))
        compare(view, amounts, seen)
        if view.weights is not None and view.weights.known:
            off = view.weights.low * np.linspace(1, 2, amounts.size)
            try:
                compare(replace(view, weights=SurveyWeights(off, off)), amounts, Counter())
            except (AssertionError, InputError):
                refuted += 1
    assert seen["pinned"] > 5
    assert refuted, "the comparison must be able to fail"


# planned


def survey(folder: Path, heavy: float = 1.0) -> None:
    """Four towns of a hundred people; the first weighs as said, the others between 1 and 5."""
    rng = np.random.default_rng(3)
    amounts, weights = np.round(rng.lognormal(10, 0.4, 400)), np.round(rng.uniform(1, 5, 400), 2)
    weights[0] = heavy
    lines = [
        f"p{i:03},{'ABCD'[i % 4]},{w},{x:.0f}" for i, (w, x) in enumerate(zip(weights, amounts, strict=True))
    ]
    (folder / "people.csv").write_text("\n".join(["id,town,w,income", *lines]) + "\n")


def audit(folder: Path, schema: dict[str, str] | None = None, **keys: Any) -> Audit:
    release = {
        "name": "r",
        "kind": "amounts",
        "amount": "income",
        "groups": ["town"],
        "weighted": True,
    } | keys
    raw = {
        "data": {"path": "people.csv"},
        "schema": {"id": "id", "weight": "w"} if schema is None else schema,
        "release": [release],
        "budget": {"resamples": 0, "why": False},
    }
    return run_plan(check_plan(raw, folder))


def verdict(result: Audit) -> tuple[str, AmountsFinding]:
    found = result.report.findings[0]
    assert isinstance(found, AmountsFinding)
    assert found.details.outside == 0
    return str(result.verdict), found


def test_weighted_sums_of_a_hundred_have_no_finding(tmp_path: Path) -> None:
    survey(tmp_path)
    _, found = verdict(audit(tmp_path))
    assert (found.certain, found.known, found.details.weights) == (0, 0, "known")


def test_one_heavy_respondent_stops(tmp_path: Path) -> None:
    """A plain sum of the same hundred people tells nobody's amount."""
    survey(tmp_path, heavy=100_000.0)
    said, found = verdict(audit(tmp_path))
    assert said == "stop"
    assert found.details.cells is not None
    assert (found.known, found.details.cells.dominated, found.details.cells.p_rule) == (1, 2, 2), (
        "its town, and all"
    )
    said, found = verdict(audit(tmp_path, weighted=False))
    assert (found.known, found.details.weights) == (0, None)


@pytest.mark.parametrize(
    "keys", [{"weights": "unknown"}, {"weights": "1-5"}, {"statistics": ["sum", "median", "sd"]}]
)
def test_what_is_not_known_or_not_attacked_never_passes(tmp_path: Path, keys: dict[str, Any]) -> None:
    survey(tmp_path)
    result = audit(tmp_path, **keys)
    said, found = verdict(result)
    assert said == "undecided"
    assert (found.certain, found.known) == (0, 0)
    assert "survey weights" in " ".join(result.report.reasons)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"weights": "2-5"}, "must hold every weight"),
        ({"weights": "5-1"}, "must be known, unknown"),
        ({"weighted": False, "weights": "unknown"}, "only of what is weighted"),
        ({"schema": {"id": "id"}}, "must come with weight"),
        ({"schema": {"id": "id", "weight": "heavy"}}, "must be in the data"),
        ({"schema": {"id": "id", "weight": "town"}}, "weight above 0|number"),
        ({"weights": "unknown", "least": -5.0}, "at least 0 where survey weights"),
    ],
)
def test_bad_input_is_refused(tmp_path: Path, keys: dict[str, Any], words: str) -> None:
    survey(tmp_path)
    with pytest.raises(InputError, match=words):
        audit(tmp_path, **keys)


@pytest.mark.parametrize("text", ["", "5", "-1-3", "0-0", "3-2", "5-inf", "a-b"])
def test_words_about_weights_are_checked(text: str) -> None:
    with pytest.raises(InputError, match="least and the largest"):
        parse_weights(text)


# printed


def printed_files(folder: Path) -> list[str]:
    (folder / "people.csv").write_text("id,town,w\na,A,2\nb,B,3\nc,B,4\n")
    (folder / "t.csv").write_text(
        "town,unweighted,count,weighted sum,median\nA,1,2,140,70\nB,2,7,320,x\nTotal,3,9,460,x\n"
    )
    return ["reconstruct", "amounts", "--people", f"{folder}/people.csv", "--id", "id", "--amount", "income",
            "--table", f"{folder}/t.csv", "--out", f"{folder}/out"]  # fmt: skip


@pytest.mark.parametrize(("said", "high"), [(["--weight", "w"], 70.5), (["--weights", "1-5"], 141.0)])
def test_printed_tables_by_weights(tmp_path: Path, said: list[str], high: float) -> None:
    done = CliRunner().invoke(app, [*printed_files(tmp_path), *said])
    assert done.exit_code == 1, done.output
    lines = (tmp_path / "out" / "amounts.csv").read_text().splitlines()
    first = dict(zip(lines[0].split(","), lines[1].split(","), strict=True))
    assert float(first["least"]) <= 70 <= float(first["most"]) <= high
    assert "median" in done.output


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (["--weight", "w", "--weights", "1-5"], "must not come with"),
        (["--weights", "known"], "Name the column"),
        (["--weights", "4-9"], "contradict"),
        (["--weight", "heavy"], "no such column"),
        (["--weight", "town"], "town"),
    ],
)
def test_bad_words_about_printed_weights(tmp_path: Path, said: list[str], words: str) -> None:
    done = CliRunner().invoke(app, [*printed_files(tmp_path), *said])
    assert done.exit_code == 2
    assert words in done.output
    assert not (tmp_path / "out").exists()


def test_a_weighted_count_must_be_that_of_the_list() -> None:
    release = AmountRelease(
        "r", "x", 2, (AmountGroup("all", np.arange(2)),), (PrintedAmount(0, "count", 9, 9, weighted=True),)
    )
    with pytest.raises(InputError, match="weighted count of all"):
        ends(release, known(np.array([2.0, 3.0])))
    with pytest.raises(InputError, match="weighted statistic"):
        PrintedAmount(0, "median", 9, 9, weighted=True)
