"""Open what a plan names: the people, other people, and releases that were already published."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dalenius.audit.plan import Plan, ReleasePlan
from dalenius.audit.run import Audit, Planned, audit
from dalenius.dataset.dataset import Dataset, read
from dalenius.dataset.examples import EXAMPLES, example_frame
from dalenius.progress import Announce, Progress, silent, unsaid
from dalenius.release.files import read_release
from dalenius.release.release import Release


def run_plan(plan: Plan, *, progress: Progress = silent, announce: Announce = unsaid) -> Audit:
    """Run the audit that a plan describes.

    Raises
    ------
    InputError
        If the data is not what the plan says.
    """
    published = {r.name: _release(r) for r in plan.release}
    with open_people(plan) as people:
        others = None if plan.knowledge.reference is None else _open_reference(plan, people)
        try:
            return audit(
                people,
                releases=published,
                known=plan.knowledge.public,
                reference=others,
                policy=plan.policy,
                seed=plan.seed,
                progress=progress,
                announce=announce,
            )
        finally:
            if others is not None:
                others.close()


def open_people(plan: Plan) -> Dataset:
    """Read the people of a plan."""
    columns = plan.columns
    source: Any = plan.data.url or plan.data.path
    secret = columns.secret or ""
    if plan.data.example is not None:
        source = example_frame(plan.data.example)
        secret = columns.secret or EXAMPLES[plan.data.example]
    people = read(
        source,
        secret=secret,
        id=columns.id,
        public=columns.public,
        ignored=columns.ignored,
        bins=columns.bins,
        missing=columns.missing,
        table=plan.data.table,
        memory=plan.budget.memory,
    )
    if plan.data.example is not None:
        people.source = f"example {plan.data.example}"
    return people


def _open_reference(plan: Plan, people: Dataset) -> Dataset:
    """Read other people by the schema of those under attack; bins are the same, wherever they came from."""
    known = plan.knowledge.public
    public = [c for c in people.schema.public if known is None or c.name in known]
    secret = people.schema.secret
    return read(
        plan.knowledge.reference,
        secret=secret.name,
        public=[column.name for column in public],
        bins={column.name: column.edges for column in (*public, secret) if column.edges},
        missing=plan.columns.missing,
        memory=plan.budget.memory,
    )


def _release(planned: ReleasePlan) -> Planned | Release:
    if planned.path is not None:
        return replace(read_release(planned.path), name=planned.name)
    return Planned(tuple(planned.statistics), planned.mechanism or "exact")
