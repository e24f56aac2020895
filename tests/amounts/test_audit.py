"""Planned tables of amounts: what passes, and what must not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius.amounts.attack import intervals
from dalenius.amounts.finding import AmountsFinding
from dalenius.amounts.referee.cell_rules import hold_cells
from dalenius.amounts.referee.judge import too_close
from dalenius.amounts.rules import rulings
from dalenius.auditing.plan import check_plan
from dalenius.auditing.run import Audit, run_plan
from dalenius.errors import InputError
from dalenius.findings.policy import Policy
from dalenius.release.amounts import AmountGroup
from dalenius.release.amounts_hiding import HidingRules, p_rule_fails, shown_groups
from dalenius.release.amounts_publish import AmountSettings, publish_amounts
from dalenius.report.page.render import page_markdown

PEOPLE = 400


def table(folder: Path, amounts: np.ndarray, town: list[str], sector: list[str]) -> None:
    rows = zip(town, sector, amounts, strict=True)
    lines = [f"person{i:03},{a},{b},{x:.0f}" for i, (a, b, x) in enumerate(rows)]
    (folder / "people.csv").write_text("\n".join(["id,town,sector,income", *lines]) + "\n")


def audit(folder: Path, **keys: Any) -> Audit:
    release = {"name": "incomes", "kind": "amounts", "amount": "income", "groups": ["town"]} | keys
    raw = {"data": {"path": "people.csv"}, "schema": {"id": "id"}, "release": [release]}
    return run_plan(check_plan(raw, folder))


def finding(result: Audit) -> AmountsFinding:
    found = result.report.findings[0]
    assert isinstance(found, AmountsFinding)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four towns of a hundred people each; one of them alone in its sector of its town."""
    rng = np.random.default_rng(11)
    town = ["ABCD"[i % 4] for i in range(PEOPLE)]
    sector = ["shop" if rng.random() < 0.5 else "farm" for _ in range(PEOPLE)]
    sector = ["mine" if i == 7 else one for i, one in enumerate(sector)]
    table(tmp_path, np.round(rng.lognormal(10, 0.4, PEOPLE)), town, sector)
    return tmp_path


def test_sums_of_a_hundred_people_each_pass(folder: Path) -> None:
    result = audit(folder)
    found = finding(result)
    assert result.verdict == "pass", result.report.reasons
    assert (found.certain, found.known, found.details.outside) == (0, 0, 0)
    control = found.measures[0].control
    assert control is not None
    assert control.low <= 0 <= control.high


def test_somebody_alone_in_a_cell_is_certain(folder: Path) -> None:
    result = audit(folder, groups=["town*sector"])
    found = finding(result)
    assert result.verdict == "stop"
    assert found.certain == 1
    assert found.details.cells is not None
    assert found.details.cells.few == 1
    text = result.report.to_json() + repr(result) + str(result.report.reasons)
    assert "person007" not in text
    assert "person007," in result.people_files()["amounts.csv"]


@pytest.mark.causes
def test_why_no_cause_is_named_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = finding(audit(folder, groups=["town*sector"], margins=False)).explanation.why
    assert alone is not None
    assert (alone.whole, alone.causes, alone.left_out) == (1, (), "there is one table alone")
    monkeypatch.setattr(intervals, "PROGRAMS", 8)
    result = audit(folder, groups=["town*sector"])
    found = finding(result)
    assert not found.details.searched
    assert found.explanation.why is not None
    assert "not everybody's ends were looked for" in str(found.explanation.why.left_out)
    assert "was not asked for" not in page_markdown(result.report)


@pytest.mark.causes
def test_hiding_the_cell_alone_does_not_pass(folder: Path) -> None:
    """Its town's margin less the town's other cells is the hidden cell."""
    hidden = audit(folder, groups=["town*sector"], hide_below=3)
    assert finding(hidden).details.hidden > 0
    assert hidden.verdict == "stop"
    assert finding(hidden).certain == 1
    cells = finding(hidden).details.cells
    assert cells is not None
    assert (cells.few, cells.unseen) == (0, 1), "no printed cell breaks a rule, and somebody is known"
    why = finding(hidden).explanation.why
    assert why is not None
    assert why.whole == 1
    assert all(cause.alone == 0 for cause in why.causes), "no table says it alone"
    assert {cause.without for cause in why.causes} == {1}, "the sectors of all, or those of its town"
    assert all(group.people >= 20 for group in finding(hidden).explanation.groups)
    alone = audit(folder, groups=["town*sector"], hide_below=3, margins=False)
    assert finding(alone).certain == 0


@pytest.mark.parametrize("mechanism", ["gaussian:sigma=0.01", "laplace:scale=0.01", "rounding:base=10"])
def test_little_noise_or_rounding_does_not_pass(folder: Path, mechanism: str) -> None:
    result = audit(folder, groups=["town*sector"], mechanism=mechanism)
    found = finding(result)
    assert result.verdict == "stop"
    noisy = mechanism.startswith(("gaussian", "laplace"))
    assert found.certain == (0 if noisy else 1), "nothing is certain under noise"
    assert (found.known or 0) + (found.certain or 0) >= 1


@pytest.mark.parametrize("mechanism", ["gaussian:sigma=300", "laplace:scale=200"])
def test_noise_that_leaves_somebody_as_good_as_known_does_not_pass(folder: Path, mechanism: str) -> None:
    """A tenth of an income of 20,000 is seven times that noise: the ends of one in a million are wider."""
    result = audit(folder, groups=["town*sector"], mechanism=mechanism)
    assert result.verdict == "stop"
    assert (finding(result).certain, finding(result).known) == (0, 1)
    sums = audit(folder, mechanism=mechanism)
    assert sums.verdict == "pass", "of a hundred people nobody is known by it"


def test_two_rivals_of_a_cell_are_seen_by_the_insider_only(tmp_path: Path) -> None:
    """Golden: 100, 50, 5 in one cell. The second bounds the first by 105; without knowing 50 nobody does."""
    rng = np.random.default_rng(3)
    town = ["A"] * 3 + ["B"] * 200
    amounts = np.concatenate([[1000, 500, 50], np.round(rng.uniform(100, 300, 200))])
    table(tmp_path, amounts, town, ["shop"] * 203)
    found = finding(result := audit(tmp_path))
    assert (found.details.pinned, found.details.exposed) == (0, 0)
    assert found.details.inside >= 1
    assert found.details.cells is not None
    assert found.details.cells.p_rule == 1
    assert result.verdict == "stop"
    assert any("for somebody of their group only" in reason for reason in result.report.reasons)


def test_the_rules_of_offices() -> None:
    assert p_rule_fails(np.array([100.0, 50.0, 9.9]), 0.1)
    assert not p_rule_fails(np.array([100.0, 50.0, 10.0]), 0.1)
    amounts = np.array([100.0, 50.0, 5.0, 40.0, 40.0, 40.0, 40.0])
    members = {"a": np.arange(3), "b": np.arange(3, 7), "c": np.array([0, 1])}
    groups = [AmountGroup(name, own) for name, own in members.items()]
    release = publish_amounts(amounts, "x", groups, AmountSettings(), rng=np.random.default_rng(0))
    held = hold_cells(release, amounts, 0.1)
    assert (held.cells, held.few, held.dominated, held.p_rule) == (3, 1, 2, 2)
    assert held.safe.tolist() == [False] * 3 + [True] * 4
    close = too_close(
        np.array([0, 0, 91, 0.0]), np.array([109, 111, 300, 0.0]), np.array([100, 100, 100, 0.0]), 0.1
    )
    assert close.tolist() == [True, False, True, True]


def test_an_estimate_that_comes_close_stops_although_no_end_does(tmp_path: Path) -> None:
    """Couples with nearly equal amounts: the mean is near both, though anything up to twice it fits."""
    rng = np.random.default_rng(8)
    base = rng.lognormal(9, 1.0, 150)
    amounts = np.round(np.repeat(base, 2) * rng.uniform(0.97, 1.03, 300))
    table(tmp_path, amounts, [f"t{i // 2}" for i in range(300)], ["shop"] * 300)
    result = audit(tmp_path, margins=False, statistics=["mean"])
    found = finding(result)
    assert found.advantage.low > 0.2
    assert result.verdict == "stop"
    assert any("more often" in reason for reason in result.report.reasons)


def test_two_harmless_releases_are_attacked_together(tmp_path: Path) -> None:
    """Everybody, and everybody but one: each alone says nothing, their difference is that person."""
    rng = np.random.default_rng(2)
    table(tmp_path, np.round(rng.lognormal(10, 0.4, 200)), ["A"] * 199 + ["B"], ["shop"] * 200)
    shared = {"kind": "amounts", "amount": "income", "statistics": ["sum"]}
    releases = [
        {"name": "all", "groups": ["sector"], **shared},
        {"name": "towns", "groups": ["town"], "margins": False, "hide_below": 2, **shared},
    ]
    raw = {"data": {"path": "people.csv"}, "schema": {"id": "id"}, "release": releases}
    report = run_plan(check_plan(raw, tmp_path)).report
    assert {each.release: each.verdict for each in report.verdicts} == {
        "all": "pass", "towns": "pass", "all together, income": "stop",
    }  # fmt: skip
    assert report.verdict == "stop"
    rounded = {"name": "rounded", "mechanism": "rounding:base=100", "alternative_to": "all"}
    raw["release"] = [releases[0], {**releases[0], **rounded}]
    alone = run_plan(check_plan(raw, tmp_path)).report
    assert [each.release for each in alone.verdicts] == ["all", "rounded"], "ways to protect one table"
    raw["release"].append(releases[1])
    found = {each.release: each.verdict for each in run_plan(check_plan(raw, tmp_path)).report.verdicts}
    assert found["all, with all others"] == "stop", "an alternative kept the towns from being attacked along"
    assert "rounded, with all others" in found


def test_an_attack_that_is_worse_than_guessing_shows_nothing(tmp_path: Path) -> None:
    """One giant among four hundred moved everybody in town: the estimates were worse, and it passed."""
    rng = np.random.default_rng(5)
    amounts = np.round(rng.lognormal(10, 0.5, 400))
    amounts[3] = 1e7
    table(tmp_path, amounts, rng.choice(list("ABCD"), 400).tolist(), ["shop"] * 400)
    found = finding(audit(tmp_path))
    assert found.advantage.high >= 0
    worse = found.measures[0].advantage
    assert worse is not None
    gain = worse.model_copy(update={"value": -0.06, "low": -0.09, "high": -0.03})
    measure = found.measures[0].model_copy(update={"advantage": gain})
    held = rulings(found.model_copy(update={"measures": (measure,)}), Policy())
    assert [one.verdict for one in held if one.rule == "max_advantage"] == ["undecided"]


@pytest.mark.parametrize(
    ("size", "statistics", "inside"),
    [(3, ["median"], True), (5, ["median"], False), (5, ["q25", "q50", "q75"], True),
     (3, ["sum", "sd"], True), (4, ["sum", "var"], True)],
)  # fmt: skip
def test_medians_and_deviations_of_a_few_do_not_pass(
    tmp_path: Path, size: int, statistics: list[str], inside: bool
) -> None:
    """Medians of five and deviations beside sums passed: they were read as bounds of sums alone."""
    rng = np.random.default_rng(size)
    town = [f"t{i // size}" for i in range(180)]
    table(tmp_path, np.round(rng.lognormal(10, 0.5, 180)), town, ["shop"] * 180)
    result = audit(tmp_path, margins=False, statistics=statistics)
    found = finding(result)
    assert result.verdict == "stop", result.report.reasons
    assert found.details.outside == 0
    assert (found.details.inside > 0) == inside
    assert inside or found.advantage.low > 0.05, "whoever is told the median is right for one of five"


def test_quartiles_of_a_hundred_pass(folder: Path) -> None:
    result = audit(folder, margins=False, statistics=["q25", "median", "q75", "sd", "sum"])
    assert result.verdict == "pass", result.report.reasons
    head, *lines = result.people_files()["amounts.csv"].splitlines()
    assert head.split(",")[-3:] == ["near", "likely_least", "likely_most"]
    assert len(lines) == PEOPLE


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"statistics": ["q1"]}, "q25"),
        ({"amount": "salary"}, "must be one of the columns"),
        ({"amount": "town"}, "must not be a column that tables are made by"),
        ({"groups": ["town*town"]}, "each once"),
        ({"groups": ["village"]}, "village"),
        ({"amount": "sector"}, "number for everybody"),
        ({"mechanism": "gaussian:rho=1"}, "size of its noise"),
        ({"mechanism": "suppression:below=5"}, "must be one for amounts"),
        ({"least": 1e6}, "must lie between"),
        ({"within": 2}, "within"),
        ({"statistics": ["modus"]}, "statistics"),
        ({"groups": ["income"], "amount": "income"}, "must not be a column"),
    ],
)
def test_bad_plans_are_refused(folder: Path, keys: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match="(?s)" + said):
        audit(folder, **keys)


def test_numbers_of_people_by_the_secret_are_no_groups_of_amounts(folder: Path) -> None:
    """They are a table of the secret: nobody knows who is in which group."""
    release = {"name": "r", "kind": "amounts", "amount": "income", "groups": ["town*sector"]}
    raw = {"data": {"path": "people.csv"}, "schema": {"id": "id", "secret": "sector"}, "release": [release]}
    with pytest.raises(InputError, match="must not be by the secret") as refused:
        run_plan(check_plan(raw, folder))
    assert "Publish numbers of people by it as statistics" in str(refused.value)


def test_sums_that_pass_by_luck_of_these_people_are_undecided(tmp_path: Path) -> None:
    """In towns of three nobody knows anybody's amount; where one of them is missing two know each other's."""
    town = [f"s{i // 3}" for i in range(30)] + [f"l{i // 20}" for i in range(400)]
    rng = np.random.default_rng(5)
    amounts = np.concatenate([np.tile([1000, 500, 200], 10), np.round(rng.lognormal(6.2, 0.7, 400))])
    table(tmp_path, amounts, town, ["shop"] * 430)
    result = audit(tmp_path)
    found = finding(result)
    assert (found.certain, found.known) == (0, 0)
    again = found.details.resampled
    assert again is not None
    assert again.broken >= 2
    assert result.verdict == "undecided"
    assert "may pass by luck" in result.report.reasons[0]
    hidden = finding(audit(tmp_path, hide_below=4))
    assert hidden.details.resampled is not None
    assert hidden.details.resampled.broken == 0, "hiding such towns passes whoever is missing"


def test_without_samples_sums_do_not_pass_since_it_may_be_luck(folder: Path) -> None:
    raw = {
        "data": {"path": "people.csv"},
        "schema": {"id": "id"},
        "budget": {"resamples": 0},
        "release": [{"name": "incomes", "kind": "amounts", "amount": "income", "groups": ["town"]}],
    }
    result = run_plan(check_plan(raw, folder))
    assert result.verdict == "undecided"
    assert "tried again on 0 samples of the people, and a pass takes 5" in result.report.reasons[0]
    assert "not tried on other people" in finding(result).assumptions[-1]
    raw["budget"] = {"resamples": 5}
    assert run_plan(check_plan(raw, folder)).verdict == "pass"


def test_further_cells_are_hidden_until_no_total_gives_a_hidden_one_away(folder: Path) -> None:
    """Golden: in a table of 2 by 2 with one small cell all four go, and no total does."""
    groups = [AmountGroup("everybody", np.arange(40), "everybody")]
    cells = [np.array([0]), np.arange(1, 20), np.arange(20, 30), np.arange(30, 40)]
    for table, sides in {"a": ((0, 1), (2, 3)), "b": ((0, 2), (1, 3))}.items():
        groups += [AmountGroup(table, np.r_[tuple(cells[at] for at in side)], table) for side in sides]
    groups += [AmountGroup(f"cell {j}", cell, "a*b") for j, cell in enumerate(cells)]
    amounts = np.full(40, 100.0)
    everything = range(len(groups))
    alone = shown_groups(amounts, groups, HidingRules(below=3))
    assert [groups[at].label for at in everything if at not in alone] == ["cell 0"]
    more = shown_groups(amounts, groups, HidingRules(below=3, complementary=True))
    assert [groups[at].label for at in everything if at not in more] == [f"cell {j}" for j in range(4)]
    stopped = audit(folder, groups=["town*sector"], hide_below=3)
    mended = audit(folder, groups=["town*sector"], hide_below=3, hide_more=True)
    assert (stopped.verdict, mended.verdict) == ("stop", "pass")
    assert finding(mended).details.hidden > finding(stopped).details.hidden
