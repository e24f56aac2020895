"""A bar is drawn for a person who waits, and for nobody else."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from dalenius.auditing.drafting.draft import DraftOptions, draft_plan
from dalenius.auditing.plan import check_plan
from dalenius.cli.audit import said_of_size
from dalenius.console import progress
from dalenius.progress import silent


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("patience", "drawn"), [(-1.0, True), (60.0, False)])
def test_only_long_work_shows_a_bar(monkeypatch: pytest.MonkeyPatch, patience: float, drawn: bool) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(progress, "PATIENCE", patience)
    monkeypatch.setenv("TERM", "xterm")
    with progress.bar() as report:
        report(0.25, "attacking")
        report(0.5, "attacking")
    assert ("attacking" in terminal.getvalue()) is drawn


def test_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    with progress.bar(quiet=True) as report:
        assert report is silent


def test_a_line_now_and_then_where_nobody_is_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    log = io.StringIO()
    monkeypatch.setattr("sys.stderr", log)
    with progress.bar() as report:
        report(0.25, "counting")
    assert log.getvalue() == ""
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    with progress.bar() as report:
        report(0.25, "counting")
        report(0.26, "soon after")
    assert log.getvalue() == "25% counting\n"


def test_a_long_text_leaves_room_for_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    with progress.bar() as report:
        report(0.5, "a release: attacking: " + "x" * 300 + " the end")
    assert "the end" in terminal.getvalue()
    assert "━" in terminal.getvalue()
    assert "x" * 60 not in terminal.getvalue()


def test_very_many_tables_are_said_before_the_work(tmp_path: Path) -> None:
    """All pairs of 60 columns are 1,770 tables; those of four are not worth a word."""
    names = [f"c{j}" for j in range(60)]
    (tmp_path / "people.csv").write_text(",".join([*names, "ill"]) + "\n")
    release = {"name": "all", "statistics": ["tables:k=2"], "mechanism": "exact"}
    raw = {"data": {"path": "people.csv"}, "schema": {"secret": "ill", "public": names}, "release": [release]}
    said = said_of_size(check_plan(raw, tmp_path))
    assert said is not None
    assert said.startswith("1,770 tables are planned")
    few = {**release, "statistics": ["tables:k=2,attributes=c0+c1+c2+c3"]}
    assert said_of_size(check_plan({**raw, "release": [few]}, tmp_path)) is None


def test_a_draft_tells_which_column_it_looks_at(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    lines = [f"{i % 7},{'fm'[i % 2]},{'ny'[i % 3 == 0]}" for i in range(40)]
    path.write_text("\n".join(["age,sex,ill", *lines]) + "\n")
    told: list[tuple[float, str]] = []
    draft_plan(
        str(path),
        DraftOptions(secret="ill"),
        out=tmp_path / "a.toml",
        progress=lambda done, what: told.append((done, what)),
    )
    looked = [f"column {j} of 3" for j in (1, 2, 3)]
    assert [what for _, what in told][1:] == [*looked, "reading the people"]
    assert [done for done, _ in told] == sorted(done for done, _ in told)
