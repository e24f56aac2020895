"""What a page is made of: a few kinds of block, the same for every way to write it, and pictures by hand.

Pictures are SVG text. Colours are classes, so that they follow light, dark and print; a scale takes numbers
to places, with round numbers to write at it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Literal

from markupsafe import Markup

Cells = tuple[str, ...]


@dataclass(frozen=True)
class Prose:
    """A paragraph."""

    text: str
    kind: Literal["prose"] = "prose"


@dataclass(frozen=True)
class Subheading:
    """A heading inside a section."""

    text: str
    kind: Literal["subheading"] = "subheading"


@dataclass(frozen=True)
class Items:
    """A list of sentences."""

    items: Cells
    kind: Literal["items"] = "items"


@dataclass(frozen=True)
class CellGrid:
    """A table; columns after the first ``words`` ones hold numbers."""

    caption: str
    head: Cells
    rows: tuple[Cells, ...]
    words: int = 1
    kind: Literal["grid"] = "grid"


@dataclass(frozen=True)
class Drawing:
    """A picture as SVG, with the numbers behind it as a table."""

    title: str
    description: str
    svg: Markup
    behind: CellGrid
    kind: Literal["drawing"] = "drawing"


@dataclass(frozen=True)
class Listing:
    """Text whose lines stay as they are."""

    label: str
    text: str
    kind: Literal["listing"] = "listing"


@dataclass(frozen=True)
class Blank:
    """A field that somebody fills in and signs; it prints."""

    label: str
    lines: int = 1
    kind: Literal["blank"] = "blank"


@dataclass(frozen=True)
class Slider:
    """Steps of noise to move along; each a sentence about the change of that number."""

    label: str
    steps: tuple[tuple[str, str], ...]
    kind: Literal["slider"] = "slider"


@dataclass(frozen=True)
class Folded:
    """Blocks that are shown on demand."""

    summary: str
    blocks: tuple[Block, ...]
    kind: Literal["folded"] = "folded"


Block = Prose | Subheading | Items | CellGrid | Drawing | Listing | Blank | Slider | Folded


@dataclass(frozen=True)
class Section:
    """One of the nine sections, with its heading."""

    heading: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class VerdictBox:
    """The first thing that is read: the verdict and what it rests on."""

    verdict: str
    word: str
    headline: str
    sentences: Cells
    reasons: Cells
    releases: CellGrid


@dataclass(frozen=True)
class Page:
    """All that a page says."""

    title: str
    about: Cells
    external: bool
    box: VerdictBox
    sections: tuple[Section, ...]


WIDTH = 420
"""Of every picture, in units of its own: letters are 12 of them high, and stay legible on a phone."""

_LETTER = 6.9
"""About how wide a letter is."""

_CAPITAL = 1.3
"""The same of a capital, in small letters: codes of surveys are all capitals."""

_LABEL_LETTER = 6.5
"""The same of labels, which may reach a little beyond their room."""

_LEADING = 13.0
"""How far apart two lines of a label are."""

_SHAPES = {
    "circle": "M-5,0 a5,5 0 1,0 10,0 a5,5 0 1,0 -10,0 Z",
    "square": "M-4.5,-4.5 H4.5 V4.5 H-4.5 Z",
    "triangle": "M0,-5.5 L5.5,4.5 H-5.5 Z",
    "down": "M0,5.5 L5.5,-4.5 H-5.5 Z",
    "diamond": "M0,-6 L6,0 L0,6 L-6,0 Z",
    "cross": "M-5,-5 L5,5 M-5,5 L5,-5",
    "bar": "M0,-8 V8",
}


class Canvas:
    """Collects the elements of one picture.

    Examples
    --------
    >>> canvas = Canvas(40)
    >>> canvas.text(0, 12, "<b>")
    >>> print(canvas.svg("A title", "What it shows."))
    <svg class="dal-picture" viewBox="0 0 420 40" role="img" xmlns="http://www.w3.org/2000/svg">\
<title>A title</title><desc>What it shows.</desc>\
<text x="0" y="12" class="dal-text">&lt;b&gt;</text></svg>
    """

    def __init__(self, height: float) -> None:
        self.height = height
        self._parts: list[Markup] = []

    def rect(self, x: float, y: float, width: float, height: float, look: str) -> None:
        """Draw a rectangle."""
        self._add(
            '<rect x="{}" y="{}" width="{}" height="{}" class="dal-{}"/>', x, y, max(width, 0.0), height, look
        )

    def line(self, start: tuple[float, float], end: tuple[float, float], look: str = "axis") -> None:
        """Draw a straight line."""
        self._add('<line x1="{}" y1="{}" x2="{}" y2="{}" class="dal-{}"/>', *start, *end, look)

    def mark(self, shape: str, x: float, y: float, look: str, *, step: str = "") -> None:
        """Draw a mark; marks differ in shape, not in colour alone."""
        named = Markup(' data-step="{}"').format(step) if step else Markup("")
        self._add(
            '<path d="{}" transform="translate({} {})" class="dal-{}"{}/>', _SHAPES[shape], x, y, look, named
        )

    def text(self, x: float, y: float, words: str, *, anchor: str = "", look: str = "text") -> None:
        """Write some words; ``anchor`` is ``middle`` or ``end``."""
        turned = Markup(' text-anchor="{}"').format(anchor) if anchor else Markup("")
        self._add('<text x="{}" y="{}" class="dal-{}"{}>{}</text>', x, y, look, turned, words)

    def label(self, x: float, y: float, words: str, width: float) -> None:
        """Name a line of a picture at its left, around a height; long names take two lines, or three."""
        lines = in_lines(words, width)
        for at, line in enumerate(lines):
            self.text(x, y + 4 + _LEADING * (at - (len(lines) - 1) / 2), line, anchor="end")

    def svg(self, title: str, description: str) -> Markup:
        """Return the picture, with its title and what it shows in words."""
        return Markup(
            '<svg class="dal-picture" viewBox="0 0 {} {}" role="img" xmlns="http://www.w3.org/2000/svg">'
            "<title>{}</title><desc>{}</desc>{}</svg>"
        ).format(WIDTH, _short(self.height), title, description, Markup("").join(self._parts))

    def _add(self, pattern: str, *values: object) -> None:
        plain = (_short(value) if isinstance(value, int | float) else value for value in values)
        # the patterns above are the only ones; what is put into them is escaped
        self._parts.append(Markup(pattern).format(*plain))  # noqa: S704


def fit(words: str, width: float) -> str:
    """Shorten words to about this width.

    Examples
    --------
    >>> fit("a table of age and sex", 80)
    'a table of…'
    """
    most = _fitting(words, width / _LETTER)
    return words if len(words) <= most else f"{words[: most - 1].rstrip()}\N{HORIZONTAL ELLIPSIS}"


def in_lines(words: str, width: float, lines: int = 3) -> tuple[str, ...]:
    """Break words into a few lines of about this width; only what does not fit into the last is cut.

    Examples
    --------
    >>> in_lines("singling out: rows within 2% of the ranks", 150)
    ('singling out: rows', 'within 2% of the ranks')
    >>> in_lines("age", 150), in_lines("rate_marriage*yrs_married", 150)
    (('age',), ('rate_marriage*', 'yrs_married'))
    >>> in_lines("variants 2,401 to 3,000", 130)
    ('variants 2,401 to', '3,000')
    >>> in_lines("puma*age*own_rent*sex", 150), in_lines("PUMA*AGE*OWN_RENT*SEX", 150)
    (('puma*age*own_rent*sex',), ('PUMA*AGE*OWN_RENT*', 'SEX'))
    """
    most = _fitting(words, width / _LABEL_LETTER)
    if len(words) <= most:
        return (words,)
    if lines == 1:
        return (fit(words, width * _LETTER / _LABEL_LETTER),)
    inside = list(pairwise(words[: most + 1]))
    ends = [at + 1 for at, (letter, _) in enumerate(inside) if letter in " *+,/-_" and at > 0]
    # a comma within a number is none between words
    told = [at for at in ends if words[at - 1] in " *+/" or inside[at - 1] == (",", " ")] or ends or [most]
    first, rest = words[: told[-1]].rstrip(), words[told[-1] :].lstrip()
    return first, *in_lines(rest, width, lines - 1)


def width_of(words: str) -> float:
    """About how wide some words are."""
    return sum(map(_wide, words)) * _LETTER


def _fitting(words: str, letters: float) -> int:
    """How many of the first letters fit where so many small ones do; two at least."""
    return max(sum(taken <= letters for taken in accumulate(map(_wide, words))), 2)


def _wide(letter: str) -> float:
    return _CAPITAL if letter.isupper() else 1.0


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


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


def scale(values: list[float], start: float, end: float, least: float = 0.0) -> Scale:
    """Return a scale that holds 0 and all of these numbers, with round ends and steps of at least so much.

    Examples
    --------
    >>> (made := scale([0.03, 0.17], 0, 100)).low, made.high
    (0.0, 0.2)
    >>> scale([1.0], 0, 100, least=1.0).ticks
    (0.0, 1.0)
    """
    low, high = min([0.0, *values]), max([0.0, *values])
    if high - low <= 0:
        high = low + 1.0
    step = max(_step(high - low), least)
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
    free = -math.inf
    for value in along.ticks:
        canvas.line((along(value), y), (along(value), y + 4))
        half = width_of(written(value)) / 2
        if along(value) - half >= free:  # on a scale of roots small numbers stand close
            canvas.text(along(value), y + 17, written(value), anchor="middle", look="small")
            free = along(value) + half + 3


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
