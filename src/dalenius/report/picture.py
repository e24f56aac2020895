"""Pictures as SVG text: the same numbers give the same bytes, and nothing is fetched from anywhere."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from dalenius.errors import MissingExtraError

BLUE, RED, GREEN, GREY, PURPLE = "#0b559f", "#b8420f", "#2c5f2c", "#6b6b6b", "#7a4fa3"
"""Dark enough on white, and told apart by people who do not see red and green."""


def draw(paint: Callable[[Any], None], *, width: float = 6.4, height: float = 4.2) -> str:
    """Return what a function paints on one pair of axes, as SVG.

    Raises
    ------
    MissingExtraError
        Without the package that draws.

    Examples
    --------
    >>> picture = draw(lambda axes: axes.plot([0, 1], [0, 1]))
    >>> picture.startswith("<?xml"), picture == draw(lambda axes: axes.plot([0, 1], [0, 1]))
    (True, True)
    """
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("drawing a picture", "matplotlib", "pictures") from None
    with rc_context({"svg.hashsalt": "dalenius", "svg.fonttype": "none", "font.size": 10}):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        axes.spines[["top", "right"]].set_visible(False)
        paint(axes)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def plain_numbers(*logarithmic: Any) -> None:
    """Write 0.1, 1, 10 on these axes instead of powers of ten."""
    from matplotlib.ticker import FuncFormatter

    for axis in logarithmic:
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
