"""A report as a figure: what each attack gains, with its interval, beside what is tolerated."""

from __future__ import annotations

import io
from functools import partial
from typing import Any

from dalenius.errors import MissingExtraError
from dalenius.findings.report import Report
from dalenius.report.frame import rows
from dalenius.report.picture import BLUE, GREY, RED


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
