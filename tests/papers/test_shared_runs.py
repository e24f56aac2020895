"""Runs of a theorem that others do: the same outcome, and what is sent can be sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from multiprocessing.reduction import ForkingPickler
from typing import Any

import pytest
from typer.testing import CliRunner

from dalenius.cli.main import app
from dalenius.papers.run import run
from dalenius.papers.simulated import runs
from dalenius.spread import places

SMALL: dict[str, dict[str, float]] = {
    "exposed-7": {"n": 64, "alpha": 0.017},
    "exposed-20": {"n": 8, "m": 8},
    "pso-3.3": {},
    "infer-A1": {},
}
"""Trials with a world and an attack, with numbers, games, and beliefs."""


def sent(task: Any, blocks: Sequence[Any], *, workers: int, shared: Any = ()) -> Iterator[Any]:
    """Do blocks as others get them, the last one first."""
    done = {}
    for at in reversed(range(len(blocks))):
        done[at] = task(ForkingPickler.loads(ForkingPickler.dumps(blocks[at])))
    yield from (done[at] for at in range(len(blocks)))


@pytest.mark.parametrize("id", SMALL)
def test_whoever_does_the_runs_the_outcome_is_the_same(id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    here = run(id, SMALL[id], runs=3).to_json()
    monkeypatch.setattr(runs, "spread_out", sent)
    told: list[float] = []
    assert run(id, SMALL[id], runs=3, progress=lambda share, _: told.append(share)).to_json() == here
    assert told == sorted(told)


def test_the_command_lets_others_work(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def seen(task: Any, blocks: Sequence[Any], *, workers: int, **_: Any) -> Iterator[Any]:
        asked.append(places.current_workers())
        yield from map(task, blocks)

    monkeypatch.setattr(runs, "spread_out", seen)
    words = ["theorem", "exposed-7", "--n", "64", "--alpha", "0.017", "--runs", "2", "--workers", "3"]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert set(asked) == {3}
    refused = CliRunner().invoke(app, [*words, "--cluster", "tcp://127.0.0.1:1"])
    assert refused.exit_code == 2
    assert "must not be given with --cluster" in " ".join(refused.output.split())
