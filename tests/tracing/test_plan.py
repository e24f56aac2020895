"""Releases of means in a plan: tables without a secret, beside tables of one, and genotypes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius.auditing.plan import Plan, check_plan
from dalenius.auditing.run import run_plan
from dalenius.errors import InputError
from dalenius.report.text import summary
from dalenius.tracing.files.plan import open_traits

WIDTH = 150


def write(path: Path, n: int, seed: int, f: np.ndarray[Any, Any]) -> None:
    rng = np.random.default_rng(seed)
    bits = (rng.random((n, WIDTH)) < f).astype(int)
    colour = rng.choice(["red", "green", "blue"], n, p=[0.5, 0.3, 0.2])
    names = ",".join(["colour", *(f"q{j}" for j in range(WIDTH))])
    rows = [",".join([colour[i], *map(str, bits[i])]) for i in range(n)]
    path.write_text("\n".join([names, *rows]) + "\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("survey")
    f = np.random.default_rng(5).uniform(0.1, 0.9, WIDTH)
    write(place / "people.csv", 40, 1, f)
    write(place / "others.csv", 200, 2, f)
    return place


def planned(folder: Path, *releases: dict[str, Any], **parts: Any) -> Plan:
    raw = {
        "data": {"path": "people.csv"},
        "knowledge": {"reference": "others.csv"},
        "release": list(releases),
        **parts,
    }
    return check_plan(raw, folder)


MEANS = {"name": "averages", "statistics": ["means"], "mechanism": "exact"}


def test_means_of_a_table_need_no_secret(folder: Path) -> None:
    result = run_plan(planned(folder, MEANS))
    (finding,) = result.report.findings
    assert finding.goal == "tracing"
    assert (finding.people, finding.numbers) == (40, WIDTH + 3)
    assert result.claims["tracing", "averages"].ids.size == 40
    assert result.report.data.secret is None
    assert finding.measures[0].attack.rate > finding.measures[0].outsiders.rate
    assert "who is among them" in summary(result.report)


def test_one_person_moves_two_shares_of_a_category(folder: Path) -> None:
    opened = open_traits(planned(folder, MEANS), planned(folder, MEANS).release[0])
    assert opened.moved == WIDTH + 2
    assert opened.members.names[:3].tolist() == ["colour=blue", "colour=green", "colour=red"]
    share = opened.members.values(slice(0, 3))
    assert np.array_equal(share.sum(axis=1), np.full(40, -1.0))  # one of three


def test_means_beside_tables_give_findings_of_both(folder: Path) -> None:
    tables = {"name": "tables", "statistics": ["tables:k=1,attributes=q1+q2"], "mechanism": "rounding:base=5"}
    chosen = {**MEANS, "statistics": ["means:columns=" + "+".join(f"q{j}" for j in range(60))]}
    result = run_plan(planned(folder, tables, chosen, schema={"secret": "q0", "public": ["q1", "q2"]}))
    assert [finding.goal for finding in result.report.findings] == ["reconstruction", "tracing"]
    first, second = result.report.findings
    assert first.goal == "reconstruction"
    assert first.advantage.confidence == pytest.approx(0.975)
    assert second.goal == "tracing"
    assert second.confidence == pytest.approx(0.975)
    text = summary(result.report)
    assert "secret q0" in text
    assert "averages:" in text


def test_the_same_plan_gives_the_same_bytes(folder: Path) -> None:
    plan = planned(folder, {**MEANS, "mechanism": "gaussian:rho=1 | clip"})
    assert run_plan(plan).report.to_json() == run_plan(plan).report.to_json()


@pytest.mark.parametrize(
    ("release", "parts", "said"),
    [
        ({"statistics": ["means", "tables:k=1"]}, {}, "one alone"),
        ({"statistics": ["means:column=q1"]}, {}, "Did you mean 'columns'"),
        ({"mechanism": "suppression:below=10"}, {}, "'below'"),
        ({}, {"knowledge": {}}, "must name other people"),
        ({"statistics": ["tables:k=1"]}, {}, "schema.secret"),
    ],
)
def test_a_plan_that_cannot_be_run(
    folder: Path, release: dict[str, Any], parts: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        planned(folder, {**MEANS, **release}, **parts)


def test_columns_that_cannot_be_averaged_together(folder: Path) -> None:
    (folder / "mixed.csv").write_text("age,sex,same\n31,f,x\n40,m,x\n52,f,x\n")
    for columns, said in (("age+sex", "two releases"), ("same", "the same for everybody"), ("agee", "agee")):
        release = {**MEANS, "statistics": [f"means:columns={columns}"]}
        plan = planned(folder, release, data={"path": "mixed.csv"})
        with pytest.raises(InputError, match=said):
            open_traits(plan, plan.release[0])


def test_averages_of_numbers(folder: Path) -> None:
    (folder / "numbers.csv").write_text("age,pay\n31,1.5\n40,2.5\n52,3.5\n")
    plan = planned(folder, MEANS, data={"path": "numbers.csv"}, knowledge={"reference": "numbers.csv"})
    opened = open_traits(plan, plan.release[0])
    assert opened.members.kind == "real"
    assert opened.members.values(slice(None)).mean(axis=0) == pytest.approx([41.0, 2.5])


def test_frequencies_of_genotypes(tmp_path: Path) -> None:
    from dalenius.genomes.plink import write_plink
    from dalenius.genomes.variants import Genotypes, Variants
    from dalenius.people.traits.traits import coded_from_values

    rng = np.random.default_rng(3)
    f = rng.uniform(0.1, 0.9, 300)
    ids = np.array([f"rs{j}" for j in range(300)])
    variants = Variants(ids, np.full(300, "1"), np.arange(1, 301), np.full(300, "A"), np.full(300, "G"))
    for name, n in (("cases", 30), ("others", 120)):
        people = np.array([f"{name}{i}" for i in range(n)])
        traits = coded_from_values("id", people, ids, rng.binomial(2, f, (n, 300)) - 1, "genotype")
        write_plink(tmp_path / name, Genotypes(traits, variants))
    release = {"name": "gwas", "statistics": ["frequencies"], "mechanism": "exact"}
    raw = {"data": {"path": "cases.bed"}, "knowledge": {"reference": "others.bed"}, "release": [release]}
    result = run_plan(check_plan(raw, tmp_path))
    (finding,) = result.report.findings
    assert finding.goal == "tracing"
    assert (finding.people, finding.numbers, finding.details.pool) == (30, 300, 96)
    assert finding.details.area > 0.8
    small = {"name": "small", "statistics": ["frequencies:variants=40"], "mechanism": "rounding:digits=1"}
    both = [{**release, "fixed": True}, {**small, "fixed": True}]
    report = run_plan(check_plan({**raw, "release": both}, tmp_path)).report
    alone, few, together = report.findings
    assert (few.numbers, together.release, together.numbers) == (40, "all together, frequencies", 300)
    assert together.details.area == pytest.approx(alone.details.area, abs=0.05)
