"""Privacy parameters: the one place that converts, composes and knows sensitivities.

Symbols: `epsilon`, `delta` of differential privacy; `rho` of zero-concentrated differential privacy
(zCDP); `mu` of Gaussian differential privacy (GDP); `tau` the standard deviation of noise on a count.
Two databases are neighbours when one person's record is replaced, or only their secret flipped.

What is promised about one bit, everything else known, follows from one curve: the smallest delta for
each epsilon. A guess under prior p is right with probability at most
``max(p, 1-p) + min(p, 1-p) * delta(|logit p|)``, because the best guess maximises
``p P(T) - (1-p) Q(T)`` over events T.

Sources: Dwork, Smith, Steinke and Ullman (2017), *Exposed!*; Bun and Steinke (2016), *Concentrated
Differential Privacy*; Canonne, Kamath and Steinke (2020), *The Discrete Gaussian*; Dong, Roth and Su
(2022), *Gaussian Differential Privacy*; Balle and Wang (2018), *Improving the Gaussian Mechanism*;
Kairouz, Oh and Viswanath (2015), *The Composition Theorem*; Dwork and Roth (2014), *The Algorithmic
Foundations*.
"""

from __future__ import annotations

from dalenius.theory.privacy.amounts import (
    amount_slope,
    closer_from_epsilon,
    closer_from_mu,
    mu_for_closer,
    one_amount_moves,
)
from dalenius.theory.privacy.composition import (
    advanced_composition,
    compose_epsilon,
    compose_mu,
    compose_rho,
    group_epsilon_delta,
    group_mu,
    group_rho,
)
from dalenius.theory.privacy.conversions import (
    delta_from_mu,
    delta_from_rho,
    delta_from_rho_tight,
    epsilon_from_mu,
    epsilon_from_rho,
    epsilon_from_rho_tight,
    mu_from_epsilon_delta,
    mu_from_rho,
    rho_from_epsilon,
    rho_from_epsilon_delta,
    rho_from_epsilon_tight,
    rho_from_mu,
)
from dalenius.theory.privacy.guess import (
    advantage_from_epsilon,
    advantage_from_mu,
    advantage_from_rho,
    advantage_from_zcdp,
    guess_from_epsilon,
    guess_from_mu,
    guess_from_rho,
    guess_from_zcdp,
    rho_for_advantage,
)
from dalenius.theory.privacy.mixtures import deltas_of_groups, epsilon_of_mixtures, rho_of_epsilon
from dalenius.theory.privacy.noise import (
    counting_queries_noise,
    counting_queries_rho,
    gaussian_noise,
    gaussian_rho,
    laplace_scale,
    means_noise,
    means_rho,
)
from dalenius.theory.privacy.power import power_from_epsilon, power_from_mu, power_from_rho, power_from_zcdp
from dalenius.theory.privacy.sensitivity import query_sensitivity, table_sensitivity

__all__ = [
    "advanced_composition",
    "advantage_from_epsilon",
    "advantage_from_mu",
    "advantage_from_rho",
    "advantage_from_zcdp",
    "amount_slope",
    "closer_from_epsilon",
    "closer_from_mu",
    "compose_epsilon",
    "compose_mu",
    "compose_rho",
    "counting_queries_noise",
    "counting_queries_rho",
    "delta_from_mu",
    "delta_from_rho",
    "delta_from_rho_tight",
    "deltas_of_groups",
    "epsilon_from_mu",
    "epsilon_from_rho",
    "epsilon_from_rho_tight",
    "epsilon_of_mixtures",
    "gaussian_noise",
    "gaussian_rho",
    "group_epsilon_delta",
    "group_mu",
    "group_rho",
    "guess_from_epsilon",
    "guess_from_mu",
    "guess_from_rho",
    "guess_from_zcdp",
    "laplace_scale",
    "means_noise",
    "means_rho",
    "mu_for_closer",
    "mu_from_epsilon_delta",
    "mu_from_rho",
    "one_amount_moves",
    "power_from_epsilon",
    "power_from_mu",
    "power_from_rho",
    "power_from_zcdp",
    "query_sensitivity",
    "rho_for_advantage",
    "rho_from_epsilon",
    "rho_from_epsilon_delta",
    "rho_from_epsilon_tight",
    "rho_from_mu",
    "rho_of_epsilon",
    "table_sensitivity",
]
