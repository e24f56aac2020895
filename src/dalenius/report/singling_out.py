"""A picture of singling out: how often it succeeds against how rare the condition must be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dalenius.report.picture import BLUE, GREEN, GREY, RED, draw

if TYPE_CHECKING:
    from dalenius.audit.singling_out.game_result import GameResult

_COLOURS = (BLUE, RED, "#7a4fa3", "#8a6d00", "#1f7a8c")


def success(games: Sequence[GameResult]) -> str:
    """Draw the success of every game with its interval, beside luck and a theorem's limit."""

    def paint(axes: Any) -> None:
        for colour, game in zip(_COLOURS * len(games), games, strict=False):
            weights = [row.weight for row in game.rows]
            rates = [row.success.rate for row in game.rows]
            below = [row.success.rate - row.success.low for row in game.rows]
            above = [row.success.high - row.success.rate for row in game.rows]
            axes.errorbar(
                weights, rates, (below, above), color=colour, marker="o", ms=4, lw=1.4, label=game.attack
            )
            limits = [(row.weight, row.limit) for row in game.rows if row.limit is not None]
            if limits:
                axes.plot(
                    *zip(*limits, strict=True), color=GREEN, marker="v", lw=1, label="the theorem's limit"
                )
        first = games[0]
        luck = [row.baseline for row in first.rows]
        axes.plot([row.weight for row in first.rows], luck, color=GREY, ls="--", lw=1, label="luck")
        axes.set(xscale="log", ylim=(0, 1.05))
        axes.set_xlabel("share of all people that a condition may match")
        axes.set_ylabel("rounds in which somebody is singled out")
        axes.set_title(f"{first.n:,} people, {first.trials:,} rounds", fontsize=10)
        axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))

    return draw(paint, width=8.4)
