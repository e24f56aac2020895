"""Open what a plan names for tracing: the people and the reference as attributes in the same order."""

from __future__ import annotations

from pathlib import Path

from dalenius.auditing.data import open_data
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_releases import ReleasePlan
from dalenius.errors import InputError
from dalenius.people.opening import open_sheet
from dalenius.people.traits.averaged import find_averaged, moved_by_one, traits_of
from dalenius.statistics.means import FREQUENCIES, check_means
from dalenius.tracing.files.groups import TraitGroups, open_groups
from dalenius.tracing.files.opening import Opening


def open_traits(plan: Plan, release: ReleasePlan) -> TraitGroups:
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
    return TraitGroups(members, traits_of(others, averaged, named), {}, moved_by_one(averaged), ())
