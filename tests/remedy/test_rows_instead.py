"""What is published instead of rows and has a promise: told as what it is, tried, and no more than it is."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius.auditing.changes.candidate import Candidate
from dalenius.auditing.changes.proposals import Proposals
from dalenius.auditing.plan import Plan, check_plan
from dalenius.mechanisms.anonymise.parse import anonymise
from dalenius.people.opening import read_rows
from dalenius.progress import silent
from dalenius.remedy.bench import Workbench
from dalenius.remedy.find import find_remedy
from dalenius.remedy.options import RemedyOptions
from dalenius.remedy.written.leave_behind import files_of
from dalenius.singling_out.changes.instead import (
    NAMES_NEITHER,
    NO_COLUMN,
    NO_GAIN,
    OUT,
    private_success,
)
from dalenius.singling_out.changes.propose import propose
from dalenius.theory.isolation import isolation
from dalenius.theory.privacy import advantage_from_rho
from dalenius.theory.singling_out import private_success_limit

from .test_other_kinds import asked

EVERYBODY, N = 12_000, 60
SECRET = {"schema": {"secret": "ill"}}
POPULATION = {"knowledge": {"population": "everybody.csv"}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place, rng = tmp_path_factory.mktemp("rows"), np.random.default_rng(3)
    columns = (
        rng.integers(18, 100, EVERYBODY),
        rng.choice(["a", "b", "c"], EVERYBODY),
        rng.choice(["no", "yes"], EVERYBODY),
    )
    lines = [f"p{j},{','.join(map(str, row))}" for j, row in enumerate(zip(*columns, strict=True))]
    for name, some in (("everybody", lines), ("people", lines[:N]), ("few", lines[: 2 * N])):
        (place / f"{name}.csv").write_text("\n".join(["name,age,town,ill", *some]) + "\n")
    made = anonymise(read_rows(place / "people.csv"), ("age", "town"), "mondrian:k=4", rng)
    made.write(place / "released.csv")
    return place


def planned(folder: Path, **more: Any) -> Plan:
    release = {
        "name": "microdata",
        "kind": "anonymised-rows",
        "path": "released.csv",
        "quasi": ["age", "town"],
        **more.pop("release", {}),
    }
    raw = {"data": {"path": "people.csv"}, "release": [release], "budget": {"why": False, "resamples": 2}}
    return check_plan(raw | more, folder)


@pytest.fixture
def proposed(tmp_path: Path) -> Callable[[Plan], Proposals]:
    return lambda plan: propose(asked(plan, tmp_path), silent)


def promise_of(proposals: Proposals) -> Candidate:
    assert proposals.promise is not None, proposals.not_tried
    return proposals.promise


def test_counts_have_a_promise_that_is_told_although_noise_is_not_allowed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dalenius.remedy.search.CONFIRMING", 1)
    monkeypatch.setattr("dalenius.singling_out.changes.rows.KS", (5,))
    plan = planned(folder, **POPULATION, schema={"id": "name"})
    found = find_remedy(plan, RemedyOptions(("coarser",)))
    (line,) = [rung for rung in found.ladder.rungs if rung.kind == "noise"]
    assert "no rows: 6 counts with whole-number noise" in line.change
    assert (line.note or "").startswith("Not allowed here; told for its promise. No row is published")
    assert line.verdict == "pass"
    assert line.bound is not None
    assert line.bound.statement == "Cohen and Nissim, Theorem 5.4"
    assert 0.9 * plan.policy.max_advantage < line.bound.value <= plan.policy.max_advantage
    assert line.price.hidden == 1.0  # of the cells of the rows
    assert found.rung is None or found.rung.kind != "noise"


def test_a_larger_epsilon_is_more_than_the_policy_tolerates(
    folder: Path, proposed: Callable[[Plan], Proposals]
) -> None:
    """The theorem decides: with a little more, its limit is above that of the policy."""
    plan = planned(folder, **POPULATION, schema={"id": "name"})
    counts = vars(promise_of(proposed(plan)).plan.release[0])
    epsilon = float(counts["mechanism"].partition("epsilon=")[2])
    weight, luck = 0.01 / N, isolation(N, 0.01 / N)
    assert private_success_limit(N, epsilon, 0.0, weight) - luck <= plan.policy.max_advantage
    assert private_success_limit(N, epsilon + 0.1, 0.0, weight) - luck > plan.policy.max_advantage
    larger = (
        promise_of(proposed(plan))
        .plan.release[0]
        .model_copy(update={"mechanism": f"geometric:epsilon={2 * epsilon:g}", "trials": 20})
    )
    changed = plan.model_copy(update={"release": [larger]})
    with Workbench(changed) as bench:
        (finding,) = bench.audit(changed).report.findings
    assert finding.release == "microdata"
    assert finding.bound is None or finding.bound.value > plan.policy.max_advantage


def test_tables_of_the_secret_keep_to_both_limits_and_are_written(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("opendp")
    monkeypatch.setattr("dalenius.remedy.search.CONFIRMING", 1)
    monkeypatch.setattr("dalenius.singling_out.changes.rows.KS", (5,))
    text = (
        '[data]\npath = "people.csv"\n[schema]\nsecret = "ill"\nid = "name"\n[budget]\nwhy = false\n'
        'resamples = 2\n[[release]]\nname = "microdata"\nkind = "anonymised-rows"\npath = "released.csv"\n'
        'quasi = ["age", "town"]\n'
    )
    (folder / "audit.toml").write_text(text)
    plan = check_plan(tomllib.loads(text), folder)
    found = find_remedy(plan, RemedyOptions(("noise",)))
    rung = found.rung
    assert rung is not None
    assert rung.change.startswith("no rows: 2 tables of ill, by age and town, each by itself, with noise")
    assert "No row is published" in (rung.note or "")
    assert "Theorem 5.4" in (rung.note or "")
    sigma = float(rung.change.partition("deviation ")[2].partition(" ")[0])
    rho = 2 / sigma**2  # a replaced record moves two numbers of each of two tables
    assert rung.bound is not None
    assert rung.bound.value == pytest.approx(advantage_from_rho(rho), rel=1e-3)
    assert rung.bound.value <= plan.policy.max_advantage
    weight = 0.01 / N
    assert private_success(rho, N, weight) - isolation(N, weight) <= plan.policy.max_advantage
    files = files_of(found, plan, folder / "audit.toml", tmp_path)
    made = files["audit-remedied.toml"]
    assert isinstance(made, str)
    assert 'statistics = ["tables:k=1,attributes=age+town"]  # changed' in made
    assert "anonymised-rows" not in made
    assert isinstance(files["tables-remedied.xlsx"], bytes)


def test_the_limit_on_singling_out_can_ask_for_more_noise_than_that_on_guessing(
    folder: Path, proposed: Callable[[Plan], Proposals]
) -> None:
    """Where conditions count that one in n people meets, luck is near, and little is tolerated beyond it."""
    sizes = []
    for limit in (0.01, 0.2):
        plan = planned(folder, schema={"secret": "ill", "id": "name"}, release={"limit": limit})
        said = promise_of(proposed(plan)).said
        sigma = float(said.partition("deviation ")[2].partition(" ")[0])
        sizes.append(sigma)
        weight = limit / N
        assert private_success(2 / sigma**2, N, weight) - isolation(N, weight) <= 0.05
    assert sizes[0] < sizes[1]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({}, NAMES_NEITHER),
        ({"knowledge": {"holdout": "few.csv"}}, NAMES_NEITHER),
        ({"knowledge": {"population": "few.csv"}}, "of 60 people among 120 no condition is so rare"),
        (SECRET | {"release": {"limit": 0.5}}, "conditions that at most 1 in 120 meets"),
        (SECRET | {"policy": {"max_advantage": 0.0}}, NO_GAIN),
        (SECRET | {"knowledge": {"public": ["name"]}}, NO_COLUMN),  # own values: no table is by them
    ],
)
def test_where_nothing_can_have_a_promise_it_is_said_why(
    folder: Path, proposed: Callable[[Plan], Proposals], more: dict[str, Any], why: str
) -> None:
    proposals = proposed(planned(folder, **more))
    assert proposals.promise is None
    assert any(why in said for said in proposals.not_tried)


def test_beside_what_is_out_nothing_is_promised(folder: Path, tmp_path: Path) -> None:
    plan = planned(folder, **SECRET)
    proposals = propose(replace(asked(plan, tmp_path), out=True), silent)
    assert (proposals.promise, proposals.not_tried) == (None, (OUT,))


def test_a_line_that_cannot_be_made_is_told_and_the_others_stay(folder: Path, tmp_path: Path) -> None:
    """Missing values that the plan does not speak of: no table is made, and rows are mended all the same."""
    lines = (folder / "people.csv").read_text().split()
    holes = [line.replace(",a,", ",,", 1) for line in lines[:20]] + lines[20:]
    (folder / "holes.csv").write_text("\n".join(holes) + "\n")
    plan = planned(folder, schema={"secret": "ill", "id": "name"}, data={"path": "holes.csv"})
    found = find_remedy(plan, RemedyOptions(("noise",)))
    assert found.ladder.best is None
    assert any(said.startswith("no rows: ") for said in found.ladder.not_tried)


def test_the_mean_error_of_the_price_is_that_of_the_noise(
    folder: Path, proposed: Callable[[Plan], Proposals]
) -> None:
    plan = planned(folder, **POPULATION, schema={"id": "name"})
    candidate = promise_of(proposed(plan))
    assert candidate.price is not None
    scale = 6 / float(str(vars(candidate.plan.release[0])["mechanism"]).partition("epsilon=")[2])
    sizes = np.arange(-400, 401)
    chance = np.exp(-np.abs(sizes) / scale)
    by_hand = float((np.abs(sizes) * chance).sum() / chance.sum())
    assert candidate.price.mean_error == pytest.approx(by_hand, rel=1e-2)
    assert not math.isinf(by_hand)
