"""Open what a plan names for tracing: the people and the reference as attributes in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

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
    if options.name != FREQUENCIES:
        return _open_columns(plan, averaged_columns(plan, release))
    variants = options.whole("variants", least=1) if "variants" in options.values else None
    return _spread(_open_variants(plan), variants)


def open_together(plan: Plan, releases: Sequence[ReleasePlan]) -> TraitGroups:
    """Open all that several releases of one kind are of: every variant, or every column that one averages."""
    if check_means(releases[0].statistics[0]).name == FREQUENCIES:
        return _open_variants(plan)
    columns = [name for release in releases for name in averaged_columns(plan, release)]
    return _open_columns(plan, list(dict.fromkeys(columns)))


def _open_variants(plan: Plan) -> TraitGroups:
    if plan.data.path is None:
        raise InputError("data.path", "must name a file of genotypes, for frequencies", "nothing")
    return open_groups(plan.data.path, as_place(_others(plan)), Opening())


def _open_columns(plan: Plan, chosen: Sequence[str]) -> TraitGroups:
    reference = _others(plan)
    table, columns = open_data(plan), plan.columns
    others = open_sheet(reference, id=columns.id)
    averaged = find_averaged([table, others], chosen)
    named = columns.id if columns.id is not None and columns.id in others.names else None
    members = traits_of(table, averaged, columns.id if named else None)
    return TraitGroups(members, traits_of(others, averaged, named), {}, moved_by_one(averaged), ())


def _others(plan: Plan) -> str | Path:
    if plan.knowledge.reference is None:
        raise InputError("knowledge.reference", "must name other people, for a release of means", "nothing")
    return plan.knowledge.reference


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
