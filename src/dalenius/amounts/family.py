"""Amounts as a family: how close does anybody come to somebody's?"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import cast

from dalenius.amounts.case import AmountsCase, PlannedAmounts, PlannedTables
from dalenius.amounts.finding import AmountsFinding
from dalenius.amounts.published.groups import columns_of_groups, list_people
from dalenius.amounts.rules import rulings
from dalenius.amounts.terms import AmountTerms
from dalenius.amounts.together import joined_plans
from dalenius.auditing.case import Asked, Opened
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_releases import AmountsPlan, name_of, open_data
from dalenius.errors import InputError
from dalenius.findings.policy import Policy, Ruled
from dalenius.findings.report import Data, Finding
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
        return nullcontext(Asked(data, cases))

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
    apart = {amount, columns.id, columns.secret, *columns.ignored}
    known = [column for column in columns.public or () if column not in apart]
    listed = list_people(sheet, [*names, *known], id=columns.id, bins=columns.bins, merged=columns.merged)
    parts = tuple(
        PlannedTables(
            release.name,
            tuple(tables[release.name]),
            release.margins,
            AmountSettings(tuple(release.statistics), release.mechanism, _hiding(release)),
        )
        for release in releases
    )
    people = SealedRows(sheet.rows([] if columns.id is None else [columns.id]))
    return AmountsCase(PlannedAmounts(name, amount, people, listed, parts), _terms(plan, releases))


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
    )


FAMILY = Amounts()
