"""A scale from numbers to places on a picture, with round numbers to write at it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from dalenius.report.page.canvas import Canvas

_TICKS = 5


@dataclass(frozen=True)
class Scale:
    """Places numbers from ``low`` to ``high`` between two coordinates; ``ticks`` are written at it.

    With ``root`` places go by square roots, so that small prices do not lie on each other.

    Examples
    --------
    >>> Scale(0, 1, 100, 200)(0.25)
    125.0
    """

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...] = ()
    root: bool = False

    def __call__(self, value: float) -> float:
        """Return the place of a number; numbers outside stand at the end."""
        inside = min(max(value, self.low), self.high)
        share = (inside - self.low) / (self.high - self.low)
        return self.start + (math.sqrt(share) if self.root else share) * (self.end - self.start)


def scale(values: list[float], start: float, end: float) -> Scale:
    """Return a scale that holds 0 and all of these numbers, with round ends.

    Examples
    --------
    >>> (made := scale([0.03, 0.17], 0, 100)).low, made.high
    (0.0, 0.2)
    """
    low, high = min([0.0, *values]), max([0.0, *values])
    if high - low <= 0:
        high = low + 1.0
    step = _step(high - low)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return Scale(first * step, last * step, start, end, tuple(i * step for i in range(first, last + 1)))


def root_scale(values: list[float], start: float, end: float) -> Scale:
    """Return a scale of square roots from 0 to the largest of these numbers.

    Examples
    --------
    >>> root_scale([0.5, 11.3], 0, 400).ticks
    (0.0, 1.0, 2.0, 5.0, 10.0)
    """
    high = max([0.0, *values]) * 1.05 or 1.0
    power = 10.0 ** math.floor(math.log10(high))
    round_ones = [digit * power * tens for tens in (0.1, 1.0) for digit in (1, 2, 5)]
    return Scale(0.0, high, start, end, (0.0, *(value for value in round_ones if value <= high)), root=True)


def draw_across(canvas: Canvas, along: Scale, y: float, written: Callable[[float], str]) -> None:
    """Draw a scale below the marks, with its numbers."""
    canvas.line((along.start, y), (along.end, y))
    for value in along.ticks:
        canvas.line((along(value), y), (along(value), y + 4))
        canvas.text(along(value), y + 17, written(value), anchor="middle", look="small")


def percent(value: float) -> str:
    """Write a share.

    Examples
    --------
    >>> percent(0.05), percent(0.005), percent(0.0)
    ('5%', '0.5%', '0%')
    """
    return f"{100 * value + 0.0:.3g}%"


def in_points(value: float) -> str:
    """Write a difference of shares in points."""
    return f"{100 * value + 0.0:.3g}"


def plain(value: float) -> str:
    """Write a number of people, or another number, in short."""
    return f"{value:,.0f}" if value >= 1000 or value == round(value) else f"{value:.3g}"


def _step(span: float) -> float:
    rough = span / _TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= rough * (1 - 1e-9))
