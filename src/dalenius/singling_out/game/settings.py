"""How a game is played, and what stands beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dalenius.errors import InputError
from dalenius.findings.default_policy import CONFIDENCE

if TYPE_CHECKING:
    from dalenius.singling_out.game.game import GameRound


@dataclass(frozen=True)
class GameSettings:
    """How a game is played.

    Parameters
    ----------
    trials
        Rounds.
    weight
        The one weight limit the verdict is about, chosen before. By default a hundredth of 1/n, or the least
        that can be shown if that is more; in `dalenius.singling_out.game.game.play` any limit of the grid,
        with intervals that hold for all of it together.
    confidence
        Of the intervals.
    seed
        The same seed gives the same rounds.
    workers
        Processes that play; with more than one, source, mechanism and attack are sent to them.
    """

    trials: int = 1000
    weight: float | None = None
    confidence: float = CONFIDENCE
    seed: int = 1
    workers: int = 1

    def __post_init__(self) -> None:
        if self.trials < 1:
            raise InputError("trials", "must be at least 1", str(self.trials), "Use for example 1000.")


@dataclass(frozen=True)
class Beside:
    """What stands beside a game.

    Parameters
    ----------
    names
        What mechanism and attack are called.
    limit
        What a theorem says no attack exceeds, for a weight limit.
    control
        Rounds of `dalenius.singling_out.game.game.play_control`, where several games share them.
    """

    names: tuple[str, str] = ("mechanism", "attack")
    limit: Callable[[float], float] | None = None
    control: Sequence[GameRound] | None = None
