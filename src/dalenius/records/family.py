"""Records as a family: which records must be in the data?"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import cast

from dalenius.auditing.case import Asked, Opened
from dalenius.auditing.plan import Plan
from dalenius.findings.finding import Finding
from dalenius.findings.policy import Policy, Ruled
from dalenius.progress import Progress
from dalenius.records.finding import RecordsFinding
from dalenius.records.rules import rulings


class RecordsFamily:
    """Proves records from tables without a list of people; asked by a command, and by no plan yet."""

    goal = "records"
    finding = RecordsFinding

    def open(
        self, plan: Plan, before: Sequence[Opened], *, progress: Progress
    ) -> AbstractContextManager[Opened]:
        """Open nothing: no kind of release in a plan is asked about."""
        return nullcontext(Asked())

    def rulings(self, finding: Finding, policy: Policy) -> Sequence[Ruled]:
        """Hold a finding against the rule about certain records."""
        return rulings(cast(RecordsFinding, finding), policy)


FAMILY = RecordsFamily()
