"""Pictures of bars: what is learnt about all people, what is behind it, whom it hits; and of claims held."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dalenius.findings.explanation import Group, Learned, StatedAndRight, Why
from dalenius.findings.tally import clopper_pearson
from dalenius.report.page.blocks import (
    WIDTH,
    Canvas,
    CellGrid,
    Drawing,
    Scale,
    draw_across,
    in_lines,
    percent,
    plain,
    width_of,
)
from dalenius.shown import people

_MOST = 15
"""So many bars in one picture; the table behind it has all."""

_LABELS = 150.0
"""How much of a picture labels may take."""

LEFT, TOP, BOTTOM = 52.0, 34.0, 232.0
"""Where the axes of a plane are."""

Written = Callable[[float], str]
"""How a number is written at an axis."""


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
    canvas = bars(
        [
            Bar(
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
    canvas = bars([Bar(names[i], shares[i] / largest, said[i]) for i in order[:_MOST]])
    worst = groups[order[0]]
    highest = names[order[0]] if worst.value is None else f"{column}={worst.value}"
    told = f"Highest: {highest}, {shares[order[0]]:.1%} of {people(worst.people)}."
    rows = tuple(
        (names[i], f"{groups[i].people:,}", f"{groups[i].at_risk:,}", f"{shares[i]:.1%}") for i in order
    )
    behind = CellGrid(title, (column, "people", "at risk", "share"), rows)
    return Drawing(title, told, canvas.svg(title, told), behind)


@dataclass(frozen=True)
class Bar:
    """One bar: its name, how long it is beside the longest, and what is written after it."""

    name: str
    share: float
    said: str


def bars(each: Sequence[Bar]) -> Canvas:
    """Draw bars below each other, so short that what is written after the longest fits."""
    width, room = _LABELS - 8, 10 + max(width_of(bar.said) for bar in each)
    apart = (22, 32, 44)[max(len(in_lines(bar.name, width)) for bar in each) - 1]
    canvas = Canvas(apart * len(each) + 6)
    for line, bar in enumerate(each):
        y = apart * line + (apart - 22) / 2 + 4
        canvas.label(width, y + 8, bar.name, width)
        long = max(bar.share, 0.0) * (WIDTH - _LABELS - room)
        canvas.rect(_LABELS, y, max(long, 1.0), 15, "accent" if bar.share > 0 else "dark")
        canvas.text(_LABELS + long + 6, y + 12, bar.said, look="small")
    return canvas


def _number(value: float | None) -> str:
    return "not tried" if value is None else plain(value)


def stated_and_right(rows: Sequence[StatedAndRight]) -> Drawing:
    """Claims by the probability stated, against the share that is right: on the line is honest."""
    fifths = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    across, up = Scale(0.0, 1.0, LEFT, WIDTH - 20, fifths), Scale(0.0, 1.0, BOTTOM, TOP, fifths)
    canvas = plane(across, up, ("probability stated", "share that is right"), percent, percent)
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


def plane(
    across: Scale, up: Scale, named: tuple[str, str], written: Written, below: Written = plain
) -> Canvas:
    """Draw two axes, named to the right and upwards."""
    canvas = Canvas(BOTTOM + 40)
    canvas.text(0, 12, named[1], look="small")
    canvas.text(WIDTH - 20, BOTTOM + 34, f"{named[0]} \N{RIGHTWARDS ARROW}", anchor="end", look="small")
    canvas.line((LEFT, TOP), (LEFT, BOTTOM))
    for value in up.ticks:
        canvas.line((LEFT - 4, up(value)), (LEFT, up(value)))
        canvas.text(LEFT - 8, up(value) + 4, written(value), anchor="end", look="small")
    draw_across(canvas, across, BOTTOM, below)
    return canvas
