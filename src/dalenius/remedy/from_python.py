"""The plan of an audit that was asked for in Python: the people are at hand, the releases are written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_parts import BudgetPlan, DataPlan, KnowledgePlan
from dalenius.auditing.plan_releases import ReleasePlan
from dalenius.errors import InputError
from dalenius.reconstruction.opened import GivenRelease, Planned, Scenario
from dalenius.release.release import Release

AT_HAND = Path("at hand")
"""Stands for the place of what needs none."""


def plan_of(releases: Mapping[str, Planned | Release | GivenRelease], scenario: Scenario) -> Plan:
    """Write the plan of releases; one that is published already is marked as out by having a path.

    Raises
    ------
    InputError
        If a statistic is not given as text, which a plan could not name.

    Examples
    --------
    >>> plan_of({"a": Planned("tables:k=1", "exact")}, Scenario()).release[0].statistics
    ['tables:k=1']
    """
    known = None if scenario.known is None else list(scenario.known)
    return Plan(
        data=DataPlan(path=AT_HAND),
        release=[_written(name, one) for name, one in releases.items()],
        knowledge=KnowledgePlan(public=known),
        policy=scenario.policy,
        budget=BudgetPlan(resamples=scenario.resamples),
        seed=scenario.seed,
    )


def _written(name: str, one: Planned | Release | GivenRelease) -> ReleasePlan:
    if not isinstance(one, Planned):
        return ReleasePlan(name=name, path=AT_HAND)
    asked = one.statistics
    texts = [asked] if isinstance(asked, str) or not isinstance(asked, list | tuple) else list(asked)
    if not all(isinstance(text, str) for text in texts):
        raise InputError(
            f"release {name!r}",
            "must be of statistics that are given as text, to be changed",
            "a statistic of another kind",
            'Write for example "tables:k=2" or dalenius.tables(k=2).',
        )
    said = {"fixed": True} if one.fixed else {"alternative_to": one.alternative_to}
    return ReleasePlan(name=name, statistics=[str(text) for text in texts], mechanism=one.mechanism, **said)
