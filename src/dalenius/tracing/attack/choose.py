"""Which test for which view, and why: the rule behind ``auto``.

It looks at what kind of thing the attacker holds, at sizes and at the release; never at records of people.
A test chosen after seeing scores has no level; one chosen by the release alone has, since that is
independent of whoever is not in it.
"""

from __future__ import annotations

from dalenius.errors import UnsupportedError
from dalenius.knowledge.tracing import KnownMeans, ReferenceMeans, TracingView
from dalenius.tracing.attack.calibrations.conformal_targets import full_fits
from dalenius.tracing.attack.genomes.absent import tells_absent
from dalenius.tracing.attack.genomes.ancestry import MOST_PAIRS, pairs_compared
from dalenius.tracing.attack.genomes.pruning import said_cost

RANKS = 19
"""References from which a rank can reach 5%."""

ADJUSTABLE = 100
"""References from which ancestry can be told well enough to adjust for it."""

DEPENDENT = 50
"""Shares from which it is taken that some say the same: adding those up drowns all that others say."""


def choose(view: TracingView, *, independent: bool) -> tuple[str, str, str]:
    """Name the weights and the calibration for a view, and the reason in words.

    Parameters
    ----------
    view
        What the attacker holds.
    independent
        Whether attributes are said to be independent of each other within the population.
    """
    reference = view.reference
    if reference is None:
        raise UnsupportedError(
            "every test compares with somebody: give reference people, their means and number, or known means"
        )
    weights, because = choose_weights(view)
    genotype = view.release.kind == "genotype"
    tail, tailed = "saddlepoint", "approximate p-values with proved bounds beside them"
    if genotype:
        tail, tailed = "chernoff", "bounds as if variants were independent, which those of a genome are not"
    if isinstance(reference, KnownMeans):
        return weights, f"known-p:tail={tail}", f"{because}; the population's means are known: {tailed}"
    if isinstance(reference, ReferenceMeans):
        if reference.m is None:
            return "homer", "paper:rule=homer", "means of an unknown number of people: approximate"
        why = f"{because}; reference means of {reference.m:,} people: {tailed}"
        return weights, f"pooled:tail={tail}", why
    m = reference.n
    if independent and m >= 2:
        return (
            weights,
            "pooled:tail=saddlepoint",
            f"{because}; {m:,} references and independent attributes: condition on the column totals, "
            "with proved bounds beside it",
        )
    if m < RANKS:
        blocks = "" if independent else "; attributes are taken as independent, since so few cannot be ranked"
        return "raw", "flip:tail=bd", f"{m:,} reference{'s' * (m > 1)}: signs against one of them{blocks}"
    pairs = pairs_compared(reference, view.targets)
    if genotype and m >= ADJUSTABLE and pairs <= MOST_PAIRS:
        absent = tells_absent(view.release)
        return (
            "opt",
            "adjusted:absent=yes" if absent else "adjusted",
            f"genotypes of {m:,} references: variants are linked and people share ancestors, so ranks among "
            "references less what relatedness and ancestry explain"
            + (", and among them by alleles that nobody behind the release has" if absent else "")
            + f"; {said_cost(pairs, view.release.size)}",
        )
    if view.release.kind == "binary" and m >= ADJUSTABLE and pairs <= MOST_PAIRS and reference.d >= DEPENDENT:
        return (
            "opt",
            "adjusted:components=0",
            f"{view.release.size:,} shares, not said to be independent: ranks among {m:,} references less "
            f"what people have in common; {said_cost(pairs, view.release.size)}",
        )
    how = "full" if full_fits(view.targets, reference) else "held-out"
    size = "" if how == "full" else ", too many for scoring everybody anew for every target"
    if view.release.kind == "real" and m >= ADJUSTABLE and reference.d >= DEPENDENT:
        how, size = "held-out", "; the others say what columns have in common"
        m -= m // 2
    if genotype and pairs > MOST_PAIRS:
        size += f"; too many to adjust for ancestry, which compares every two of them ({pairs:,} pairs)"
    return (
        weights,
        f"conformal:how={how}",
        f"{because}; attributes are not said to be independent: ranks among {m:,} references{size}",
    )


def choose_weights(view: TracingView) -> tuple[str, str]:
    """Name the weights, and why."""
    release = view.release
    if release.kind == "real":
        return "corr", "differences to the reference, as real values have no likelihood without more"
    exact = release.sigma == 0
    if exact and release.n is not None and release.n >= 2:
        return "llr", "likelihood ratios, as the release is exact"
    if release.sigma and release.n is not None:
        return "opt", "the best linear weights for noise of known size"
    if release.sigma:
        return "corr", "differences to the reference, as the number of people is not said"
    return "opt", "the best linear weights, as if there were no noise since none is stated"
