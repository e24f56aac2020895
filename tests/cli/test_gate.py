"""What a pipeline sees of ``dalenius audit`` and of the commands that attack."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

Run = Callable[..., Any]


def xml(path: str) -> ElementTree.Element:
    return ElementTree.parse(path).getroot()  # noqa: S314  (our own file)


def test_audit_writes_what_a_pipeline_reads(folder: Path, run: Run) -> None:
    done = run("audit", "audit.toml", "--junit", "ci/junit.xml", "--summary", "summary.md", "--quiet")
    assert done.exit_code == 1, done.output
    root = xml("ci/junit.xml")
    cases = {case.get("name") for suite in root if suite.get("name") == "planned" for case in suite}
    assert {"max_certain", "max_known", "max_advantage"} <= cases
    assert int(root.get("failures") or 0) >= 2
    assert "| planned | ❌ stop |" in Path("summary.md").read_text()
    assert not any(f"c{i:02}" in Path("ci/junit.xml").read_text() for i in range(64))


def test_bad_input_is_an_error_there(folder: Path, run: Run) -> None:
    """A pipeline that shows test cases shows why there is none; nothing else is written."""
    Path("people.csv").write_text("client,age\n")
    done = run("audit", "audit.toml", "--junit", "junit.xml")
    assert done.exit_code == 2, done.output
    root = xml("junit.xml")
    assert (root.get("errors"), root.get("failures")) == ("1", "0")
    (said,) = [case.findtext("error") or "" for suite in root for case in suite]
    assert said.strip() in done.output
    assert not Path("dalenius-report").exists()


def test_findings_say_how_to_repeat_them(folder: Path, attack: Run) -> None:
    """The command without folders and without where results went: the same findings wherever they are."""
    words = ("--noise", "exact", "--seed", "3")
    assert attack(*words, "--out", "one").exit_code == attack(*words, "--out=two/deep").exit_code == 1
    one, two = (Path(name, "findings.json").read_bytes() for name in ("one", "two/deep"))
    assert one == two
    command = json.loads(one)["command"]
    assert command.startswith("dalenius reconstruct counts")
    assert command.endswith("--noise exact --seed 3")
    assert command in Path("one/report.md").read_text().replace("\\", "")


def test_a_folder_holds_one_run(folder: Path, run: Run, attack: Run) -> None:
    assert attack("--noise", "exact").exit_code == 1
    assert Path("dalenius-report/claims.csv").exists()
    assert run("audit", "audit.toml", "--quiet").exit_code == 1
    assert not Path("dalenius-report/claims.csv").exists()
    assert run("audit", "audit.toml", "--quiet", "--show-people").exit_code == 1
    assert Path("dalenius-report/claims.csv").exists()


def test_commands_that_attack_write_it_too(folder: Path, attack: Run) -> None:
    assert attack("--noise", "exact", "--junit", "dalenius-report/junit.xml").exit_code == 1
    root = xml("dalenius-report/junit.xml")
    assert "max_certain" in {case.get("name") for suite in root for case in suite}
    assert attack("--noise", "exact").exit_code == 1
    assert not Path("dalenius-report/junit.xml").exists()  # of the earlier run


def test_an_output_that_cannot_be_written_is_refused_before_the_work(folder: Path, run: Run) -> None:
    Path("taken").write_text("")
    # the data are not even looked for
    Path("people.csv").write_text("client,age\n")
    for words in (("--out", "taken"), ("--out", "taken/under"), ("--junit", "."), ("--summary", "taken/s")):
        done = run("audit", "audit.toml", *words)
        assert done.exit_code == 2, done.output
        assert "that can be written" in done.output
