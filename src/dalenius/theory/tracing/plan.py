"""Before means are published: how many columns trace people, and how many are safe.

One call puts together what `power` expects of each attack, what `traceability` guarantees against any
mechanism of small bias, and what `privacy` guarantees for Gaussian noise. Units of -1/+1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dalenius.errors import InputError
from dalenius.theory import _check
from dalenius.theory.privacy import epsilon_from_mu, means_rho, mu_from_rho, power_from_rho
from dalenius.theory.tracing import power as law
from dalenius.theory.tracing.count_mechanisms import (
    effective_gamma,
    effective_omega,
    effective_square,
    sample_means,
)
from dalenius.theory.tracing.priors import UNIFORM, Density, Prior, Vector, quantiles
from dalenius.theory.tracing.strong_distributions import gamma
from dalenius.theory.tracing.traceability import columns_to_trace

LIMIT = "no attack"
"""Name, in a curve, of the power that no attack can pass."""

DELTA = 1e-6
"""At which epsilon is stated."""


@dataclass(frozen=True)
class PlannedAttack:
    """One attack, as it is expected to do.

    Attributes
    ----------
    name
        Weights and calibration, as the attacks call them.
    holds
        What the attacker holds besides the target's record.
    proven
        Whether its false alarms are bounded by proof; otherwise by a normal approximation.
    effect
        Per square root of a column, in standard deviations of an outsider's score.
    threshold
        In the same units.
    columns
        From which it accuses the wanted share of members.
    """

    name: str
    holds: str
    proven: bool
    effect: float
    threshold: float
    columns: float

    def power(self, d: ArrayLike) -> Vector:
        """Return the share of members accused with so many columns."""
        return law.power(self.effect * np.sqrt(_check.positive_vector("d", d)), self.threshold)


@dataclass(frozen=True)
class TracingPlan:
    """What to expect of means of n people.

    Attributes
    ----------
    n, references, sigma, fpr, beta
        As given: people, reference people (infinite: the population's means are known), noise, false
        alarms, and the share of members that counts as traced.
    attacks
        Best first.
    gamma
        Of the law of means at this bias; at or below 0 nothing is guaranteed.
    guaranteed
        Columns from which *every* mechanism of this bias, answering each column from its own mean, gives each
        member away with probability 1 - fpr to one reference person (Dwork and others 2015,
        Proposition 13); None if nothing is guaranteed.
    safe
        Columns up to which no attack whatever accuses a share beta of members; 0 without noise.
    smoothing
        How the law was made from data; empty if it was not.
    """

    n: int
    references: float
    sigma: float
    fpr: float
    beta: float
    attacks: tuple[PlannedAttack, ...]
    gamma: float
    guaranteed: float | None
    safe: float
    smoothing: str

    def curve(self, d: ArrayLike) -> dict[str, Vector]:
        """Return the share of members accused against the number of columns, for each attack.

        With noise, the entry ``no attack`` is the power that none can pass.

        Examples
        --------
        >>> found = plan_tracing(100, references=100).curve([100, 1000])
        >>> {name: np.round(power, 3).tolist() for name, power in found.items() if name.startswith("llr")}
        {'llr, pooled': [0.173, 0.719]}
        """
        columns = _check.positive_vector("d", d)
        found = {attack.name: attack.power(columns) for attack in self.attacks}
        if self.sigma > 0:
            whole = [max(1, math.ceil(value)) for value in columns]
            found[LIMIT] = np.array([self.limit(value) for value in whole])
        return found

    def limit(self, d: int) -> float:
        """Return the power that no attack can pass with d columns; 1 without noise."""
        return power_from_rho(means_rho(d, self.n, self.sigma), self.fpr) if self.sigma > 0 else 1.0

    def rho(self, d: int) -> float:
        """Return the rho of d columns with this noise; infinite without."""
        return means_rho(d, self.n, self.sigma) if self.sigma > 0 else math.inf

    def epsilon(self, d: int, delta: float = DELTA) -> float:
        """Return the epsilon of d columns with this noise at this delta; infinite without."""
        return epsilon_from_mu(mu_from_rho(self.rho(d)), delta) if self.sigma > 0 else math.inf


def plan_tracing(
    n: int,
    *,
    references: float = math.inf,
    fpr: float = 0.05,
    beta: float = 0.8,
    sigma: float = 0.0,
    alpha: float = 0.0,
    prior: Prior = UNIFORM,
) -> TracingPlan:
    """Say how many columns trace people and how many are safe.

    Parameters
    ----------
    n
        People in the data.
    references
        Reference people of the attacker; infinite if the population's means are known.
    fpr
        False alarms the attacker accepts.
    beta
        Share of members accused that counts as tracing.
    sigma
        Standard deviation of Gaussian noise on each mean (twice that of a frequency); for a budget of d
        columns together, `privacy.means_noise` finds it.
    alpha
        Largest bias of any mechanism that the guarantee is to cover.
    prior
        Law of the population's means, for example `priors.spectrum_of` the means at hand.

    Examples
    --------
    >>> plan = plan_tracing(100, references=100)
    >>> [(attack.name, math.ceil(attack.columns)) for attack in plan.attacks[:2]]
    [('llr, pooled', 1249), ('corr, pooled', 1499)]
    >>> math.ceil(plan.guaranteed), plan.safe
    (1571437, 0.0)
    """
    n, fpr, beta = _check.count("n", n), _check.open_unit("fpr", fpr), _check.open_unit("beta", beta)
    if beta <= fpr:
        raise InputError("beta", f"must be above fpr = {fpr:g}", repr(beta), "Chance alone reaches fpr.")
    noise = _check.nonnegative("sigma", sigma)
    strength = gamma(prior, alpha)
    attacks = [*_with_pool(n, references, fpr, beta, noise, prior), *_with_one(n, fpr, beta, noise, prior)]
    return TracingPlan(
        n,
        float(references),
        noise,
        fpr,
        beta,
        tuple(sorted(attacks, key=lambda attack: attack.columns)),
        strength,
        columns_to_trace(n, fpr, strength) if strength > 0 else None,
        law.columns_safe(n, noise, fpr, beta),
        prior.smoothing if isinstance(prior, Density) else "",
    )


def _with_pool(
    n: int, references: float, fpr: float, beta: float, sigma: float, prior: Prior
) -> list[PlannedAttack]:
    """Weights that are centred; the best ones need a term for the noise, the others are for exact means."""
    m, threshold = references, law.standard_threshold(fpr)
    known = math.isinf(m)
    how, holds = (
        ("known means", "the population's means") if known else ("pooled", f"{m:,.0f} reference people")
    )
    spread = 1 - quantiles(prior) ** 2
    best = law.effect_optimal(spread.size, n, spread=spread, sigma=sigma, centring=m, comparing=m)
    effects = {"llr" if sigma == 0 else "opt": best / math.sqrt(spread.size)}
    if sigma == 0:
        both = math.sqrt(1 + 1 / m)  # the pool is compared with, too
        effects["corr"] = law.effect_corr(1, n, prior=prior, references=m) / both
        effects["homer"] = law.effect_homer(1, n, prior=prior, references=m)
    return [
        PlannedAttack(
            f"{name}, {how if name != 'homer' else 'normal'}",
            holds,
            False,
            effect,
            threshold,
            law.columns_needed(effect, threshold, beta),
        )
        for name, effect in effects.items()
    ]


def _with_one(n: int, fpr: float, beta: float, sigma: float, prior: Prior) -> list[PlannedAttack]:
    """Figure 1: the release as weights, one reference person, thresholds that are proven.

    Noise leaves a member's mean score as it is and adds `sigma^2` to every squared answer.
    """
    exact = sample_means(n)
    omega = effective_omega(exact, prior) + sigma**2 * prior.moments()[0]
    square = effective_square(exact, prior) + sigma**2
    effect = law.effect_raw(1, n, effective_gamma(exact, prior), omega)
    hoeffding = law.standard_threshold(fpr, "hoeffding")
    thresholds = {"flip": law.standard_threshold(fpr, "bd"), "norm": hoeffding * math.sqrt(square / omega)}
    return [
        PlannedAttack(
            f"raw, {name}",
            "one reference person",
            True,
            effect,
            threshold,
            law.columns_needed(effect, threshold, beta),
        )
        for name, threshold in thresholds.items()
    ]
