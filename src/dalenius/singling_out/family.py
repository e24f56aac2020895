"""Singling out as a family: can a condition point at exactly one person?"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, cast

from dalenius.auditing.case import Asked, Case, Opened
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_releases import AnonymisedPlan, CountsPlan, ReleasedRowsPlan, name_of
from dalenius.findings.policy import Policy, Ruled
from dalenius.findings.report import Data, Finding
from dalenius.progress import Progress
from dalenius.singling_out.case import CountsCase, RowsCase, people_of
from dalenius.singling_out.finding import SinglingOutFinding
from dalenius.singling_out.released.case import ReleasedRowsCase
from dalenius.singling_out.rules import rulings


class SinglingOut:
    """Writes conditions that match one person alone."""

    goal = "singling-out"
    finding = SinglingOutFinding

    def open(
        self, plan: Plan, before: Sequence[Opened], *, progress: Progress
    ) -> AbstractContextManager[Opened]:
        """Open the releases of anonymised and of other rows, and of counts to come."""
        cases: list[Case[Any, Any]] = []
        for asked in plan.release:
            if isinstance(asked, AnonymisedPlan):
                cases.append(RowsCase(plan, asked))
            elif isinstance(asked, ReleasedRowsPlan):
                cases.append(ReleasedRowsCase(plan, asked))
            elif isinstance(asked, CountsPlan):
                cases.append(CountsCase(plan, asked, people_of(plan)))
        data = Data(source=name_of(plan), people=people_of(plan), public=(), secret=None) if cases else None
        return nullcontext(Asked(data, cases))

    def rulings(self, finding: Finding, policy: Policy) -> Sequence[Ruled]:
        """Hold a finding against the rules about the advantage over luck and about copies."""
        return rulings(cast(SinglingOutFinding, finding), policy)


FAMILY = SinglingOut()
