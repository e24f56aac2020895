"""Tracing as a family: who is in the data?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np
from numpy.typing import NDArray

from dalenius.auditing.alternatives import NOT_CHOSEN, joints, said_of_alternatives, too_many
from dalenius.auditing.case import TOGETHER, Asked, Opened, lost_work
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_releases import ReleasePlan, kind_of, name_of
from dalenius.errors import LostBlockError
from dalenius.findings.policy import Policy, Ruled
from dalenius.findings.report import Data, Finding, NotRun
from dalenius.people.traits.traits import Traits
from dalenius.progress import Progress
from dalenius.tracing.case import MembersCase, MembersSettings
from dalenius.tracing.files.groups import TraitGroups
from dalenius.tracing.files.plan import open_together, open_traits
from dalenius.tracing.finding import TracingFinding
from dalenius.tracing.rules import rulings
from dalenius.tracing.together import TogetherCase, TogetherPart

KINDS = {"binary": "shares", "genotype": "frequencies", "real": "means"}
"""What the averages of each kind of attributes are called."""


class Tracing:
    """Recognises people in published means and frequencies."""

    goal = "tracing"
    finding = TracingFinding

    def open(
        self, plan: Plan, before: Sequence[Opened], *, progress: Progress
    ) -> AbstractContextManager[Opened]:
        """Open the releases of means and of frequencies."""
        asked = [cast(ReleasePlan, each) for each in plan.release if kind_of(each) == "means"]
        groups, lost = _groups(plan, asked)
        cases, not_run = _cases(plan, asked, groups)
        people = next((each.members.n for each in groups.values()), None)
        data = None if people is None else Data(source=name_of(plan), people=people, public=(), secret=None)
        return nullcontext(Asked(data, cases, not_run=[*lost, *not_run]))

    def rulings(self, finding: Finding, policy: Policy) -> Sequence[Ruled]:
        """Hold a finding against the rules about the advantage and about people who are known."""
        return rulings(cast(TracingFinding, finding), policy)


def _groups(plan: Plan, releases: Sequence[ReleasePlan]) -> tuple[dict[str, TraitGroups], list[NotRun]]:
    """Who is asked about, by release, and the releases of which nobody could count that.

    Raises
    ------
    LostBlockError
        If that is so of all: nothing is known about anybody then.
    """
    groups: dict[str, TraitGroups] = {}
    lost: list[NotRun] = []
    for release in releases:
        try:
            groups[release.name] = open_traits(plan, release)
        except LostBlockError as error:
            lost.append(lost_work(release.name, Tracing.goal, error))
            if len(lost) == len(releases):
                raise
    return groups, lost


def _cases(
    plan: Plan, asked: Sequence[ReleasePlan], groups: Mapping[str, TraitGroups]
) -> tuple[list[MembersCase], list[NotRun]]:
    """Take every release, and what will be out together, of one kind of attributes, as one."""
    releases = [each for each in asked if each.name in groups]
    cases: list[MembersCase] = []
    not_run = []

    def take(name: str, made: Callable[[], MembersCase]) -> None:
        try:
            cases.append(made())
        except LostBlockError as error:
            not_run.append(lost_work(name, Tracing.goal, error))

    for kind in dict.fromkeys(each.members.kind for each in groups.values()):
        some = {
            release.name: (release, groups[release.name])
            for release in releases
            if groups[release.name].members.kind == kind
        }
        stated = {name: release.alternative_to for name, (release, _) in some.items()}
        fixed = [name for name, (release, _) in some.items() if release.fixed]
        for name, (release, each) in some.items():
            told = (*each.notes, *said_of_alternatives(name, stated))
            mechanism = release.mechanism or "exact"
            one = partial(MembersCase, replace(each, notes=told), mechanism, _settings(plan, name))
            take(name, one)
        if len(releases) < len(asked):
            continue  # what is out together is not known whole
        called = f"{TOGETHER}, {KINDS[kind]}"
        for name, parts in joints(stated, fixed, called).items():
            take(name, partial(_together, plan, name, [some[part] for part in parts]))
        if too_many(stated):
            not_run.append(NotRun(release=called, attack_method=Tracing.goal, reason=NOT_CHOSEN))
    return cases, not_run


def _together(plan: Plan, name: str, opened: Sequence[tuple[ReleasePlan, TraitGroups]]) -> TogetherCase:
    groups = open_together(plan, [release for release, _ in opened])
    every = groups.members.names
    parts = [
        TogetherPart(release.name, _places(every, each), release.mechanism or "exact", each.moved)
        for release, each in opened
    ]
    used = np.unique(np.concatenate([part.columns for part in parts]))
    members = cast(Traits, groups.members).select(used)
    groups = replace(groups, members=members, reference=groups.reference.select(used), notes=())
    parts = [replace(part, columns=np.searchsorted(used, part.columns)) for part in parts]
    return TogetherCase(groups, parts, _settings(plan, name))


def _places(names: NDArray[np.str_], of: TraitGroups) -> NDArray[np.intp]:
    order = np.argsort(names)
    return np.asarray(order[np.searchsorted(names, of.members.names, sorter=order)])


def _settings(plan: Plan, name: str) -> MembersSettings:
    return MembersSettings(name=name, confidence=plan.policy.confidence, seed=plan.seed, why=plan.budget.why)


FAMILY = Tracing()
