"""Records as a family: which records must be in the data?"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import cast

from dalenius.auditing.case import Asked, Opened
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_parts import TablesPlan
from dalenius.auditing.plan_releases import STATISTICS, TABLES, ReleasePlan, kind_of, name_of
from dalenius.findings.policy import Policy, Ruled
from dalenius.findings.report import Data, Finding
from dalenius.progress import Progress
from dalenius.records.finding import RecordsFinding
from dalenius.records.rules import rulings


class RecordsFamily:
    """Proves records from tables without a list of people: of plans with ``roster = false``."""

    goal = "records"
    finding = RecordsFinding

    def open(
        self, plan: Plan, before: Sequence[Opened], *, progress: Progress
    ) -> AbstractContextManager[Opened]:
        """Open the tables of a plan with ``roster = false``."""
        if plan.knowledge.roster:
            return nullcontext(Asked())
        from dalenius.records.case import open_cases

        kinds = (STATISTICS, TABLES)
        asked = [cast(ReleasePlan | TablesPlan, each) for each in plan.release if kind_of(each) in kinds]
        cases = open_cases(plan, asked)
        sheet = cases[0].sheet
        data = Data(source=name_of(plan), people=len(sheet), public=tuple(sheet.names), secret=None)
        return nullcontext(Asked(data, cases))

    def rulings(self, finding: Finding, policy: Policy) -> Sequence[Ruled]:
        """Hold a finding against the rule about certain records."""
        return rulings(cast(RecordsFinding, finding), policy)


FAMILY = RecordsFamily()
