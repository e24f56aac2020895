"""The releases of means in a plan: open the people and the reference as attributes, and trace."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dalenius.audit.data import open_data
from dalenius.audit.plan import Plan
from dalenius.audit.plan_releases import ReleasePlan
from dalenius.audit.tracing.files import Opening
from dalenius.audit.tracing.group_files import Groups, open_groups
from dalenius.audit.tracing.members import Traced, trace_members
from dalenius.errors import InputError
from dalenius.people.opening import open_sheet
from dalenius.people.traits.averaged import find_averaged, moved_by_one, traits_of
from dalenius.progress import Progress, silent
from dalenius.statistics.means import FREQUENCIES, check_means, is_means


def of_means(release: ReleasePlan) -> bool:
    """Whether a planned release is one of means."""
    return any(is_means(text) for text in release.statistics)


def trace_release(
    plan: Plan, release: ReleasePlan, *, looks: int, progress: Progress = silent
) -> tuple[Traced, int]:
    """Trace the members of one release of a plan; return also how many people it is about."""
    people = open_traits(plan, release)
    traced = trace_members(
        people.members,
        people.reference,
        release.mechanism or "exact",
        moved=people.moved,
        looks=looks,
        confidence=plan.policy.confidence,
        name=release.name,
        seed=plan.seed,
        progress=progress,
    )
    finding = traced.finding
    told = finding.model_copy(update={"notes": (*people.notes, *finding.notes)})
    return replace(traced, finding=told), people.members.n


def open_traits(plan: Plan, release: ReleasePlan) -> Groups:
    """Open the people of a plan and the reference as attributes in the same order."""
    options = check_means(release.statistics[0])
    if plan.knowledge.reference is None:
        raise InputError("knowledge.reference", "must name other people, for a release of means", "nothing")
    if options.name == FREQUENCIES:
        if plan.data.path is None:
            raise InputError("data.path", "must name a file of genotypes, for frequencies", "nothing")
        return open_groups(plan.data.path, Path(plan.knowledge.reference), Opening())
    table, columns = open_data(plan), plan.columns
    chosen = options.words("columns") or columns.public or table.names
    apart = {columns.id, *columns.ignored}
    others = open_sheet(plan.knowledge.reference, id=columns.id)
    averaged = find_averaged([table, others], [name for name in chosen if name not in apart])
    named = columns.id if columns.id is not None and columns.id in others.names else None
    members = traits_of(table, averaged, columns.id if named else None)
    return Groups(members, traits_of(others, averaged, named), {}, moved_by_one(averaged), ())
