"""Where commands write: one run a folder, refused before the work, and what a pipeline reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import click
import pytest
import typer

from dalenius.atomic_write import MANIFEST, write_results
from dalenius.auditing.decide import conclude
from dalenius.cli.main import app
from dalenius.console.finish import Gate, Outputs
from dalenius.console.options import grouped
from dalenius.errors import InputError
from dalenius.findings.policy import Policy
from dalenius.findings.report import Data, NotRun, ReleaseVerdict, Report, RuleVerdict
from dalenius.report.pipeline import job_summary, to_junit

DATA = Data(source="people.csv", people=3, public=("age",), secret="ill")


def xml(report: Report) -> ElementTree.Element:
    return ElementTree.fromstring(to_junit(report))  # noqa: S314  (our own text)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_the_claims_of_an_earlier_run_go_with_it(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    write_results(tmp_path, {"findings.json": "1", "claims.csv": "ann", "cells.csv": "7"})
    assert write_results(tmp_path, {"findings.json": "2", "claims-a.csv": "bob"}) == []
    assert names(tmp_path) == {"notes.txt", "findings.json", "claims-a.csv", MANIFEST}
    assert (tmp_path / "findings.json").read_text() == "2"


def test_what_somebody_else_wrote_or_changed_stays(tmp_path: Path) -> None:
    (tmp_path / "claims.csv").write_text("of another program")
    write_results(tmp_path, {"findings.json": "1", "cells.csv": "7"})
    (tmp_path / "cells.csv").write_text("7, and my remark")
    assert write_results(tmp_path, {"findings.json": "2"}) == ["cells.csv"]
    assert names(tmp_path) == {"claims.csv", "cells.csv", "findings.json", MANIFEST}
    assert write_results(tmp_path, {"findings.json": "3"}) == ["cells.csv"]  # said as long as it lies there


@pytest.mark.parametrize("text", ["", "{", "[]", '{"files": 7}', '{"files": {"../mine.txt": ["x"]}}'])
def test_a_manifest_that_is_not_one_takes_nothing_away(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (tmp_path / "mine.txt").write_text("mine")
    (folder / "claims.csv").write_text("whose?")
    (folder / MANIFEST).write_text(text)
    write_results(folder, {"findings.json": "1"})
    assert names(folder) == {"claims.csv", "findings.json", MANIFEST}
    assert (tmp_path / "mine.txt").exists()


def test_what_cannot_be_written_leaves_the_earlier_run_whole(tmp_path: Path) -> None:
    write_results(tmp_path, {"findings.json": "1", "claims.csv": "ann"})
    (tmp_path / "blocked").mkdir()
    (tmp_path / "blocked" / "inside").write_text("")
    with pytest.raises(InputError):
        write_results(tmp_path, {"blocked": "2"})
    assert (tmp_path / "claims.csv").read_text() == "ann"
    assert (tmp_path / "findings.json").read_text() == "1"


def test_a_place_that_cannot_be_written_is_refused_before_the_command(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    worked = []

    @grouped
    def command(outputs: Outputs) -> None:
        worked.append(outputs)

    for bad in (
        {"out": tmp_path / "file"},
        {"out": tmp_path / "file" / "under"},
        {"junit": tmp_path},
        {"summary": tmp_path / "file" / "s.md"},
    ):
        with pytest.raises(InputError, match="that can be written"):
            command(**({"out": tmp_path / "new", "junit": None, "summary": None, "quiet": False} | bad))
    assert not worked
    assert names(tmp_path) == {"file"}
    command(out=tmp_path / "new", junit=tmp_path / "j" / "junit.xml", summary=None, quiet=False)
    assert worked == [Outputs(tmp_path / "new", Gate(tmp_path / "j" / "junit.xml"))]
    assert names(tmp_path) == {"file"}


def report(**more: object) -> Report:
    return conclude([], Policy(), data=DATA, seed=1).model_copy(update=more)


def two_releases() -> Report:
    kept = RuleVerdict(goal="reconstruction", rule="max_certain", verdict="pass", reason="")
    open_ = RuleVerdict(goal="reconstruction", rule="max_known", verdict="undecided", reason="a | b <c>\x07")
    broken = RuleVerdict(goal="reconstruction", rule="max_certain", verdict="stop", reason="2 people")
    return report(
        verdict="stop",
        reasons=("2 people",),
        verdicts=(
            ReleaseVerdict(release="a & b", verdict="undecided", reasons=(), rules=(kept, open_)),
            ReleaseVerdict(release="planned", verdict="stop", reasons=(), rules=(broken,)),
        ),
    )


def test_a_test_case_for_every_release_and_rule() -> None:
    root = xml(two_releases())
    assert (root.get("tests"), root.get("failures")) == ("4", "3")
    found = {
        (suite.get("name"), case.get("name")): [failure.get("type") for failure in case.findall("failure")]
        for suite in root
        for case in suite
    }
    assert found == {
        ("a & b", "max_certain"): [],
        ("a & b", "max_known"): ["undecided"],
        ("planned", "max_certain"): ["stop"],
        ("policy", "verdict"): ["stop"],
    }


def test_what_shows_nothing_is_never_green() -> None:
    for each in (report(), conclude([], Policy(), data=DATA, seed=1, not_run=[NOT_RUN])):
        root = xml(each)
        assert int(root.get("failures") or 0) > 0
        assert "undecided" in job_summary(each)


NOT_RUN = NotRun(release="sums", attack_method="reconstruction", reason="sums are not attacked yet")


def test_what_could_not_be_attacked_is_a_case_of_its_own() -> None:
    root = xml(conclude([], Policy(), data=DATA, seed=1, not_run=[NOT_RUN]))
    (case,) = (case for suite in root for case in suite if suite.get("name") == "sums")
    assert case.get("name") == "can be attacked"
    assert "sums are not attacked yet" in (case.find("failure").text or "")  # type: ignore[union-attr]


def test_markdown_has_one_line_a_rule_whatever_names_hold() -> None:
    lines = job_summary(two_releases()).splitlines()
    assert lines[0] == "## dalenius: ❌ stop"
    rows = [line for line in lines if line.startswith("| ")][1:]
    assert len(rows) == 3
    assert rows[1].count(" | ") == 3
    assert "<c>" not in rows[1]
    assert r"a \| b" in rows[1]


def test_a_summary_is_appended_and_the_manifest_is_plain(tmp_path: Path) -> None:
    gate = Gate(summary=tmp_path / "s.md")
    (tmp_path / "s.md").write_text("# job\n")
    gate.append(report())
    gate.append(report())
    assert (tmp_path / "s.md").read_text().startswith("# job\n## dalenius")
    assert (tmp_path / "s.md").read_text().count("## dalenius") == 2
    write_results(tmp_path / "o", {"findings.json": "1"})
    assert list(json.loads((tmp_path / "o" / MANIFEST).read_text())["files"]) == ["findings.json"]


def test_every_command_that_writes_a_page_can_be_quiet() -> None:
    def commands(group: Any, *words: str) -> Iterator[tuple[tuple[str, ...], set[str]]]:
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            if hasattr(command, "list_commands"):
                yield from commands(command, *words, name)
            else:
                yield (*words, name), {option for one in command.params for option in one.opts}

    found = dict(commands(typer.main.get_command(app)))
    gated = {words for words, options in found.items() if "--junit" in options}
    assert {("audit",), ("rows",), ("single-out", "rows"), ("trace", "members"), ("infer", "series")} <= gated
    assert {words for words in gated if "--quiet" not in found[words]} == set()
