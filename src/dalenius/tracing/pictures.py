"""Pictures of tracing: recognised against false alarms, how surprising targets are, how much is safe."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.report.picture import BLUE, GREEN, GREY, RED, draw
from dalenius.theory.tracing.plan import LIMIT, TracingPlan
from dalenius.tracing.finding import MembersFinding

_DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (8, 2)), (0, (1, 3)))
"""Of attacks: told apart by their lines, whatever colours somebody sees."""


def roc(finding: MembersFinding) -> str:
    """Draw members recognised against outsiders accused, with intervals, chance and the theorem's limit."""
    # false alarms rarer than one among those judged were not seen: the axis ends there
    least = 0.5 / finding.measures[0].outsiders.trials

    def paint(axes: Any) -> None:
        chance = np.geomspace(least, 1, 100)
        axes.plot(chance, chance, color=GREY, ls="--", lw=1, label="without the release")
        left = np.maximum([point.false_alarms for point in finding.details.curve], least)
        right = [point.recognised for point in finding.details.curve]
        axes.step(left, right, where="post", color=BLUE, lw=1.8, label="members recognised")
        for rate in finding.reachable:
            at, wide = max(rate.outsiders.rate, least), (rate.attack.low, rate.attack.high)
            axes.plot([at, at], wide, color=BLUE, lw=1, marker="_")
        limits = [(row.outsiders.high, row.at_most) for row in finding.measures if row.at_most is not None]
        if limits:
            axes.plot(*zip(*limits, strict=True), color=GREEN, marker="v", lw=1, label="no attack can exceed")
        axes.set(xscale="log", xlim=(least, 1), ylim=(0, 1.02))
        axes.set_xlabel("people not in the data who are accused")
        axes.set_ylabel("members who are recognised")
        axes.set_title(
            f"{finding.people:,} members, {finding.numbers:,} means, {finding.mechanism}", fontsize=10
        )
        axes.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3)

    return draw(paint)


def surprise(p_values: NDArray[np.float64], level: float, accused: int) -> str:
    """Draw how small the p-values of targets are beside those of as many outsiders; nobody is named.

    Parameters
    ----------
    p_values
        One a target.
    level
        Where a line is drawn: below it a target is suspect if nobody else is asked about.
    accused
        How many are accused after all of them were asked about; the title says it.
    """

    def paint(axes: Any) -> None:
        n = p_values.size
        expected = -np.log10((np.arange(n) + 0.5) / n)
        seen = -np.log10(np.sort(np.maximum(p_values, 1e-300)))
        axes.plot(expected, expected, color=GREY, ls="--", lw=1, label="nobody is in the data")
        axes.plot(expected, seen, ".", color=BLUE, ms=4, label="the targets")
        axes.axhline(-np.log10(level), color=RED, lw=1, label=f"p = {level:g}, one target alone")
        axes.set_xlabel("-log10 of p, expected of outsiders")
        axes.set_ylabel("-log10 of p, found")
        axes.set_title(f"{n:,} targets, {accused:,} accused", fontsize=10)
        axes.legend(frameon=False, loc="upper left")

    return draw(paint)


def planned(plan: TracingPlan) -> str:
    """Draw the share of members recognised against the number of means, and the limit of every attack."""
    last = max(1000.0, 3 * max(attack.columns for attack in plan.attacks))
    columns = np.unique(np.geomspace(1, last, 120).round())
    curves = plan.curve(columns)
    dashes = {attack.name: _DASHES[j % len(_DASHES)] for j, attack in enumerate(plan.attacks)}

    def paint(axes: Any) -> None:
        for name, power in curves.items():
            if name == LIMIT:
                axes.plot(columns, power, color=GREEN, lw=1.8, label="no attack can exceed")
            else:
                axes.plot(columns, power, color=BLUE, ls=dashes[name], lw=1.4, label=name)
        axes.axhline(plan.fpr, color=GREY, ls="--", lw=1, label="without the release")
        if plan.safe >= 1:
            safe = f"safe: never {plan.beta:.0%} of the members"
            axes.axvspan(1, plan.safe, color=GREEN, alpha=0.08, lw=0, label=safe)
        axes.set(xscale="log", xlim=(1, last), ylim=(0, 1.02))
        axes.set_xlabel("means published")
        axes.set_ylabel("members who are recognised")
        axes.set_title(f"{plan.n:,} people, false alarms {plan.fpr:g}", fontsize=10)
        axes.legend(frameon=False, fontsize=8, loc="upper left")

    return draw(paint)
