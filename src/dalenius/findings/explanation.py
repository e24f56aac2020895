"""What makes a finding readable: what an attacker learns, why, about whom, and whether it can be believed.

Counts of people, names of tables and columns, levels that many share. Nobody is in it.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from dalenius.findings.plain import Plain

PartKind = Literal[
    "release", "table", "column", "cell", "variants", "quasi-identifier", "relation", "question"
]
"""What a release is taken apart into when the cause is looked for."""


class Learned(Plain):
    """People by what an attacker learns about them: the three counts add up to ``people``."""

    value: str | None = Field(description="The value these people have; null: all people together.")
    people: int = Field(ge=0, description="How many people the row is about.")
    anyway: int = Field(ge=0, description="People about whom an attacker is right without the release.")
    only_by_release: int = Field(
        ge=0, description="People about whom an attacker is right only because of the release."
    )
    hidden: int = Field(ge=0, description="People about whom nobody is right, or nothing is said.")
    sure: int | None = Field(default=None, ge=0, description="Of the people, those given away by arithmetic.")
    nearly: int | None = Field(
        default=None, ge=0, description="People as good as known besides, rightly and because of the release."
    )


class Cause(Plain):
    """One part of a release, and what the attack makes of it alone and of the rest without it."""

    kind: PartKind = Field(description="What the part is.")
    name: str = Field(description="What the part is called in the release.")
    alone: float | None = Field(default=None, description="What is at risk if only this part were published.")
    without: float | None = Field(default=None, description="What is at risk if all but this part were.")


class AtSize(Plain):
    """What the attack makes of so many numbers of a release, spread evenly."""

    numbers: int = Field(ge=1, description="How many numbers.")
    at_risk: float = Field(description="What is at risk if only these were published.")


class Why(Plain):
    """Which parts of a release are behind a finding: the attack repeated with each part left out."""

    counted: str = Field(description="What is counted, such as 'people who are certain or as good as known'.")
    whole: float = Field(description="That number for the whole release.")
    causes: tuple[Cause, ...] = Field(default=(), description="The parts, the most telling first.")
    examples: tuple[str, ...] = Field(
        default=(), description="Worked arithmetic that shows how, with nobody named."
    )
    curve: tuple[AtSize, ...] = Field(
        default=(), description="The same for fewer numbers, from few to all of them; empty: not worked out."
    )
    left_out: str | None = Field(default=None, description="What was not tried, and why; null: nothing.")


class Group(Plain):
    """People who share a public value, and how many of them are at risk; small groups are merged."""

    column: str = Field(description="The public column.")
    value: str | None = Field(description="The value they share; null: values that few people share, merged.")
    people: int = Field(ge=0, description="How many people share it.")
    at_risk: int = Field(
        ge=0,
        description="How many of them are certain or as good as known; of related people, to how many the "
        "links cost at least 5 points of what an attack may gain.",
    )


class StatedAndRight(Plain):
    """Claims stated with about the same probability, and how many of them are right."""

    stated: float = Field(ge=0, le=1, description="The mean probability stated.")
    claims: int = Field(ge=0, description="How many claims.")
    right: int = Field(ge=0, description="How many of them are right.")


class Explanation(Plain):
    """What makes a finding readable; each part is empty where it was not worked out."""

    learned: tuple[Learned, ...] = Field(
        default=(), description="What an attacker learns: all people first, then by value."
    )
    why: Why | None = Field(default=None, description="What is behind it; null: not looked for.")
    groups: tuple[Group, ...] = Field(default=(), description="Whom it hits.")
    calibration: tuple[StatedAndRight, ...] = Field(
        default=(), description="Whether stated probabilities come true."
    )
