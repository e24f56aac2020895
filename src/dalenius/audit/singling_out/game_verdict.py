"""Whether games keep to a limit: pass only if every attack is shown to gain no more at every weight."""

from __future__ import annotations

from collections.abc import Sequence

from dalenius.audit.singling_out.game_result import AtWeight, GameResult
from dalenius.findings.decide_singling_out import points
from dalenius.findings.finding import Rate, Verdict
from dalenius.findings.interval import share_confidence
from dalenius.findings.singling_out_build import one_in
from dalenius.referee.score import Tally


def decide_games(
    games: Sequence[GameResult], limit: float, confidence: float = 0.95
) -> tuple[Verdict, tuple[str, ...]]:
    """Say whether attacks single people out beyond a limit, by intervals that hold together.

    Parameters
    ----------
    games
        All that were played against one release.
    limit
        The largest accepted advantage over luck.
    confidence
        With which the intervals of all games and weights hold together.
    """
    each = share_confidence(confidence, sum(len(game.rows) for game in games))
    said = [(row, *_judge(game, row, limit, each)) for game in games for row in game.rows]
    broken = [game for game in games if not game.control.kept]
    if broken:
        return "undecided", ("the control gains too: weights are wrong",)
    for word in ("stop", "undecided"):
        found = [_said(row, gain, limit) for row, verdict, gain in said if verdict == word]
        if found:
            return word, tuple(dict.fromkeys(found))
    return "pass", (f"no attack that was played gains more than {100 * limit:.1f} points over luck",)


def _judge(game: GameResult, row: AtWeight, limit: float, confidence: float) -> tuple[Verdict, str]:
    rate = Rate.of(Tally(row.success.hits, row.success.trials), confidence)
    low, high = rate.low - row.baseline - game.weight_error, rate.high - row.baseline
    gain = points(row.advantage, low, high)
    if low > limit:
        return "stop", gain
    bounded = row.limit is not None and row.limit - row.baseline <= limit
    return "pass" if high <= limit or bounded else "undecided", gain


def _said(row: AtWeight, gain: str, limit: float) -> str:
    return f"conditions met by {one_in(row.weight)}: advantage over luck {gain}, limit {100 * limit:.1f}"
