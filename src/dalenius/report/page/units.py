"""Pictures of units, whose tables may be their records, and of claims in an order, likeliest first."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

from dalenius.findings.explanation import RankedRight, UnitsOfSize
from dalenius.report.page.blocks import WIDTH, Canvas, CellGrid, Drawing, Scale, percent, scale
from dalenius.report.page.charts import BOTTOM, LEFT, TOP, Bar, bars, plane
from dalenius.shown import several

_PER_ROW = 50
"""Units of one row of the strip."""

_MOST_APART = 400
"""Units that are drawn one by one; of more, neighbours that are alike are one piece."""

_LARGEST = 22.0
"""How wide the square of a unit is at most."""

_RADII = (
    (0.0, "accent", "nothing: its tables are its records"),
    (0.1, "dark", "up to 10% of its records"),
    (0.3, "light", "up to 30%"),
    (1.0, "open", "more"),
)
"""How far the truth can differ in a unit at most, how that looks, and what it means."""

_MARKS = ("square", "triangle", "diamond", "down", "bar")


def alone_by_size(classes: Sequence[UnitsOfSize]) -> Drawing:
    """The share of people who live in units that one data set alone fits, by number of people of a unit."""
    title = "People whose unit's tables are its records, by size of the unit"
    sizes = [f"{own.least:,}+" if own.most is None else f"{own.least:,} to {own.most:,}" for own in classes]
    shares = [own.alone / own.people for own in classes]
    said = [
        f"{share:.0%} of {own.people:,}, {several(own.units, 'unit')}"
        for own, share in zip(classes, shares, strict=True)
    ]
    drawn = [
        Bar(f"{size} people", share, words) for size, share, words in zip(sizes, shares, said, strict=True)
    ]
    told = "; ".join(f"{size} people: {words}" for size, words in zip(sizes, said, strict=True)) + "."
    rows = tuple(
        (size, f"{own.units:,}", f"{own.people:,}", f"{own.alone:,}", f"{share:.1%}")
        for size, own, share in zip(sizes, classes, shares, strict=True)
    )
    head = ("people in a unit", "units", "people", "in units that one data set alone fits", "share")
    return Drawing(title, told, bars(drawn).svg(title, told), CellGrid(title, head, rows))


def radius_strip(radii: Sequence[float]) -> Drawing:
    """Every unit as a square, in the order of its label: how far the truth can differ from what is found."""
    title = "How far the truth can differ, unit by unit"
    looks = [next(at for at, (most, _, _) in enumerate(_RADII) if radius <= most) for radius in radii]
    side = min(WIDTH / min(len(radii), _PER_ROW), _LARGEST)
    lines = [looks[at : at + _PER_ROW] for at in range(0, len(looks), _PER_ROW)]
    high = side * len(lines)
    canvas = Canvas(high + 24 + 20 * len(_RADII))
    for line, own in enumerate(lines):
        start = 0
        for which, some in groupby(own) if len(radii) > _MOST_APART else ((each, (each,)) for each in own):
            width = len(tuple(some))
            canvas.rect(side * start, side * line, side * width - 1, side - 1, _RADII[which][1])
            start += width
    counts = [looks.count(at) for at in range(len(_RADII))]
    for at, ((_, look, words), count) in enumerate(zip(_RADII, counts, strict=True)):
        y = high + 26 + 20 * at
        canvas.rect(0, y - 12, 15, 15, look)
        canvas.text(22, y, f"{words}: {several(count, 'unit')}")
    told = "In the order of their labels; the truth can differ in " + "; ".join(
        f"{words}: {several(count, 'unit')}" for (_, _, words), count in zip(_RADII, counts, strict=True)
    )
    rows = tuple((words, f"{count:,}") for (_, _, words), count in zip(_RADII, counts, strict=True))
    behind = CellGrid(title, ("the truth can differ in", "units"), rows)
    return Drawing(title, f"{told}.", canvas.svg(title, f"{told}."), behind)


def ranked_curves(ranked: Sequence[RankedRight]) -> Drawing:
    """How many of the likeliest claims are right, beside simpler orders and the check."""
    title = "Of the likeliest claims, how many are right"
    most = max(max(own.claims, default=1) for own in ranked)
    across = scale([float(most)], LEFT, WIDTH - 20, least=1.0)
    up = Scale(0.0, 1.0, BOTTOM, TOP, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0))
    canvas = plane(across, up, ("records claimed, likeliest first", "share that is right"), percent)
    canvas.height += 22 * len(ranked)
    rows = []
    marks = iter(_MARKS * len(ranked))
    for line, own in enumerate(ranked):
        mark = {"attack": "circle", "control": "cross"}.get(own.kind) or next(marks)
        look = {"attack": "accent", "control": "stroke"}.get(own.kind, "open")
        shares = [right / claims for claims, right in zip(own.claims, own.right, strict=True)]
        places = [(across(claims), up(share)) for claims, share in zip(own.claims, shares, strict=True)]
        for start, end in pairwise(places):
            canvas.line(start, end, "axis" if own.kind == "attack" else "faint")
        for x, y in places:
            canvas.mark(mark, x, y, look)
        y = BOTTOM + 54 + 22 * line
        canvas.mark(mark, 8, y - 4, look)
        canvas.text(20, y, own.name, look="small")
        rows += [
            (f"{own.name}: {own.said}" if own.said else own.name, f"{claims:,}", f"{right:,}", percent(share))
            for claims, right, share in zip(own.claims, own.right, shares, strict=True)
        ]
    ends = [
        f"{own.name}: {percent(own.right[-1] / own.claims[-1])} of {own.claims[-1]:,}"
        for own in ranked
        if own.claims
    ]
    told = "; ".join(ends) + "."
    behind = CellGrid(title, ("order", "claims", "right", "share"), tuple(rows))
    return Drawing(title, told, canvas.svg(title, told), behind)
