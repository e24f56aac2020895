"""The families: the questions that are asked about a release, one line each, loaded when they are needed."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import cast

from dalenius.auditing.case import Family
from dalenius.auditing.plan import Plan
from dalenius.errors import InputError


@dataclass(frozen=True)
class Line:
    """Where a family is, and which kinds of release in a plan it asks about."""

    module: str
    kinds: tuple[str, ...]


FAMILIES = {
    "reconstruction": Line("dalenius.reconstruction.family", ("statistics", "tables")),
    "records": Line("dalenius.records.family", ()),
    "tracing": Line("dalenius.tracing.family", ("means",)),
    "singling-out": Line("dalenius.singling_out.family", ("anonymised-rows", "counts")),
    "inference": Line("dalenius.inference.family", ("prior",)),
}
"""By goal, in the order in which a report tells them."""


def family_of(goal: str) -> Family:
    """Return the family with this goal.

    Raises
    ------
    InputError
        If there is none.

    Examples
    --------
    >>> family_of("reconstruction").goal
    'reconstruction'
    """
    if goal not in FAMILIES:
        raise InputError("goal", f"must be one of {', '.join(FAMILIES)}", repr(goal))
    return cast(Family, importlib.import_module(FAMILIES[goal].module).FAMILY)


def families_of(plan: Plan) -> list[Family]:
    """Return the families that have something to ask about a plan; no other one is loaded."""
    return [family_of(goal) for goal, line in FAMILIES.items() if plan.kinds & {*line.kinds}]
