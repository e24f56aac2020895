"""Attack code does not even load what holds the truth."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from dalenius.auditing import families

FAMILIES = tuple(goal.replace("-", "_") for goal in families.FAMILIES)
ROOMS = (
    *(f"dalenius.{family}.attack" for family in FAMILIES),
    "dalenius.records.cells",
    "dalenius.knowledge",
    "dalenius.mechanisms",
    "dalenius.statistics",
)
FORBIDDEN = (
    "dalenius.people.dataset",
    "dalenius.people.sealed",
    "dalenius.people.truth",
    "dalenius.people.engine",
    "dalenius.people.opening",
    *(f"dalenius.{family}.referee" for family in FAMILIES),
    "dalenius.people.truth_file",
    "dalenius.release.publish",
    "dalenius.release.means_publish",
    "dalenius.release.amounts_publish",
    "duckdb",
    "ibis",
)

CHECK = """
bad = [name for name in sys.modules
       if any(name == door or name.startswith(door + ".") for door in FORBIDDEN)]
print("loaded:", " ".join(sorted(bad)) or "nothing")
sys.exit(1 if bad else 0)
"""

IMPORT_ALL = """
import importlib, pkgutil, sys
for room in ROOMS:
    package = importlib.import_module(room)
    package.__path__.extend(PLANTED.get(room, []))
    for found in pkgutil.walk_packages(package.__path__, room + "."):
        importlib.import_module(found.name)
print("imported", sum(name.startswith(ROOMS) for name in sys.modules))
"""

RUN_ALL = """
import sys
import numpy as np
import dalenius
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.choose import DECODERS
from dalenius.errors import UnsupportedError
from dalenius.knowledge.view import Knowledge, View
from dalenius.people.schema import Roster
from dalenius.people.schema import Column, Kind, Role
from dalenius.release.release import Block, Release
from dalenius.statistics.counts.subsets import HadamardQueries
ids = np.array([str(i) for i in range(6)])
ill = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))
asked = HadamardQueries(ids)
answers = asked.operator(Roster.of_names("id", ids)).apply(np.array([1.0, 0, 1, 1, 0, 0]))[:, None]
for mechanism in ("bounded:error=1", "gaussian:sigma=1", "unknown"):
    release = Release("r", ill, (Block(asked, ("yes",), answers),), mechanism)
    for decoder in ("auto", *DECODERS):
        if (mechanism, decoder) == ("unknown", "exhaustive"):
            continue  # it has to know the noise
        view = View(release, Knowledge(Roster.of_names("id", ids)))
        reconstruct(view, decoder=decoder, rng=np.random.default_rng(1)).to_csv()
"""


def fresh(
    code: str, planted: dict[str, list[str]], rooms: tuple[str, ...] = ROOMS
) -> subprocess.CompletedProcess[str]:
    """Run code in an interpreter of its own."""
    head = f"ROOMS = {rooms!r}\nFORBIDDEN = {FORBIDDEN!r}\nPLANTED = {planted!r}\n"
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    run = [sys.executable, "-W", "ignore", "-c", head + code + CHECK]
    return subprocess.run(run, capture_output=True, text=True, env=environment, check=False)


def test_importing_every_attack_loads_no_truth():
    done = fresh(IMPORT_ALL, {})
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "loaded: nothing"), done.stderr
    assert int(done.stdout.split()[1]) >= 30  # the walk found the rooms


def test_running_every_decoder_loads_no_truth():
    """Imports inside functions count too."""
    done = fresh(RUN_ALL, {})
    assert (done.returncode, done.stdout) == (0, "loaded: nothing\n"), done.stderr


PLANTED = (
    ("import duckdb", "duckdb"),
    ("from dalenius.release.publish import publish", "dalenius.release.publish"),
    ("import dalenius.reconstruction.referee.judge", "dalenius.reconstruction.referee.judge"),
    ("from dalenius import read", "dalenius.people.dataset"),
)
BESIDE = pytest.mark.slow(beside="test_a_planted_import_is_noticed")


def each_line_and_room() -> Iterator[Any]:
    """Every line in every room; each line and each room is tried every time, all pairs by `make test-all`."""
    for (j, (line, loaded)), (i, room) in product(enumerate(PLANTED), enumerate(ROOMS[: len(FAMILIES)])):
        yield pytest.param(line, loaded, room, marks=[BESIDE] if (i - j) % len(PLANTED) else [])


@pytest.mark.parametrize(("line", "loaded", "room"), [*each_line_and_room()])
def test_a_planted_import_is_noticed(line: str, loaded: str, room: str, tmp_path: Path):
    (tmp_path / "planted.py").write_text(line + "\n")
    done = fresh(IMPORT_ALL, {room: [str(tmp_path)]}, (room,))
    assert done.returncode == 1, done.stderr
    assert loaded in done.stdout
