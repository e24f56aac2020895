"""Printed tables of weighted counts that a plan names: their weights, and whether the data give them."""

from __future__ import annotations

from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_parts import TablesPlan
from dalenius.auditing.plan_releases import open_data
from dalenius.errors import InputError, SaysNothingError
from dalenius.findings.report import NotRun
from dalenius.knowledge.weights import KNOWN, SurveyWeights, known_weights, parse_weights, read_weights
from dalenius.people.dataset import Dataset
from dalenius.people.schema import Roster
from dalenius.printed.tables import Said
from dalenius.reconstruction.of_plan.tables import (
    best_reading,
    cells_unread,
    check_values,
    not_attacked,
    rosters_for,
)
from dalenius.reconstruction.opened import GivenRelease
from dalenius.reconstruction.published.weighted import not_weighed, release_weighed
from dalenius.reconstruction.referee.made_as_stated import wrong_by_weights
from dalenius.release.release import Release

NO_CONTROL = "they are by survey weights, which the control does not draw again"


def open_weighted(plan: Plan, planned: TablesPlan, people: Dataset, roster: Roster) -> GivenRelease | NotRun:
    """Read weighted counts of a plan, and see whether the data give them.

    Raises
    ------
    InputError
        If a table cannot be read, is not about these people, or there is not a weight above 0 for everybody.
    """
    if planned.people is not None or planned.date is not None or people.by_record:
        return not_attacked(
            planned.name, "weighted counts of other people, of another date or by record are not read"
        )
    weights = _weights(plan, planned, roster)
    if weights is None:
        fix = " Name their column by weight under [schema], or between which ends they lie by weights."
        return not_attacked(planned.name, cells_unread(planned) + fix)
    secret = people.schema.secret
    notes: list[str] = []
    said = Said(planned.mechanism, planned.margins, planned.of, None, planned.digits)
    listed, printed = best_reading(planned, rosters_for(planned, people, roster), secret, said)
    for table in printed:
        check_values(table, secret)
    try:
        release = release_weighed(printed, listed, weights, said, secret.levels, secret.name, notes.append)
    except SaysNothingError as error:
        return not_attacked(planned.name, str(error))
    release = Release(planned.name, secret, release.blocks, release.mechanism)
    if wrong := wrong_by_weights(people, release, listed):
        reason = (
            f"{wrong:,} printed numbers are not what [data] gives by these weights: check mechanism, margins "
            "and weights."
        )
        return not_attacked(planned.name, reason)
    ends = planned.weights if planned.weights not in (None, KNOWN) else None
    return GivenRelease(release, planned.fixed, NO_CONTROL, tuple(notes), not_weighed(release, ends))


def _weights(plan: Plan, planned: TablesPlan, roster: Roster) -> SurveyWeights | None:
    """What the attacker knows of everybody's weight; None where nothing is said of weights."""
    ends = None if planned.weights is None else parse_weights(planned.weights)
    if plan.columns.weight is None:
        return None if ends is None else SurveyWeights.between(len(roster), *ends)
    sheet = open_data(plan)
    true = read_weights(sheet, plan.columns.weight)
    if plan.columns.id is not None:
        place = {str(name): at for at, name in enumerate(sheet.text(plan.columns.id))}
        true = true[[place[str(name)] for name in roster.ids]]
    elif true.size != len(roster):
        raise InputError("survey weights", "must be one for each person", f"{true.size:,}")
    return known_weights(true, ends)
