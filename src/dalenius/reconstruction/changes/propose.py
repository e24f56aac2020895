"""What is proposed for planned statistics about a secret."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dalenius.auditing.changes.candidate import Candidate
from dalenius.auditing.changes.classes import PublicClasses, coarser
from dalenius.auditing.changes.parts import tables_named
from dalenius.auditing.changes.planned import (
    Ground,
    fewer,
    hidden,
    noisy,
    promised,
    rounded,
    size_for,
)
from dalenius.auditing.changes.proposals import Proposals, ToChange, once
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_parts import TablesPlan
from dalenius.auditing.plan_releases import STATISTICS, TABLES, ReleasePlan
from dalenius.findings.policy import Policy
from dalenius.findings.report import ChangeKind, Finding
from dalenius.people.schema import MISSING, Kind
from dalenius.progress import Progress
from dalenius.reconstruction.changes.causes import NO_CAUSES, effects_of
from dalenius.reconstruction.changes.printed import propose_printed
from dalenius.reconstruction.opened import SecretsOpened
from dalenius.release.publish import sensitivity_of
from dalenius.theory.privacy import rho_for_advantage

NO_LIMIT = "noise: one person moves these numbers without limit, so no noise promises anything."
FIXED = "A promise: what is out already promises nothing, and noise on the rest does not change that."
TWO_VALUES = "A bound by a theorem: those known here are about secrets of two values."
GIVEN = "coarser: people who were read already keep their classes; a plan can change them."
NO_CLASSES = "coarser: no public column of these tables has classes or words that could be merged."


def propose(asked: ToChange, progress: Progress) -> Proposals:
    """Propose every kind of change of planned statistics about a secret."""
    if printed := asked.of_kind(TABLES):
        return _of_print(asked, printed)
    releases: tuple[ReleasePlan, ...] = tuple(asked.of_kind(STATISTICS))
    if not isinstance(asked.opened, SecretsOpened) or not releases:
        return Proposals()
    opened = asked.opened
    not_tried: list[str] = []
    public = tuple(column.name for column in opened.people.schema.public)
    ground = Ground(asked.plan, releases, public)
    keep = tables_named(asked.keep, [part.columns for part in ground.parts if part.columns])
    effects = effects_of(asked, ground)
    if effects is None:
        not_tried.append(NO_CAUSES)
    ground = Ground(asked.plan, releases, public, keep, effects or {})
    by_kind = _enumerated(asked, ground, opened)
    if not by_kind["coarser"]:
        not_tried.append(GIVEN if asked.given else NO_CLASSES)
    square = _square(ground, opened)
    if math.isinf(square):
        return Proposals(by_kind, not_tried=(*not_tried, NO_LIMIT))
    if asked.out:
        not_tried.append(FIXED)
    elif len(opened.people.schema.secret.levels) != 2:
        not_tried.append(TWO_VALUES)
    size = size_for(square, rho_for(asked.plan.policy, _baseline(asked.finding)))
    promise = None if asked.out else promised(ground, size, square)
    return Proposals(by_kind, noisy(ground, square), promise, tuple(not_tried))


def _of_print(asked: ToChange, printed: Sequence[TablesPlan]) -> Proposals:
    """Propose changes of printed files; a promise as the policy wants it."""
    baseline = _baseline(asked.finding)
    tolerated = asked.plan.policy.limit(baseline) > 0
    found = propose_printed(asked, printed, rho_for(asked.plan.policy, baseline) if tolerated else None)
    secret = asked.opened.people.schema.secret if isinstance(asked.opened, SecretsOpened) else None
    if found.promise is not None and secret is not None and len(secret.levels) != 2:
        return replace(found, not_tried=(*found.not_tried, TWO_VALUES))
    return found


def _enumerated(asked: ToChange, ground: Ground, opened: SecretsOpened) -> dict[ChangeKind, list[Candidate]]:
    """The changes that are tried one by one."""
    used = {name for part in ground.parts for name in part.columns} or {*ground.public}
    kept = {name for table in ground.keep for name in table} | {asked.plan.columns.split}  # blocks stay
    edges = {column.name: column.edges for column in opened.people.schema.public if column.edges}
    classes = PublicClasses(edges, _words(asked.plan, opened), frozenset(used - kept))
    return {
        "round": once(asked.plan, rounded(ground)),
        "hide": once(asked.plan, hidden(ground)),
        "fewer": once(asked.plan, fewer(ground)),
        "coarser": [] if asked.given else once(asked.plan, coarser(asked.plan, classes, ground.called)),
    }


def _words(plan: Plan, opened: SecretsOpened) -> dict[str, dict[str, int]]:
    """How many people have each word of a public column, as it is written in the data."""
    attributes, schema = opened.roster.attributes, plan.columns
    told = {*schema.levels, *schema.merged, *schema.by_year}
    counted = {}
    for j, column in enumerate(attributes.columns):
        if column.kind is Kind.CATEGORICAL and column.name not in told and schema.labels is None:
            counts = np.bincount(attributes.codes[:, j], minlength=len(column.levels))
            words = zip(column.levels, counts.tolist(), strict=True)
            counted[column.name] = {word: count for word, count in words if word != MISSING}
    return counted


def _baseline(finding: Finding | None) -> float:
    """How often the better guess without the release is right."""
    if finding is None or not finding.measures or finding.decisive.baseline is None:
        return 0.5
    return finding.decisive.baseline.rate


def rho_for(policy: Policy, baseline: float) -> float:
    """Return the largest rho with which no attack gains more than a policy tolerates.

    Raises
    ------
    InputError
        If the policy tolerates no gain at all.

    Examples
    --------
    >>> from dalenius.theory.privacy import advantage_from_rho
    >>> rho = rho_for(Policy(), 0.5)
    >>> 0.0499 < advantage_from_rho(rho) <= 0.05
    True
    """
    return rho_for_advantage(policy.limit(baseline))


def _square(ground: Ground, opened: SecretsOpened) -> float:
    """How far one person moves all numbers that may be changed, squared and added up."""
    levels = opened.people.schema.secret.levels
    names = {release.name for release in ground.releases}
    return sum(
        sensitivity_of([block.statistic for block in release.blocks], levels).l2_squared
        for name, release in opened.published.items()
        if name in names
    )
