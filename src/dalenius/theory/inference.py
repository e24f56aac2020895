"""What differential privacy promises people who are related: closed forms.

Ghosh and Kleinberg, *Inferential Privacy Guarantees for Differentially Private Mechanisms*, in the corrected
form. A release is nu-inferentially private for a person if it changes the odds of any two values of theirs by
at most ``e^nu``; for independent people nu is epsilon. Bits agree along an edge with strength ``J``: alone,
two people agree with probability ``p`` when ``J = atanh(2p - 1)``. Fields are half log-odds. Everything is in
log-odds: neither ``e^u`` nor ``e^(2h)`` is ever formed.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, logsumexp

from dalenius.errors import InputError
from dalenius.theory import _check

Floats = NDArray[np.float64]


def message(coupling: ArrayLike, log_odds: ArrayLike) -> Floats:
    """Return what a neighbour's log-odds say across an edge: ``ln (e^(J+u)+e^-J)/(e^J+e^(u-J))``.

    Odd in both; never more than ``|u|`` or ``2|J|``. The usual ``2 atanh(tanh J tanh(u/2))`` loses every
    digit when either is large; this form does not.

    Examples
    --------
    >>> float(message(0.5, 0.3).round(12)), float(message(400.0, 900.0))
    (0.137822404948, 800.0)
    """
    J, u = np.asarray(coupling, np.float64), np.asarray(log_odds, np.float64)
    least, most = np.minimum(np.abs(u), 2 * np.abs(J)), np.maximum(np.abs(u), 2 * np.abs(J))
    near = 1 + np.exp(least - most)
    # at most 30, exp(least) is in range and its small part must not be lost; beyond, it must not be formed
    exact = np.log1p(-np.expm1(-most) * np.expm1(np.minimum(least, 30.0)) / near)
    size = np.where(least <= 30.0, exact, least - np.log(near))
    result: Floats = np.sign(J) * np.sign(u) * size
    return result


def coupling_of(agreement: float) -> float:
    """Return the strength J of an edge whose two people alone agree with this probability.

    Examples
    --------
    >>> round(coupling_of(0.75), 12)
    0.549306144334
    """
    p = _check.open_unit("agreement", agreement)
    return 0.5 * (math.log(p) - math.log1p(-p))


def nu_of_pair(agreement: float, own: float, other: float) -> float:
    """Return nu of one of two related people, released with these epsilons.

    Examples
    --------
    >>> round(nu_of_pair(0.75, 0.3, 0.3), 12)
    0.449160976537
    """
    own, other = _check.nonnegative("epsilon", own), _check.nonnegative("epsilon", other)
    return own + abs(float(message(coupling_of(agreement), other)))


def nu_of_clique(people: int, coupling: float, field: float, epsilon: float) -> float:
    """Return nu of everybody in a group where all pairs are related alike.

    Examples
    --------
    >>> round(nu_of_clique(4, 0.3, 0.0, 0.2), 12), round(nu_of_clique(4, 0.3, 0.2, 0.2), 12)
    (0.47979243108, 0.465916439965)
    """
    people, epsilon = _check.count("people", people), _check.nonnegative("epsilon", epsilon)
    coupling, field = _check.nonnegative("coupling", coupling), _check.number("field", field)
    before = _clique_log_odds(people, coupling, field)
    up = _clique_log_odds(people, coupling, field + epsilon / 2) - before
    return max(up, before - _clique_log_odds(people, coupling, field - epsilon / 2))


def _clique_log_odds(people: int, J: float, h: float) -> float:
    others = people - 1
    minus = np.arange(others + 1)
    t = others - 2.0 * minus
    ways = gammaln(others + 1) - gammaln(minus + 1) - gammaln(others - minus + 1)
    among = ways + J * (t**2 - others) / 2 + h * t
    return float(logsumexp(among + J * t + h) - logsumexp(among - J * t - h))


def tree_log_odds(children: int, depth: int, coupling: float, field: float) -> float:
    """Return the log-odds of the root of a complete tree of this depth; a root alone has depth 0.

    Examples
    --------
    >>> round(tree_log_odds(2, 5, coupling_of(0.7), 0.05), 12)
    0.365023881204
    """
    children, depth = _check.count("children", children), _check.count("depth", depth, at_least=0)
    u = 2 * field
    for _ in range(depth):
        u = 2 * field + children * float(message(coupling, u))
    return u


def nu_of_root(children: int, depth: int, coupling: float, epsilon: float, field: float = 0.0) -> float:
    """Return nu of the root of a complete tree whose every member has this epsilon and prior field.

    The paper's phase transition: with three children, 12 generations and a lopsided prior, epsilon 0.19
    keeps nu at 0.19 and epsilon 0.2 lets it jump above 20.

    Examples
    --------
    >>> [round(nu_of_root(3, 12, 1.7, eps, 0.0975), 9) for eps in (0.19, 0.2)]
    [0.190577582, 20.593917218]
    """
    epsilon = _check.nonnegative("epsilon", epsilon)
    before = tree_log_odds(children, depth, coupling, field)
    up = tree_log_odds(children, depth, coupling, field + epsilon / 2) - before
    return max(up, before - tree_log_odds(children, depth, coupling, field - epsilon / 2))


def nu_of_bounded_degree(degree: int, coupling: float, epsilon: float) -> float:
    """Return the least nu that holds in every tree of at most this degree, without fields (Corollary A.6).

    The limit of inner people of ever larger trees: approached, not attained.

    Examples
    --------
    >>> round(nu_of_bounded_degree(3, 0.3, 0.1), 12), round(nu_of_bounded_degree(3, 0.6, 1e-4), 12)
    (0.307242733353, 1.676541155239)
    """
    degree = _check.count("degree", degree, at_least=2)
    coupling, epsilon = _check.nonnegative("coupling", coupling), _check.nonnegative("epsilon", epsilon)
    if epsilon == 0:
        return 0.0
    d = degree - 1
    return (degree * _root_above(epsilon, d, coupling, epsilon) - epsilon) / d


def least_enforceable_nu(degree: int, coupling: float) -> float:
    """Return the nu that no positive epsilon gets under, in all trees of this degree; 0 below the transition.

    Above ``(degree - 1) tanh J = 1`` distant relatives drown out any noise: nu stays above a constant
    however small epsilon is.

    Examples
    --------
    >>> round(least_enforceable_nu(3, 0.6), 12), least_enforceable_nu(3, 0.5)
    (1.675504954896, 0.0)
    """
    degree, coupling = _check.count("degree", degree, at_least=2), _check.nonnegative("coupling", coupling)
    d = degree - 1
    if d * math.tanh(coupling) <= 1:
        return 0.0
    start = 2 * coupling * d
    while d * float(message(coupling, start)) <= start:
        if start < 1e-9:
            return 0.0  # at the transition, as far as the digits go
        start /= 2
    return degree / d * _root_above(0.0, d, coupling, start)


def slope_limit(degree: int, coupling: float) -> float:
    """Return the most that nu is per epsilon in trees of this degree, below the transition; infinite above.

    Examples
    --------
    >>> round(0.1 * slope_limit(3, 0.3), 12)
    0.309389232292
    """
    degree, coupling = _check.count("degree", degree, at_least=2), _check.nonnegative("coupling", coupling)
    slack = 1 - (degree - 1) * math.tanh(coupling)
    return (degree / slack - 1) / (degree - 1) if slack > 0 else math.inf


def epsilon_for_bounded_degree(degree: int, coupling: float, nu: float) -> float:
    """Return the largest epsilon that keeps everybody in every such tree under nu.

    Raises
    ------
    InputError
        If no epsilon does: nu is not above `least_enforceable_nu`.

    Examples
    --------
    >>> round(epsilon_for_bounded_degree(3, 0.3, 0.5), 12)
    0.164588825162
    """
    from scipy.optimize import brentq

    nu = _check.positive("nu", nu)
    least = least_enforceable_nu(degree, coupling)
    if nu <= least:
        raise InputError(
            "nu",
            f"must be above {least:.6g}",
            f"{nu:g}",
            "No epsilon keeps nu lower in all trees of this degree.",
        )
    return float(brentq(lambda eps: nu_of_bounded_degree(degree, coupling, eps) - nu, 0.0, nu, xtol=1e-14))


def nu_of_parity(blocks: int, size: int, epsilon: float) -> float:
    """Return the worst nu of the parity example (A.1): ``(r + 1) epsilon``, though pairs are independent.

    Examples
    --------
    >>> nu_of_parity(3, 2, 0.5)
    2.0
    """
    _check.count("size", size)
    return (_check.count("blocks", blocks) + 1) * _check.nonnegative("epsilon", epsilon)


def affiliated_formula_on_parity(blocks: int, size: int, epsilon: float) -> float:
    """Return what the formula for positively affiliated data gives on the parity example: too little.

    ``epsilon + 2 r atanh(tanh(epsilon/2)^s)``.

    Examples
    --------
    >>> round(affiliated_formula_on_parity(3, 2, 0.5), 12)
    0.860343520875
    """
    blocks, size = _check.count("blocks", blocks), _check.count("size", size)
    epsilon = _check.nonnegative("epsilon", epsilon)
    return epsilon + 2 * blocks * math.atanh(math.tanh(epsilon / 2) ** size)


def _root_above(own: float, d: int, J: float, start: float) -> float:
    """Solve ``u = own + d f(J, u)`` above ``start``.

    The message is concave in positive log-odds, so there the two sides cross once. This is where iteration
    from 0 ends up, but close to the transition iteration would take forever.
    """
    from scipy.optimize import brentq

    top = own + 2 * J * d
    return float(brentq(lambda u: own + d * float(message(J, u)) - u, start, top, xtol=1e-15, rtol=1e-15))
