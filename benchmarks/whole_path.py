"""All two-way tables of 500 yes/no columns about 51,200 people, from the view to the guesses: CPU and memory.

Run with ``python -m benchmarks.whole_path``. The measured call is ``reconstruct``: it groups the people,
reads the answers, chooses the decoder, solves, and makes the claims; once as it is, once with probabilities
that are tried on a simulated release, which is made and decoded like the first. CPU seconds are of the whole
process during a call. The peak is that of the process over its life, so it holds the interpreter, the list of
people and the making of the answers too; every answer has Gaussian noise.
"""

from __future__ import annotations

import resource

import numpy as np
from rich.console import Console

from benchmarks.common import cost
from dalenius.knowledge.view import Knowledge, View
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.release.release import Block, Release
from dalenius.statistics.tables import tables_of

PEOPLE, COLUMNS, SIGMA = 51_200, 500, 3.0
SECONDS, GIGABYTES, WRONG = 22.0, 0.8, 0.002
"""Goals: CPU seconds of the guesses, peak memory, and the share of people guessed wrongly."""

CALIBRATED = 2.5
"""Goal: times as long with probabilities that were tried, which decodes twice and simulates once."""


def instance(people: int, columns: int) -> tuple[View, np.ndarray]:
    """What is published about random people, and their secrets."""
    rng = np.random.default_rng(people)
    codes = rng.integers(0, 2, (people, columns), dtype=np.int32)
    secret = rng.integers(0, 2, people)
    public = tuple(Column(f"a{j}", Role.PUBLIC, Kind.BINARY, ("0", "1")) for j in range(columns))
    roster = Roster("id", np.arange(people).astype(np.str_), CodedColumns(public, codes))
    asked = tables_of(public, 2)
    operator = asked.operator(roster)
    answers = np.stack([operator.apply((secret == value).astype(np.float64)) for value in (0, 1)], axis=1)
    answers += SIGMA * rng.standard_normal(answers.shape)
    levels = ("0", "1")
    hidden = Column("s", Role.SECRET, Kind.BINARY, levels)
    release = Release("tables", hidden, (Block(asked, levels, answers),), f"gaussian:sigma={SIGMA:g}")
    return View(release, Knowledge(roster)), secret


def run() -> None:
    """Print seconds, memory and mistakes; fail if a goal is missed."""
    view, secret = instance(PEOPLE, COLUMNS)
    found: list[Guesses] = []

    def attack(calibrated: bool) -> None:
        found.append(reconstruct(view, rng=np.random.default_rng(1), calibrated=calibrated))

    plain, tried = (cost(lambda how=how: attack(how)) for how in (False, True))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    wrong = max(float((claims.guess != secret).mean()) for claims in found)
    console = Console()
    for note in found[1].notes:
        console.print(note)
    console.print(
        f"{PEOPLE:,} people, {view.release.size:,} answers: {plain.cpu:.1f} CPU s, "
        f"calibrated {tried.cpu:.1f}, peak {peak:.2f} GB, wrong about {wrong:.4f}"
    )
    slow = plain.cpu > SECONDS or tried.cpu > CALIBRATED * plain.cpu
    missed = slow or peak > GIGABYTES or wrong > WRONG
    goal = (
        f"goal {SECONDS:g} CPU s, {CALIBRATED:g} times that calibrated, {GIGABYTES:g} GB and {WRONG:g} wrong"
    )
    assert not missed, goal


if __name__ == "__main__":
    run()
