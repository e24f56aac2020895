"""What makes a finding readable: what is learnt, why, about whom, and whether stated probabilities come true.

Counts of people, names of tables and columns, levels that many share. Nobody is in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from dalenius.findings.measure import Plain
from dalenius.findings.tally import total

PartKind = Literal[
    "release", "table", "column", "cell", "variants", "quasi-identifier", "relation", "question"
]
"""What a release is taken apart into when the cause is looked for."""


RARE_VALUES = "rare values"
"""What values of the secret that few people have are called together."""


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


class UnitsOfSize(Plain):
    """Units with about as many people, and how many live in those that one data set alone fits."""

    least: int = Field(ge=1, description="The fewest people of such a unit.")
    most: int | None = Field(description="The most people of such a unit; null: any number.")
    units: int = Field(ge=1, description="How many such units there are.")
    people: int = Field(ge=1, description="How many people live in them.")
    alone: int = Field(ge=0, description="Of these, people in units whose tables one data set alone fits.")


class RankedRight(Plain):
    """Claims in an order of somebody's, and how many of the first are right."""

    name: str = Field(description="Whose order: the attack's, that of a simpler guess, or of the check.")
    kind: Literal["attack", "baseline", "control"] = Field(description="What it is.")
    said: str = Field(
        default="", description="How claims were put in this order, where it was not the attack."
    )
    claims: tuple[int, ...] = Field(description="Of how many first claims it was counted.")
    right: tuple[int, ...] = Field(description="How many of these are right.")


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
    units: tuple[UnitsOfSize, ...] = Field(default=(), description="Units by how many people they have.")
    radii: tuple[Annotated[float, Field(ge=0, le=1)], ...] = Field(
        default=(),
        description="For each unit, in the order of their labels, in how large a share of its records the "
        "truth can differ from the reconstruction; of many units those with most people.",
    )
    ranked: tuple[RankedRight, ...] = Field(
        default=(), description="How many of the likeliest claims are right, beside simpler orders."
    )


def said_of_causes(why: Why | None) -> Iterator[str]:
    """Say what remains without the most telling part, and how much the parts give away one by one.

    Examples
    --------
    >>> cause = Cause(kind="table", name="age*region", alone=1, without=3)
    >>> for line in said_of_causes(Why(counted="people at risk", whole=14, causes=(cause,))):
    ...     print(line)
    Without the table age*region it would be 3 instead of 14 (people at risk).
    """
    if why is None or why.whole <= 0:
        return
    tried = [cause for cause in why.causes if cause.without is not None]
    if not tried or (len(tried) == 1 and tried[0].without == 0):
        return
    worst = min(tried, key=_remain)
    if _remain(worst) < why.whole:
        changed = f"{_number(_remain(worst))} instead of {_number(why.whole)} ({why.counted})"
        yield f"Without {_called(worst)} it would be {changed}."
    else:
        whole = f"{_number(why.whole)} ({why.counted})"
        yield f"No single part is behind it: without any one of them it is still {whole}."
    alone = [cause.alone for cause in why.causes if cause.alone is not None and cause.kind == worst.kind]
    if len(alone) > 1:
        most = f"at most {_number(max(alone))}" if max(alone) else "nothing"
        yield f"Any one such part published alone gives {most}."


def _remain(cause: Cause) -> float:
    return float("inf") if cause.without is None else cause.without


def _called(cause: Cause) -> str:
    if cause.kind == "variants":
        return cause.name
    return f"the {cause.kind} {cause.name}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.3g}"


SMALL = 20
"""A group of fewer people is put together with others: a count in it would be about few."""

ALL_OF = 100
"""A group of fewer people who are all at risk is put together with others: the count would name each."""

MOST_GROUPS = 20
"""Groups shown of one column: the smallest of more are put together."""


def groups_of(
    column: str,
    levels: tuple[str, ...],
    codes: NDArray[np.int32],
    whom: NDArray[np.bool_],
    lines: NDArray[np.int64] | None = None,
) -> tuple[Group, ...]:
    """Count by the levels of one column, the small ones put together; ``lines`` says how many people each is.

    Put together are the smallest, until everything that is shown is about many people: were one small group
    just left out, it would follow from the others and the total. One group alone says nothing new.

    Examples
    --------
    >>> codes = np.repeat([0, 1, 2], [50, 30, 5]).astype(np.int32)
    >>> for group in groups_of("region", ("north", "south", "isle"), codes, np.arange(85) % 10 == 0):
    ...     print(group.value, group.people, group.at_risk)
    north 50 5
    None 35 4
    """
    each = np.ones(codes.size, np.int64) if lines is None else lines
    people, risky = (
        np.bincount(codes[some], each[some], len(levels)).astype(np.int64) for some in (slice(None), whom)
    )
    order = [int(v) for v in np.argsort(people, kind="stable") if people[v]]
    merged: list[int] = []
    while order:
        telling = [v for v in order if _telling(people[v], risky[v])]
        crowded = len(order) + bool(merged) > MOST_GROUPS
        if (
            not telling
            and not crowded
            and not (merged and _telling(people[merged].sum(), risky[merged].sum()))
        ):
            break
        merged.append((telling or order)[0])
        order.remove(merged[-1])
    kept = sorted(order)
    if len(kept) + bool(merged) < 2:
        return ()
    shown = [_group(column, levels[v], [v], people, risky) for v in kept]
    return (*shown, _group(column, None, merged, people, risky)) if merged else tuple(shown)


def _telling(people: int, at_risk: int) -> bool:
    """Whether a count would be about few people, or about each of them."""
    return bool(people < SMALL or (people == at_risk and people < ALL_OF))


def _group(
    column: str, value: str | None, of: list[int], people: NDArray[np.int64], risky: NDArray[np.int64]
) -> Group:
    return Group(column=column, value=value, people=int(people[of].sum()), at_risk=int(risky[of].sum()))


BINS = 15
"""Equal parts of the probabilities in which they are compared with what happened."""

EDGES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
"""Where claims are parted by their probability to be shown: finer where they matter most."""


def calibration_error(
    stated: NDArray[np.float64], happened: NDArray[np.bool_], people: NDArray[np.int64] | None = None
) -> float:
    """Expected calibration error: how far stated probabilities are from how often it happens.

    Fifteen equal bins of the stated probability; the gap between mean probability and frequency in each,
    averaged over claims (Guo, Pleiss, Sun and Weinberger 2017, equation 3).

    Examples
    --------
    >>> round(calibration_error(np.array([0.9, 0.9, 0.9, 0.9]), np.array([True, True, False, False])), 10)
    0.4
    """
    bin_of = np.minimum((stated * BINS).astype(np.intp), BINS - 1)
    off = stated - happened if people is None else (stated - happened) * people
    excess = np.bincount(bin_of, weights=off, minlength=BINS)
    return float(np.abs(excess).sum() / (stated.size if people is None else people.sum()))


def stated_and_right(
    stated: NDArray[np.float64], right: NDArray[np.bool_], people: NDArray[np.int64] | None = None
) -> tuple[StatedAndRight, ...]:
    """Part claims by what was stated, and count which are right; parts without a claim are left out.

    Examples
    --------
    >>> for row in stated_and_right(np.array([0.6, 0.62, 0.97]), np.array([True, False, True])):
    ...     print(round(row.stated, 2), row.claims, row.right)
    0.61 2 1
    0.97 1 1
    """
    part = np.searchsorted(EDGES, stated, side="right")
    return tuple(
        StatedAndRight(
            stated=float(
                min(np.average(stated[inside], weights=None if people is None else people[inside]), 1)
            ),
            claims=total(inside, people),
            right=total(inside & right, people),
        )
        for inside in (part == j for j in np.unique(part))
    )
