"""Open what a plan names for tracing: the people and the reference as attributes in the same order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_releases import ReleasePlan, open_data
from dalenius.errors import InputError
from dalenius.people.opening import as_place, open_sheet
from dalenius.people.traits.averaged import find_averaged, moved_by_one, traits_of
from dalenius.people.traits.traits import Traits
from dalenius.statistics.parse import FREQUENCIES, check_means
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
        groups = open_groups(plan.data.path, as_place(plan.knowledge.reference), Opening())
        return _spread(groups, options.whole("variants", least=1) if "variants" in options.values else None)
    table, columns = open_data(plan), plan.columns
    others = open_sheet(plan.knowledge.reference, id=columns.id)
    averaged = find_averaged([table, others], averaged_columns(plan, release))
    named = columns.id if columns.id is not None and columns.id in others.names else None
    members = traits_of(table, averaged, columns.id if named else None)
    return TraitGroups(members, traits_of(others, averaged, named), {}, moved_by_one(averaged), ())


def averaged_columns(plan: Plan, release: ReleasePlan) -> list[str]:
    """Return the columns whose means a release publishes."""
    columns = plan.columns
    chosen = check_means(release.statistics[0]).words("columns") or columns.public or open_data(plan).names
    apart = {columns.id, *columns.ignored}
    return [name for name in chosen if name not in apart]


def _spread(groups: TraitGroups, variants: int | None) -> TraitGroups:
    """Keep so many variants, spread evenly over the file."""
    if variants is None or variants >= groups.members.d:
        return groups
    kept = np.linspace(0, groups.members.d - 1, variants).round().astype(np.intp)
    members = groups.members if isinstance(groups.members, Traits) else None
    if members is None:
        raise InputError("variants", "must be of people who are open", "people under seal")
    others = {name: group.select(kept) for name, group in groups.others.items()}
    return replace(
        groups, members=members.select(kept), reference=groups.reference.select(kept), others=others
    )
