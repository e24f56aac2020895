"""``dalenius remedy``: what it proposes is a plan that runs as it is and passes; bad input writes nothing."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zipfile import ZipFile

import pytest
from openpyxl import load_workbook
from typer.testing import CliRunner

from dalenius.auditing.plan import read_plan
from dalenius.auditing.run import run_plan
from dalenius.auditing.schemas import read_report
from dalenius.cli.main import app
from dalenius.reconstruction.changes.propose import Ground, _enumerated
from dalenius.remedy.bench import Workbench

from .people import PLAN, POLICY, write


def run(*words: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["remedy", *map(str, words)])
    return done.exit_code, done.output


@pytest.fixture(scope="module")
def noise(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A plan that stops, and its remedy by noise."""
    folder = tmp_path_factory.mktemp("noise")
    code, said = run(write(folder), "--allow", "noise")
    assert code == 0, said
    return folder / "dalenius-remedy", said


def test_the_changed_plan_runs_as_it_is_and_passes(noise: tuple[Path, str]) -> None:
    folder, _ = noise
    text = (folder / "audit-remedied.toml").read_text()
    assert "# what we plan" in text
    assert "# changed" in text
    plan = tomllib.loads(text)
    assert plan["data"]["path"] == "../people.csv"
    assert plan["release"][0]["mechanism"].startswith("gaussian:sigma=")
    assert run_plan(read_plan(folder / "audit-remedied.toml")).verdict == "pass"


def test_the_report_has_the_ladder_and_nobody_passes_unconfirmed(noise: tuple[Path, str]) -> None:
    folder, said = noise
    report = read_report((folder / "findings.json").read_text())
    ladder = report.ladder
    assert report.verdict == "stop"
    assert ladder is not None
    assert ladder.best is not None
    assert json.loads((folder / "remedy.json").read_text()) == json.loads(ladder.model_dump_json())
    assert ladder.rungs[0].kind == "as planned"
    assert ladder.rungs[0].sure
    for rung in ladder.rungs:
        assert rung.verdict != "pass" or (rung.tried, rung.kept) == (20, 20)
    assert "20 of 20" in said
    assert f"> {ladder.best}" in said
    assert read_report((folder / "findings-remedied.json").read_text()).verdict == "pass"
    assert "Cheapest change that passes your rules" in (folder / "report.html").read_text()
    assert "PASS" in (folder / "report-remedied.html").read_text()


def test_the_command_that_an_audit_names_can_be_typed(tmp_path: Path) -> None:
    plan = write(tmp_path)
    text = plan.read_text()
    release = text[text.index("[[release]]") :].split("[policy]")[0]
    other = release.replace('name = "planned"', 'name = "by half"\nalternative_to = "planned"')
    plan.write_text(text.replace(release, release + other))
    said = CliRunner().invoke(app, ["audit", str(plan)]).stderr
    words = shlex.split(said.rpartition("dalenius remedy ")[2])
    assert words == [str(plan), "--release", "planned"]
    code, told = run(*words, "--allow", "round", "--minutes", "0.01")
    assert code in (0, 1), told


def test_a_line_has_a_promise_that_no_attack_exceeds(noise: tuple[Path, str]) -> None:
    report = read_report((noise[0] / "findings.json").read_text())
    assert report.ladder is not None
    promised = [rung for rung in report.ladder.rungs if rung.bound is not None]
    assert promised
    for rung in promised:
        assert rung.advantage is not None
        assert rung.bound is not None
        assert rung.advantage.low <= rung.bound.value
    limit = report.policy.limit(0.7)
    assert min(rung.bound.value for rung in promised if rung.bound) <= limit


def test_the_tables_are_drawn_by_opendp_and_say_what_was_done(noise: tuple[Path, str]) -> None:
    book = load_workbook(noise[0] / "tables-remedied.xlsx")
    assert str(book.properties.created) == str(book.properties.modified) == "1980-01-01 00:00:00"
    with ZipFile(noise[0] / "tables-remedied.xlsx") as packed:
        assert {entry.date_time[0] for entry in packed.infolist()} == {1980}
    done = " ".join(str(row[0].value) for row in book["what was done"].iter_rows())
    assert "OpenDP" in done
    assert "seeded" not in done, "nobody can draw this noise again"
    assert "gaussian:sigma=" in done
    sheet = book["sex x town"]
    assert [cell.value for cell in sheet[1]] == ["sex", "town", "ill=no", "ill=yes"]
    assert sheet.cell(2, 3).fill.fgColor.rgb == "FFE8C872"


def test_a_plan_that_passes_needs_nothing(tmp_path: Path) -> None:
    plan = (PLAN + POLICY).replace('"exact"', '"gaussian:sigma=40"')
    code, said = run(write(tmp_path, plan=plan))
    assert code == 0
    assert "passes as it is" in said
    assert not (tmp_path / "dalenius-remedy" / "audit-remedied.toml").exists()


def test_nothing_passes_is_an_end(tmp_path: Path) -> None:
    code, said = run(write(tmp_path), "--allow", "fewer", "--keep", "sex*town", "--minutes", "0.1")
    assert code == 1
    assert "Nothing that is allowed here passes." in said
    assert "must not be known, name them under [policy], such as sensitive = [" in " ".join(said.split())
    ladder = json.loads((tmp_path / "dalenius-remedy" / "remedy.json").read_text())
    assert ladder["best"] is None
    assert not any("leave out" in r["change"] and "sex*town" in r["change"] for r in ladder["rungs"])
    promised = [rung for rung in ladder["rungs"] if rung["promise"]]
    assert promised
    assert "Not allowed here" in promised[0]["note"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--allow", "rond"], "allow must be among"),
        (["--allow", ""], "allow must name at least one"),
        (["--keep", "sex*age"], "keep must name tables of the plan"),
        (["--price", "hidden=much"], "price of hidden must be a number"),
        (["--price", "tables=5"], "price must be"),
        (["--minutes", "0"], "minutes must be above 0"),
        (["--release", "plannned"], "Did you mean 'planned'?"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(words: list[str], said: str, tmp_path: Path) -> None:
    code, output = run(write(tmp_path), *words)
    assert code == 2, output
    assert said in output
    assert not (tmp_path / "dalenius-remedy").exists()


def write_split(folder: Path) -> Path:
    """People who are split by town, with tables of each town."""
    tables = '"tables:k=2,attributes=town+sex", "tables:k=2,attributes=town+house"'
    text = (PLAN + POLICY).replace('"ill"', '"ill"\nsplit = "town"').replace('"tables:k=2"', tables)
    return write(folder, plan=text)


def test_people_who_are_split_are_looked_at_block_by_block_and_blocks_stay(tmp_path: Path) -> None:
    plan = read_plan(write_split(tmp_path))
    with Workbench(plan) as bench:
        seen = bench.look(plan)
        assert seen.verdict == "stop"
        assert seen.finding is not None
        assert seen.finding.details.blocks.blocks == 4
        assert seen.finding.details.blocks.with_certain > 0
        rounded = plan.release[0].model_copy(update={"mechanism": "rounding:base=50"})
        after = bench.look(plan.model_copy(update={"release": [rounded]}), quick=True)
        assert after.finding is not None
        assert after.finding.details.blocks.with_certain == 0
        ground = Ground(plan, tuple(plan.release), ("sex", "town", "house"))
        asked: Any = SimpleNamespace(plan=plan, given=False)
        assert _enumerated(asked, ground, bench.ground)["coarser"] == []  # of four towns none is merged


@pytest.mark.slow(beside="test_people_who_are_split_are_looked_at_block_by_block_and_blocks_stay")
def test_people_who_are_split_are_mended(tmp_path: Path) -> None:
    code, said = run(write_split(tmp_path), "--allow", "round,coarser")
    assert code == 0, said
    folder = tmp_path / "dalenius-remedy"
    assert read_report((folder / "findings-remedied.json").read_text()).findings[0].details.blocks.blocks == 4
    assert run_plan(read_plan(folder / "audit-remedied.toml")).verdict == "pass"


def test_alternatives_must_be_chosen(tmp_path: Path) -> None:
    other = '[[release]]\nname = "other"\nstatistics = ["tables:k=2"]\nmechanism = "rounding:base=5"\n'
    other += 'alternative_to = "planned"\n'
    code, output = run(write(tmp_path, plan=PLAN + other + POLICY))
    assert code == 2
    assert "--release NAME" in output
