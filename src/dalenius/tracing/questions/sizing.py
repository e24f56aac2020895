"""Before means are published: how many are safe, and how many trace people."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from dalenius.errors import InputError
from dalenius.findings.policy import Grade
from dalenius.findings.report import Headings
from dalenius.theory.privacy import means_noise
from dalenius.theory.tracing.plan import TracingPlan, plan_tracing
from dalenius.theory.tracing.priors import UNIFORM, Prior, spectrum_of
from dalenius.tracing.finding import AttackSize, Sizes, TracingFinding
from dalenius.tracing.words import sizes_facts, sizes_sentence

ASSUMED = (
    "Attributes are independent of each other within the population, and members and references come from "
    "the same one. Genomes are not like that: linkage and ancestry change how many means an attack needs; "
    "dalenius trace members measures it. What is called safe rests on the noise alone."
)
"""What the sizes of attacks take for granted."""


@dataclass(frozen=True)
class MeansToCome:
    """Means that are to be published, and whom they are to be safe from.

    Parameters
    ----------
    n
        People behind each mean.
    reference
        Reference people of the attacker; by default the population's means are known.
    fpr, beta
        False alarms the attacker accepts, and the share of members recognised that counts as tracing.
    sigma
        Noise on each fraction or frequency.
    rho, means
        In place of sigma: a budget for so many means together.
    alpha
        Bias that the guarantee is to cover.
    frequencies
        A file of allele frequencies; the guarantee is then computed for them.
    """

    n: int
    reference: int | None = None
    fpr: float = 1e-3
    beta: float = 0.5
    sigma: float = 0.0
    rho: float | None = None
    means: int | None = None
    alpha: float = 0.0
    frequencies: Path | None = None


def plan_of(asked: MeansToCome) -> tuple[TracingPlan, tuple[str, ...]]:
    """Plan from numbers as people give them: noise on fractions, a file of frequencies.

    Returns
    -------
    tuple
        The plan, and what reading the frequencies left out.

    Raises
    ------
    InputError
        If both noise and a budget are given, or a budget without the number of means it is for.
    """
    sigma, rho, means = asked.sigma, asked.rho, asked.means
    if rho is not None and (sigma or means is None):
        raise InputError(
            "--rho",
            "must come with --means and without --sigma",
            f"sigma {sigma:g}, means {means}",
            "A budget is spent on all means together.",
        )
    prior: Prior = UNIFORM
    notes: tuple[str, ...] = ()
    if asked.frequencies is not None:
        from dalenius.genomes.associations.read import read_population
        from dalenius.release.means import from_fractions

        found = read_population(asked.frequencies)
        prior, notes = spectrum_of(from_fractions(found.frequency)), found.notes
    made = plan_tracing(
        asked.n,
        references=math.inf if asked.reference is None else asked.reference,
        fpr=asked.fpr,
        beta=asked.beta,
        sigma=2 * sigma if rho is None or means is None else means_noise(means, asked.n, rho),
        alpha=asked.alpha,
        prior=prior,
    )
    return made, notes


def describe(plan: TracingPlan, means: int | None = None, notes: tuple[str, ...] = ()) -> TracingFinding:
    """Turn a plan into a finding: what is predicted, before anything is published.

    Examples
    --------
    >>> plan, notes = plan_of(MeansToCome(5000, 2000, sigma=0.01))
    >>> found = describe(plan, 1000, notes).details
    >>> found.safe, round(found.limit, 3)
    (23873, 0.007)
    """
    noisy = means is not None and plan.sigma > 0
    found = Sizes(
        reference=None if math.isinf(plan.references) else int(plan.references),
        false_alarms=plan.fpr,
        recognised=plan.beta,
        sigma=plan.sigma / 2,
        law=plan.smoothing or "uniform",
        safe=int(plan.safe),
        guaranteed=None if plan.guaranteed is None else math.ceil(plan.guaranteed),
        attacks=tuple(
            AttackSize(
                name=attack.name,
                holds=attack.holds,
                proven=attack.proven,
                means=math.ceil(attack.columns),
                recognised=None if means is None else float(attack.power([means])[0]),
            )
            for attack in plan.attacks
        ),
        means=means,
        limit=plan.limit(means) if noisy and means is not None else None,
        rho=plan.rho(means) if noisy and means is not None else None,
        epsilon=plan.epsilon(means) if noisy and means is not None else None,
    )
    graded = Grade("undecided", "predicted, not measured")
    finding = TracingFinding(
        release="means to come",
        people=plan.n,
        numbers=means,
        mechanism=f"gaussian:sigma={plan.sigma / 2:g}" if plan.sigma else "exact",
        promise=None,
        attack_method="prediction",
        measures=(),
        deciding=None,
        headings=Headings(attack="recognised", baseline="false alarms", asks="how many means are safe"),
        bound=None,
        confidence=None,
        looks=None,
        severity=graded.severity,
        severity_reason=graded.reason,
        sentence=sizes_sentence(found),
        notes=notes,
        assumptions=(ASSUMED,),
        details=found,
    )
    return finding.model_copy(update={"facts": tuple(sizes_facts(finding, found))})
