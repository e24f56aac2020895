"""Pictures of a finding about records: unique units by size, units by radius, match rates, calibration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dalenius.findings.explanation import RankedRight
from dalenius.findings.tally import clopper_pearson
from dalenius.records.finding import JudgedRanking, RecordsFinding
from dalenius.report.picture import BLUE, GREEN, GREY, PURPLE, RED, draw

PER_ROW = 50


def draw_records(finding: RecordsFinding) -> dict[str, Callable[[], str]]:
    """What there is to draw, by name of file; drawn when it is called."""
    found: dict[str, Callable[[], str]] = {}
    if finding.explanation.units:
        found["units_by_size.svg"] = lambda: unique_by_size(finding)
        found["units_by_radius.svg"] = lambda: radius_strip(finding)
    ranking = finding.details.ranking
    if ranking is not None:
        found["match.svg"] = lambda: match_curves(finding)
        if ranking.calibration:
            found["calibration.svg"] = lambda: calibration(ranking)
    return found


def unique_by_size(finding: RecordsFinding) -> str:
    """The share of people who live in units that one data set alone fits, by number of people of a unit."""
    classes = finding.explanation.units

    def paint(axes: Any) -> None:
        shares = [100 * own.alone / own.people for own in classes]
        axes.bar(range(len(classes)), shares, color=BLUE, width=0.7)
        sizes = [f"{own.least}+" if own.most is None else f"{own.least}-{own.most}" for own in classes]
        names = [f"{size}\n{own.units:,} units" for size, own in zip(sizes, classes, strict=True)]
        axes.set_xticks(range(len(classes)), names)
        for at, share in enumerate(shares):
            axes.text(at, share + 1, f"{share:.0f}%", ha="center")
        axes.set_ylim(0, 108)
        axes.set_ylabel("people in unique units (%)")
        axes.set_xlabel("people in a unit")
        axes.set_title("People whose unit's tables are its microdata")

    return draw(paint)


def radius_strip(finding: RecordsFinding) -> str:
    """Every unit as a square, in the order of its label: the darker, the less can differ from the truth."""
    share = np.array(finding.explanation.radii)
    rows = -(-share.size // PER_ROW)
    strip = np.full(rows * PER_ROW, np.nan)
    strip[: share.size] = 100 * share

    def paint(axes: Any) -> None:
        image = axes.imshow(
            strip.reshape(rows, PER_ROW)[:, : min(PER_ROW, share.size)], cmap="Blues_r", vmin=0, vmax=50
        )
        axes.set_xticks([])
        axes.set_yticks([])
        axes.spines[:].set_visible(False)
        bar = axes.figure.colorbar(image, ax=axes, orientation="horizontal", shrink=0.7, pad=0.04)
        bar.set_label("records in which the truth can differ, % of people (50 or more: white)")
        axes.set_title(f"{share.size:,} units by their radius: dark is given away")

    return draw(paint, height=max(2.0, 1.4 + 0.13 * rows))


CONFIDENCE = 0.95
"""Of the bars beside what came true."""


def match_curves(finding: RecordsFinding) -> str:
    """How many of the first claims are right, beside every baseline and the control."""
    attack, *others = finding.explanation.ranked

    def line(axes: Any, own: RankedRight, color: str, style: str) -> None:
        shares = [100 * right / claims for claims, right in zip(own.claims, own.right, strict=True)]
        axes.plot(own.claims, shares, style, color=color, label=own.name)

    def paint(axes: Any) -> None:
        line(axes, attack, BLUE, "o-")
        colors = (GREY, PURPLE, GREEN, "#8a6d00", "#444444")
        simpler = [own for own in others if own.kind == "baseline"]
        for own, color, mark in zip(simpler, colors, "s^Dv*", strict=False):
            line(axes, own, color, f"{mark}--")
        for own in others:
            if own.kind == "control":
                line(axes, own, RED, "x:")
        axes.set_ylim(0, 103)
        axes.set_xlabel("records claimed, likeliest first")
        axes.set_ylabel("right (%)")
        axes.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3)
        axes.set_title("Ranked records that are there")

    return draw(paint)


def calibration(ranking: JudgedRanking) -> str:
    """What claims say, against how many come true, without those that follow by arithmetic."""
    bins = ranking.calibration

    def paint(axes: Any) -> None:
        axes.plot([0, 1], [0, 1], color=GREY, linewidth=1)
        for each in bins:
            rate, ends = each.hits / each.trials, clopper_pearson(each.hits, each.trials, CONFIDENCE)
            spread = [[rate - ends.low], [ends.high - rate]]
            axes.errorbar([each.mean], [rate], yerr=spread, fmt="o", color=BLUE)
        axes.set_xlabel("probability stated")
        axes.set_ylabel("share that came true")
        axes.set_title(
            f"{ranking.uncertain:,} uncertain claims (bars: {CONFIDENCE:.0%} intervals)", fontsize=10
        )
        axes.set_ylim(-0.03, 1.03)

    return draw(paint, width=4.6)
