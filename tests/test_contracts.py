"""The rules of the house hold, and a planted offence breaks them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOOLS = Path(sys.executable).parent


def run(tool: str, *arguments: str, at: Path, text: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(at / "src"), "NO_COLOR": "1"}
    command = [str(TOOLS / tool), *arguments]
    return subprocess.run(
        command, cwd=at, env=environment, input=text, capture_output=True, text=True, check=False
    )


def test_every_contract_is_kept():
    done = run("lint-imports", "--no-cache", at=ROOT)
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The house, to plant something in."""
    place = tmp_path_factory.mktemp("house")
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "dalenius", place / "src" / "dalenius", ignore=ignore)
    shutil.copy(ROOT / "pyproject.toml", place)
    return place


@pytest.mark.parametrize(
    ("room", "line", "contract"),
    [
        (
            "reconstruction/attack",
            "from dalenius.people.truth import secret_codes",
            "Attack code never reaches the truth",
        ),
        (
            "singling_out/attack",
            "from dalenius.people.sealed import SealedRows",
            "Attack code never reaches the truth",
        ),
        ("knowledge", "import dalenius.people.opening", "Attack code never reaches the truth"),
        ("auditing", "from dalenius.people.truth import open_rows", "Only the publisher and the referee"),
        ("tracing/attack", "def f():\n    import duckdb", "Attack code never reaches the truth"),
        ("statistics", "import dalenius.reconstruction.referee.judge", "Attack code never reaches the truth"),
        ("knowledge", "from dalenius.release.publish import publish", "Attack code never reaches the truth"),
        ("auditing", "from dalenius.people.truth import secret_codes", "Only the publisher and the referee"),
        ("matrices", "import dalenius.statistics.tables", "A room knows the rooms before it"),
        ("findings", "import dalenius.report.text", "A room knows the rooms before it"),
        (
            "findings",
            "import dalenius.reconstruction.attack.guesses",
            "A report or finding cannot print a person",
        ),
        (
            "inference/attack",
            "import dalenius.reconstruction.attack.attack",
            "The families do not know each other",
        ),
    ],
)
def test_a_planted_import_breaks_its_contract(room: str, line: str, contract: str, copy: Path):
    planted = copy / "src" / "dalenius" / room / "planted.py"
    planted.write_text(f'"""Planted."""\n\n{line}\n')
    try:
        done = run("lint-imports", "--no-cache", at=copy)
    finally:
        planted.unlink()
    assert done.returncode != 0, done.stdout
    broken = [row for row in done.stdout.splitlines() if re.search(r" BROKEN( \(.* ignored .*\))?$", row)]
    assert any(row.startswith(contract) for row in broken), done.stdout


def test_a_new_room_must_be_given_its_place(copy: Path):
    room = copy / "src" / "dalenius" / "cellar"
    room.mkdir()
    (room / "__init__.py").write_text('"""Planted."""\n')
    try:
        done = run("lint-imports", "--no-cache", at=copy)
    finally:
        shutil.rmtree(room)
    assert done.returncode != 0
    assert "cellar" in done.stdout


OFFENCES = [
    ("import pickle\n\npickle.dumps(1)", "`pickle` is banned"),
    ("import importlib\n\nimportlib.import_module('x')", "`importlib` is banned"),
    ("import gc\n\ngc.get_objects()", "`gc` is banned"),
    ("import numpy as np\n\nnp.random.seed(1)", "`numpy.random.seed` is banned"),
]


@pytest.mark.parametrize(("code", "message"), OFFENCES)
def test_what_attack_code_may_not_use_is_flagged(code: str, message: str):
    place = "src/dalenius/attacks/planted.py"
    text = f'"""Planted."""\n\n{code}\n'
    arguments = ("check", "--no-cache", "--stdin-filename", place, "--output-format", "concise", "-")
    done = run("ruff", *arguments, at=ROOT, text=text)
    assert done.returncode == 1, done.stderr
    assert message in done.stdout
    harmless = run("ruff", *arguments, at=ROOT, text='"""Planted."""\n\nimport math\n\nmath.sqrt(2.0)\n')
    assert harmless.returncode == 0, harmless.stdout
