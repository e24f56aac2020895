"""What an epsilon is worth to everybody in a family by Mendel's law, and which one keeps a target."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from dalenius.errors import InputError
from dalenius.inference.answers.privacy_loss import Spent
from dalenius.inference.attack.inheritance.peel import BOUNDS, Kin, NuOfGenes, nu_of_genes
from dalenius.inference.build import NuOfPeople, PromisedRelease, make_inference_finding, with_facts
from dalenius.inference.finding import MENDEL, Chosen, Prior, RelatedFinding, Solved
from dalenius.knowledge.correlation.inheritance import Floats, Lineage, MendelLaw
from dalenius.progress import Progress, silent, within
from dalenius.shown import hides_people, people

METHOD = "peeling"


@hides_people()
@dataclass(frozen=True, eq=False)
class GenesMeasured:
    """Everybody's nu, and what is said about it without anybody in it."""

    lineage: Lineage
    epsilon: Floats
    found: NuOfGenes
    finding: RelatedFinding

    def rows(self) -> Iterator[str]:
        """``nu.csv``: ``id,epsilon,nu,method,bound``."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["id", "epsilon", "nu", "method", "bound"])
        each = zip(self.lineage.ids, self.epsilon, self.found.nu, self.found.bound, strict=True)
        writer.writerows([who, f"{eps:.10g}", f"{nu:.10g}", METHOD, BOUNDS[at]] for who, eps, nu, at in each)
        yield text.getvalue()

    def worst_off(self, count: int = 5, *, show_people: bool = False) -> Iterator[str]:
        """The worst-off, one per line; who, only if that is asked for."""
        for at in np.argsort(-self.found.nu, kind="stable")[:count]:
            like = "like" if BOUNDS[self.found.bound[at]].startswith("exact") else "at least like"
            who = str(self.lineage.ids[at]) if show_people else "somebody"
            yield f"{who}: epsilon = {self.epsilon[at]:.4g} protects {like} epsilon = {self.found.nu[at]:.4g}"


def measure_genes(
    lineage: Lineage,
    law: MendelLaw,
    spent: Spent,
    target: float | None,
    *,
    release: PromisedRelease | None = None,
    progress: Progress = silent,
) -> GenesMeasured:
    """Find everybody's nu by Mendel's law; where a target is given, the largest epsilon that keeps it.

    Without a ``release`` it is about any with these epsilons.

    Raises
    ------
    InputError
        If there is neither an epsilon nor a target, or nobody's data is released.
    """
    own = np.full(len(lineage), np.nan) if lineage.epsilon is None else lineage.epsilon
    used = np.where(own == 0, 0.0, 1.0)
    if spent.epsilon is None and np.isnan(own).any() and (target is None or (own > 0).any()):
        got = "neither" if target is None else f"none for {people(int(np.isnan(own).sum()))} of the file"
        raise InputError("--epsilon or --target-nu", "must be given", got, "Try --epsilon 0.5.")
    if not used.any():
        raise InputError("epsilon", "must be above 0 for somebody", "0 for all", "Nobody's data is released.")
    chosen = None
    if target is not None:
        largest = _largest(lineage, law, used, target, within(progress, 0.0, 0.7))
        reason = (
            f"The largest epsilon, for everybody whose data is used, is {largest:.6g}: with any more, what "
            f"is known of the worst-off person passes {target:g}."
        )
        chosen = Chosen(target=target, epsilon=largest, reason=reason)
    said = np.nan_to_num(own) > 0  # what a file says is released, and not replaced by what would be enough
    if spent.epsilon is None and chosen is not None and not said.any():
        epsilon = chosen.epsilon * used
    else:
        epsilon = np.where(np.isnan(own), spent.epsilon or 0.0, own)
    found = nu_of_genes(lineage, law, epsilon, progress=within(progress, 0.7, 1.0))
    release = release or PromisedRelease(lineage.source, "any with these epsilons")
    finding = _finding(lineage, law, epsilon, found, release)
    if chosen is not None:
        details = finding.details.model_copy(update={"chosen": chosen})
        finding = with_facts(finding.model_copy(update={"details": details}))
    return GenesMeasured(lineage, epsilon, found, finding)


def _largest(lineage: Lineage, law: MendelLaw, used: Floats, target: float, progress: Progress) -> float:
    """Nu grows with epsilon, from epsilon itself to its sum over all kin."""
    from scipy.optimize import brentq

    tried = 0

    def excess(epsilon: float) -> float:
        nonlocal tried
        tried += 1
        progress(min(tried / 20, 1.0), "the largest epsilon")
        return float(nu_of_genes(lineage, law, epsilon * used).nu.max()) - target

    low, high = target / float(used.sum()), target
    if excess(high) <= 0:
        return high
    if excess(low) >= 0:
        return low
    found = float(brentq(excess, low, high, xtol=1e-7 * high))
    while excess(found) > 0:
        found *= 1 - 1e-7
    return found


def describe_genes(lineage: Lineage, law: MendelLaw) -> Prior:
    """Return what a finding says about the law; nobody is named."""
    kin = Kin(lineage)
    group = connected_components(kin.graph, directed=False)[1][: len(lineage)]
    sizes = np.bincount(group)
    what = "one allele, 0 or 1, of which a child copies that of either parent"
    if law.kind == "genotypes":
        what = "a genotype, 0, 1 or 2, of which a child gets one allele of each parent"
    return Prior(
        source=lineage.source,
        people=len(lineage),
        links=sum(map(len, kin.members)),
        groups=int((sizes > 0).sum()),
        largest=int(sizes.max()),
        model=(
            f"Mendel's law: {what}",
            f"the allele has frequency {law.frequency:g}, and founders are unrelated",
        ),
    )


def _finding(
    lineage: Lineage, law: MendelLaw, epsilon: Floats, found: NuOfGenes, release: PromisedRelease
) -> RelatedFinding:
    solved = [
        Solved(method=METHOD, bound=name, exact=name.startswith("exact"), people=int(count))
        for name, count in zip(BOUNDS, np.bincount(found.bound, minlength=len(BOUNDS)), strict=True)
        if count
    ]
    one = int(((lineage.father >= 0) ^ (lineage.mother >= 0)).sum())
    notes = [*lineage.notes]
    if one:
        notes.append(
            f"One parent is not known of {people(one)}: taken as somebody else for each of them, and as one "
            "person for all children of the other parent; the larger nu counts."
        )
    if (found.bound == BOUNDS.index("bound-group")).any():
        notes.append("Kin whose families form loops, or of more than 2,000 people, have group privacy only.")
    made = make_inference_finding(
        NuOfPeople(epsilon, found.nu, solved),
        release,
        describe_genes(lineage, law),
        notes=notes,
    )
    return made.model_copy(update={"not_shown": (MENDEL, *made.not_shown)})
