"""The ladder of changes: what would make a release pass, at which price, and with which promise."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from dalenius.findings.measure import Bound, Gain
from dalenius.findings.plain import Plain, Verdict

ChangeKind = Literal["as planned", "round", "hide", "fewer", "coarser", "noise"]


class Price(Plain):
    """What a change costs those who read the numbers; a part that does not apply is null."""

    hidden: float | None = Field(default=None, description="Share of the published numbers that are hidden.")
    mean_error: float | None = Field(default=None, description="Mean absolute error of a number.")
    worst_error: float | None = Field(default=None, description="Largest absolute error of a number.")
    relative_error: float | None = Field(default=None, description="Median relative error of a number.")
    lost: int | None = Field(default=None, description="Tables, columns or variants that are left out.")
    merged: int | None = Field(
        default=None, description="Classes of columns that became one with another class."
    )
    blurred: float | None = Field(
        default=None,
        description="Of rows, the mean share of a column's other values that a cell no longer tells apart.",
    )
    adds_up: bool | None = Field(default=None, description="Whether rows still add up to their totals.")


class Rung(Plain):
    """One change: what remains at risk, what it costs, whether it passes."""

    kind: ChangeKind = Field(description="What sort of change it is.")
    change: str = Field(description="The change in words.")
    release: str = Field(description="The release that is changed.")
    sure: int | None = Field(default=None, description="People given away by arithmetic.")
    nearly: int | None = Field(default=None, description="People as good as known besides.")
    advantage: Gain | None = Field(default=None, description="What the attack gains over guessing.")
    price: Price = Field(description="What it costs.")
    promise: str | None = Field(default=None, description="What the mechanism promises against any attack.")
    bound: Bound | None = Field(default=None, description="What a theorem allows any attack, if one applies.")
    verdict: Verdict = Field(description="What the policy says about it.")
    tried: int = Field(ge=0, description="On how many resampled groups or fresh draws it was confirmed.")
    kept: int = Field(ge=0, description="In how many of those it passed.")
    note: str | None = Field(default=None, description="What a reader must know besides; null: nothing.")


class Ladder(Plain):
    """All changes that were tried, the cheapest that passes first among those that pass."""

    rungs: tuple[Rung, ...] = Field(description="The release as planned first, then the changes by price.")
    best: int | None = Field(description="Which rung passes at the least price; null: none of them passes.")
    allowed: tuple[str, ...] = Field(description="Which kinds of change were allowed.")
    not_tried: tuple[str, ...] = Field(default=(), description="What was left out, and why.")
