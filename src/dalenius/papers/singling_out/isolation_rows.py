"""Rounds of the game of singling out as rows of an experiment: one round per run."""

from __future__ import annotations

from collections.abc import Sequence

from dalenius.findings.tally import Tally
from dalenius.papers.experiment import PromisedShare, Side, SimulatedRow
from dalenius.papers.settings import Settings
from dalenius.papers.simulated.runs import each_run
from dalenius.singling_out.game.game import Attack, Game, Mechanism
from dalenius.singling_out.game.rounds import DataSource, GameRound


def rounds(
    settings: Settings,
    name: str,
    source: DataSource,
    mechanism: Mechanism,
    attack: Attack,
    done: tuple[float, float],
) -> list[GameRound]:
    """Play one round per run, with the product's game; the name keeps its streams apart from others."""
    game = Game(source, mechanism, attack, settings.whole("n"), settings.seed, f"{settings.id} {name}")

    return list(each_run(settings, name, lambda number: game.trials(number, number + 1)[0], done))


def isolates(what: str, value: float, side: Side = "at least") -> PromisedShare:
    """Promise how often somebody is isolated, on average."""
    return PromisedShare(what, float(min(1.0, max(0.0, value))), "that isolate", side, "on average")


def row(
    what: str, played: Sequence[GameRound], promise: PromisedShare | None = None, limit: float = 1.0
) -> SimulatedRow:
    """Count the rounds in which exactly one row met a condition of at most this weight."""
    hits = (trial.matches == 1 and trial.weight <= limit * (1 + 1e-12) for trial in played)
    return SimulatedRow(what, tuple(Tally(int(hit), 1) for hit in hits), promise, "that isolate")


def everybody_row(
    what: str, played: Sequence[GameRound], n: int, promise: PromisedShare | None = None
) -> SimulatedRow:
    """Count the rounds in which every row is isolated by a condition of its own."""
    return SimulatedRow(
        what, tuple(Tally(int(trial.singled_out == n), 1) for trial in played), promise, "that isolate"
    )
