"""A command is loaded when it is run; ``--help`` still lists all of them."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest
import typer
import typer.main

from dalenius.cli.main import COMMANDS, app

from .conftest import Run

LOADED = """
import sys
from dalenius.cli.main import app
sys.stdout.reconfigure(errors="ignore")
try:
    app(sys.argv[1:])
except SystemExit as end:
    print(end.code, *sorted({*HOMES} & {*sys.modules}), file=sys.stderr)
"""


@pytest.mark.parametrize("home", COMMANDS.values())
def test_every_command_is_where_it_is_said_to_be(home: str) -> None:
    assert isinstance(importlib.import_module(home).app, typer.Typer)


@pytest.mark.parametrize(("name", "home"), COMMANDS.items())
def test_help_lists_every_command_with_its_first_words(name: str, home: str, run: Run) -> None:
    command = typer.main.get_command(importlib.import_module(home).app)
    first = " ".join(command.get_short_help_str(200).split()[:4])
    line = next(line for line in run("--help").output.splitlines() if line.startswith(f"  {name} "))
    assert first in line


@pytest.mark.parametrize("name", ["audit", "trace"])
def test_one_command_loads_no_other(name: str) -> None:
    code = f"HOMES = {(*COMMANDS.values(),)!r}\n" + LOADED
    done = subprocess.run(
        [sys.executable, "-c", code, name, "--help"], capture_output=True, text=True, check=True
    )
    assert done.stderr.split() == ["0", COMMANDS[name]]


def test_a_slip_of_the_finger_is_answered_without_loading() -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"HOMES = {(*COMMANDS.values(),)!r}\n" + LOADED, "audti"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Did you mean 'audit'?" in done.stderr
    assert done.stderr.splitlines()[-1] == "2"


def test_every_command_can_be_walked() -> None:
    """As the reference of the commands does."""
    commands = typer.main.get_command(app).commands
    assert list(commands) == list(COMMANDS)
    assert {"tables", "joint"} <= set(commands["reconstruct"].commands)
