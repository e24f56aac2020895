"""A bar is drawn for a person who waits, and for nobody else."""

from __future__ import annotations

import io

import pytest

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
