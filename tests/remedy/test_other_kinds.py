"""Remedies of rows, means, frequencies, counts and related people: one command, and what must not pass."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius.auditing.changes.proposals import Proposals, ToChange, joined
from dalenius.auditing.plan import Plan, check_plan, read_plan
from dalenius.cli.demo import genomes
from dalenius.errors import InputError
from dalenius.inference import changes as of_relatives
from dalenius.mechanisms.anonymise.parse import anonymise
from dalenius.mechanisms.base import Promise
from dalenius.people.opening import read_rows
from dalenius.progress import silent
from dalenius.reconstruction.opened import SecretsOpened
from dalenius.remedy.bench import Workbench
from dalenius.remedy.find import find_remedy
from dalenius.remedy.options import RemedyOptions
from dalenius.remedy.written.leave_behind import files_of, means_of
from dalenius.singling_out.changes.propose import propose as of_rows
from dalenius.tracing import changes as of_means
from dalenius.tracing.build import tracing_bound

ROWS = """[data]
path = "people.csv"
[budget]
why = false
[knowledge]
population = "everybody.csv"
[[release]]
name = "microdata"
kind = "anonymised-rows"
path = "released.csv"
quasi = ["age", "zip"]
limit = 0.1
"""


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows of a group each, whose ranges fit the people in them."""
    folder, rng = tmp_path_factory.mktemp("rows"), np.random.default_rng(3)
    town = [f"{age},{code}" for age, code in rng.integers((18, 100), (90, 999), (4000, 2))]
    for name, lines in (("everybody", town), ("people", town[:80])):
        (folder / f"{name}.csv").write_text("\n".join(["age,zip", *lines]) + "\n")
    anonymise(read_rows(folder / "people.csv"), ("age", "zip"), "mondrian:k=4", rng).write(
        folder / "released.csv"
    )
    (folder / "audit.toml").write_text(ROWS)
    return folder


def asked(plan: Plan, folder: Path, *, keep: tuple[str, ...] = (), opened: Any = None) -> ToChange:
    return ToChange(
        plan=plan, releases=plan.release, opened=opened, finding=None, keep=keep, given=False, out=False,
        folder=folder, less_at_risk=lambda plans: None,
    )  # fmt: skip


def test_rows_are_made_anew_and_pass_the_audit_of_their_plan_alone(rows: Path, tmp_path: Path) -> None:
    plan = read_plan(rows / "audit.toml")
    found = find_remedy(plan, RemedyOptions(("coarser",)))
    assert found.before.verdict == "stop"
    assert found.rung is not None
    assert (found.rung.kind, found.rung.kept, found.rung.tried) == ("coarser", 20, 20)
    assert found.rung.price.blurred is not None
    assert any("rows have none" in said for said in found.ladder.not_tried)
    files = files_of(found, plan, rows / "audit.toml", tmp_path)
    made = files["microdata-remedied.csv"]
    assert isinstance(made, bytes)
    (tmp_path / "microdata-remedied.csv").write_bytes(made)
    text = files["audit-remedied.toml"]
    assert isinstance(text, str)
    assert 'path = "microdata-remedied.csv"  # changed' in text
    again = check_plan(tomllib.loads(text), tmp_path)
    assert Workbench(again).__enter__().audit(again).verdict == "pass"


def test_rows_that_still_single_people_out_are_never_said_to_pass(rows: Path, tmp_path: Path) -> None:
    """Every change that leaves people alone in the file is looked at and refused."""
    plan = read_plan(rows / "audit.toml")
    proposals = of_rows(asked(plan, tmp_path), silent)
    fewer = {each.said: each for each in proposals.by_kind["fewer"]}
    plain = next(each for said, each in fewer.items() if "as in the data" in said)
    with Workbench(plan) as bench:
        seen = bench.look(plain.plan, among=proposals.count)
        whole = next(each for each in proposals.by_kind["coarser"] if "20 people" in each.said)
        assert whole.again is not None
        other = whole.again(0)
        assert (other.data.path, len(read_rows(other.data.path or ""))) != (plan.data.path, 80)
    assert seen.verdict != "pass"
    assert len({vars(each.plan.release[0])["path"] for each in fewer.values()}) == len(fewer)


def test_the_order_of_remedied_rows_is_not_that_of_the_people(rows: Path, tmp_path: Path) -> None:
    made = of_rows(asked(read_plan(rows / "audit.toml"), tmp_path), silent).by_kind["fewer"][0]
    (path,) = made.files.values()
    told, people = path.read_text().splitlines()[1:], (rows / "people.csv").read_text().splitlines()[1:]
    column = [line.partition(",")[0].strip('"') for line in people]
    if "zip" not in path.read_text().splitlines()[0]:
        assert sorted(told) == sorted(f'"{age}"' for age in column)
        assert told != [f'"{age}"' for age in column]


def means(folder: Path, **more: Any) -> Plan:
    f = np.random.default_rng(5).uniform(0.1, 0.9, 60)
    for name, n, seed in (("people", 40, 1), ("others", 160, 2)):
        bits = (np.random.default_rng(seed).random((n, 60)) < f).astype(int)
        head = ",".join(f"q{j}" for j in range(60))
        lines = [",".join(map(str, row)) for row in bits]
        (folder / f"{name}.csv").write_text("\n".join([head, *lines]) + "\n")
    release = {"name": "averages", "statistics": ["means"], "mechanism": "exact"}
    raw = {"data": {"path": "people.csv"}, "knowledge": {"reference": "others.csv"}, "release": [release],
           "budget": {"why": False}, **more}  # fmt: skip
    return check_plan(raw, folder)


def test_noise_on_means_has_a_promise_that_meets_the_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dalenius.remedy.search.CONFIRMING", 2)
    monkeypatch.setattr(of_means, "RHOS", ())
    plan = means(tmp_path, policy={"max_advantage": 0.3})
    found = find_remedy(plan, RemedyOptions(("noise",)))
    assert found.before.verdict != "pass"
    promised = [rung for rung in found.ladder.rungs if rung.bound is not None and rung.verdict == "pass"]
    assert promised
    assert all(rung.kept == rung.tried == 2 for rung in promised)
    for rung in found.ladder.rungs:  # a theorem's bound is never exceeded
        assert rung.bound is None or rung.advantage is None or rung.advantage.low <= rung.bound.value
    proposals = of_means.propose(asked(plan, tmp_path), silent)
    assert proposals.promise is not None
    rho = float(str(vars(proposals.promise.plan.release[0])["mechanism"]).partition("rho=")[2])
    bound = tracing_bound(Promise(None, rho, "rho"))
    assert bound is not None
    assert 0.29 < bound.value <= 0.3


def test_noisy_means_go_out_as_nobody_can_draw_them_again(tmp_path: Path) -> None:
    plan = means(tmp_path)
    noisy = plan.model_copy(
        update={"release": [plan.release[0].model_copy(update={"mechanism": "gaussian:rho=0.1"})]}
    )
    first, second = means_of(noisy), means_of(noisy)
    assert [*first] == ["averages-remedied.tsv"]
    assert first != second
    assert means_of(plan) == means_of(plan)
    assert sum(line.startswith("q") for line in means_of(plan)["averages-remedied.tsv"].splitlines()) == 60


def test_fewer_variants_are_published_with_their_alleles(tmp_path: Path) -> None:
    genomes(tmp_path)  # simulated cases and others
    release = {"name": "study", "statistics": ["frequencies:variants=20"], "mechanism": "rounding:digits=2"}
    raw = {"data": {"path": "cases.bed"}, "knowledge": {"reference": "others.bed"}, "release": [release]}
    plan = check_plan(raw, tmp_path)
    lines = means_of(plan)["study-remedied.tsv"].splitlines()
    assert len(lines) == 21
    assert lines[0].split("\t")[:6] == ["CHROM", "POS", "ID", "COUNTED", "OTHER", "FREQ"]
    said = [each.said for each in of_means.propose(asked(plan, tmp_path), silent).by_kind["fewer"]]
    assert said == [f"publish {n} of 20 variants, spread evenly" for n in (10, 5, 3, 2)]
    with pytest.raises(InputError, match="variants"):
        check_plan({**raw, "release": [{**release, "statistics": ["frequencies:variants=0"]}]}, tmp_path)


def test_fewer_means_keep_what_must_stay(tmp_path: Path) -> None:
    plan = means(tmp_path)
    for each in of_means.propose(asked(plan, tmp_path, keep=("q59",)), silent).by_kind["fewer"]:
        release: Any = each.plan.release[0]
        assert release.statistics[0].endswith("+q59")
        assert each.lost == 60 - len(release.statistics[0].split("+"))
    with pytest.raises(InputError, match="must name columns whose means are published"):
        of_means.propose(asked(plan, tmp_path, keep=("town",)), silent)


def test_the_largest_epsilon_of_related_people_and_nothing_else(tmp_path: Path) -> None:
    """Two who agree surely: nu is the sum of their epsilons, so half the limit is the most."""
    lines = [f"p{i},{i % 2},{('no', 'yes')[i % 3 == 0]}" for i in range(40)]
    (tmp_path / "people.csv").write_text("\n".join(["id,sex,ill", *lines]) + "\n")
    (tmp_path / "links.csv").write_text("a,b\np0,p1\n")
    raw = {
        "data": {"path": "people.csv"}, "schema": {"secret": "ill", "id": "id"},
        "release": [{"name": "t", "statistics": ["histogram"], "mechanism": "rounding:base=5"}],
        "knowledge": {"prior": {"edges": "links.csv", "identical": True, "agreement": 1.0}},
        "policy": {"max_nu": 1.0}, "budget": {"why": False},
    }  # fmt: skip
    plan = check_plan(raw, tmp_path)
    with Workbench(plan) as bench:
        assert isinstance(bench.ground, SecretsOpened)
        proposals = of_relatives.propose(asked(plan, tmp_path, opened=bench.ground), silent)
        assert proposals.alone
        assert proposals.promise is not None
        assert proposals.promise.said == "whole-number noise with epsilon 0.5"
        more = proposals.promise.plan.model_copy(
            update={"release": [plan.release[0].model_copy(update={"mechanism": "geometric:epsilon=0.51"})]}
        )
        assert bench.look(more, quick=True).verdict == "stop"
    others = Proposals({"round": [proposals.promise]}, not_tried=("x",))
    assert not joined([others, proposals]).by_kind


def test_counts_to_come_get_fewer_or_noise(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age\n" + "\n".join(map(str, range(30))) + "\n")
    raw = {
        "data": {"path": "people.csv"}, "knowledge": {"population": "people.csv"},
        "release": [{"name": "desk", "kind": "counts", "queries": 9}],
    }  # fmt: skip
    proposals = of_rows(asked(check_plan(raw, tmp_path), tmp_path), silent)
    assert [each.lost for each in proposals.by_kind["fewer"]] == [0, 0]
    assert [vars(each.plan.release[0])["queries"] for each in proposals.by_kind["fewer"]] == [4, 2]
    assert all(each.draws for kind in proposals.by_kind.values() for each in kind)
    assert proposals.promise is proposals.noise[-1]


def test_releases_of_several_kinds_are_mended_one_by_one(tmp_path: Path, rows: Path) -> None:
    raw = tomllib.loads(ROWS)
    raw["release"].append({"name": "desk", "kind": "counts", "queries": 9})
    plan = check_plan(raw, rows)
    with pytest.raises(InputError, match="--release NAME"):
        find_remedy(plan)
