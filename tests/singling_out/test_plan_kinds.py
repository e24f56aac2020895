"""Anonymised rows and counts in a plan: what is checked before, what is found, and what is decided."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius.auditing.plan import check_plan
from dalenius.auditing.run import run_plan
from dalenius.errors import InputError
from dalenius.findings.report import Finding, Report
from dalenius.mechanisms.anonymise.parse import anonymise
from dalenius.people.opening import read_rows
from dalenius.report.text import summary
from dalenius.singling_out.finding import ConditionsFinding

N, PEOPLE = 12_000, 120
HEADER = "age,zip,sex,ill"
ROWS = {"name": "microdata", "kind": "anonymised-rows", "path": "released.csv",
        "quasi": ["age", "zip", "sex"]}  # fmt: skip
COUNTS = {"name": "counts", "kind": "counts", "queries": 12, "trials": 40}
SCHEMA = {"secret": "ill", "public": ["age", "sex", "zip"]}
TABLES = {"name": "tables", "statistics": ["histogram:column=sex"], "mechanism": "exact"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("plan")
    rng = np.random.default_rng(3)
    ages, zips = rng.integers(18, 90, N), rng.integers(8000, 10_100, N)
    sexes, ill = rng.choice(["f", "m"], N), rng.choice(["no", "yes"], N)
    lines = [f"{a},{z:05},{s},{i}" for a, z, s, i in zip(ages, zips, sexes, ill, strict=True)]
    chosen = rng.choice(N, PEOPLE, replace=False)
    write(place / "everybody.csv", lines)
    write(place / "few.csv", lines[: 5 * PEOPLE])
    write(place / "others.csv", [line for i, line in enumerate(lines) if i not in set(chosen.tolist())])
    write(place / "people.csv", [lines[i] for i in chosen])
    people = read_rows(place / "people.csv")
    anonymise(people, ("age", "zip", "sex"), "mondrian:k=5", rng).write(place / "released.csv")
    ages_coarse = [f"{'<50' if int(lines[i].split(',')[0]) < 50 else '>=50'},*,*" for i in chosen]
    (place / "coarse.csv").write_text("\n".join(["age,zip,sex", *ages_coarse]) + "\n")
    return place


def write(path: Path, lines: list[str]) -> None:
    path.write_text("\n".join([HEADER, *lines]) + "\n")


def planned(folder: Path, *releases: dict[str, Any], **more: Any) -> Any:
    knowledge = more.pop("knowledge", {"population": "everybody.csv"})
    raw = {"data": {"path": "people.csv"}, "release": list(releases), "knowledge": knowledge} | more
    return check_plan(raw, folder)


def found(report: Report) -> dict[str, ConditionsFinding]:
    return {one.release: one for one in report.findings if isinstance(one, ConditionsFinding)}


def test_anonymised_rows_stop_an_audit(folder: Path) -> None:
    result = run_plan(planned(folder, ROWS))
    assert result.verdict == "stop"
    finding = found(result.report)["microdata"]
    assert finding.details.evidence == "demonstrated"
    assert finding.details.control is not None
    assert finding.details.control.kept
    assert finding.details.k is not None
    assert finding.details.k >= 5
    assert result.report.data.secret is None
    conditions = json.loads(result.claims["singling-out", "microdata"].predicates_json())["predicates"]
    written = result.report.to_json()
    assert conditions
    assert not any(one["text"] in written for one in conditions)
    assert Report.model_validate_json(written).to_json() == written
    said = " ".join(summary(result.report).split())
    assert "can one of them be singled out" in said
    assert "Recital 26 GDPR" in said
    assert "Opinion 05/2014" in said


def test_a_coarse_file_passes(folder: Path) -> None:
    coarse = ROWS | {"path": "coarse.csv", "limit": 0.1}
    report = run_plan(planned(folder, coarse)).report
    assert found(report)["microdata"].details.evidence == "no advantage"
    assert report.verdict == "pass"


def test_labels_of_a_hierarchy_and_a_holdout(folder: Path) -> None:
    """Cells that only a hierarchy explains; too few other people to certify that conditions are rare."""
    lines = [line.split(",") for line in (folder / "people.csv").read_text().splitlines()[1:]]
    released = [f"{'young' if int(age) < 50 else 'old'},{z},{ill}" for age, z, _, ill in lines]
    (folder / "labels.csv").write_text("\n".join(["age,zip,ill", *released]) + "\n")
    ages = [f"{age};{'young' if age < 50 else 'old'};*" for age in range(18, 90)]
    (folder / "age.csv").write_text("\n".join(ages) + "\n")
    labels = ROWS | {"path": "labels.csv", "quasi": ["age"], "hierarchies": {"age": "age.csv"}, "limit": 0.5}
    report = run_plan(planned(folder, labels, knowledge={"holdout": "others.csv"})).report
    finding = found(report)["microdata"]
    assert finding.details.source == "a holdout of 11,880 people, 5,940 of whom certify weights"
    assert finding.details.weight_error == 0.001
    assert finding.details.k is not None
    assert finding.details.k > 20
    without = {key: value for key, value in labels.items() if key != "hierarchies"}
    with pytest.raises(InputError, match="got 2 of 2 classes that no original row meets"):
        run_plan(planned(folder, without, knowledge={"holdout": "others.csv"}))
    with pytest.raises(InputError, match="holdout must be other people than the original rows"):
        run_plan(planned(folder, labels, knowledge={"holdout": "everybody.csv"}))


def test_without_a_population_nothing_is_decided(folder: Path) -> None:
    report = run_plan(planned(folder, ROWS, knowledge={})).report
    assert report.verdict == "undecided"
    assert "there is nobody to weigh conditions with; give a population or a holdout" in report.reasons[0]
    assert found(report)["microdata"].details.evidence == "not counted"


def test_a_small_population_is_warned_of_and_decides_nothing(folder: Path) -> None:
    coarse = ROWS | {"path": "coarse.csv"}
    report = run_plan(planned(folder, coarse, knowledge={"population": "few.csv"})).report
    finding = found(report)["microdata"]
    assert any("fewer than 10 times the 120 of the data" in text for text in finding.warnings)
    assert report.verdict == "undecided"
    assert "take a rarity limit of 0.2 (luck is then 16.4%)" in report.reasons[0]


def test_a_small_population_still_stops_what_it_can_show(folder: Path) -> None:
    report = run_plan(planned(folder, ROWS, knowledge={"population": "few.csv"})).report
    assert report.verdict == "stop"
    assert "conditions met by at most 1 in 120" in report.reasons[0]


def test_counts_by_what_is_done_to_them(folder: Path) -> None:
    releases = [
        COUNTS | {"name": text.partition(":")[0], "mechanism": text}
        for text in ("exact", "suppression:below=10", "laplace:epsilon=0.5")
    ]
    plan = planned(folder, *releases, COUNTS | {"name": "two", "queries": 2, "limit": 0.01})
    report = run_plan(plan).report
    findings = found(report)
    assert findings["exact"].details.evidence == "demonstrated"
    assert findings["suppression"].details.evidence == "demonstrated"
    noisy = findings["laplace"]
    assert noisy.details.evidence == "not shown"
    assert noisy.bound is not None
    assert noisy.bound.statement == "Cohen and Nissim, Theorem 5.4"
    # n (e^epsilon K / (N - n + 1)) for conditions that one person of the population meets
    assert noisy.at_best.at_most == pytest.approx(PEOPLE * np.exp(0.5) / (N - PEOPLE + 1))
    two = findings["two"].bound
    assert two is not None
    assert two.value == pytest.approx(4 * PEOPLE / (N - PEOPLE + 1) - PEOPLE / N)
    assert findings["exact"].bound is None, "twelve counts may say anything"
    assert report.verdict == "stop"
    assert {reason.split(",")[0] for reason in report.reasons} == {"exact", "suppression"}


def test_the_example_of_the_documentation_runs(folder: Path) -> None:
    text = (Path(__file__).parents[2] / "docs/explanation/singling_out.md").read_text()
    raw = tomllib.loads(text.partition("```toml\n")[2].partition("```")[0])
    raw["release"][1]["trials"] = 40
    report = run_plan(check_plan(raw, folder)).report
    assert report.verdict == "stop"
    assert [finding.details.evidence for finding in found(report).values()] == [
        "demonstrated",
        "demonstrated",
    ]


def test_intervals_pay_for_every_release_and_every_attack_tried(folder: Path) -> None:
    alone, beside = (
        found(run_plan(planned(folder, *releases, schema=SCHEMA)).report)
        for releases in ([COUNTS], [COUNTS, ROWS, TABLES])
    )
    one, two = alone["counts"], beside["counts"]
    assert (one.looks, two.looks) == (1, 5), "tables, rows and both about illness; rows and counts"
    assert two.confidence == pytest.approx(1 - 0.05 / 5)
    assert one.at_best.attack is not None
    assert two.at_best.attack is not None
    assert one.at_best.attack.confidence == pytest.approx(1 - 0.05 / (1 + len(one.notes)), abs=0.01)
    assert two.at_best.attack.low < one.at_best.attack.low


def test_families_in_one_plan_give_one_report_with_the_same_bytes(folder: Path) -> None:
    plan = planned(folder, TABLES, ROWS, COUNTS, schema=SCHEMA | {"bins": {"age": [40, 60]}})
    first, second = run_plan(plan), run_plan(plan)
    assert first.report.to_json() == second.report.to_json()
    assert [(finding.goal, finding.release) for finding in first.report.findings] == [
        ("reconstruction", "tables"), ("reconstruction", "microdata"), ("reconstruction", "all together"),
        ("singling-out", "microdata"), ("singling-out", "counts")]  # fmt: skip
    assert isinstance(first.report.findings[0], Finding)
    assert first.report.data.secret is not None
    ignored = SCHEMA | {"public": ["age", "sex"], "ignored": ["zip"]}
    found_so = run_plan(planned(folder, ROWS, schema=ignored))
    assert "zip" in json.dumps(
        json.loads(found_so.claims["singling-out", "microdata"].predicates_json())["predicates"]
    ), "what is released is attacked, whatever the plan ignores"
    assert "column 'zip' must be among the public columns" in found_so.report.not_run[0].reason


@pytest.mark.parametrize(
    ("release", "more", "message"),
    [
        (ROWS | {"kind": "anonymized-rows"}, {}, "release[0].kind: must be 'anonymised-rows' or"),
        (ROWS | {"kind": "rows"}, {}, "got 'rows'"),
        ({k: v for k, v in ROWS.items() if k != "quasi"}, {}, "release[0].quasi: must be given"),
        (ROWS | {"quasi": []}, {}, "release[0].quasi: list should have at least 1 item"),
        (ROWS | {"qasi": ["age"]}, {}, "release[0].qasi: is not a known key. Did you mean 'quasi'?"),
        (ROWS | {"path": "relesed.csv"}, {}, "relesed.csv must be a file; got no such file. Did you mean"),
        (ROWS | {"hierarchies": {"zip": "no.csv"}}, {}, "release[0].hierarchies.zip: "),
        (ROWS | {"limit": 2}, {}, "release[0].limit: input should be less than or equal to 1; got 2"),
        (ROWS, {"knowledge": {"population": "no.csv"}}, "knowledge.population: "),
        (ROWS, {"knowledge": {"population": "few.csv", "holdout": "few.csv"}}, "either a population"),
        (COUNTS, {"knowledge": {}}, "knowledge.population: must name everybody"),
        (COUNTS | {"queries": 1}, {}, "release[0].queries: input should be greater than or equal to 2"),
        (COUNTS | {"mechanism": "rounding:base=5"}, {}, "mechanism: mechanism of counts must be exact"),
        (COUNTS | {"mechanism": "laplace:scale=2"}, {}, "laplace:epsilon=..."),
        (COUNTS | {"mechanism": "lapace:epsilon=1"}, {}, "Did you mean 'laplace'?"),
    ],
)  # fmt: skip
def test_what_such_a_release_must_have(
    folder: Path, release: dict[str, Any], more: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        planned(folder, release, **more)
    assert message in str(caught.value)
    assert "schema.secret" not in str(caught.value), "nobody's secret is asked about"


@pytest.mark.parametrize(
    ("release", "more", "message"),
    [
        (ROWS | {"quasi": ["age", "town"]}, {}, "released.csv must have a column 'town'"),
        (ROWS | {"path": "few.csv"}, {}, "must be as many as the 120 original rows; got 600"),
        (ROWS | {"tight": ["ill"]}, {}, "tight column 'ill' must be a quasi-identifier"),
        (COUNTS, {"data": {"path": "everybody.csv"}, "knowledge": {"population": "few.csv"}},
         "n must be from 1 to the population's 600 rows; got 12,000"),
        (COUNTS | {"limit": 1e-6}, {}, "weight limit must be at least 8.3e-05"),
        (ROWS, {"data": {"url": "sqlite:///none/x.db", "table": "t"}}, "/none/x.db must be a file"),
    ],
)  # fmt: skip
def test_files_that_do_not_fit_the_plan(
    folder: Path, release: dict[str, Any], more: dict[str, Any], message: str
) -> None:
    plan = planned(folder, release, **more)
    with pytest.raises(InputError) as caught:
        run_plan(plan)
    assert message in str(caught.value)
