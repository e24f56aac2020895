"""Mendel's law as the prior of a plan: what the promise of a release is worth to a family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dalenius.auditing.case import Asked, Opened
from dalenius.auditing.plan_parts import PriorPlan
from dalenius.errors import InputError
from dalenius.inference.answers.privacy_loss import Spent
from dalenius.inference.build import PromisedRelease, make_infinite_finding
from dalenius.inference.case import PromiseMeasure, ask_about, check_values, is_limit
from dalenius.inference.finding import MENDEL, RelatedFinding
from dalenius.inference.genes.law import law_of
from dalenius.inference.genes.measure_genes import describe_genes, measure_genes
from dalenius.inference.priors.relation_files import RelationFiles
from dalenius.knowledge.correlation.inheritance import Lineage, MendelLaw, read_lineage
from dalenius.people.schema import Ids
from dalenius.progress import Progress
from dalenius.release.release import Release
from dalenius.shown import people


@dataclass(frozen=True)
class RelatedByGenes:
    """A family and the law of inheritance, as a plan names them."""

    lineage: Lineage
    law: MendelLaw

    def ask(self, before: Sequence[Opened], *, seed: int) -> Asked:
        """Ask of every release about an allele or a genotype what its promise is worth.

        Raises
        ------
        InputError
            If the secret has more or fewer values than the law, or nobody of the family is in the data.
        """

        def measure(opened: Opened) -> PromiseMeasure:
            check_values(opened.published.values(), 2 if self.law.kind == "alleles" else 3)
            return _ByGenes(*_in_data(self.lineage, opened.ids), self.law)

        return ask_about(before, measure)


@dataclass(frozen=True)
class _ByGenes:
    """A family of whom some are in the data."""

    lineage: Lineage
    present: np.ndarray[tuple[int], np.dtype[np.bool_]]
    law: MendelLaw

    def worth(self, name: str, release: Release, progress: Progress) -> RelatedFinding:
        """Find the worst mechanism with the promise of a release."""
        promise, lineage = release.promise, self.lineage
        about = PromisedRelease(name, release.mechanism, None if promise is None else promise.text)
        if promise is not None and promise.epsilon is not None and is_limit(promise):
            own = replace(lineage, epsilon=np.where(self.present, promise.epsilon, 0.0))
            spent = Spent(promise.epsilon, None, None, 1)
            return measure_genes(own, self.law, spent, None, release=about, progress=progress).finding
        promised = promise is not None and is_limit(promise)
        limited = Spent(None, None, promise.rho, 1) if promised and promise is not None else None
        found = make_infinite_finding(limited, about, describe_genes(lineage, self.law), notes=lineage.notes)
        return found.model_copy(update={"not_shown": (MENDEL, *found.not_shown)})


def open_genes(plan: PriorPlan) -> RelatedByGenes:
    """Read the family of a plan.

    Raises
    ------
    InputError
        For what the readers refuse, and for children whom their parents cannot have.
    """
    law = law_of(plan.law, plan.frequency, plan.agreement)
    assert law is not None  # noqa: S101 -- the caller looked
    opening = RelationFiles(plan.columns)
    family, about = opening.open(plan.pedigree), opening.open(plan.people)
    opening.check()
    assert family is not None  # noqa: S101 -- the plan has one
    return RelatedByGenes(read_lineage(family, law, people=about), law)


def _in_data(lineage: Lineage, ids: Ids | None) -> tuple[Lineage, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """Say who of a family is in the data; an epsilon of 0 in the file of people says that somebody is not."""
    present = np.ones(len(lineage), np.bool_) if lineage.epsilon is None else lineage.epsilon != 0
    notes = list(lineage.notes)
    if ids is None:
        notes.append("The data has no ids: everybody of the family is taken to be in it.")
        return replace(lineage, notes=tuple(notes)), present
    present &= np.isin(lineage.ids.astype(str), ids.astype(str))
    if not present.any():
        rule, fix = "must name people of the data", "Are the ids those of schema.id?"
        raise InputError("knowledge.prior", rule, "none of them", fix)
    alone = int((~np.isin(ids.astype(str), lineage.ids.astype(str))).sum())
    if alone:
        notes.append(f"Not in the family and taken as unrelated: {people(alone)} of the data.")
    if not present.all():
        absent = people(int((~present).sum()))
        notes.append(f"Without data in the release, only spoken of by relatives: {absent} of the family.")
    return replace(lineage, notes=tuple(notes)), present
