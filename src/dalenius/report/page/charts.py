"""Pictures of bars and of points in a plane.

Pictures of bars: what is learnt about all people, what is behind it, whom it hits.

Pictures of points in a plane: the price of a change against the risk, and stated against true.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dalenius.findings.explanation import Group, Learned, StatedAndRight, Why
from dalenius.findings.policy import from_to, points
from dalenius.findings.report import Rung
from dalenius.findings.tally import clopper_pearson
from dalenius.report.page.blocks import (
    WIDTH,
    Canvas,
    CellGrid,
    Drawing,
    Scale,
    draw_across,
    in_points,
    in_two,
    percent,
    plain,
    root_scale,
    scale,
)
from dalenius.shown import people

_MOST = 15
"""So many bars in one picture; the table behind it has all."""

_LABELS = 150.0
"""How much of a picture labels may take."""


def learned_bar(row: Learned, said: tuple[str, str, str]) -> Drawing:
    """One bar of all people: right anyway, only by the publication, not at all; in a family's words."""
    parts = (
        ("A", said[0], row.anyway, "dark"),
        ("B", said[1], row.only_by_release, "accent"),
        ("C", said[2], row.hidden, "light"),
    )
    canvas, at = Canvas(112), 0.0
    for letter, _, count, look in parts:
        width = WIDTH * count / max(row.people, 1)
        canvas.rect(at, 4, width, 30, look)
        if width > 16:
            canvas.text(at + width / 2, 24, letter, anchor="middle", look=f"on-{look}")
        at += width
    for line, (letter, words, count, look) in enumerate(parts):
        y = 54 + 20 * line
        canvas.rect(0, y - 12, 15, 15, look)
        canvas.text(7.5, y, letter, anchor="middle", look=f"on-{look}")
        canvas.text(22, y, f"{words}: {count:,} ({count / max(row.people, 1):.1%})")
    title = f"What an attacker learns about {people(row.people)}"
    told = ", ".join(f"{words}: {count:,}" for _, words, count, _ in parts)
    rows = tuple((words, f"{count:,}", f"{count / max(row.people, 1):.1%}") for _, words, count, _ in parts)
    behind = CellGrid(title, ("people", "count", "share"), rows)
    return Drawing(title, f"{told[0].upper()}{told[1:]}.", canvas.svg(title, told), behind)


def cause_bars(why: Why) -> Drawing | None:
    """The parts of a release by how much less is at risk without each; nothing if none was tried alone."""
    tried = [(cause, why.whole - cause.without) for cause in why.causes if cause.without is not None]
    if not tried:
        return None
    title = f"What each part adds: {why.counted}"
    drawn = sorted(tried, key=lambda pair: -pair[1])[:_MOST]
    largest = max(max(less for _, less in drawn), 0.0)
    fewer = "fewer" if why.whole == round(why.whole) else "less"
    canvas = _bars(
        [
            _Bar(
                cause.name,
                less / largest if largest > 0 else 0.0,
                f"{plain(less)} {fewer}" if less > 0 else f"no {fewer}",
            )
            for cause, less in drawn
        ]
    )
    worst, less = drawn[0]
    told = (
        f"Without {worst.name}, {plain(max(less, 0.0))} {fewer} of {plain(why.whole)}."
        if less > 0
        else (f"No part alone changes the {plain(why.whole)}.")
    )
    rows = tuple(
        (
            cause.name,
            cause.kind,
            _number(cause.without),
            plain(less) if less > 0 else "0",
            _number(cause.alone),
        )
        for cause, less in tried
    )
    head = ("part", "kind", "at risk without it", "fewer", "at risk by it alone")
    return Drawing(title, told, canvas.svg(title, told), CellGrid(title, head, rows, words=2))


def group_bars(column: str, groups: Sequence[Group]) -> Drawing:
    """Groups of people by the share of them that is at risk."""
    title = f"Share at risk by {column}"
    shares = [group.at_risk / max(group.people, 1) for group in groups]
    largest = max([*shares, 1e-9])
    order = sorted(range(len(groups)), key=lambda i: -shares[i])
    names = ["others, few people" if group.value is None else group.value for group in groups]
    said = [f"{shares[i]:.1%} ({groups[i].at_risk:,} of {groups[i].people:,})" for i in range(len(groups))]
    canvas = _bars([_Bar(names[i], shares[i] / largest, said[i]) for i in order[:_MOST]], room=130)
    told = f"Highest: {names[order[0]]}, {shares[order[0]]:.1%} of {people(groups[order[0]].people)}."
    rows = tuple(
        (names[i], f"{groups[i].people:,}", f"{groups[i].at_risk:,}", f"{shares[i]:.1%}") for i in order
    )
    behind = CellGrid(title, (column, "people", "at risk", "share"), rows)
    return Drawing(title, told, canvas.svg(title, told), behind)


@dataclass(frozen=True)
class _Bar:
    """One bar: its name, how long it is beside the longest, and what is written after it."""

    name: str
    share: float
    said: str


def _bars(bars: Sequence[_Bar], room: float = 72) -> Canvas:
    """Draw bars below each other; further apart where a name takes two lines."""
    width = _LABELS - 8
    apart = 32 if any(len(in_two(bar.name, width)) > 1 for bar in bars) else 22
    canvas = Canvas(apart * len(bars) + 6)
    for line, bar in enumerate(bars):
        y = apart * line + (apart - 22) / 2 + 4
        canvas.label(width, y + 8, bar.name, width)
        long = max(bar.share, 0.0) * (WIDTH - _LABELS - room)
        canvas.rect(_LABELS, y, max(long, 1.0), 15, "accent" if bar.share > 0 else "dark")
        canvas.text(_LABELS + long + 6, y + 12, bar.said, look="small")
    return canvas


def _number(value: float | None) -> str:
    return "not tried" if value is None else plain(value)


SHAPES = {
    "as planned": "cross",
    "round": "square",
    "hide": "triangle",
    "fewer": "diamond",
    "coarser": "down",
    "noise": "circle",
}
"""The mark of each kind of change; filled where there is a promise."""

_LEFT, _TOP, _BOTTOM = 52.0, 26.0, 224.0


_BEYOND = 3.0

EACH_MARK = (
    "Each mark is a change, with its number in the table: further down is safer, further left is cheaper."
)


CEILING = f"{EACH_MARK} A T is what no attack exceeds, by a theorem."

Written = Callable[[float], str]
"""How a number is written at an axis."""


@dataclass(frozen=True)
class PricedRung:
    """A change with its number in the table and its price as one figure."""

    number: int
    rung: Rung
    price: float


def price_and_people(rungs: Sequence[PricedRung], price: str, tolerated: int) -> Drawing:
    """Price across, people sure or nearly sure upwards, with what the rules tolerate as a line."""
    counted = [(one, (one.rung.sure or 0) + (one.rung.nearly or 0)) for one in rungs]
    across = root_scale([one.price for one in rungs], _LEFT, WIDTH - 20)
    up = scale([*(float(count) for _, count in counted), float(tolerated)], _BOTTOM, _TOP)
    canvas = _plane(across, up, (price, "people sure or nearly sure"), plain)
    canvas.line((_LEFT, up(tolerated)), (WIDTH - 20, up(tolerated)), "limit")
    canvas.text(_LEFT + 4, up(tolerated) - 5, f"tolerated: {tolerated:,}", look="small")
    for one, count in counted:
        _rung(canvas, one, across(one.price), up(count))
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
    across = root_scale([one.price for one in rungs], _LEFT, WIDTH - 20)
    seen = [end for _, gain, _ in gains if gain is not None for end in (gain.low, gain.high)]
    # a theorem may allow far more than any attack gets: what is beyond the picture is written at its edge
    most = _BEYOND * max([*seen, limit or 0.0, 0.01])
    inside = [bound for _, _, bound in gains if bound is not None and bound <= most]
    up = scale([*seen, *inside, limit or 0.0], _BOTTOM, _TOP)
    canvas = _plane(across, up, (price, "gain over guessing, points"), in_points)
    if limit is not None:
        canvas.line((_LEFT, up(limit)), (WIDTH - 20, up(limit)), "limit")
        canvas.text(_LEFT + 4, up(limit) - 5, f"your limit: {points(limit)}", look="small")
    rows = []
    for one, gain, bound in gains:
        x = across(one.price)
        if bound is not None:
            _ceiling(canvas, x, up(bound), bound if bound > up.high else None)
        if gain is not None:
            canvas.line((x, up(gain.low)), (x, up(gain.high)), "whisker")
            _rung(canvas, one, x, up(gain.value))
        said = "" if gain is None else f"{points(gain.value)} ({from_to(gain.low, gain.high)})"
        at_most = "none" if bound is None else points(bound)
        rows.append((str(one.number), one.rung.change, plain(one.price), said, at_most))
    title = f"{price.capitalize()} against what the attack gains"
    told = "A T is what no attack exceeds, by a theorem: " + (
        "; ".join(f"{row[0]}: {row[4]}" for row in rows if row[4] != "none") or "none applies"
    )
    behind = CellGrid(title, ("no.", "change", price, "gain, points", "at most"), tuple(rows), words=2)
    return _with_kinds(canvas, rungs, title, f"{told}.", behind)


def stated_and_right(rows: Sequence[StatedAndRight]) -> Drawing:
    """Claims by the probability stated, against the share that is right: on the line is honest."""
    fifths = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    across, up = Scale(0.0, 1.0, _LEFT, WIDTH - 20, fifths), Scale(0.0, 1.0, _BOTTOM, _TOP, fifths)
    canvas = _plane(across, up, ("probability stated", "share that is right"), percent, percent)
    canvas.line((across(0), up(0)), (across(1), up(1)))
    cells = []
    for row in rows:
        if not row.claims:
            continue
        interval = clopper_pearson(row.right, row.claims, 0.95)
        x = across(row.stated)
        canvas.line((x, up(interval.low)), (x, up(interval.high)), "whisker")
        canvas.mark("circle", x, up(interval.value), "accent")
        ends = f"{percent(interval.low)} to {percent(interval.high)}"
        cells.append(
            (percent(row.stated), f"{row.claims:,}", f"{row.right:,}", percent(interval.value), ends)
        )
    title = "Probability stated against what came true"
    told = "; ".join(f"stated {cell[0]}: {cell[3]} of {cell[1]} right" for cell in cells)
    head = ("stated", "claims", "right", "share", "95% interval")
    behind = CellGrid(title, head, tuple(cells), words=0)
    return Drawing(title, f"{told}.", canvas.svg(title, f"{told}."), behind)


def _plane(
    across: Scale, up: Scale, named: tuple[str, str], written: Written, below: Written = plain
) -> Canvas:
    """Draw two axes, named to the right and upwards."""
    canvas = Canvas(_BOTTOM + 40)
    canvas.text(0, 12, named[1], look="small")
    canvas.text(WIDTH - 20, _BOTTOM + 34, f"{named[0]} \N{RIGHTWARDS ARROW}", anchor="end", look="small")
    canvas.line((_LEFT, _TOP), (_LEFT, _BOTTOM))
    for value in up.ticks:
        canvas.line((_LEFT - 4, up(value)), (_LEFT, up(value)))
        canvas.text(_LEFT - 8, up(value) + 4, written(value), anchor="end", look="small")
    draw_across(canvas, across, _BOTTOM, below)
    return canvas


def _ceiling(canvas: Canvas, x: float, y: float, beyond: float | None) -> None:
    """A T where no attack can be above; beyond the picture with its number."""
    canvas.line((x - 7, y), (x + 7, y), "bound")
    canvas.line((x, y), (x, y + 6), "bound")
    if beyond is not None:
        canvas.text(x + 9, y + 4, f"{points(beyond)} \N{UPWARDS ARROW}", look="small")


def _rung(canvas: Canvas, one: PricedRung, x: float, y: float) -> None:
    """A mark with its number; filled where the change makes a promise."""
    shape, number = SHAPES[one.rung.kind], str(one.number)
    look = "stroke" if shape == "cross" else "accent" if one.rung.promise else "open"
    canvas.mark(shape, x, y, look, step=number)
    canvas.text(x + 9, y - 5, number, look="small")


def _with_kinds(
    canvas: Canvas, rungs: Sequence[PricedRung], title: str, told: str, behind: CellGrid
) -> Drawing:
    """Explain the marks in one line below."""
    promised = any(one.rung.promise for one in rungs)
    canvas.height += 42 if promised else 22
    x = 8.0
    for kind in dict.fromkeys(one.rung.kind for one in rungs):
        canvas.mark(SHAPES[kind], x, _BOTTOM + 50, "stroke" if kind == "as planned" else "open")
        canvas.text(x + 10, _BOTTOM + 54, kind, look="small")
        x += 22 + 6.2 * len(kind)
    if promised:
        canvas.mark("circle", 8.0, _BOTTOM + 70, "accent")
        canvas.text(18.0, _BOTTOM + 74, "filled: with a promise against any attack", look="small")
    drawn = "dal-bound" in (svg := canvas.svg(title, told))
    return Drawing(title, CEILING if drawn else EACH_MARK, svg, behind)


def _bound(rung: Rung) -> float | None:
    bound = rung.bound
    return bound.value if bound is not None and bound.kind == "advantage-at-most" else None
