"""``report``, ``decide`` and ``compare``: what they write and say, and what they refuse."""

from __future__ import annotations

import io
import json
import shutil
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dalenius.auditing.decide import conclude
from dalenius.auditing.redecide import no_stricter, redecide
from dalenius.auditing.schemas import read_findings
from dalenius.cli.main import app
from dalenius.findings.policy import Policy
from dalenius.findings.report import Report

from .conftest import PLAN, Run, rows, squeeze


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders of two audits of 64 people: rounded tables stop, noisy ones pass by a theorem."""
    place = tmp_path_factory.mktemp("audited")
    (place / "people.csv").write_text("\n".join(["client,age,sex,town,ill", *rows()]) + "\n")
    made = {}
    for name, mechanism, code in (("o", "rounding:base=5", 1), ("k", "gaussian:rho=0.001", 0)):
        plan = place / f"{name}.toml"
        plan.write_text(PLAN.replace("rounding:base=5", mechanism))
        made[name] = place / name
        done = CliRunner().invoke(app, ["audit", str(plan), "--out", str(made[name])])
        assert done.exit_code == code, done.output
    return made


@pytest.fixture
def found(audited: dict[str, Path], folder: Path) -> Path:
    """Rounded tables: stop."""
    return shutil.copytree(audited["o"], folder / "o") / "findings.json"


@pytest.fixture
def kept(audited: dict[str, Path], folder: Path) -> Path:
    """Tables with noise: pass."""
    return shutil.copytree(audited["k"], folder / "k") / "findings.json"


def changed(path: Path, **update: Any) -> Path:
    """The findings with something else in the judged part of the first one."""
    plain = json.loads(path.read_text())
    plain["findings"][0]["details"]["judged"] |= update
    new = path.parent / "changed.json"
    new.write_text(json.dumps(plain))
    return new


def test_the_page_again(found: Path, folder: Path, run: Run) -> None:
    before = (folder / "o/report.html").read_bytes()
    done = run("report", str(found), "--out", "again")
    assert done.exit_code == 0, done.output
    assert (folder / "again/report.html").read_bytes() == before
    assert (folder / "again/report.md").is_file()
    done = run("report", str(found), "--external", "--docx")
    assert done.exit_code == 0, done.output
    names = ("report-external.html", "report-external.md", "annex-external.docx")
    assert all((folder / "o" / name).is_file() for name in names)


def test_the_annex_as_a_word_file(found: Path, folder: Path, run: Run) -> None:
    run("report", str(found), "--docx", "--out", "w")
    with zipfile.ZipFile(io.BytesIO((folder / "w/annex.docx").read_bytes())) as file:
        text = file.read("word/document.xml").decode()
    for said in (
        "1. What is published",
        "10. Decision",
        "Signature",
        "Not tested.",
        "rounded to 5",
        "STOP",
    ):
        assert said in text


def test_without_the_package_it_says_what_to_install(
    found: Path, run: Run, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.setitem(sys.modules, "docx", None)
    done = run("report", str(found), "--docx", "--out", "w")
    assert done.exit_code == 2
    assert "needs the package python-docx; install dalenius[word]" in done.stderr
    assert not (folder / "w").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no JSON"),
        ("[1]", "JSON of another kind"),
        ('{"findings": []}', "must have schema_version 2"),
        ('{"findings": [], "schema_version": 2}', "field required at dalenius_version"),
        ('{"findings": [{"goal": "canaryperson"}], "schema_version": 2}', "goal must be one of"),
        ('{"findings": [{}], "schema_version": 2}', "a finding of another shape"),
        ("[" * 100_000, "no JSON"),
    ],
)
@pytest.mark.parametrize("command", ["report", "decide", "compare"])
def test_files_that_are_no_findings(folder: Path, run: Run, command: str, text: str, said: str) -> None:
    (folder / "bad.json").write_text(text)
    more = {"report": (), "decide": ("--rules", "open-data"), "compare": ("bad.json",)}[command]
    done = run(command, "bad.json", *more)
    assert done.exit_code == 2, done.output
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_no_file_at_all(folder: Path, run: Run) -> None:
    done = run("report", "nowhere.json")
    assert done.exit_code == 2
    assert "nowhere.json must be a file that can be read; got no such file" in done.stderr


def test_stricter_rules_stop(kept: Path, run: Run) -> None:
    done = run("decide", str(kept), "--max-advantage", "0.0001", "--max-recovered", "0.0001")
    assert done.exit_code == 1
    assert "limit 0.0 points" in done.output


def test_a_theorem_still_passes_under_looser_rules(kept: Path, folder: Path, run: Run) -> None:
    done = run("decide", str(kept), "--max-advantage", "0.2", "--out", "d")
    assert done.exit_code == 0, done.output
    report = json.loads((folder / "d/findings.json").read_text())
    assert (report["verdict"], report["policy"]["max_advantage"]) == ("pass", 0.2)
    assert (folder / "d/report.html").is_file()


def test_a_stop_does_not_become_a_pass_where_samples_were_never_tried(found: Path, run: Run) -> None:
    loose = ("--max-certain", "64", "--max-known", "64", "--max-advantage", "1", "--max-recovered", "1")
    done = run("decide", str(found), *loose)
    assert done.exit_code == 1
    assert "UNDECIDED" in done.output
    assert "a pass may be luck: run the audit again" in squeeze(done.output)
    # with samples that kept the old rules, looser ones are kept too
    sampled = {"draws": 5, "share": 0.9, "broken": 0, "reason": None}
    report = redecide(read_findings(changed(found, resampled=sampled)), Policy(max_certain=64, max_known=64))
    assert report.verdict != "pass", "the old rules were broken, so the samples are of something else"


def test_people_counted_from_another_probability_decide_nothing(found: Path, kept: Path, run: Run) -> None:
    done = run("decide", str(kept), "--rules", "open-data")
    assert done.exit_code == 1
    assert "counted as known from 0.99 on, these rules count from 0.95: run the audit again" in squeeze(
        done.output
    )
    stopped = run("decide", str(found), "--known-at", "0.95", "--max-certain", "0")
    assert stopped.exit_code == 1
    assert "STOP" in stopped.output, "what follows by arithmetic stops whatever the probability"


def test_wider_intervals_are_needed(kept: Path, found: Path, run: Run) -> None:
    done = run("decide", str(kept), "--confidence", "0.999", "--quiet")
    assert (done.exit_code, done.output) == (1, "undecided\n")
    done = run("decide", str(found), "--confidence", "0.999", "--quiet")
    assert (done.exit_code, done.output) == (1, "stop\n"), "arithmetic needs no interval"


def test_a_value_that_nobody_has_is_refused(found: Path, run: Run) -> None:
    done = run("decide", str(found), "--sensitive", "yse")
    assert done.exit_code == 2
    assert "sensitive must be values of the secret; got 'yse'. Did you mean 'yes'?" in done.stderr


def test_a_value_that_is_not_counted_apart_is_undecided(found: Path) -> None:
    known = json.loads(found.read_text())["findings"][0]["details"]["judged"]["known"]
    merged = [known[0] | {"value": None, "certain": 0, "certain_right": 0, "right": 0, "held": 0}]
    report = redecide(
        read_findings(changed(found, known=merged)), Policy(sensitive=("yes",), max_advantage=1)
    )
    assert report.verdict != "pass"
    assert any("do not count yes apart" in reason for reason in report.verdicts[0].reasons)


def test_the_same_rules_give_the_same_verdict(found: Path, kept: Path) -> None:
    for path in (found, kept):
        report = read_findings(path)
        again = redecide(report, report.policy)
        assert (again.verdict, again.reasons) == (report.verdict, report.reasons)


def test_what_could_not_be_run_is_no_pass(kept: Path) -> None:
    plain = json.loads(kept.read_text())
    plain["not_run"] = [{"release": "other", "attack_method": "tracing", "reason": "too few people"}]
    kept.write_text(json.dumps(plain))
    report = read_findings(kept)
    assert redecide(report, report.policy.model_copy(update={"max_advantage": 0.5})).verdict == "undecided"


def test_rules_from_a_file(found: Path, folder: Path, run: Run) -> None:
    (folder / "rules.toml").write_text("max_certain = 3\n")
    (folder / "plan.toml").write_text("[policy]\nmax_certain = 3\n")
    said = [run("decide", str(found), "--policy", name).output for name in ("rules.toml", "plan.toml")]
    assert said[0] == said[1]
    assert "3 tolerated" in squeeze(said[0])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "rules must be given"),
        (("--rules", "opne-data"), "policy.rules"),
        (("--max-advantage", "5"), "0.05 is 5 points; got 5.0"),
        (("--policy", "typo.toml"), "Did you mean 'max_advantage'?"),
        (("--policy", "nowhere.toml"), "nowhere.toml"),
        (("--policy", "list.toml"), "must have a table [policy]"),
        (("--rules", "open-data", "--out", "o"), "--out must be another folder than that of the findings"),
    ],
)
def test_rules_that_are_none(found: Path, folder: Path, run: Run, words: tuple[str, ...], said: str) -> None:
    (folder / "typo.toml").write_text("[policy]\nmax_advantge = 0.1\n")
    (folder / "list.toml").write_text("policy = [1]\n")
    before = found.read_bytes()
    done = run("decide", str(found), *words)
    assert done.exit_code == 2, done.output
    assert said in done.stderr
    assert found.read_bytes() == before


@pytest.mark.parametrize(
    ("new", "looser"),
    [
        ({"max_certain": 5}, True),
        ({"max_known": 5, "max_recovered": 0.5}, True),
        ({"sensitive": ("yes",)}, True),
        ({"known_at": 0.95}, False),
        ({"confidence": 0.9}, False),
        ({"max_nu": 1.0}, False),
        ({"max_advantage": 0.1, "max_recovered": 0.1}, False),
    ],
)
def test_looser_is_looser_in_every_rule(new: dict[str, Any], looser: bool) -> None:
    assert no_stricter(Policy(), Policy(**new)) is looser


def test_what_changed(found: Path, kept: Path, folder: Path, run: Run) -> None:
    done = run("compare", str(found), str(kept), "--out", "c/changes.html")
    assert done.exit_code == 0, done.output
    flat = squeeze(done.output)
    assert flat.startswith("stop before, pass after: better.")
    assert "Careful" not in flat
    certain = read_findings(found).findings[0].certain
    assert f"people sure {certain} 0 -{certain}" in flat
    page = (folder / "c/changes.html").read_text()
    assert "<table>" in page
    assert "better" in page


def test_what_makes_two_findings_hard_to_compare(found: Path, folder: Path, run: Run) -> None:
    plain = json.loads(found.read_text())
    plain["seed"], plain["dalenius_version"], plain["data"]["people"] = 2, "0.0.1", 65
    plain["policy"]["max_known"] = 3
    for finding in plain["findings"]:
        finding["release"] = "<other>"
    (folder / "other.json").write_text(json.dumps(plain))
    done = run("compare", str(found), "other.json", "--out", "c.html")
    for said in (
        "the data is another",
        "the seeds differ",
        "rules differ (max_known)",
        "versions differ",
        "same name",
    ):
        assert said in squeeze(done.output)
    assert "&lt;other&gt;" in (folder / "c.html").read_text()


def test_findings_without_any_attack(folder: Path, run: Run, found: Path) -> None:
    report = read_findings(found)
    empty: Report = conclude([], Policy(), data=report.data, seed=1)
    (folder / "empty.json").write_text(empty.to_json())
    assert run("report", "empty.json").exit_code == 0
    assert run("decide", "empty.json", "--rules", "open-data", "--quiet").output == "undecided\n"
    assert run("compare", "empty.json", str(found)).exit_code == 0
