"""Pictures of points in a plane: the price of a change against the risk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dalenius.findings.policy import from_to, points
from dalenius.findings.report import Rung
from dalenius.report.page.blocks import (
    WIDTH,
    Canvas,
    CellGrid,
    Drawing,
    Scale,
    in_points,
    plain,
    root_scale,
    scale,
    width_of,
)
from dalenius.report.page.charts import BOTTOM, LEFT, TOP, plane

SHAPES = {
    "as planned": "cross",
    "round": "square",
    "hide": "triangle",
    "fewer": "diamond",
    "coarser": "down",
    "noise": "circle",
}
"""The mark of each kind of change; filled where there is a promise."""

_BEYOND = 3.0

_LINE = 13.0
"""How high a line of numbers is."""

_BESIDE = 9.0
"""How far from its mark a number stands."""

_MOST_NUMBERS = 3
"""So many numbers are written at one place."""

EACH_MARK = (
    "Each mark is a change, with its number in the table: further down is safer, further left is cheaper."
)


CEILING = f"{EACH_MARK} A T is what no attack exceeds, by a theorem."


@dataclass(frozen=True)
class PricedRung:
    """A change with its number in the table and its price as one figure."""

    number: int
    rung: Rung
    price: float


def price_and_people(rungs: Sequence[PricedRung], price: str, tolerated: int | None) -> Drawing:
    """Price across, people sure or nearly sure upwards, with what the rules tolerate of them as a line."""
    counted = [(one, (one.rung.sure or 0) + (one.rung.nearly or 0)) for one in rungs]
    across = root_scale([one.price for one in rungs], LEFT, WIDTH - 20)
    up = scale([*(float(count) for _, count in counted), float(tolerated or 0)], BOTTOM, TOP, least=1.0)
    canvas = plane(across, up, (price, "people sure or nearly sure"), plain)
    placed = [_Placed(one, across(one.price), up(count)) for one, count in counted]
    if tolerated is not None:
        _limit(canvas, up(tolerated), f"tolerated: {tolerated:,}", placed)
    _rungs(canvas, placed)
    title = f"{price.capitalize()} against people at risk"
    told = "; ".join(f"{one.number}: {count:,} at {plain(one.price)}" for one, count in counted)
    rows = tuple(
        (str(one.number), one.rung.change, plain(one.price), f"{count:,}", one.rung.promise or "none")
        for one, count in counted
    )
    behind = CellGrid(title, ("no.", "change", price, "people", "promise"), rows, words=2)
    return _with_kinds(canvas, rungs, title, f"{told}.", behind)


def price_and_gain(rungs: Sequence[PricedRung], price: str, limit: float | None) -> Drawing:
    """Price across, what the attack gains upwards with its interval, and what a theorem allows at most."""
    gains = [(one, one.rung.advantage, _bound(one.rung)) for one in rungs]
    across = root_scale([one.price for one in rungs], LEFT, WIDTH - 20)
    seen = [end for _, gain, _ in gains if gain is not None for end in (gain.low, gain.high)]
    # a theorem may allow far more than any attack gets: what is beyond the picture is written at its edge
    most = _BEYOND * max([*seen, limit or 0.0, 0.01])
    inside = [bound for _, _, bound in gains if bound is not None and bound <= most]
    up = scale([*seen, *inside, limit or 0.0], BOTTOM, TOP)
    canvas = plane(across, up, (price, "gain over guessing, points"), in_points)
    rows, placed = [], []
    _ceilings(canvas, up, [(across(one.price), bound) for one, _, bound in gains if bound is not None])
    for one, gain, bound in gains:
        x = across(one.price)
        if gain is not None:
            canvas.line((x, up(gain.low)), (x, up(gain.high)), "whisker")
            placed.append(_Placed(one, x, up(gain.value)))
        said = "" if gain is None else f"{points(gain.value)} ({from_to(gain.low, gain.high)})"
        at_most = "none" if bound is None else points(bound)
        rows.append((str(one.number), one.rung.change, plain(one.price), said, at_most))
    if limit is not None:
        _limit(canvas, up(limit), f"your limit: {points(limit)}", placed)
    _rungs(canvas, placed)
    title = f"{price.capitalize()} against what the attack gains"
    told = "A T is what no attack exceeds, by a theorem: " + (
        "; ".join(f"{row[0]}: {row[4]}" for row in rows if row[4] != "none") or "none applies"
    )
    behind = CellGrid(title, ("no.", "change", price, "gain, points", "at most"), tuple(rows), words=2)
    return _with_kinds(canvas, rungs, title, f"{told}.", behind)


def _ceilings(canvas: Canvas, up: Scale, bounds: Sequence[tuple[float, float]]) -> None:
    """A T where no attack can be above; beyond the picture with its number, where there is room for it."""
    places = sorted(bounds)
    for j, (x, bound) in enumerate(places):
        y = up(bound)
        canvas.line((x - 7, y), (x + 7, y), "bound")
        canvas.line((x, y), (x, y + 6), "bound")
        said = f"{points(bound)} \N{UPWARDS ARROW}"
        after = min((other for other, more in places[j + 1 :] if more > up.high), default=math.inf)
        if bound > up.high and x + _BESIDE + width_of(said) < after - _BESIDE:
            canvas.text(x + _BESIDE, y + 4, said, look="small")


@dataclass(frozen=True)
class _Placed:
    """A change and where its mark is."""

    one: PricedRung
    x: float
    y: float


def _limit(canvas: Canvas, y: float, said: str, placed: Sequence[_Placed]) -> None:
    """Draw a limit as a line, and write it where no mark stands, from the left on."""
    canvas.line((LEFT, y), (WIDTH - 20, y), "limit")
    wide, near = width_of(said), [mark.x for mark in placed if -2 * _LINE < mark.y - y < _LINE]

    def taken(x: float) -> int:
        return sum(x - _BESIDE < other < x + wide + _BESIDE for other in near)

    places = [LEFT + 4 + step * _LINE for step in range(int((WIDTH - 24 - wide - LEFT) / _LINE) + 1)]
    canvas.text(min(places, key=taken), y - 5, said, look="small")


def _rungs(canvas: Canvas, placed: Sequence[_Placed]) -> None:
    """Draw marks, filled where the change makes a promise; those close to each other share their numbers."""
    for mark in placed:
        shape = SHAPES[mark.one.rung.kind]
        look = "stroke" if shape == "cross" else "accent" if mark.one.rung.promise else "open"
        canvas.mark(shape, mark.x, mark.y, look, step=str(mark.one.number))
    for group in _close(placed):
        said = _numbers(group)
        first, last = group[0], group[-1]
        right = last.x + _BESIDE + width_of(said) <= WIDTH
        x, anchor = (last.x + _BESIDE, "") if right else (first.x - _BESIDE, "end")
        canvas.text(x, last.y - 5, said, anchor=anchor, look="small")


def _close(placed: Sequence[_Placed]) -> list[list[_Placed]]:
    """Put marks together whose numbers would lie on each other, from left to right."""
    groups: list[list[_Placed]] = []
    for mark in sorted(placed, key=lambda mark: (mark.x, mark.one.number)):
        for group in groups:
            end = group[-1].x + _BESIDE + width_of(_numbers(group))
            if abs(mark.y - group[-1].y) < _LINE and mark.x - _BESIDE < end:
                group.append(mark)
                break
        else:
            groups.append([mark])
    return groups


def _numbers(group: Sequence[_Placed]) -> str:
    here = sorted(mark.one.number for mark in group)
    more = f" and {len(here) - _MOST_NUMBERS} more" if len(here) > _MOST_NUMBERS else ""
    return ", ".join(map(str, here[:_MOST_NUMBERS])) + more


def _with_kinds(
    canvas: Canvas, rungs: Sequence[PricedRung], title: str, told: str, behind: CellGrid
) -> Drawing:
    """Explain the marks in one line below."""
    promised = any(one.rung.promise for one in rungs)
    canvas.height += 42 if promised else 22
    x = 8.0
    for kind in dict.fromkeys(one.rung.kind for one in rungs):
        canvas.mark(SHAPES[kind], x, BOTTOM + 50, "stroke" if kind == "as planned" else "open")
        canvas.text(x + 10, BOTTOM + 54, kind, look="small")
        x += 26 + width_of(kind)
    if promised:
        canvas.mark("circle", 8.0, BOTTOM + 70, "accent")
        canvas.text(18.0, BOTTOM + 74, "filled: with a promise", look="small")
    drawn = "dal-bound" in (svg := canvas.svg(title, told))
    return Drawing(title, CEILING if drawn else EACH_MARK, svg, behind)


def _bound(rung: Rung) -> float | None:
    bound = rung.bound
    return bound.value if bound is not None and bound.kind == "advantage-at-most" else None
