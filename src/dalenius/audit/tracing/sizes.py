"""Before means are published: how many are safe and how many trace people, in words and as a file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from dalenius import __version__
from dalenius.errors import InputError
from dalenius.findings.document import dump
from dalenius.findings.finding import Plain
from dalenius.theory.tracing.plan import DELTA, TracingPlan, plan_tracing
from dalenius.theory.tracing.priors import UNIFORM, Prior, spectrum_of

ASSUMED = (
    "attributes are independent of each other within the population, and members and references come from "
    "the same one. Genomes are not like that: linkage and ancestry change how many means an attack needs; "
    "dalenius trace members measures it. What is called safe rests on the noise alone"
)
"""What the sizes of attacks take for granted."""


class AttackSize(Plain):
    """From how many means an attack recognises the wanted share, and whom it needs for that."""

    name: str
    holds: str
    proven: bool
    means: int
    recognised: float | None


class Sizes(Plain):
    """A plan as plain values: its ``plan.json``.

    ``limit``, ``rho`` and ``epsilon`` are of ``means``, the number somebody wants to publish; epsilon at
    delta one in a million. Without noise nothing limits an attack, and they are None.
    """

    dalenius_version: str = __version__
    people: int
    reference: int | None
    false_alarms: float
    recognised: float
    sigma: float
    law: str
    notes: tuple[str, ...] = ()
    assumed: str = ASSUMED
    safe: int
    guaranteed: int | None
    attacks: tuple[AttackSize, ...]
    means: int | None
    limit: float | None
    rho: float | None
    epsilon: float | None

    def to_json(self) -> str:
        """Write it, see `dump`."""
        return dump(self)

    def lines(self) -> Iterator[str]:
        """Say it on a screen."""
        known = self.reference is None
        held = "the population's own means" if known else f"{self.reference:,} reference people"
        yield (
            f"Means of {self.people:,} people, noise {self.sigma:g} on each fraction; the attacker has a "
            f"person's record and {held}, and allows {self.false_alarms:g} false alarms."
        )
        yield f"Law of the population's means: {self.law}."
        yield from self.notes
        yield f"Assumed: {self.assumed}."
        yield ""
        share = f"{self.recognised:.0%}"
        if self.safe:
            yield f"Safe: up to {self.safe:,} means no attack whatever recognises {share} of the members."
        elif self.sigma:
            yield f"Safe: not even one mean. With so little noise it may give {share} of the members away."
        else:
            yield "Safe: no number of means. Without noise nothing limits every attack."
        yield f"Means from which an attack recognises {share} of the members:"
        for attack in self.attacks:
            kind = "level holds for independent attributes" if attack.proven else "level approximate"
            yield f"  {attack.means:>13,}  {attack.name} ({attack.holds}; {kind})"
        if self.guaranteed is not None:
            yield (
                f"  {self.guaranteed:>13,}  guaranteed against every symmetric mechanism that is accurate on "
                "average (Robust Traceability, Proposition 13)"
            )
        else:
            yield (
                "No number of means is guaranteed to trace people against every mechanism: with this bias "
                "means may say too little (Robust Traceability, Proposition 13)."
            )
        if self.means is not None:
            yield ""
            yield from self._wanted(self.means)
        yield ""

    def _wanted(self, means: int) -> Iterator[str]:
        best = max(self.attacks, key=lambda attack: attack.recognised or 0.0)
        yield f"With {means:,} means: {best.name} recognises {best.recognised or 0:.1%} of the members."
        if self.limit is not None:
            yield (
                f"  No attack recognises more than {self.limit:.1%}: rho = {self.rho:.4g}, epsilon = "
                f"{self.epsilon:.4g} at delta {DELTA:g}."
            )


def plan_of(
    n: int,
    reference: int | None,
    fpr: float,
    beta: float,
    *,
    sigma: float = 0.0,
    rho: float | None = None,
    means: int | None = None,
    alpha: float = 0.0,
    path: Path | None = None,
) -> tuple[TracingPlan, tuple[str, ...]]:
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
    if rho is not None and (sigma or means is None):
        raise InputError(
            "--rho",
            "must come with --means and without --sigma",
            f"sigma {sigma:g}, means {means}",
            "A budget is spent on all means together.",
        )
    prior: Prior = UNIFORM
    notes: tuple[str, ...] = ()
    if path is not None:
        from dalenius.genomes.frequencies import read_frequencies
        from dalenius.release.means import from_fractions

        found = read_frequencies(path)
        prior, notes = spectrum_of(from_fractions(found.frequency)), found.notes
    made = plan_tracing(
        n,
        references=math.inf if reference is None else reference,
        fpr=fpr,
        beta=beta,
        sigma=None if rho is not None else 2 * sigma,
        rho=rho,
        d=means if rho is not None else None,
        alpha=alpha,
        prior=prior,
    )
    return made, notes


def describe(plan: TracingPlan, means: int | None = None, notes: tuple[str, ...] = ()) -> Sizes:
    """Turn a plan into plain values, with what reading the frequencies left out.

    Examples
    --------
    >>> plan, notes = plan_of(5000, 2000, 1e-3, 0.5, sigma=0.01)
    >>> sizes = describe(plan, 1000, notes)
    >>> sizes.safe, round(sizes.limit, 3)
    (23873, 0.007)
    """
    noisy = means is not None and plan.sigma > 0
    return Sizes(
        people=plan.n,
        reference=None if math.isinf(plan.references) else int(plan.references),
        false_alarms=plan.fpr,
        recognised=plan.beta,
        sigma=plan.sigma / 2,
        law=plan.smoothing or "uniform",
        notes=notes,
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
