"""Where the people of a plan are: one place, opened for counting, for averaging or as rows."""

from __future__ import annotations

import os
from typing import Any

from dalenius.auditing.plan import Plan
from dalenius.errors import InputError, nearest_column
from dalenius.people.files.sheet import Sheet
from dalenius.people.opening import open_sheet, place_of

ENVIRONMENT = "env:"
"""What an address begins with that stands in a variable of the environment."""


def source_of(plan: Plan) -> tuple[Any, str | None]:
    """Return what holds the people of a plan, and the table if it is a database."""
    if plan.data.example is not None:
        from dalenius.people.examples.examples import example_frame

        return example_frame(plan.data.example), None
    return _address(plan) or plan.data.path, plan.data.table


def name_of(plan: Plan) -> str:
    """Return what the data of a plan are called: a path, an example, or a database without its password."""
    if plan.data.example is not None:
        return f"example {plan.data.example}"
    return str(plan.data.path) if plan.data.path is not None else place_of(_address(plan) or "")


def _address(plan: Plan) -> str | None:
    """The address of the database, from the environment if the plan says so: passwords stay out of plans."""
    url = plan.data.url
    if url is None or not url.startswith(ENVIRONMENT):
        return url
    name = url.removeprefix(ENVIRONMENT)
    found = os.environ.get(name)
    if not found:
        raise InputError(
            f"data.url: the environment variable {name!r}",
            "must hold the address of a database",
            "nothing",
            f"Set it before the run, as {name}=postgres://user:password@host/database.",
        )
    return found


def open_data(plan: Plan) -> Sheet:
    """Hold the people of a plan in memory."""
    source, table = source_of(plan)
    sheet = open_sheet(source, table=table, id=plan.columns.id, columns=plan.data.columns)
    if plan.data.example is not None:
        sheet.name = name_of(plan)
    _check_named(plan, sheet)
    return sheet


def _check_named(plan: Plan, sheet: Sheet) -> None:
    """Refuse a column that is to be left out and is not there: under another name it would be attacked."""
    columns = plan.columns
    apart = [("ignored", name) for name in columns.ignored]
    for role, name in [*apart, ("weight", columns.weight), ("household", columns.household)]:
        if name is not None and name not in sheet.names:
            what, fix = f"schema.{role}: column {name!r}", nearest_column(name, sheet.names)
            raise InputError(what, "must be in the data", "no such column", fix)
