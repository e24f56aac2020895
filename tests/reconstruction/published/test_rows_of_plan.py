"""What released rows say of a secret: as much as the table of their classes, and nothing that is not so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import csv

from dalenius.auditing.plan import check_plan
from dalenius.auditing.plan_releases import AnonymisedPlan
from dalenius.auditing.run import run_plan
from dalenius.findings.report import NotRun
from dalenius.people.dataset import read
from dalenius.random import stream
from dalenius.reconstruction.finding import SecretsFinding
from dalenius.reconstruction.of_plan.rows import open_rows
from dalenius.reconstruction.of_plan.tables import by_value
from dalenius.reconstruction.opened import GivenRelease, known_roster

ROWS = {"name": "rows", "kind": "anonymised-rows", "path": "released.csv", "quasi": ["age", "town"]}


def write(path: Path, **columns: Any) -> Path:
    csv.write_csv(pa.table({name: np.asarray(column) for name, column in columns.items()}), path)
    return path


def people(folder: Path, ill: Any, n: int = 48) -> dict[str, Any]:
    """Eight people each of six kinds, and who of them is ill."""
    kind = np.arange(n) % 6
    own = {"age": 20 + kind % 3 * 10 + np.arange(n) // 6 % 5, "town": np.array(["Bern", "Zug"])[kind // 3]}
    write(folder / "people.csv", id=np.arange(n), ill=ill, **own)
    return own | {"kind": kind}


def released(folder: Path, own: dict[str, Any], ill: Any, **more: Any) -> None:
    decade = own["age"] // 10 * 10
    cells = {"age": [f"{low}-{low + 9}" for low in decade], "town": own["town"], "ill": ill, **more}
    order = np.random.default_rng(1).permutation(len(decade))
    write(folder / "released.csv", **{name: np.asarray(cell)[order] for name, cell in cells.items()})


def audited(folder: Path, *releases: dict[str, Any], **tables: Any) -> Any:
    plan = {
        "data": {"path": "people.csv"},
        "schema": {"id": "id", "secret": "ill", "public": ["age", "town"], "bins": {"age": [30, 40]}},
        "release": [ROWS, *releases],
        "policy": {"max_advantage": 1.0, "max_recovered": 1.0},
        **tables,
    }
    return run_plan(check_plan(plan, folder)).report


def about_secret(report: Any) -> dict[str, SecretsFinding]:
    return {each.release: each for each in report.findings if isinstance(each, SecretsFinding)}


def test_classes_in_which_all_are_ill_stop_though_nobody_is_singled_out(tmp_path: Path) -> None:
    kind = np.arange(48) % 6
    ill = np.where(kind == 0, "yes", np.where(np.arange(48) // 6 % 2 == 0, "no", "yes"))
    released(tmp_path, people(tmp_path, ill), ill)
    report = audited(tmp_path)
    (finding,) = about_secret(report).values()
    assert (finding.certain, report.verdict) == (8, "stop")
    assert "the secrets of 8 people (yes: 8) follow by arithmetic alone" in " ".join(report.reasons)
    assert "Every released row is about one person of the data" in report.to_json()


def test_rows_tell_as_much_as_the_table_of_their_classes(tmp_path: Path) -> None:
    ill = np.where(np.random.default_rng(4).random(48) < 0.1, "yes", "no")
    released(tmp_path, people(tmp_path, ill), ill)
    table = {"name": "table", "statistics": ["tables:k=2"], "mechanism": "exact"}
    found = about_secret(audited(tmp_path, table))
    assert found["rows"].certain == found["table"].certain > 0
    assert found["rows"].details.judged.known == found["table"].details.judged.known


def test_rows_that_say_for_how_many_people_they_stand_tell_the_same(tmp_path: Path) -> None:
    """As a table of kinds with a column of how many: read as one person each it told nothing, and passed."""
    ill = np.where(np.random.default_rng(4).random(48) < 0.1, "yes", "no")
    released(tmp_path, people(tmp_path, ill), ill)
    rows = csv.read_csv(tmp_path / "released.csv")
    plain = about_secret(audited(tmp_path))["rows"]
    kinds = rows.group_by(["age", "town", "ill"]).aggregate([([], "count_all")])
    csv.write_csv(kinds.rename_columns(["age", "town", "ill", "n"]), tmp_path / "released.csv")
    counted = about_secret(audited(tmp_path))["rows"]
    assert counted.certain == plain.certain > 0
    assert counted.details.judged.known == plain.details.judged.known
    csv.write_csv(kinds.rename_columns(["age", "town", "ill", "Anzahl"]), tmp_path / "released.csv")
    named = about_secret(audited(tmp_path, release=[ROWS | {"count": "Anzahl"}]))["rows"]
    assert named.certain == plain.certain
    known = csv.read_csv(tmp_path / "people.csv")
    everybody = {name: known[name].to_pylist() * 500 for name in ("age", "town", "ill")}
    write(tmp_path / "everybody.csv", **everybody)
    unsaid = audited(tmp_path, release=[ROWS | {"dropped": True}], knowledge={"population": "everybody.csv"})
    assert unsaid.verdict == "undecided", "it may say for how many people a row stands"
    assert "if it says for how many people a row stands, name it by count" in " ".join(unsaid.reasons)


def test_rows_without_the_secret_are_asked_nothing_about_it(tmp_path: Path) -> None:
    ill = np.where(np.arange(48) % 6 == 0, "yes", "no")
    released(tmp_path, people(tmp_path, ill), ill)
    table = csv.read_csv(tmp_path / "released.csv").drop_columns(["ill"])
    csv.write_csv(table, tmp_path / "released.csv")
    report = audited(tmp_path)
    assert [finding.goal for finding in report.findings] == ["singling-out"]


@pytest.mark.parametrize(
    ("spoilt", "message"),
    [
        (lambda ill: np.roll(ill, 1), "are not what [data] gives"),  # somebody else's
        (lambda ill: np.where(ill == "yes", "1", ill), "must have the 2 values of the data; got 1 others"),
        (lambda ill: np.array([f"{value}?" for value in ill]), "must have the 2 values of the data"),
    ],
)
def test_rows_that_the_data_do_not_give_decide_nothing(tmp_path: Path, spoilt: Any, message: str) -> None:
    ill = np.where(np.random.default_rng(3).random(48) < 0.5, "yes", "no")
    released(tmp_path, people(tmp_path, ill), spoilt(ill))
    report = audited(tmp_path)
    reasons = [each.reason for each in report.not_run if each.attack_method == "reconstruction"]
    assert any(message in reason for reason in reasons), reasons
    assert report.verdict != "pass"
    assert not about_secret(report)


def test_columns_that_no_table_could_have_leave_the_other_question(tmp_path: Path) -> None:
    ill = np.where(np.arange(48) % 2 == 0, "yes", "no")
    own = people(tmp_path, ill)
    released(tmp_path, own, ill)
    table = csv.read_csv(tmp_path / "people.csv")
    one = table.set_column(1, "ill", pa.array(["yes"] * 48))
    csv.write_csv(one, tmp_path / "people.csv")
    report = audited(tmp_path)
    assert [finding.goal for finding in report.findings] == ["singling-out"]
    assert "what its classes say of ill" in report.not_run[0].reason


def test_columns_that_were_made_coarser_are_public(tmp_path: Path) -> None:
    """Left out of the public columns, they would hide what their classes tell."""
    kind = np.arange(48) % 6
    ill = np.where(kind == 0, "yes", "no")
    released(tmp_path, people(tmp_path, ill), ill)
    report = audited(tmp_path, schema={"id": "id", "secret": "ill", "public": ["town"]})
    assert report.verdict == "undecided"
    assert "column 'age' must be among the public columns" in report.not_run[0].reason
    known = audited(tmp_path, knowledge={"public": ["town"]})
    assert about_secret(known)["rows"].certain == 24, "said not to be known; the other town has nobody ill"


def open_them(folder: Path, ill: Any) -> tuple[Any, Any, Any]:
    how = {"secret": "ill", "id": "id", "public": ["age", "town"], "bins": {"age": [30, 40]}}
    with read(folder / "people.csv", **how) as data:
        roster = known_roster(data, None)
        planned = AnonymisedPlan(**ROWS | {"path": folder / "released.csv"})
        found = open_rows(planned, data, roster, rng=stream(1, "noise", "rows"))
        secret = data.schema.secret
    if isinstance(found, NotRun):
        return found, None, None
    assert isinstance(found, GivenRelease)
    (block,) = found.release.blocks
    place = {str(number): at for at, number in enumerate(roster.ids.tolist())}
    codes = np.zeros(len(roster), np.int64)
    for number, value in enumerate(ill):
        codes[place[str(number)]] = secret.levels.index(value)
    rows = block.statistic.asked.operator(by_value(roster))
    true = np.stack([rows.apply((codes == v).astype(float)) for v in range(len(secret.levels))], axis=1)
    return found, block, true


@given(data=st.data())
def test_the_true_numbers_lie_between_the_ends_whatever_the_cells(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Cells that overlap, starred ones, whole rows starred or left out, secrets starred."""
    folder = tmp_path_factory.mktemp("cells")
    n = data.draw(st.integers(4, 12))
    values = data.draw(st.lists(st.sampled_from(["no", "yes"]), min_size=n - 2, max_size=n - 2))
    ill = np.array(["no", "yes", *values])
    own = people(folder, ill, n)

    def drawn(*cells: str) -> str:
        return data.draw(st.sampled_from(cells))

    def released_age(age: int) -> str:
        return drawn(str(age), f"{age // 10 * 10}-{age // 10 * 10 + 9}", f"{age - 3}-{age + 4}", "*")

    cells = {
        "age": [released_age(age) for age in own["age"].tolist()],
        "town": [drawn(town, "*") for town in own["town"].tolist()],
        "ill": [drawn(value, value, "*") for value in ill.tolist()],
    }
    kept = sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=1)))
    write(folder / "released.csv", **{name: np.asarray(cell)[kept] for name, cell in cells.items()})
    found, block, true = open_them(folder, ill)
    if isinstance(found, NotRun):
        assert "only suppressed rows" in found.reason
        return
    low = np.where(np.isnan(block.answers), block.low, block.answers)
    high = np.where(np.isnan(block.answers), block.high, block.answers)
    assert (low <= true).all()
    assert (true <= high).all()


def test_a_planted_row_is_seen(tmp_path: Path) -> None:
    """A row that fits nobody more: there would be more rows than people."""
    ill = np.where(np.arange(48) % 2 == 0, "yes", "no")
    own = people(tmp_path, ill)
    released(tmp_path, own, ill)
    table = csv.read_csv(tmp_path / "released.csv")
    csv.write_csv(pa.concat_tables([table, table.slice(0, 1)]), tmp_path / "released.csv")
    found, _, _ = open_them(tmp_path, ill)
    assert isinstance(found, NotRun)
    assert "of which there are more than people who fit them" in found.reason


def test_two_files_of_the_same_people_tell_together_what_neither_tells(tmp_path: Path) -> None:
    """Composition (Ganta, Kasiviswanathan and Smith 2008): a value must be in both classes of a person."""
    age, town = (side.ravel() for side in np.meshgrid(np.arange(6), np.arange(6)))
    ill = np.array([f"v{value:02}" for value in np.random.default_rng(6).permutation(36) % 12])
    write(tmp_path / "people.csv", id=np.arange(36), age=age + 20, town=[f"t{t}" for t in town], ill=ill)
    order = np.random.default_rng(2).permutation(36)
    starred = np.array(["*"] * 36)
    cells = {"by_town": (starred, np.array([f"t{t}" for t in town])), "by_age": (age + 20, starred)}
    for name, (ages, towns) in cells.items():
        write(tmp_path / f"{name}.csv", age=ages[order], town=towns[order], ill=ill[order])
    files = [ROWS | {"name": name, "path": f"{name}.csv"} for name in cells]
    found = about_secret(
        audited(
            tmp_path,
            schema={"id": "id", "secret": "ill", "public": ["age", "town"]},
            release=files,
            budget={"why": False},
        )
    )
    assert found["by_town"].certain == found["by_age"].certain == 0
    both = found["all together"]
    shared = [{*ill[age == a]} & {*ill[town == t]} for a, t in zip(age, town, strict=True)]
    assert both.certain >= sum(len(values) == 1 for values in shared) > 0, "what sets alone tell"
    assert both.details.judged.certain_right == both.certain
