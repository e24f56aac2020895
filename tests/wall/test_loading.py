"""Attack code does not even load what holds the truth."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
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
    for found in pkgutil.walk_packages(package.__path__, room + "."):
        importlib.import_module(found.name)
print("imported", sum(name.startswith(ROOMS) for name in sys.modules))
"""

PLANT_ALL = """
import os
for number, (room, folder) in enumerate(PLANTED):
    if os.fork() == 0:  # with all rooms loaded, and none of the truth
        package = importlib.import_module(room)
        package.__path__.append(folder)
        for found in pkgutil.walk_packages([folder], room + "."):
            importlib.import_module(found.name)
        bad = [name for name in sys.modules
               if any(name == door or name.startswith(door + ".") for door in FORBIDDEN)]
        print(number, *sorted(bad), flush=True)
        os._exit(0)
    os.wait()
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


def fresh(code: str, planted: Any = (), rooms: tuple[str, ...] = ROOMS) -> subprocess.CompletedProcess[str]:
    """Run code in an interpreter of its own."""
    head = f"ROOMS = {rooms!r}\nFORBIDDEN = {FORBIDDEN!r}\nPLANTED = {planted!r}\n"
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    run = [sys.executable, "-W", "ignore", "-c", head + code + CHECK]
    return subprocess.run(run, capture_output=True, text=True, env=environment, check=False)


def test_importing_every_attack_loads_no_truth():
    done = fresh(IMPORT_ALL)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "loaded: nothing"), done.stderr
    assert int(done.stdout.split()[1]) >= 30  # the walk found the rooms


def test_running_every_decoder_loads_no_truth():
    """Imports inside functions count too."""
    done = fresh(RUN_ALL)
    assert (done.returncode, done.stdout) == (0, "loaded: nothing\n"), done.stderr


PLANTED = (
    ("import duckdb", "duckdb"),
    ("from dalenius.release.publish import publish", "dalenius.release.publish"),
    ("import dalenius.reconstruction.referee.judge", "dalenius.reconstruction.referee.judge"),
    ("from dalenius import read", "dalenius.people.dataset"),
)
PAIRS = tuple(product(PLANTED, ROOMS[: len(FAMILIES)]))
"""Every line in every room of an attack."""

SOME = tuple(PLANTED[i % len(PLANTED)] for i in range(len(FAMILIES)))
"""A line for each room; each line is in some room."""

Pairs = Sequence[tuple[tuple[str, str], str]]


def noticed(pairs: Pairs, folder: Path) -> list[list[str]]:
    """What each planted line has loaded in its room: one interpreter, a copy of it for each."""
    if not hasattr(os, "fork"):
        pytest.skip("needs copies of a process")
    for number, ((line, _), _) in enumerate(pairs):
        (folder / str(number)).mkdir()
        (folder / str(number) / "planted.py").write_text(line + "\n")
    done = fresh(IMPORT_ALL + PLANT_ALL, [(room, str(folder / str(j))) for j, (_, room) in enumerate(pairs)])
    assert done.returncode == 0, done.stderr  # nothing was loaded by the interpreter that was copied
    said = (line.split() for line in done.stdout.splitlines() if line[0].isdigit())
    return [names for _, names in sorted((int(number), names) for number, *names in said)]


def check_noticed(pairs: Pairs, folder: Path) -> None:
    for ((line, loaded), room), names in zip(pairs, noticed(pairs, folder), strict=True):
        assert loaded in names, (line, room)


def test_a_planted_import_is_noticed(tmp_path: Path) -> None:
    """Each line and each room."""
    check_noticed(tuple(zip(SOME, ROOMS[: len(FAMILIES)], strict=True)), tmp_path)


@pytest.mark.slow(beside="test_a_planted_import_is_noticed")
def test_every_planted_import_is_noticed_in_every_room(tmp_path: Path) -> None:
    check_noticed(PAIRS, tmp_path)
