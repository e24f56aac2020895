"""Remedies of amounts and of tables without a list of people, and of words that become one."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius.auditing.plan import Plan, check_plan, read_plan
from dalenius.auditing.run import run_plan
from dalenius.errors import InputError
from dalenius.people.dataset import ReadSettings, read
from dalenius.remedy.find import find_remedy
from dalenius.remedy.options import RemedyOptions
from dalenius.remedy.result import Remedy
from dalenius.remedy.written.leave_behind import files_of
from dalenius.report.page.render import page_markdown

AMOUNTS = """[data]
path = "people.csv"
[schema]
id = "id"
[[release]]
name = "incomes"
kind = "amounts"
amount = "income"
groups = ["town*sector"]
"""


@pytest.fixture(scope="module")
def incomes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four towns of a hundred people; one of them alone in its sector."""
    folder, rng = tmp_path_factory.mktemp("incomes"), np.random.default_rng(11)
    sector = ["mine" if i == 7 else "shop" if rng.random() < 0.5 else "farm" for i in range(400)]
    amounts = np.round(rng.lognormal(10, 0.4, 400))
    lines = [f"person{i:03},{'ABCD'[i % 4]},{sector[i]},{amounts[i]:.0f}" for i in range(400)]
    (folder / "people.csv").write_text("\n".join(["id,town,sector,income", *lines]) + "\n")
    (folder / "audit.toml").write_text(AMOUNTS)
    return folder


def remedied(folder: Path, *kinds: Any) -> tuple[Plan, Remedy]:
    plan = read_plan(folder / "audit.toml")
    return plan, find_remedy(plan, RemedyOptions(tuple(kinds)))


def audited_alone(found: Remedy, plan: Plan, folder: Path, out: Path, seed: int) -> str:
    """The verdict of the plan that is left behind, read from its text, with another seed."""
    text = files_of(found, plan, folder / "audit.toml", out)["audit-remedied.toml"]
    assert isinstance(text, str)
    return run_plan(check_plan(tomllib.loads(text) | {"seed": seed}, out)).verdict


@pytest.mark.parametrize(
    ("kind", "said"), [("round", "round to"), ("hide", "against subtraction"), ("coarser", "sector as one")]
)
def test_amounts_are_mended_and_pass_again(incomes: Path, tmp_path: Path, kind: str, said: str) -> None:
    plan, found = remedied(incomes, kind)
    assert found.before.verdict == "stop"
    assert found.rung is not None
    assert said in found.rung.change
    assert (found.rung.kept, found.rung.tried) == (20, 20), "on other people"
    (promised,) = [rung for rung in found.ladder.rungs if rung.promise]
    assert promised is found.ladder.rungs[-1], "told with its price, though nobody allowed it"
    assert "20,000 apart" in (promised.promise or "")
    assert (promised.verdict, promised.tried, promised.bound) == ("pass", 20, None)
    assert audited_alone(found, plan, incomes, tmp_path, seed=77) == "pass"
    assert "person007" not in found.to_json() + found.summary()


def test_the_plan_of_a_promise_says_what_it_is_about(
    incomes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dalenius.amounts.changes.propose.SIZES", ())
    monkeypatch.setattr("dalenius.remedy.search.CONFIRMING", 3)
    plan, found = remedied(incomes, "noise")
    assert found.rung is not None
    assert found.rung.promise is not None
    text = files_of(found, plan, incomes / "audit.toml", tmp_path)["audit-remedied.toml"]
    assert "apart = 20000.0  # changed" in str(text)
    assert "most" not in str(text), "what everybody knows is never made up"
    assert "No. 1 has a promise." in page_markdown(found.before)


def test_hidden_cells_that_a_total_gives_away_are_never_said_to_pass(incomes: Path) -> None:
    _, found = remedied(incomes, "hide")
    without = [rung for rung in found.ladder.rungs if not rung.promise and "subtraction" not in rung.change]
    assert len(without) > 1
    assert all(rung.verdict == "stop" for rung in without)


def test_one_table_cannot_be_left_out_and_nothing_passes(incomes: Path) -> None:
    _, found = remedied(incomes, "fewer")
    assert not found.passes
    assert "Nothing that is allowed here passes." in found.summary()


WORDS = """seed = 1
[data]
path = "people.csv"
[schema]
secret = "ill"
[policy]
max_advantage = 0.2
max_recovered = 1.0
[[release]]
name = "planned"
statistics = ["tables:k=1"]
mechanism = "exact"
"""


def test_rare_words_become_one_and_the_plan_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two towns of six people give theirs away; as one town they hide each other, also from themselves."""
    monkeypatch.setattr("dalenius.remedy.search.CONFIRMING", 4)  # twenty for amounts, above
    town = ["Aarau"] * 60 + ["Bern"] * 60 + ["Chur"] * 6 + ["Davos"] * 6
    ill = ["yes", "no"] * 60 + ["yes"] * 6 + ["no"] * 6
    lines = [f"{a},{b}" for a, b in zip(town, ill, strict=True)]
    (tmp_path / "people.csv").write_text("\n".join(["town,ill", *lines]) + "\n")
    (tmp_path / "audit.toml").write_text(WORDS)
    plan, found = remedied(tmp_path, "coarser")
    assert found.before.verdict == "stop"
    (rung,) = [rung for rung in found.ladder.rungs if rung.kind == "coarser"]
    assert (rung.change, rung.sure, rung.price.merged) == ("Chur, Davos of town as one", 0, 1)
    assert found.rung == rung
    text = files_of(found, plan, tmp_path / "audit.toml", tmp_path)["audit-remedied.toml"]
    assert 'merged = { "town" = { "other" = ["Chur", "Davos"] } }  # changed' in str(text)
    assert audited_alone(found, plan, tmp_path, tmp_path, seed=78) == "pass"


def test_merged_words_are_read_as_one_level(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("town,age,size,ill\nBern,1,1.5,no\nZug,2,1.7,yes\nChur,3,1.5,no\n")
    merged = {"town": {"other": ["Zug", "Chur"]}}
    with read(path, secret="ill", how=ReadSettings(merged=merged)) as people:
        assert people.schema.public[0].levels == ("Bern", "other")
        assert people.attributes().codes[:, 0].tolist() == [0, 1, 1]
    with read(path, secret="ill", how=ReadSettings(merged={"age": {"other": ["1", "2"]}})) as people:
        assert people.schema.public[1].levels == ("3", "other"), "codes of categories are words then"
    with pytest.raises(InputError, match="column of words"):
        read(path, secret="ill", how=ReadSettings(merged={"size": {"other": ["1.5", "1.7"]}}))
    with pytest.raises(InputError, match="each word once"):
        read(path, secret="ill", how=ReadSettings(merged={"town": {"a": ["Zug"], "b": ["Zug"]}}))


def test_tables_without_a_list_of_people_get_a_ladder_and_no_pass(tmp_path: Path) -> None:
    lines = [f"{i % 3},{'fm'[i % 2]},{20 + 7 * i % 40}" for i in range(12)]
    (tmp_path / "people.csv").write_text("\n".join(["block,sex,age", *lines]) + "\n")
    (tmp_path / "audit.toml").write_text(
        "[data]\npath = 'people.csv'\n[schema]\npublic = ['block', 'sex', 'age']\n"
        "[knowledge]\nroster = false\n"
        "[[release]]\nname = 'census'\nstatistics = ['tables:k=2', 'tables:k=3']\nmechanism = 'exact'\n"
    )
    _, found = remedied(tmp_path, "round", "fewer")
    assert found.before.verdict == "stop"
    assert not found.passes
    assert any("shows safety" in said for said in found.ladder.not_tried)
    sure = {rung.change: rung.sure for rung in found.ladder.rungs}
    assert min(value for value in sure.values() if value is not None) < max(
        value for value in sure.values() if value is not None
    )
