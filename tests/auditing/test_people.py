"""Everything a plan can name is opened: databases, other people, releases that were already published."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius.auditing.plan import check_plan
from dalenius.auditing.run import run_plan
from dalenius.errors import InputError
from dalenius.people.dataset import Dataset, read
from dalenius.random import stream
from dalenius.reconstruction.family import open_people
from dalenius.release.files import write_release
from dalenius.release.publish import publish

HEADER = "client,age,sex,town,ill"


def draw(n: int, seed: int) -> list[tuple[str, int, str, str, str]]:
    rng = np.random.default_rng(seed)
    towns, ill = rng.choice(["a", "b", "c"], n), rng.choice(["no", "mild", "sore"], n, p=[0.6, 0.2, 0.2])
    return [
        (f"{seed}-{i}", int(rng.integers(20, 28)), "fm"[rng.integers(2)], str(towns[i]), str(ill[i]))
        for i in range(n)
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, n, seed in (("people", 64, 1), ("others", 300, 2)):  # 64: five folds
        rows = [",".join(map(str, row)) for row in draw(n, seed)]
        (tmp_path / f"{name}.csv").write_text("\n".join([HEADER, *rows]) + "\n")
    return tmp_path


def people(folder: Path) -> Dataset:
    return read(folder / "people.csv", secret="ill", id="client", bins={"age": [22, 25]})


def raw(*releases: dict[str, Any], **more: Any) -> dict[str, Any]:
    schema = {"secret": "ill", "id": "client", "bins": {"age": [22, 25]}}
    given = {"data": {"path": "people.csv"}, "schema": schema, "release": list(releases)}
    return given | {"budget": {"resamples": 0}} | more


def planned(statistic: str = "tables:k=2", mechanism: str = "exact", name: str = "r") -> dict[str, Any]:
    return {"name": name, "statistics": [statistic], "mechanism": mechanism}


def test_many_kinds_of_release_of_a_secret_with_three_values(folder: Path) -> None:
    (folder / "q.csv").write_text('query,condition\n1,age >= 25\n2,"sex = f and town in (a, b)"\n')
    asked = ["tables:k=3", "histogram:column=town", "random-subsets:m=120", "hadamard", "queries:path=q.csv"]
    releases = [planned(text, name=f"r{j}") for j, text in enumerate(asked)]
    for mechanism in ("subsample:rate=0.5", "laplace:epsilon=1", "bounded:error=2", "suppression:below=5"):
        releases.append(planned("tables:k=2", mechanism, mechanism.partition(":")[0]))
        if mechanism != "subsample:rate=0.5":
            releases[-1]["alternative_to"] = "subsample"
    result = run_plan(check_plan(raw(*releases), folder))
    findings = {finding.release: finding for finding in result.report.findings}
    alternatives = [release["name"] for release in releases[len(asked) :]]
    joined = {f"{name}, with all others" for name in alternatives}
    assert not result.report.not_run
    assert set(findings) == {release["name"] for release in releases} | joined
    assert findings["r3"].decisive.attack.rate == 1  # Hadamard queries, exact
    assert all(finding.certain == finding.details.judged.certain_right for finding in findings.values())
    assert all(finding.details.values == 3 for finding in findings.values())


def test_other_people_come_by_the_same_bins(folder: Path) -> None:
    plan = check_plan(
        raw(planned(), knowledge={"reference": "others.csv", "public": ["age", "sex", "town"]}), folder
    )
    assert run_plan(plan).report.findings[0].details.judged.population_source == "reference"
    text = (folder / "others.csv").read_text()
    (folder / "others.csv").write_text(text.replace(",b,", ",elsewhere,"))
    assert run_plan(plan).report.findings[0].details.judged.population_source == "reference"


def test_the_members_themselves_are_no_other_people(folder: Path) -> None:
    plan = check_plan(raw(planned(), knowledge={"reference": "people.csv"}), folder)
    with pytest.raises(InputError, match="reference must be other people than those of the release"):
        run_plan(plan)


def test_a_published_folder_is_attacked_under_its_name_in_the_plan(folder: Path) -> None:
    with people(folder) as dataset:
        release = publish(
            dataset, ["tables:k=2", "random-subsets:m=9"], "rounding:base=3", rng=stream(1, "x")
        )
    write_release(release, folder / "published")
    plan = check_plan(raw({"name": "last year", "path": "published"}, planned()), folder)
    report = run_plan(plan).report
    assert [finding.release for finding in report.findings] == ["last year", "r", "all together"]
    assert report.findings[0].mechanism == "rounding:base=3"
    assert report.findings[0].decisive.control is not None


def test_releases_of_a_plan_have_dates(folder: Path) -> None:
    with people(folder) as dataset:
        release = publish(dataset, ["tables:k=2"], "exact", rng=stream(1, "x"))
    write_release(release, folder / "published")
    plan = check_plan(raw({"name": "last year", "path": "published", "date": "2023"}, planned()), folder)
    report = run_plan(plan).report
    assert any("The release is of 2023" in text for text in report.findings[0].assumptions)
    for wrong, said in (
        ({"name": "r", "path": "published", "date": "last year"}, "date"),
        ({**planned(), "date": "2023"}, "must have a date only with a path"),
    ):
        with pytest.raises(InputError, match=said):
            check_plan(raw(wrong), folder)


def test_a_database(folder: Path) -> None:
    with sqlite3.connect(folder / "people.db") as database:
        database.execute(f"create table persons ({HEADER})")
        database.executemany("insert into persons values (?, ?, ?, ?, ?)", draw(64, 1))
    database.close()
    plan = check_plan(raw(planned(), data={"path": "people.db", "table": "persons"}), folder)
    with open_people(plan) as there, people(folder) as here:
        assert there.n == here.n == 64
    from_file = run_plan(check_plan(raw(planned()), folder)).report
    from_database = run_plan(plan).report
    assert from_database.findings == from_file.findings
