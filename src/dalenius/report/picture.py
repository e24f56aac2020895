"""Pictures of findings as files of their own, and as figures in a notebook.

They are SVG text: the same numbers give the same bytes, and nothing is fetched from anywhere.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from typing import Any

from dalenius.errors import MissingExtraError
from dalenius.findings.report import Report
from dalenius.report.described import with_words
from dalenius.report.text import rows

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
        return written(figure)


def written(figure: Any) -> str:
    """Lay a painted figure out, and write it as SVG with a title and the numbers behind it in words."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    return with_words(text.getvalue(), figure)


def plain_numbers(*logarithmic: Any) -> None:
    """Write 0.1, 1, 10 on these axes instead of powers of ten."""
    from matplotlib.ticker import FuncFormatter

    for axis in logarithmic:
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def plot(report: Report) -> Any:
    """Return a matplotlib figure of the advantages; 0 is the baseline, a red mark the policy's limit."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("drawing a figure", "matplotlib", "pictures") from None

    shown = [row for row in rows(report) if row["advantage"] is not None]
    figure: Any = Figure(figsize=(6.4, 1.4 + 0.4 * max(1, len(shown))), layout="constrained")
    axes = figure.add_subplot()
    axes.axvline(0, color=GREY, linewidth=1, label="baseline")
    for place, row in enumerate(shown):
        least, value, most = row["advantage_low"], row["advantage"], row["advantage_high"]
        axes.plot([least, most], [place, place], color=BLUE, linewidth=2)
        axes.plot([value], [place], "o", color=BLUE)
        if row["limit"] is not None:
            axes.plot([row["limit"]], [place], "|", color=RED, markersize=14)
    labels = [" ".join(filter(None, (row["release"], row["measure"]))) for row in shown]
    axes.set_yticks(range(len(shown)), labels)
    axes.invert_yaxis()
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("advantage over the baseline, with its interval (red: limit of the policy)")
    axes.set_title(f"{report.data.source}: {report.verdict}")
    figure._repr_png_ = partial(_png, figure)  # a notebook shows it without %matplotlib
    return figure


def _png(figure: Any) -> bytes:
    held = io.BytesIO()
    figure.savefig(held, format="png", dpi=120)
    return held.getvalue()
