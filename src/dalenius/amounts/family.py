"""Amounts as a family: how close does anybody come to somebody's?"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import cast

import numpy as np
from numpy.typing import NDArray

from dalenius.amounts.case import AmountsCase, PlannedAmounts, PlannedTables
from dalenius.amounts.finding import AmountsFinding
from dalenius.amounts.published.groups import columns_of_groups, list_people
from dalenius.amounts.rules import rulings
from dalenius.amounts.terms import AmountTerms
from dalenius.amounts.together import joined_plans, unchosen
from dalenius.auditing.alternatives import NOT_CHOSEN
from dalenius.auditing.case import TOGETHER, Asked, Opened
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_releases import AmountsPlan, name_of, open_data
from dalenius.errors import InputError
from dalenius.findings.policy import Policy, Ruled
from dalenius.findings.report import Data, Finding, NotRun
from dalenius.knowledge.weights import parse_weights, read_weights
from dalenius.people.files.sheet import Sheet
from dalenius.people.sealed import SealedRows
from dalenius.progress import Progress
from dalenius.release.amounts_hiding import HidingRules
from dalenius.release.amounts_publish import AmountSettings


class Amounts:
    """Bounds and estimates what people earn, owe or make."""

    goal = "amounts"
    finding = AmountsFinding

    def open(
        self, plan: Plan, before: Sequence[Opened], *, progress: Progress
    ) -> AbstractContextManager[Opened]:
        """Open the releases of amounts."""
        asked = [each for each in plan.release if isinstance(each, AmountsPlan)]
        sheet = open_data(plan)
        alone = {release.name: [release] for release in asked}
        cases = [_case(plan, sheet, name, some) for name, some in (alone | joined_plans(asked)).items()]
        public = tuple(dict.fromkeys(name for case in cases for name in case.planned.listed.labels))
        data = Data(source=name_of(plan), people=len(sheet), public=public, secret=None) if cases else None
        failed = NotRun(release=TOGETHER, attack_method=self.goal, reason=NOT_CHOSEN)
        return nullcontext(Asked(data, cases, not_run=[failed] if unchosen(asked) else []))

    def rulings(self, finding: Finding, policy: Policy) -> Sequence[Ruled]:
        """Hold a finding against the rules about certain and known people and about the advantage."""
        return rulings(cast(AmountsFinding, finding), policy)


def _case(plan: Plan, sheet: Sheet, name: str, releases: Sequence[AmountsPlan]) -> AmountsCase:
    """One release, or several of one amount together."""
    columns, amount = plan.columns, releases[0].amount
    tables = {release.name: columns_of_groups(release.groups) for release in releases}
    names = [column for some in tables.values() for table in some for column in table]
    if amount in names or amount == columns.id:
        raise InputError("amount", "must not be a column that tables are made by", repr(amount))
    if columns.secret in names:
        raise InputError(
            f"release {name!r}: groups",
            "must not be by the secret, since who is in which group counts as known",
            f"one by {columns.secret!r}",
            "Publish numbers of people by it as statistics, which are attacked; or name it no secret.",
        )
    apart = {amount, columns.id, columns.secret, columns.weight, *columns.ignored}
    known = [column for column in columns.public or () if column not in apart]
    listed = list_people(sheet, [*names, *known], id=columns.id, bins=columns.bins, merged=columns.merged)
    terms = _terms(plan, releases)
    parts = tuple(
        PlannedTables(
            release.name,
            tuple(tables[release.name]),
            release.margins,
            _settings(release, terms, _apart(releases)),
            release.weighted,
        )
        for release in releases
    )
    people = SealedRows(sheet.rows([] if columns.id is None else [columns.id]))
    weights = _weights(plan, sheet) if any(release.weighted for release in releases) else None
    return AmountsCase(PlannedAmounts(name, amount, people, listed, parts, weights), terms)


def _settings(release: AmountsPlan, terms: AmountTerms, apart: float | None) -> AmountSettings:
    """How one release is published; by weights that nobody is said to know nothing is promised."""
    known = (terms.least, terms.top) if terms.weights is None else None
    statistics = tuple(release.statistics)
    return AmountSettings(statistics, release.mechanism, _hiding(release), known=known, apart=apart)


def _apart(releases: Sequence[AmountsPlan]) -> float | None:
    """How far apart amounts are that a promise is about; together it is about what all are about."""
    return min((release.apart for release in releases if release.apart is not None), default=None)


def _weights(plan: Plan, sheet: Sheet) -> NDArray[np.float64]:
    name = plan.columns.weight
    if name is None:
        fix = "Name the column of survey weights there."
        raise InputError("weighted tables", "must come with weight in [schema]", "none", fix)
    return read_weights(sheet, name)


def _known(releases: Sequence[AmountsPlan]) -> tuple[float, float] | None:
    """How far weights are known: whatever any release says of them is known beside the others."""
    ends = [parse_weights(release.weights) for release in releases if release.weighted]
    apart = [both for both in ends if both is not None]
    if not apart or len(apart) < len(ends):
        return None
    return max(low for low, _ in apart), min(high for _, high in apart)


def _hiding(release: AmountsPlan) -> HidingRules:
    return HidingRules(release.hide_below, release.hide_p, release.hide_more)


def _terms(plan: Plan, releases: Sequence[AmountsPlan]) -> AmountTerms:
    """What is known of amounts holds whichever release says it; the widest of what is close counts."""
    tops = [release.most for release in releases if release.most is not None]
    return AmountTerms(
        max(release.within for release in releases),
        max(release.least for release in releases),
        min(tops) if tops else None,
        plan.policy,
        plan.seed,
        plan.budget.why,
        plan.budget.resamples,
        _known(releases),
    )


FAMILY = Amounts()
