"""Pictures of singling out: how often it succeeds against how rare the condition must be, beside luck."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalenius.findings.measure import Rate
from dalenius.report.picture import BLUE, GREEN, GREY, RED, draw
from dalenius.singling_out.finding import ConditionsFinding
from dalenius.theory.isolation import isolation

if TYPE_CHECKING:
    from dalenius.singling_out.game.result import GameResult

_COLOURS = (BLUE, RED, "#7a4fa3", "#8a6d00", "#1f7a8c")
_MARKS = "os^vP"
"""As many as colours: who does not see these tells attacks apart by their marks."""

_ASIDE = 0.045
"""How far apart, in decades, the points of several curves stand at one weight."""


@dataclass(frozen=True)
class SuccessCurve:
    """Successes of one attack, and what a theorem allows at most, both by weight."""

    name: str
    points: tuple[tuple[float, Rate], ...]
    at_most: tuple[tuple[float, float], ...]


def success_of_games(games: Sequence[GameResult]) -> str:
    """Draw the success of every game with its interval, beside luck and a theorem's limit."""
    curves = [
        SuccessCurve(
            game.attack,
            tuple((row.weight, row.success) for row in game.rows),
            tuple((row.weight, row.limit) for row in game.rows if row.limit is not None),
        )
        for game in games
    ]
    first = games[0]
    title = f"{first.n:,} people, {first.trials:,} rounds"
    return _success(curves, first.n, first.weight, title, "rounds in which somebody is singled out")


def success_of_rows(finding: ConditionsFinding) -> str:
    """Draw the success of one finding at every weight, beside luck, Theorem 6.1 and the control."""
    tried = [
        (at.at, at.attack)
        for at in finding.measures
        if at.shown and at.attack is not None and at.attack.trials
    ]
    curve = SuccessCurve(
        "conditions that match one person",
        tuple((weight, rate) for weight, rate in tried),
        tuple((at.at, at.at_most) for at in finding.measures if at.at_most is not None),
    )

    def more(axes: Any) -> None:
        if finding.details.reached is not None:
            label = f"Theorem 6.1: a hash alone\nin a class of {finding.details.k}"
            axes.axhline(finding.details.reached, color=GREEN, ls=":", lw=1.4, label=label)
        if finding.details.control is not None:
            _bars(
                axes,
                [(finding.at_best.at, finding.details.control.success)],
                GREY,
                "D",
                "control: other people",
            )

    title = f"{finding.people:,} people; {finding.details.source}"
    said = "conditions that match exactly one person"
    return _success([curve], finding.people, finding.at_best.at, title, said, more)


def _success(
    curves: Sequence[SuccessCurve], n: int, decisive: float | None, title: str, said: str, more: Any = None
) -> str:
    weights = [weight for curve in curves for weight, _ in curve.points]
    weights += [decisive] if decisive is not None else []
    least, most = min(weights) / 4, max(1.3 / n, 1.6 * max(weights))

    def paint(axes: Any) -> None:
        grid = np.geomspace(least, most, 200)
        luck = [isolation(n, min(float(w), 1 / n)) for w in grid]
        axes.fill_between(grid, luck, color=GREY, alpha=0.15, lw=0)
        axes.plot(grid, luck, color=GREY, ls="--", lw=1.2, label="luck, without the release")
        if decisive is not None:
            axes.axvline(decisive, color=GREY, lw=0.8, alpha=0.6)
            axes.annotate("the verdict\nis about this", (decisive, 1.13), fontsize=8, color=GREY, ha="center",
                          va="top", annotation_clip=False)  # fmt: skip
        for j, curve in enumerate(curves):
            aside = 10 ** (_ASIDE * (j - (len(curves) - 1) / 2))
            colour = _COLOURS[j % len(_COLOURS)]
            points = [(weight * aside, rate) for weight, rate in curve.points]
            _bars(axes, points, colour, _MARKS[j % len(_MARKS)], curve.name)
            if curve.at_most:
                axes.plot(*zip(*curve.at_most, strict=True), color=GREEN, marker="v", ms=5, lw=1.2,
                          label=f"no attack can exceed:\n{curve.name}")  # fmt: skip
        if more is not None:
            more(axes)
        axes.set(xscale="log", xlim=(least, most), ylim=(0, 1.04))
        _say_one_in(axes, least, most)
        axes.set_xlabel("share of all people that a condition may match")
        axes.set_ylabel(said)
        axes.set_title(title, fontsize=10, loc="left", pad=32)
        axes.yaxis.set_major_formatter(lambda y, _: f"{y:.0%}")
        axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5))

    return draw(paint, width=8.4, height=4.4)


def _bars(axes: Any, points: Sequence[tuple[float, Rate]], colour: str, marker: str, label: str) -> None:
    """Rates with their intervals, joined."""
    rates = [rate.rate for _, rate in points]
    ends = ([rate.rate - rate.low for _, rate in points], [rate.high - rate.rate for _, rate in points])
    axes.errorbar([weight for weight, _ in points], rates, ends, color=colour, marker=marker, ms=5, lw=1.4,
                  elinewidth=1.1, capsize=2.5, label=label, clip_on=False, zorder=3)  # fmt: skip


def _say_one_in(axes: Any, least: float, most: float) -> None:
    """Name the powers of ten as one in so many."""
    powers = range(math.ceil(math.log10(least)), math.floor(math.log10(most)) + 1)
    axes.set_xticks([10.0**p for p in powers], [f"1 in {10**-p:,}" for p in powers])
    axes.tick_params(axis="x", which="minor", length=2)
