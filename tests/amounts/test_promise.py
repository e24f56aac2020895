"""What noise on amounts promises, and what must not be called promised or pass by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius.amounts.finding import AmountsFinding
from dalenius.amounts.promised import bound_of
from dalenius.amounts.rules import rulings
from dalenius.amounts.together import join
from dalenius.auditing.plan import check_plan
from dalenius.auditing.run import run_plan
from dalenius.findings.measure import Bound, Gain
from dalenius.findings.policy import Policy
from dalenius.release.amounts import AmountGroup, AmountRelease
from dalenius.release.amounts_hiding import HidingRules
from dalenius.release.amounts_publish import AmountSettings, publish_amounts
from dalenius.remedy.find import find_remedy
from dalenius.remedy.options import RemedyOptions
from dalenius.remedy.result import Remedy

AMOUNTS = np.array([10.0, 20.0, 30.0, 40.0, 50.0, 60.0])
CELLS = [AmountGroup("a", np.array([0, 1, 2]), "town"), AmountGroup("b", np.array([3, 4, 5]), "town")]
TOTAL = AmountGroup("everybody", np.arange(6), "everybody")
HUNDRED = (0.0, 100.0)


def printed(
    mechanism: str = "gaussian:sigma=100",
    statistics: tuple[str, ...] = ("count", "sum"),
    groups: list[AmountGroup] | None = None,
    **how: Any,
) -> AmountRelease:
    settings = AmountSettings(statistics, mechanism, **({"known": HUNDRED} | how))
    rng = np.random.default_rng(1)
    return publish_amounts(AMOUNTS, "income", CELLS if groups is None else groups, settings, rng=rng)


def rho(release: AmountRelease) -> float:
    assert release.promise is not None
    return release.promise.promise.rho or 0.0


def test_one_sum_of_noise_as_large_as_the_range() -> None:
    release = printed()
    assert rho(release) == pytest.approx(0.5)
    assert release.promise is not None
    assert (release.promise.numbers, release.promise.whole) == (1, True), "counts of people cost nothing"
    bound = bound_of(release, 0.1)
    assert bound is not None
    assert (round(bound.value, 4), bound.kind) == (0.1974, "advantage-at-most")


@pytest.mark.parametrize(
    ("changed", "times"),
    [
        ({"groups": [*CELLS, TOTAL]}, 2.0),
        ({"groups": [*CELLS, AmountGroup("more of a", np.array([0, 3]), "town")]}, 2.0),
        ({"statistics": ("sum", "mean")}, 1 + 1 / 9),
        ({"statistics": ("median", "q25", "max", "sum")}, 4.0),
        ({"statistics": ("sum", "sd")}, 1 + 1 / 3),
        ({"mechanism": "gaussian:sigma=100 | rounding:base=5"}, 1.0),
        ({"hiding": HidingRules(below=2)}, 1.0),
        ({"weights": np.array([1.0, 2.0, 3.0, 1.0, 1.0, 1.0])}, 9.0),
        ({"apart": 50.0}, 0.25),
        ({"apart": 500.0}, 1.0),
    ],
)
def test_everything_that_somebody_is_in_is_paid_for(changed: dict[str, Any], times: float) -> None:
    """Totals, groups of one table that overlap, further statistics; not what is done to noisy numbers."""
    assert rho(printed(**changed)) == pytest.approx(0.5 * times)


@pytest.mark.parametrize(
    "changed",
    [
        {"mechanism": "exact"},
        {"mechanism": "rounding:base=5"},
        {"mechanism": "rounding:base=5 | gaussian:sigma=100"},
        {"hiding": HidingRules(p=0.1)},
        {"hiding": HidingRules(below=2, complementary=True)},
        {"known": (0.0, np.inf)},
        {"known": None},
        {"known": (0.0, 55.0)},
        {"known": (0.0, np.inf), "apart": 5.0, "statistics": ("variance",)},
        {"weights": np.ones(6), "statistics": ("sum", "median")},
        {"statistics": ("count",)},
    ],
)
def test_what_has_no_promise(changed: dict[str, Any]) -> None:
    """Rounded before noise, hidden by amounts, no limit, beyond it, weighted medians, counts alone."""
    assert printed(**changed).promise is None


def test_laplace_noise_pays_by_sums() -> None:
    made = printed("laplace:scale=100", groups=[*CELLS, TOTAL]).promise
    assert made is not None
    assert (made.promise.epsilon, made.promise.rho) == (2.0, None)


def test_releases_together_add_up_and_an_exact_one_undoes_all() -> None:
    noisy = printed()
    assert rho(join([noisy, printed(groups=[TOTAL])], "both")) == pytest.approx(1.0)
    for other in (
        printed("exact"),
        printed("rounding:base=50"),
        printed("laplace:scale=9"),
        printed(apart=5.0),
    ):
        assert join([noisy, other], "both").promise is None


def test_a_promise_about_a_part_of_the_range_is_no_bound_on_every_attack() -> None:
    release = printed(known=(0.0, np.inf), apart=10.0)
    assert "amounts up to 10 apart" in str(release.promise)
    assert bound_of(release, 0.1) is None
    assert bound_of(printed("gaussian:sigma=1"), 0.1) is None, "100.0 points say nothing"


def town(folder: Path, people: int) -> Path:
    rng = np.random.default_rng(8)
    incomes = np.round(rng.lognormal(10, 0.4, people)).clip(0, 90_000)
    lines = [f"person{i:03},{'AB'[i % 2]},{'xyz'[i % 3]},{x:.0f}" for i, x in enumerate(incomes)]
    (folder / "people.csv").write_text("\n".join(["id,town,sector,income", *lines]) + "\n")
    return folder


def planned(**keys: Any) -> dict[str, Any]:
    release = {"name": "incomes", "kind": "amounts", "amount": "income", "groups": ["town"]}
    return release | {"margins": False, "most": 100_000.0} | keys


def plan_of(folder: Path, *releases: dict[str, Any]) -> Any:
    raw = {"data": {"path": "people.csv"}, "schema": {"id": "id"}, "budget": {"resamples": 2, "why": False}}
    return check_plan(raw | {"release": list(releases)}, folder)


def test_few_people_pass_by_a_theorem_and_not_by_an_interval(tmp_path: Path) -> None:
    """Thirty people say nothing about five points, the theorem does; others are tried all the same."""
    folder = town(tmp_path, 30)
    few = run_plan(plan_of(folder, planned(mechanism="gaussian:sigma=50000")))
    assert few.verdict == "undecided"
    many = run_plan(plan_of(folder, planned(mechanism="gaussian:sigma=400000")))
    assert many.verdict == "pass", many.report.reasons
    found = many.report.findings[0]
    assert isinstance(found, AmountsFinding)
    assert found.details.resampled is not None
    assert any(
        "no attack can gain more" in rule.reason for each in many.report.verdicts for rule in each.rules
    )
    assert any("counts of people" in text for text in found.assumptions)
    assert "100,000 with rho = 0.03125" in (found.promise or "")


@pytest.mark.parametrize(
    ("low", "high", "bound", "verdict"),
    [
        (-0.1, 0.2, 0.04, "pass"),
        (0.045, 0.2, 0.04, "undecided"),
        (0.06, 0.2, 0.04, "stop"),
        (-0.1, 0.2, 0.06, "undecided"),
        (-0.2, -0.1, 0.06, "undecided"),
    ],
)
def test_a_theorem_decides_only_what_no_count_contradicts(
    tmp_path: Path, low: float, high: float, bound: float, verdict: str
) -> None:
    found = run_plan(plan_of(town(tmp_path, 30), planned(mechanism="gaussian:sigma=400000"))).report.findings[
        0
    ]
    gain = Gain(value=(low + high) / 2, low=low, high=high, confidence=0.95, method="m")
    measure = found.decisive.model_copy(update={"advantage": gain})
    limited = Bound(statement="s", text="t", kind="advantage-at-most", value=bound)
    changed: Any = found.model_copy(update={"measures": (measure,), "bound": limited})
    (ruled,) = [each for each in rulings(changed, Policy(max_advantage=0.05)) if each.rule == "max_advantage"]
    assert ruled.verdict == verdict


def remedied(folder: Path, *releases: dict[str, Any], only: str | None = None) -> Remedy:
    return find_remedy(plan_of(folder, *releases), RemedyOptions(("fewer",), minutes=0.1, release=only))


def test_a_remedy_has_a_line_whose_promise_meets_the_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hiding by amounts is taken back; the noise is for the cell, the margin, the total and the means."""
    monkeypatch.setattr("dalenius.remedy.search.CONFIRMING", 3)
    told = planned(
        groups=["town*sector"], margins=True, hide_below=3, hide_p=0.1, hide_more=True, statistics=["sum"]
    )
    found = remedied(town(tmp_path, 60), told, told | {"name": "more", "groups": ["town"]})
    rung = found.ladder.rungs[-1]
    assert rung.promise is not None
    assert rung.bound is not None
    assert 0.045 < rung.bound.value <= 0.05
    assert "hiding nothing by its amounts" in rung.change
    assert rung.price.mean_error is not None
    assert rung.price.mean_error > 100_000
    assert "Not allowed here" in (rung.note or "")
    assert rung.bound.text in found.summary().replace("\n", " ")


def test_what_stays_as_it_is_undoes_a_promise_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dalenius.remedy.search.CONFIRMING", 3)
    folder, alone = town(tmp_path, 60), planned(groups=["town*sector", "sector"])
    everything = remedied(folder, alone, planned(name="exact"))
    assert everything.ladder.rungs[-1].promise
    found = remedied(folder, alone, planned(name="exact"), only="incomes")
    assert not any(rung.promise for rung in found.ladder.rungs)
    assert any("stay as they are" in text for text in found.ladder.not_tried)
    wide = remedied(folder, alone | {"within": 0.9})
    assert not any(rung.promise for rung in wide.ladder.rungs)
    assert any("tolerates no gain" in text for text in wide.ladder.not_tried), "all are guessed anyway"
