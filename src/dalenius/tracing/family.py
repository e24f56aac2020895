"""Tracing as a family: who is in the data?"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import cast

from dalenius.auditing.case import Asked, Opened
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_releases import ReleasePlan, kind_of, name_of
from dalenius.findings.policy import Policy, Ruled
from dalenius.findings.report import Data, Finding
from dalenius.progress import Progress
from dalenius.tracing.case import MembersCase, MembersSettings
from dalenius.tracing.files.plan import open_traits
from dalenius.tracing.finding import TracingFinding
from dalenius.tracing.rules import rulings


class Tracing:
    """Recognises people in published means and frequencies."""

    goal = "tracing"
    finding = TracingFinding

    def open(
        self, plan: Plan, before: Sequence[Opened], *, progress: Progress
    ) -> AbstractContextManager[Opened]:
        """Open the releases of means and of frequencies."""
        asked = [each for each in plan.release if kind_of(each) == "means"]
        cases = [_case(plan, cast(ReleasePlan, release)) for release in asked]
        data = Data(source=name_of(plan), people=cases[0].people.n, public=(), secret=None) if cases else None
        return nullcontext(Asked(data, cases))

    def rulings(self, finding: Finding, policy: Policy) -> Sequence[Ruled]:
        """Hold a finding against the rules about the advantage and about people who are known."""
        return rulings(cast(TracingFinding, finding), policy)


def _case(plan: Plan, release: ReleasePlan) -> MembersCase:
    how = MembersSettings(
        name=release.name, confidence=plan.policy.confidence, seed=plan.seed, why=plan.budget.why
    )
    return MembersCase(open_traits(plan, release), release.mechanism or "exact", how)


FAMILY = Tracing()
