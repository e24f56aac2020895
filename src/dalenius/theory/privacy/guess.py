"""How often a guess of one bit can be right under a promise."""

from __future__ import annotations

import math

from dalenius.errors import InputError
from dalenius.theory import _check
from dalenius.theory.privacy.conversions import delta_from_mu, delta_from_rho_tight, mu_from_rho, rho_from_mu

MOST_GAINED = 0.4999
"""Of a fair coin: any noise keeps to half."""

ROUNDED = 1e-12
"""By so much less, so that digits never make it more."""


def guess_from_mu(mu: float, prior: float = 0.5) -> float:
    """Bound the chance of guessing one bit under mu-GDP, everything else known.

    `p Phi(mu/2 + L/mu) + (1-p) Phi(mu/2 - L/mu)` with `L = ln(p/(1-p))`; `Phi(mu/2)` for prior 1/2.
    From the Neyman-Pearson lemma, as in Dwork, Smith, Steinke and Ullman (2017), section 4.2. Reached
    by Gaussian noise.

    Parameters
    ----------
    mu
        Parameter of Gaussian differential privacy, or the distance of the two answers in units of
        the noise.
    prior
        Chance p that the bit is 1 before the release.

    Examples
    --------
    >>> round(guess_from_mu(2**0.5, 0.3), 10)
    0.7958826665
    """
    return _baseline(prior) + advantage_from_mu(mu, prior)


def guess_from_rho(rho: float, prior: float = 0.5) -> float:
    """Bound the chance of guessing one bit under Gaussian noise with this rho.

    `Phi(sqrt(rho/2))` for prior 1/2: Dwork, Smith, Steinke and Ullman (2017), section 4.2. For any
    other rho-zCDP mechanism use `guess_from_zcdp`.

    Examples
    --------
    >>> [round(guess_from_rho(rho), 10) for rho in (0.01, 0.1, 1)]
    [0.5281859889, 0.5884683631, 0.7602499389]
    """
    return guess_from_mu(mu_from_rho(rho), prior)


def guess_from_zcdp(rho: float, prior: float = 0.5) -> float:
    """Bound the chance of guessing one bit under any rho-zCDP mechanism.

    By `delta_from_rho_tight`; larger than `guess_from_rho`, and need not be reached.

    Examples
    --------
    >>> round(guess_from_zcdp(0.1), 6)
    0.611803
    """
    return _baseline(prior) + advantage_from_zcdp(rho, prior)


def guess_from_epsilon(epsilon: float, prior: float = 0.5, delta: float = 0.0) -> float:
    """Bound the chance of guessing one bit under (epsilon, delta)-differential privacy.

    `exp(epsilon) / (1 + exp(epsilon))` for prior 1/2 and delta 0: randomised response, the worst case
    of Kairouz, Oh and Viswanath (2015).

    Examples
    --------
    >>> round(guess_from_epsilon(1.0), 6), round(guess_from_epsilon(1.0, 0.8), 6)
    (0.731059, 0.8)
    """
    return _baseline(prior) + advantage_from_epsilon(epsilon, prior, delta)


def advantage_from_mu(mu: float, prior: float = 0.5) -> float:
    """Bound the gain over the best blind guess under mu-GDP: `guess_from_mu` less `max(p, 1-p)`.

    Examples
    --------
    >>> round(advantage_from_mu(1.0), 6)
    0.191462
    """
    return _rarer(prior) * delta_from_mu(mu, _log_odds(prior))


def advantage_from_rho(rho: float, prior: float = 0.5) -> float:
    """Bound the gain over the best blind guess under Gaussian noise with this rho.

    Examples
    --------
    >>> [round(advantage_from_rho(0.1, p), 4) for p in (0.5, 0.6, 0.75)]
    [0.0885, 0.0214, 0.0004]
    """
    return advantage_from_mu(mu_from_rho(rho), prior)


def rho_for_advantage(advantage: float) -> float:
    """Return the largest rho of Gaussian noise under which no guess of a fair coin gains more than this.

    Raises
    ------
    InputError
        If no gain is tolerated.

    Examples
    --------
    >>> round(advantage_from_rho(rho_for_advantage(0.05)), 9)
    0.05
    """
    from scipy.special import ndtri

    if not advantage > 0:
        fix = "No noise keeps to it: publish nothing."
        raise InputError("policy", "must tolerate some gain", f"{advantage:g}", fix)
    return rho_from_mu(2 * float(ndtri(0.5 + min(advantage, MOST_GAINED)))) * (1 - ROUNDED)


def advantage_from_zcdp(rho: float, prior: float = 0.5) -> float:
    """Bound the gain over the best blind guess under any rho-zCDP mechanism.

    Examples
    --------
    >>> round(advantage_from_zcdp(0.1), 6)
    0.111803
    """
    return _rarer(prior) * delta_from_rho_tight(rho, _log_odds(prior))


def advantage_from_epsilon(epsilon: float, prior: float = 0.5, delta: float = 0.0) -> float:
    """Bound the gain over the best blind guess under (epsilon, delta)-differential privacy.

    0 with delta 0 once the prior odds exceed `exp(epsilon)`: no answer then changes the best guess.

    Examples
    --------
    >>> round(advantage_from_epsilon(1.0), 6), advantage_from_epsilon(1.0, 0.8)
    (0.231059, 0.0)
    """
    epsilon = _check.positive("epsilon", epsilon)
    delta = _check.delta_or_zero(delta)
    gap = max(0.0, -math.expm1(_log_odds(prior) - epsilon)) / (1 + math.exp(-epsilon))
    return _rarer(prior) * (delta + (1 - delta) * gap)


def _rarer(prior: float) -> float:
    prior = _check.open_unit("prior", prior)
    return min(prior, 1 - prior)


def _baseline(prior: float) -> float:
    return 1 - _rarer(prior)


def _log_odds(prior: float) -> float:
    rarer = _rarer(prior)
    return math.log1p(-rarer) - math.log(rarer)
