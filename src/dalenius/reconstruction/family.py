"""Reconstruction as a family: what is everybody's secret?"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import cast

from dalenius.auditing.case import Asked, Opened
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_parts import TablesPlan
from dalenius.auditing.plan_releases import STATISTICS, TABLES, ReleasePlan, kind_of
from dalenius.findings.policy import Policy, Ruled
from dalenius.findings.report import Finding
from dalenius.progress import Progress
from dalenius.reconstruction.finding import SecretsFinding
from dalenius.reconstruction.people import open_secrets
from dalenius.reconstruction.rules import rulings


class Reconstruction:
    """Guesses the secret of everybody from statistics about it."""

    goal = "reconstruction"
    finding = SecretsFinding

    def open(
        self, plan: Plan, before: Sequence[Opened], *, progress: Progress
    ) -> AbstractContextManager[Opened]:
        """Open the releases of statistics that are no means."""
        kinds = (STATISTICS, TABLES)
        asked = [cast(ReleasePlan | TablesPlan, each) for each in plan.release if kind_of(each) in kinds]
        if not asked:
            return nullcontext(Asked())
        return open_secrets(plan, asked, progress)

    def rulings(self, finding: Finding, policy: Policy) -> Sequence[Ruled]:
        """Hold a finding against the rules about certain people, known people and the advantage."""
        return rulings(cast(SecretsFinding, finding), policy)


FAMILY = Reconstruction()
