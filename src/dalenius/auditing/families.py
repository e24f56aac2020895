"""The families: the questions that are asked about a release, one line each, loaded when they are needed."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from dalenius.auditing.case import Family
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_releases import CLASSES, STATISTICS, TABLES
from dalenius.errors import InputError
from dalenius.findings.report import Finding

if TYPE_CHECKING:
    from dalenius.auditing.changes.proposals import Proposer


@dataclass(frozen=True)
class Line:
    """Where a family is, which kinds of release in a plan it asks about, and what proposes to change them."""

    module: str
    kinds: tuple[str, ...]
    changes: str | None = None


FAMILIES = {
    "reconstruction": Line(
        "dalenius.reconstruction.family",
        (STATISTICS, TABLES, CLASSES),
        "dalenius.reconstruction.changes.propose",
    ),
    "records": Line("dalenius.records.family", ("records",), "dalenius.records.changes"),
    "amounts": Line("dalenius.amounts.family", ("amounts",), "dalenius.amounts.changes.propose"),
    "tracing": Line("dalenius.tracing.family", ("means",), "dalenius.tracing.changes"),
    "singling-out": Line(
        "dalenius.singling_out.family",
        ("anonymised-rows", "released-rows", "counts"),
        "dalenius.singling_out.changes.propose",
    ),
    "inference": Line("dalenius.inference.family", ("prior",), "dalenius.inference.changes"),
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


def read_as_found(goal: str, plain: Any) -> Finding:
    """Make a finding of plain values, in the narrowest shape of its family that they fit.

    A family may ask several questions, and its rules read what only the shape of one of them has.

    Raises
    ------
    ValidationError
        If they fit no shape of the family.
    """
    whole: type[Finding] = family_of(goal).finding
    for narrow in whole.__subclasses__():
        try:
            return narrow.model_validate(plain)
        except ValidationError:
            continue
    return whole.model_validate(plain)


def changing(goal: str) -> Proposer | None:
    """Return what proposes changes of a family's releases; ``None`` if it knows of none."""
    home = FAMILIES[goal].changes
    return None if home is None else cast("Proposer", importlib.import_module(home).propose)


def families_of(plan: Plan) -> list[Family]:
    """Return the families that have something to ask about a plan; no other one is loaded."""
    return [family_of(goal) for goal, line in FAMILIES.items() if plan.kinds & {*line.kinds}]
