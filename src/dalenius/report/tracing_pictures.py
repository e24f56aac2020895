"""Pictures of tracing: members recognised against false alarms, how surprising targets are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.findings.tracing import TracingFinding
from dalenius.report.picture import BLUE, GREEN, GREY, RED, draw

SMALLEST = 1e-5
"""The left end of a logarithmic axis of rates."""


def roc(finding: TracingFinding) -> str:
    """Draw members recognised against outsiders accused, with intervals, chance and the theorem's limit."""

    def paint(axes: Any) -> None:
        chance = np.geomspace(SMALLEST, 1, 100)
        axes.plot(chance, chance, color=GREY, ls="--", lw=1, label="without the release")
        left = np.maximum([point.false_alarms for point in finding.curve], SMALLEST)
        right = [point.recognised for point in finding.curve]
        axes.step(left, right, where="post", color=BLUE, lw=1.8, label="members recognised")
        for rate in finding.rates:
            at = max(rate.outsiders.rate, SMALLEST)
            axes.plot([at, at], [rate.members.low, rate.members.high], color=BLUE, lw=1)
        limits = [(rate.level, rate.bound) for rate in finding.rates if rate.bound is not None]
        if limits:
            axes.plot(*zip(*limits, strict=True), color=GREEN, marker="v", lw=1, label="no attack can exceed")
        axes.set(xscale="log", xlim=(SMALLEST, 1), ylim=(0, 1.02))
        axes.set_xlabel("people not in the data who are accused")
        axes.set_ylabel("members who are recognised")
        axes.set_title(
            f"{finding.people:,} members, {finding.numbers:,} means, {finding.mechanism}", fontsize=10
        )
        axes.legend(frameon=False, loc="lower right")

    return draw(paint)


def surprise(p_values: NDArray[np.float64], level: float) -> str:
    """Draw how small the p-values of targets are beside those of as many outsiders; nobody is named."""

    def paint(axes: Any) -> None:
        n = p_values.size
        expected = -np.log10((np.arange(n) + 0.5) / n)
        seen = -np.log10(np.sort(np.maximum(p_values, 1e-300)))
        axes.plot(expected, expected, color=GREY, ls="--", lw=1, label="nobody is in the data")
        axes.plot(expected, seen, ".", color=BLUE, ms=4, label="the targets")
        axes.axhline(-np.log10(level), color=RED, lw=1, label=f"level {level:g}")
        axes.set_xlabel("-log10 of p, expected of outsiders")
        axes.set_ylabel("-log10 of p, found")
        axes.set_title(f"{n:,} targets", fontsize=10)
        axes.legend(frameon=False, loc="upper left")

    return draw(paint)
