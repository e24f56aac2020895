"""Pictures of a finding about records: unique units by size, units by radius, match rates, calibration."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from dalenius.findings.tally import clopper_pearson
from dalenius.records.attack.claims import RecordClaims
from dalenius.records.finding import JudgedRanking, MatchRate, RecordsFinding
from dalenius.report.picture import BLUE, GREEN, GREY, PURPLE, RED, draw

SIZES = (1, 10, 50, 100, 250, 500, 1000)
"""Where classes of units by their number of people begin."""

MOST_UNITS = 2_000
"""Units of the strip; of more, those with most people."""

PER_ROW = 50


def draw_records(claims: RecordClaims, finding: RecordsFinding) -> dict[str, Callable[[], str]]:
    """What there is to draw, by name of file; drawn when it is called."""
    found: dict[str, Callable[[], str]] = {}
    inhabited = claims.units.people > 0
    if inhabited.sum() > 1:
        found["units_by_size.svg"] = lambda: unique_by_size(claims)
        found["units_by_radius.svg"] = lambda: radius_strip(claims)
    ranking = finding.details.ranking
    if ranking is not None:
        found["match.svg"] = lambda: match_curves(finding, ranking)
        if ranking.calibration:
            found["calibration.svg"] = lambda: calibration(ranking)
    return found


def unique_by_size(claims: RecordClaims) -> str:
    """The share of people who live in units that one data set alone fits, by number of people of a unit."""
    people, unique = claims.units.people, claims.units.unique == 1
    shown = [
        (first, last, own)
        for first, last in itertools.pairwise([*SIZES, np.inf])
        if (own := (people >= first) & (people < last)).any()
    ]

    def paint(axes: Any) -> None:
        shares = [100 * people[own & unique].sum() / people[own].sum() for _, _, own in shown]
        axes.bar(range(len(shown)), shares, color=BLUE, width=0.7)
        names = [f"{first}+" if np.isinf(last) else f"{first}-{last - 1:.0f}" for first, last, _ in shown]
        names = [f"{name}\n{own.sum():,} units" for name, (_, _, own) in zip(names, shown, strict=True)]
        axes.set_xticks(range(len(shown)), names)
        for at, share in enumerate(shares):
            axes.text(at, share + 1, f"{share:.0f}%", ha="center")
        axes.set_ylim(0, 108)
        axes.set_ylabel("people in unique units (%)")
        axes.set_xlabel("people in a unit")
        axes.set_title("People whose unit's tables are its microdata")

    return draw(paint)


def radius_strip(claims: RecordClaims) -> str:
    """Every unit as a square, in the order of its label: the darker, the less can differ from the truth."""
    units = claims.units
    shown = np.flatnonzero(units.people > 0)
    if shown.size > MOST_UNITS:
        shown = np.sort(shown[np.argsort(-units.people[shown], kind="stable")[:MOST_UNITS]])
    share = np.minimum(units.radius_high[shown] / units.people[shown], 1.0)
    rows = -(-shown.size // PER_ROW)
    strip = np.full(rows * PER_ROW, np.nan)
    strip[: shown.size] = 100 * share

    def paint(axes: Any) -> None:
        image = axes.imshow(
            strip.reshape(rows, PER_ROW)[:, : min(PER_ROW, shown.size)], cmap="Blues_r", vmin=0, vmax=50
        )
        axes.set_xticks([])
        axes.set_yticks([])
        axes.spines[:].set_visible(False)
        bar = axes.figure.colorbar(image, ax=axes, orientation="horizontal", shrink=0.7, pad=0.04)
        bar.set_label("records in which the truth can differ, % of people (50 or more: white)")
        axes.set_title(f"{shown.size:,} units by their radius: dark is given away")

    return draw(paint, height=max(2.0, 1.4 + 0.13 * rows))


CONFIDENCE = 0.95
"""Of the bars beside what came true."""


def match_curves(finding: RecordsFinding, ranking: JudgedRanking) -> str:
    """How many of the first claims are right, beside every baseline and the control."""
    details = finding.details

    def line(axes: Any, rates: tuple[MatchRate, ...], name: str, color: str, style: str) -> None:
        own = [rate for rate in rates if rate.k]
        axes.plot([r.k for r in own], [100 * r.hits / r.k for r in own], style, color=color, label=name)

    def paint(axes: Any) -> None:
        line(axes, ranking.distinct, "this attack", BLUE, "o-")
        colors = (GREY, PURPLE, GREEN, "#8a6d00", "#444444")
        for each, color, mark in zip(details.baselines, colors, "s^Dv*", strict=False):
            line(axes, each.distinct, each.name, color, f"{mark}--")
        if details.control is not None:
            line(axes, details.control, "control: tables of other people", RED, "x:")
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
