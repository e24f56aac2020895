"""The points of the phase transition, as a CSV and as a picture.

Run: python validation/phase_transition_plot.py docs/explanation/phase_transition.csv

Draws the CSV again beside itself, without measuring; the same points give the same bytes.
"""

from __future__ import annotations

import csv
import sys
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtr

EDGES = (0.021, 4.6)
FLOOR = 0.45
BLUE, RED, GREEN, GREY = "#0b559f", "#b8420f", "#2c5f2c", "#555555"
COLOURS = {"least-squares": BLUE, "posterior": RED}


@dataclass(frozen=True)
class Point:
    """The share recovered by one decoder at one noise level, and what theory says about it.

    The standard error is that of independent people, which simulations of many runs confirm.
    """

    people: int
    queries: int
    noise: float
    noise_in_counts: float
    decoder: str
    runs: int
    recovered: float
    standard_error: float
    predicted_least_squares: float
    guaranteed_any_errors: float
    guaranteed_independent_errors: float
    most_any_attack: float


def write(points: list[Point], path: Path) -> None:
    """Write the points as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Point)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(point) for point in points)


def read(path: Path) -> list[Point]:
    """Read the points back."""
    kinds: dict[str, Any] = {"people": int, "queries": int, "runs": int, "decoder": str}
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [Point(**{key: kinds.get(key, float)(value) for key, value in row.items()}) for row in rows]


def draw(points: list[Point], path: Path) -> None:
    """Draw both decoders between what is guaranteed and what is impossible.

    The curves are the large-n limits at four queries per person: the least singular value is sqrt(n)/2, the
    diagonal of the inverse Gram matrix 4/(3n), the norm of a column sqrt(2n).
    """
    import matplotlib as mpl

    mpl.use("svg" if path.suffix == ".svg" else "agg")
    mpl.rcParams.update({"svg.hashsalt": "dalenius", "svg.fonttype": "none", "font.size": 10})
    from matplotlib import pyplot as plt

    c = np.geomspace(*EDGES, 150)
    figure, axes = plt.subplots(figsize=(8.0, 5.0), layout="constrained")
    axes.fill_between(c, ndtr(0.5**0.5 / c), 1.03, color="#dddddd", lw=0)
    axes.fill_between(c, FLOOR, np.maximum(1 - 16 * c**2 / 3, FLOOR), color="#e6f1e6", lw=0)
    axes.fill_between(c, FLOOR, np.maximum(1 - 64 * c**2, FLOOR), color="#c4dfc4", lw=0)
    axes.axhline(0.5, color=GREY, lw=0.9, ls=(0, (4, 3)))
    axes.plot(c, ndtr(0.75**0.5 / (2 * c)), color=BLUE, lw=1.2)
    _markers(axes, points)
    _axes(axes)
    _words(axes)
    figure.savefig(path, format=path.suffix[1:], metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)


def _markers(axes: Any, points: list[Point]) -> None:
    sizes = sorted({point.people for point in points})
    for decoder, colour in COLOURS.items():
        for people in sizes:
            own = [p for p in points if p.people == people and p.decoder == decoder]
            first = people == sizes[0]
            axes.errorbar(
                [p.noise for p in own],
                [p.recovered for p in own],
                [2 * p.standard_error for p in own],
                fmt="o" if first else "D",
                ms=5 if first else 7,
                mfc=colour if first else "none",
                color=colour,
                lw=0.9,
                label=f"{decoder.replace('-', ' ')}, n = {people:,}",
            )


def _axes(axes: Any) -> None:
    axes.set_xscale("log")
    ticks = (0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 4)
    axes.minorticks_off()
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xlim(*EDGES)
    axes.set_ylim(FLOOR, 1.03)
    axes.set_yticks([0.5, 0.6, 0.7, 0.8, 0.9, 1.0], ["50 %", "60 %", "70 %", "80 %", "90 %", "100 %"])
    axes.set_xlabel("standard deviation of the noise on each count, in units of √n people")
    axes.set_ylabel("secrets recovered")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _words(axes: Any) -> None:
    axes.text(1.5, 0.97, "no attack gets here", ha="center", color=GREY)
    axes.text(0.0235, 0.6, "guaranteed for any\nerrors of this size", color=GREEN, fontsize=9)
    axes.text(0.089, 0.6, "guaranteed on average\nfor independent errors", color=GREEN, fontsize=9)
    axes.text(0.5, 0.482, "coin flips", color=GREY, fontsize=9, va="center")
    axes.annotate(
        "predicted for\nleast squares",
        (0.44, ndtr(0.75**0.5 / 0.88)),
        (0.27, 0.77),
        color=BLUE,
        fontsize=9,
        ha="center",
        arrowprops={"arrowstyle": "-", "color": BLUE, "lw": 0.7},
    )
    axes.legend(loc="upper right", bbox_to_anchor=(1.0, 0.87), frameon=False, fontsize=9)


if __name__ == "__main__":
    source = Path(sys.argv[1])
    draw(read(source), source.with_suffix(".svg"))
