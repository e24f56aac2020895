"""Where the people of a plan are: one place, opened for counting, for averaging or as rows."""

from __future__ import annotations

from typing import Any

from dalenius.auditing.plan import Plan
from dalenius.people.examples.examples import example_frame
from dalenius.people.files.sheet import Sheet
from dalenius.people.opening import open_sheet, place_of


def source_of(plan: Plan) -> tuple[Any, str | None]:
    """Return what holds the people of a plan, and the table if it is a database."""
    if plan.data.example is not None:
        return example_frame(plan.data.example), None
    return plan.data.url or plan.data.path, plan.data.table


def name_of(plan: Plan) -> str:
    """Return what the data of a plan are called: a path, an example, or a database without its password."""
    if plan.data.example is not None:
        return f"example {plan.data.example}"
    return str(plan.data.path) if plan.data.path is not None else place_of(plan.data.url or "")


def open_data(plan: Plan) -> Sheet:
    """Hold the people of a plan in memory."""
    source, table = source_of(plan)
    sheet = open_sheet(source, table=table, id=plan.columns.id, columns=plan.data.columns)
    if plan.data.example is not None:
        sheet.name = name_of(plan)
    return sheet
