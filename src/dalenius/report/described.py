"""A painted figure in words: its title, what runs along its axes, and the numbers of every line it labels.

Who cannot see a picture, or wants its numbers, finds them in the file: `title` and `desc` of the SVG.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST = 12
"""Points told of one line; of more some that are spread evenly, the first and the last among them."""


def with_words(svg: str, figure: Any) -> str:
    """Put title and description of a figure into its SVG, where readers of screens look for them."""
    title, told = title_of(figure), description_of(figure)
    words = f' <title id="title">{escape(title)}</title>\n <desc id="desc">{escape(told)}</desc>\n'
    start = svg.index("<svg ")
    opened = svg.index(">", start)
    head = f'{svg[:opened]} role="img" aria-labelledby="title desc"'
    return f"{head}>\n{words}{svg[opened + 1 :].removeprefix(chr(10))}"


def title_of(figure: Any) -> str:
    """What stands above the figure, in one line; what runs up against what runs across if nothing does."""
    above = [figure.get_suptitle()]
    above += [axes.get_title(loc=side) for axes in figure.axes for side in ("left", "center", "right")]
    found = next(filter(None, map(_line, above)), "")
    first = figure.axes[0]
    return found or f"{_line(first.get_ylabel())} against {_line(first.get_xlabel())}"


def description_of(figure: Any) -> str:
    """What runs along the axes, and the numbers of everything that has a label."""
    told = [sentence for axes in figure.axes for sentence in _sentences(axes)]
    return " ".join(told) + " (Numbers in brackets: across, up.)" * any("(" in each for each in told)


def _sentences(axes: Any) -> Iterator[str]:
    ways = ("Shade", "Shade") if axes.get_label() == "<colorbar>" else ("Across", "Up")
    for way, label in zip(ways, (axes.get_xlabel(), axes.get_ylabel()), strict=True):
        if _line(label):
            yield f"{way}: {_line(label)}."
    bars = [held for held in axes.containers if hasattr(held, "patches")]
    for held in bars:
        yield f"{_name(held) or _name(held.patches[0]) or 'Bars'}: {_bars(axes, held)}."
    for held in axes.containers:
        if held not in bars and held.lines[0] is not None:
            yield f"{_name(held) or 'Interval'}: {_intervals(held)}."
    for line in axes.lines:
        if _name(line):
            yield f"{_name(line)}: {_line_of(axes, line)}."
    for dots in axes.collections:
        if _name(dots) or (len(dots.get_offsets()) > 1 and ways[0] != "Shade"):
            yield f"{_name(dots) or 'Points'}: {_dots(axes, dots)}."
    barred = [patch for held in bars for patch in held.patches]
    for patch in axes.patches:
        if _name(patch) and patch not in barred:
            yield f"{_name(patch)}: {_span(patch)}."


def _name(artist: Any) -> str:
    """Its label; what has none that is shown begins with a stroke."""
    label = str(artist.get_label() or "")
    return "" if label.startswith("_") else _line(label)


def _line(text: str) -> str:
    return " ".join(text.split())


def _line_of(axes: Any, line: Any) -> str:
    across, up = (np.asarray(values, np.float64) for values in line.get_data(orig=True))
    if line.get_transform() == axes.get_yaxis_transform(which="grid"):
        return f"at {_number(up[0])} all across"
    if line.get_transform() == axes.get_xaxis_transform(which="grid"):
        return f"at {_number(across[0])} all the way up"
    if line.get_linestyle() == "None":
        return _spread(across, up)
    return _points(across, up)


def _intervals(held: Any) -> str:
    """What an error bar is about: its points, and the ends of each."""
    across, up = held.lines[0].get_data(orig=True)
    ends = [np.asarray(bar)[:, 1] for bars in held.lines[2] for bar in bars.get_segments()]
    told = [f"{_number(end.min())} to {_number(end.max())}" for end in ends] or [""] * len(up)
    each = zip(across, up, told, strict=False)
    return ", ".join(f"({_number(x)}, {_number(y)})" + (f" from {end}" if end else "") for x, y, end in each)


def _bars(axes: Any, held: Any) -> str:
    ticks = zip(axes.get_xticks(), axes.get_xticklabels(), strict=False)
    names = {float(at): _line(tick.get_text()) for at, tick in ticks}
    shown = [bar for bar in held.patches if bar.get_height()]
    middles = [bar.get_x() + bar.get_width() / 2 for bar in shown]
    labels = [names.get(round(at, 9)) or _number(at) for at in middles]
    return ", ".join(
        f"({label}, {_number(bar.get_height())})" for label, bar in zip(labels, shown, strict=True)
    )


def _dots(axes: Any, dots: Any) -> str:
    """Of an area its ends, of single points where they are; where no axis is drawn, their shades."""
    places, shades = np.asarray(dots.get_offsets(), np.float64), dots.get_array()
    if not axes.axison:
        told = "1 mark" if len(places) == 1 else f"{len(places):,} marks"
        return told if shades is None else f"{told}, shades from {_ends(shades)}"
    if len(places) > 1 or not len(dots.get_paths()) or _is_marker(dots):
        return _spread(places[:, 0], places[:, 1])
    corners = np.concatenate([path.vertices for path in dots.get_paths()])
    return f"across from {_ends(corners[:, 0])}, up from {_ends(corners[:, 1])}"


def _is_marker(dots: Any) -> bool:
    return hasattr(dots, "get_sizes") and len(dots.get_sizes()) > 0


def _span(patch: Any) -> str:
    left, right = sorted(np.asarray(patch.get_path().vertices)[:, 0][[0, 2]])
    corners = patch.get_patch_transform().transform([[left, 0.0], [right, 0.0]])[:, 0]
    return f"across from {_ends(corners)}"


def _points(across: Floats, up: Floats) -> str:
    size = len(across)
    at = np.unique(np.linspace(0, size - 1, min(size, MOST)).round().astype(int)).tolist()
    told = ", ".join(f"({_number(across[j])}, {_number(up[j])})" for j in at)
    return told if size <= MOST else f"{told}; {len(at)} of {size:,} marks"


def _spread(across: Floats, up: Floats) -> str:
    """Few points by themselves, of many where they end."""
    if len(across) <= MOST:
        return _points(across, up)
    return f"{len(across):,} marks, across from {_ends(across)}, up from {_ends(up)}"


def _ends(values: Any) -> str:
    return f"{_number(float(np.min(values)))} to {_number(float(np.max(values)))}"


def _number(value: float) -> str:
    return "nothing" if math.isnan(value) else f"{float(value):.3g}"
