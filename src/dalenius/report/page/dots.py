"""Pictures of marks with intervals: attack beside guess, people beside check, value by value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dalenius.findings.explanation import Learned
from dalenius.findings.measure import Gain, Measure, Rate
from dalenius.findings.policy import Policy, from_to, points
from dalenius.findings.report import Finding
from dalenius.findings.tally import Tally
from dalenius.report.page.blocks import (
    WIDTH,
    Canvas,
    CellGrid,
    Drawing,
    draw_across,
    in_lines,
    in_points,
    percent,
    plain,
    scale,
    width_of,
)
from dalenius.report.page.questions import QUESTION, words_for

_LABELS = 164.0
_LINE = 36
_APART = 8.0
_ABOVE = 9.0


@dataclass(frozen=True)
class Dot:
    """One mark: a shape with its meaning, a place, and an interval where there is one."""

    shape: str
    look: str
    meaning: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class DotRow:
    """The marks of one line of a picture."""

    label: str
    dots: tuple[Dot, ...]


def dot_picture(
    title: str, description: str, rows: Sequence[DotRow], written: Callable[[float], str]
) -> Drawing:
    """Draw rows of marks over one scale, each kind of mark explained once below."""
    marks = [dot for row in rows for dot in row.dots]
    ends = [end for dot in marks for end in (dot.low, dot.high, dot.value) if end is not None]
    across = scale(ends, _LABELS, WIDTH - 16)
    meanings = {dot.meaning: dot for dot in marks}
    long = max(len(in_lines(row.label, _LABELS - 14)) for row in rows) > 2 if rows else False
    pitch = _LINE + 8 * long
    bottom = pitch * len(rows) + 8
    canvas = Canvas(bottom + 26 + 18 * len(_lines(list(meanings))))
    for line, row in enumerate(rows):
        y = pitch * line + 18
        canvas.label(_LABELS - 12, y, row.label, _LABELS - 14)
        canvas.line((_LABELS, y), (WIDTH - 16, y), "faint")
        for dot, aside in zip(row.dots, _aside(row.dots), strict=True):
            _draw(canvas, dot, across, y + aside)
    if across.low < 0:
        canvas.line((across(0), 4), (across(0), bottom))
    draw_across(canvas, across, bottom, written)
    _legend(canvas, meanings, bottom + 40)
    behind = CellGrid(title, ("row", "mark", "value", "from", "to"), tuple(_numbers(rows, written)), words=2)
    return Drawing(title, description, canvas.svg(title, description), behind)


def _aside(dots: Sequence[Dot]) -> list[float]:
    """How far below its line each mark stands: intervals that overlap would be one line.

    A theorem's bound stands above, pointing down: what it limits may lie at the same number.
    """
    long = [at for at, dot in enumerate(dots) if dot.low is not None and dot.high is not None]
    middle = (len(long) - 1) / 2
    above = -_APART * middle - _ABOVE
    return [
        _APART * (long.index(at) - middle) if at in long else above if dot.shape == "down" else 0.0
        for at, dot in enumerate(dots)
    ]


def _draw(canvas: Canvas, dot: Dot, across: Callable[[float], float], y: float) -> None:
    if dot.low is not None and dot.high is not None:
        canvas.line((across(dot.low), y), (across(dot.high), y), "whisker")
    canvas.mark(dot.shape, across(dot.value), y, dot.look)


def _legend(canvas: Canvas, meanings: dict[str, Dot], y: float) -> None:
    for line, words in enumerate(_lines(list(meanings))):
        x = 8.0
        for meaning in words:
            dot = meanings[meaning]
            canvas.mark(dot.shape, x, y + 18 * line - 4, dot.look)
            canvas.text(x + 12, y + 18 * line, meaning, look="small")
            x += width_of(meaning) + 36


def _lines(meanings: list[str]) -> list[list[str]]:
    """Break the legend into lines that fit."""
    lines: list[list[str]] = [[]]
    for meaning in meanings:
        taken = sum(width_of(word) + 36 for word in lines[-1])
        if lines[-1] and taken + width_of(meaning) + 20 > WIDTH:
            lines.append([])
        lines[-1].append(meaning)
    return lines


def _numbers(rows: Sequence[DotRow], written: Callable[[float], str]) -> list[tuple[str, ...]]:
    return [
        (
            row.label,
            dot.meaning,
            written(dot.value),
            "" if dot.low is None else written(dot.low),
            "" if dot.high is None else written(dot.high),
        )
        for row in rows
        for dot in row.dots
    ]


def by_value(rows: Sequence[Learned], secret: str, confidence: float) -> Drawing:
    """Value by value: which share is guessable anyway, nearly sure and sure; arithmetic has no interval."""
    drawn = []
    for row in rows:

        def dot(shape: str, look: str, meaning: str, hits: int, of: int = row.people) -> Dot:
            rate = Rate.of(Tally(hits, max(of, hits, 1)), confidence)  # a file may say anything
            return Dot(shape, look, meaning, rate.rate, rate.low, rate.high)

        right = row.anyway + row.only_by_release
        dots = [
            dot("diamond", "open", "guessable anyway", row.anyway),
            dot("circle", "dark", "right with the publication", right),
        ]
        if row.nearly is not None:
            dots.append(dot("triangle", "accent-open", "nearly sure", row.nearly))
        if row.sure is not None:
            dots.append(Dot("square", "accent", "sure, by arithmetic", row.sure / max(row.people, 1)))
        drawn.append(DotRow(f"{row.value} ({row.people:,})", tuple(dots)))
    title = f"By value of {secret}: share of the people who have it"
    told = "; ".join(
        f"{row.value}: {row.people:,} people, {row.sure or 0:,} sure, {row.nearly or 0:,} nearly sure"
        for row in rows
    )
    return dot_picture(title, f"{told}.", drawn, percent)


def attack_beside_guess(finding: Finding, policy: Policy) -> Drawing | None:
    """What the attack reaches beside what is reached without the release; nothing if nobody could count."""
    rows = [row for row in finding.measures if row.shown and row.attack is not None]
    if not rows:
        return None
    (attack, baseline), nu = _marks(finding), rows[0].unit == "nu"
    drawn = [DotRow(_label(row, finding), tuple(_beside(row, finding, policy))) for row in rows]
    title = f"{attack[0].upper()}{attack[1:]}; for comparison: {baseline}"
    best = finding.decisive if finding.decisive in rows else rows[0]
    written = plain if nu else percent
    told = "" if best.attack is None else f"{_label(best, finding)}: {written(best.attack.rate)}"
    if best.baseline is not None:
        told += f"; {baseline}: {written(best.baseline.rate)}"
    return dot_picture(title, f"{told[:1].upper()}{told[1:]}.", drawn, written)


def _marks(finding: Finding) -> tuple[str, str]:
    """What the attack and its comparison are called; several questions in one picture share their words."""
    words = words_for(finding)
    if finding.headings.at == QUESTION:
        return "the attack succeeds", finding.headings.over or words.baseline
    return words.attack, words.baseline


def _beside(row: Measure, finding: Finding, policy: Policy) -> list[Dot]:
    (attack, baseline), dots = _marks(finding), []
    if row.baseline is not None:
        dots.append(Dot("diamond", "open", baseline, row.baseline.rate, row.baseline.low, row.baseline.high))
    if row.attack is not None:
        dots.append(Dot("circle", "accent", attack, row.attack.rate, row.attack.low, row.attack.high))
    if row.at_most is not None:
        dots.append(Dot("down", "open", "no attack exceeds, by a theorem", row.at_most))
    limit = _limit(row, policy)
    if limit is not None:
        dots.append(Dot("bar", "limit", "your limit", limit))
    return dots


def _limit(row: Measure, policy: Policy) -> float | None:
    """What the policy tolerates in this row, on the scale of the attack."""
    if row.unit == "nu":
        return policy.max_nu
    if row.baseline is None:
        return None
    return row.baseline.rate + policy.limit(row.baseline.rate)


def gain_and_check(finding: Finding, policy: Policy) -> Drawing | None:
    """What the attack gains, the same where nothing can have leaked, the limit and the theorem's bound."""
    rows = [
        row for row in finding.measures if row.shown and row.advantage is not None and row.unit == "share"
    ]
    if not rows:
        return None
    drawn = []
    for row in rows:
        dots = [_gain("circle", "accent", "people in the data", row.advantage)]
        dots += [_gain("cross", "stroke", "check: nothing can have leaked", row.control)]
        bound = _bound(finding, row)
        if bound is not None:
            dots.append(Dot("down", "open", "no attack exceeds, by a theorem", bound))
        if row.baseline is not None:
            dots.append(Dot("bar", "limit", "your limit", policy.limit(row.baseline.rate)))
        drawn.append(DotRow(_label(row, finding), tuple(dot for dot in dots if dot is not None)))
    title = f"Gain over {finding.headings.over or 'guessing'}, in points"
    gain = finding.decisive.advantage or rows[0].advantage
    told = "" if gain is None else f"{points(gain.value)} points ({from_to(gain.low, gain.high)})."
    return dot_picture(title, told, drawn, in_points)


def _label(row: Measure, finding: Finding) -> str:
    """Name a row; a bare number is told what it is of."""
    if set(row.label) <= set("0123456789.e-+") and row.label and finding.headings.at:
        return f"{finding.headings.at} {row.label}"
    return row.label or "all people"


def _gain(shape: str, look: str, meaning: str, gain: Gain | None) -> Dot | None:
    return None if gain is None else Dot(shape, look, meaning, gain.value, gain.low, gain.high)


def _bound(finding: Finding, row: Measure) -> float | None:
    if row.at_most is not None and row.baseline is not None:
        return row.at_most - row.baseline.rate
    bound = finding.bound
    if bound is None or bound.kind == "wrong-at-most":
        return None
    if bound.kind == "advantage-at-most":
        return bound.value
    return None if row.baseline is None else bound.value - row.baseline.rate
