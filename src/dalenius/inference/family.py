"""Inference as a family: what do related people give away?"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import cast

from dalenius.auditing.case import Opened
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_parts import PriorPlan
from dalenius.errors import InputError
from dalenius.findings.policy import Policy, Ruled
from dalenius.findings.report import Finding
from dalenius.inference.case import RelatedPeople, no_nu, open_related
from dalenius.inference.finding import InferenceFinding
from dalenius.inference.genes.in_plan import RelatedByGenes, open_genes
from dalenius.inference.over_time.in_plan import RelatedInTime, open_series
from dalenius.inference.rules import rulings
from dalenius.progress import Progress


def _open(prior: PriorPlan, *, why: bool) -> RelatedPeople | RelatedByGenes | RelatedInTime:
    """Read the prior of a plan: people who agree, a family and Mendel's law, or values over time."""
    if prior.over_time:
        return open_series(prior)
    return open_related(prior, why=why) if prior.law == "agreement" else open_genes(prior)


class Inference:
    """Says what a promise is worth to people who are related."""

    goal = "inference"
    finding = InferenceFinding

    def open(
        self, plan: Plan, before: Sequence[Opened], *, progress: Progress
    ) -> AbstractContextManager[Opened]:
        """Ask about the releases whose secret the prior is about, and say which others it does not reach."""
        if plan.knowledge.prior is None:
            raise InputError("knowledge.prior", "must name who is related", "nothing")
        asked = _open(plan.knowledge.prior, why=plan.budget.why).ask(before, seed=plan.seed)
        reached = {name for opened in before for name in opened.published}
        others = [release.name for release in plan.release if release.name not in reached]
        return nullcontext(replace(asked, not_run=no_nu(others)))

    def rulings(self, finding: Finding, policy: Policy) -> Sequence[Ruled]:
        """Hold a finding against the limit on nu; of beliefs, against that on the advantage."""
        return rulings(cast(InferenceFinding, finding), policy)


FAMILY = Inference()
