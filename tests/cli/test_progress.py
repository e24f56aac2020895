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
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with progress.bar() as report:
        assert report is silent
