"""Pictures by hand, as SVG text: colours are classes, so that they follow light, dark and print."""

from __future__ import annotations

from markupsafe import Markup, escape

WIDTH = 420
"""Of every picture, in units of its own: letters are 12 of them high, and stay legible on a phone."""

_LETTER = 6.9
"""About how wide a letter is."""

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
    most = max(int(width / _LETTER), 2)
    return words if len(words) <= most else f"{words[: most - 1].rstrip()}\N{HORIZONTAL ELLIPSIS}"


def width_of(words: str) -> float:
    """About how wide some words are."""
    return len(str(escape(words))) * _LETTER


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
