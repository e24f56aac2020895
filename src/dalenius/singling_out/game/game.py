"""The game of singling out: draw data, release, attack, count; many times, beside luck.

Cohen and Nissim, *Towards Formalizing the GDPR's Notion of Singling Out*, Definition 3.6. An attack that
sees only the release names a condition; it wins if exactly one row meets it although so few people of the
whole do that luck would hardly find such a row. Data, mechanism and attack draw from separate streams.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from dalenius.conditions.text import english
from dalenius.errors import InputError
from dalenius.people.rows.rows import Rows
from dalenius.progress import Progress, silent
from dalenius.random import attack_stream, stream
from dalenius.singling_out.attack.counts.plans import keyed
from dalenius.singling_out.attack.isolating import Isolating, WeightBound
from dalenius.singling_out.game.result import GameResult, conclude_game
from dalenius.singling_out.game.rounds import (
    LOST_MATCHES,
    Beside,
    DataSource,
    GameRound,
    GameSettings,
    check_limit,
    play_rounds,
)
from dalenius.singling_out.referee.isolation import judge_isolation, publish_round
from dalenius.spread.digest import digest_of

Mechanism = Callable[[Rows, np.random.Generator], Any]
"""From the data to what the attack sees: a release, or a desk to ask."""

Attack = Callable[[Any, np.random.Generator], Sequence[Isolating]]
"""From what is released to claims; the first is the one that counts, none is a failure."""

GRID = (1e-1, 1e-2, 1e-3, 1e-4)
"""Weight limits, as multiples of 1/n."""

CONTROLS = 1000
"""Trials of the control at most: enough to see a rate of 37% within 0.03."""


@dataclass(frozen=True, eq=False)
class Game:
    """One game: who draws, who releases, who attacks.

    Parameters
    ----------
    source
        Draws the data and knows the whole.
    mechanism
        Releases.
    attack
        Attacks.
    n
        Rows of the data.
    seed, name
        Name the streams.
    """

    source: DataSource
    mechanism: Mechanism
    attack: Attack
    n: int
    seed: int
    name: str

    def trial(self, j: int) -> GameRound:
        """Play the j-th round.

        The weight is the source's, whatever the attack says of it.
        """
        data, release = (stream(self.seed, "game", self.name, j, part) for part in ("data", "mechanism"))
        rows = self.source.draw(self.n, data)
        released = publish_round(self.mechanism, rows, release)
        claims = self.attack(released, attack_stream("game", self.name, j))
        judged = judge_isolation(claims, rows)
        if judged.matches is None:
            return GameRound(-1, np.nan, 0)
        weight = self.source.weigh(claims[0].predicate).value if judged.hit else np.nan
        return GameRound(judged.matches, weight, judged.singled_out)

    def trials(self, start: int, stop: int) -> list[GameRound]:
        """Play some rounds."""
        return [self.trial(j) for j in range(start, stop)]


@dataclass(frozen=True)
class Trivial:
    """The attack that ignores the release: a keyed hash of weight 1/n (section 3 of the paper).

    Examples
    --------
    >>> Trivial(("age",), 4)(None, np.random.default_rng(1))[0].predicate.below == 2**62
    True
    """

    columns: tuple[str, ...]
    n: int

    def __call__(self, release: Any, rng: np.random.Generator) -> tuple[Isolating, ...]:
        """Draw a fresh key."""
        predicate = keyed(self.columns, Fraction(1, self.n), rng)
        weight = WeightBound(1 / self.n, "hash", "on average over the key", 0.0)
        return (Isolating(predicate, weight, "luck", 0.37, None, english(predicate)),)


NOT_COUNTED = WeightBound(1.0, "none", "not looked at", 0.0)


@dataclass(frozen=True, eq=False)
class Unweighed:
    """A source whose weights are not counted: what a theorem says of all conditions is taken, if one does."""

    source: DataSource
    bound: WeightBound = NOT_COUNTED

    def __getattr__(self, name: str) -> Any:
        if name == "source":  # of a copy that is still being made
            raise AttributeError(name)
        return getattr(self.source, name)

    def weigh(self, predicate: Any) -> WeightBound:
        """Nothing is counted."""
        return self.bound


@dataclass(frozen=True)
class Nothing:
    """Release nothing: what luck alone plays against."""

    draws: ClassVar[bool] = False

    def __call__(self, rows: Rows, rng: np.random.Generator) -> None:
        """Release nothing."""


nothing = Nothing()


def play(
    source: DataSource,
    mechanism: Mechanism,
    attack: Attack,
    *,
    n: int,
    how: GameSettings = GameSettings(),
    beside: Beside = Beside(),
    progress: Progress = silent,
) -> GameResult:
    """Play many rounds of one attack against one mechanism, and of luck beside it.

    Parameters
    ----------
    source
        Where the data come from: a model, a population, a sample; see `dalenius.singling_out.game.models` and
        `dalenius.singling_out.referee.populations`.
    mechanism
        Takes the rows and a generator; gives what the attack sees.
    attack
        Takes that and a generator; gives claims.
    n
        Rows of the data.
    how
        Rounds, weight limit, seed.
    beside
        Names, a theorem's limit, and a control that several games share.

    Raises
    ------
    InputError
        If a weight limit is above 1/n, or n does not fit the source.

    Examples
    --------
    >>> from dalenius.singling_out.attack.counts.counts import CountsAttack
    >>> from dalenius.singling_out.attack.counts.plans import NumberPlan
    >>> from dalenius.singling_out.game.models import UniformNumbers
    >>> from dalenius.release.desk.count_desk import OpenCounts
    >>> numbers = UniformNumbers(2**20, bits=20)
    >>> attack = CountsAttack(NumberPlan(bits=20, below=2**20 // 50), numbers.weigh)
    >>> result = play(numbers, OpenCounts(), attack, n=50, how=GameSettings(trials=60, weight=2e-4))
    >>> result.demonstrated
    True
    """
    if n < 2:
        raise InputError("n", "must be at least 2", str(n))
    grid = _grid(source, n, how.weight)
    game = Game(source, mechanism, attack, n, how.seed, "attack")
    before = 0.0 if beside.control is not None else 0.1

    def control_told(share: float, doing: str) -> None:
        progress(before * share, doing)

    def told(share: float) -> None:
        progress(before + (1 - before) * share, "playing")

    if beside.control is None:
        beside = replace(beside, control=play_control(source, n, how, control_told, beside.about))
    work = name_of_work(game, how.trials, beside.about)
    played = list(play_rounds(game.trials, how.trials, told, workers=how.workers, work=work))
    return conclude_game(played, source, n=n, grid=grid, how=how, beside=beside)


def play_control(
    source: DataSource,
    n: int,
    how: GameSettings,
    progress: Progress = silent,
    about: str | None = None,
) -> list[GameRound]:
    """Play the attack that ignores the release, through the same code; its rate must be luck's.

    ``about`` is as in `dalenius.singling_out.game.rounds.Beside`.
    """
    trials = min(how.trials, CONTROLS)
    game = Game(Unweighed(source), nothing, Trivial(source.names, n), n, how.seed, "control")

    def told(share: float) -> None:
        progress(share, "playing without the release")

    played = play_rounds(game.trials, trials, told, work=name_of_work(game, trials, about))
    return [trial for trial in played if trial.matches != LOST_MATCHES]  # its rate is luck's, in any of them


def name_of_work(game: Game, trials: int, about: str | None) -> str | None:
    """The same for the same rounds alone; nothing where nobody said what they are about."""
    if about is None:
        return None
    return f"game-{digest_of(about, game.name, game.n, game.seed, trials)[:16]}"


def _grid(source: DataSource, n: int, weight: float | None) -> tuple[float, ...]:
    """Return the weight limits, largest first: those at which anything can be shown at all."""
    if weight is not None and check_limit(n, weight) < source.least * (1 - 1e-12):
        fix = f"Use for example {source.least:.2g}, or a larger population."
        rule = f"must be at least {source.least:.2g}: no smaller weight can be shown in {source.text}"
        raise InputError("weight limit", rule, f"{weight:.2g}", fix)
    grid = [] if weight is None else [weight]
    for usual in (c / n for c in GRID):
        if usual >= source.least * (1 - 1e-12) and not any(math.isclose(usual, known) for known in grid):
            grid.append(usual)
    return tuple(sorted(grid or [1 / n], reverse=True))
