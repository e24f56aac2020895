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
    environment = {**os.environ, "PYTHONPATH": str(at / "src"), "NO_COLOR": "1", "COLUMNS": "300"}
    command = [str(TOOLS / tool), *arguments]
    return subprocess.run(
        command, cwd=at, env=environment, input=text, capture_output=True, text=True, check=False
    )


def test_every_contract_is_kept():
    done = run("lint-imports", "--no-cache", at=ROOT)
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


TRUTH = "Attack code never reaches the truth"
OPENED = "Only the publisher and the referee open the truth"
PATH = "A room knows the rooms before it on the path, never those after"
PRINTED = "A report or finding cannot print a person"
FAMILIES = "The families do not know each other"
PLANTED = (
    ("reconstruction/attack", "from dalenius.people.truth import secret_codes", TRUTH),
    ("singling_out/attack", "from dalenius.people.sealed import SealedRows", TRUTH),
    ("knowledge", "import dalenius.people.opening", TRUTH),
    ("auditing", "from dalenius.people.truth import open_rows", OPENED),
    ("tracing/attack", "def f():\n    import duckdb", TRUTH),
    ("statistics", "import dalenius.reconstruction.referee.judge", TRUTH),
    ("knowledge", "from dalenius.release.publish import publish", TRUTH),
    ("auditing", "from dalenius.people.truth import secret_codes", OPENED),
    ("matrices", "import dalenius.statistics.tables", PATH),
    ("findings", "import dalenius.report.text", PATH),
    ("findings", "import dalenius.reconstruction.attack.guesses", PRINTED),
    ("inference/attack", "import dalenius.reconstruction.attack.attack", FAMILIES),
)


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What is said by each contract that is broken, where every offence is planted in a file of its own."""
    place = tmp_path_factory.mktemp("house")
    ignore = shutil.ignore_patterns("__pycache__")
    house = place / "src" / "dalenius"
    shutil.copytree(ROOT / "src" / "dalenius", house, ignore=ignore)
    shutil.copy(ROOT / "pyproject.toml", place)
    for number, (room, line, _) in enumerate(PLANTED):
        (house / room / f"planted_{number}.py").write_text(f'"""Planted."""\n\n{line}\n')
    (house / "cellar").mkdir()
    (house / "cellar" / "__init__.py").write_text('"""Planted."""\n')
    done = run("lint-imports", "--no-cache", at=place)
    assert done.returncode != 0, done.stdout
    listed = done.stdout.partition("Broken contracts")[2]
    parts = re.split(r"^(.+)\n-{5,}$", listed, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("number", range(len(PLANTED)))
def test_a_planted_import_breaks_its_contract(number: int, said: dict[str, str]):
    room, line, contract = PLANTED[number]
    source = f"dalenius.{room.replace('/', '.')}"
    (reached,) = re.findall(r"(?:from|import) (\S+)", line)[:1]
    assert f"{source}.planted_{number} -> {reached} " in said[contract], said


def test_only_what_is_planted_breaks_a_contract(said: dict[str, str]):
    """Every chain that is listed begins where something was planted."""
    assert set(said) == {contract for _, _, contract in PLANTED}
    for text in said.values():
        begun = re.findall(r"^- +(\S+) -> ", text, re.MULTILINE)
        assert begun
        assert all(".planted_" in module for module in begun), text


def test_a_new_room_must_be_given_its_place(said: dict[str, str]):
    assert "cellar" in said[PATH]


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
