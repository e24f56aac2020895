"""How much each attribute counts: the weights of the linear score, one function per name.

Every attack scores ``<record, v>``; ``v`` comes from what was published (``q``) and, but for ``raw``, from
what the attacker holds of the population (``centre``, and ``smooth`` where a logarithm or a quotient needs
it away from the ends). All in units where a bit is -1 or +1. The formulas are elementwise, so they serve
one vector as well as the table of an attribute's values.

====== ============================================================= =========================================
name   formula                                                       from
====== ============================================================= =========================================
raw    q                                                             Robust Traceability, Figures 1 and 3
clip   q - centre, cut at 2 alpha either side                        Robust Traceability, Figure 2
corr   q - centre                                                    Exposed!, after Theorem 15
opt    (q - centre) / (1 - centre^2 + n sigma^2)                     the best linear weights
llr    atanh q - atanh centre                                        Sankararaman et al.; Exposed!, Theorem 10
homer  (q - centre) / 2, for values -1 and +1                        Homer et al.
absent q where it is -1 or +1, else 0                                ounts alleles that nobody has
====== ============================================================= =========================================
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, UnsupportedError, nearest

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Facts:
    """What is said about the release.

    Parameters
    ----------
    n
        How many people it is about; ``None`` if that is not said.
    sigma
        Standard deviation of the noise on a mean; ``None`` if that is not said.
    alpha
        A guess of the error of a mean, for ``clip``.
    alleles
        2 for genotypes, which count two alleles per person; 1 otherwise.
    """

    n: int | None = None
    sigma: float | None = None
    alpha: float | None = None
    alleles: int = 1


Weighing = Callable[[Values, Values, Values, Facts], Values]


def raw(q: Values, centre: Values, smooth: Values, facts: Facts) -> Values:
    """Return the published means themselves."""
    return q + 0.0 * centre


def clip(q: Values, centre: Values, smooth: Values, facts: Facts) -> Values:
    """Cut the difference at twice the error that the release is guessed to have."""
    assert facts.alpha is not None  # noqa: S101  (checked by check_weights)
    return np.clip(q - centre, -2 * facts.alpha, 2 * facts.alpha)


def corr(q: Values, centre: Values, smooth: Values, facts: Facts) -> Values:
    """Return the difference between what was published and the population."""
    return q - centre


def opt(q: Values, centre: Values, smooth: Values, facts: Facts) -> Values:
    """Divide the difference by the variance of a value plus that of the noise of n people.

    The best linear weights are ``(q - p) / (V + n sigma^2)`` with V the variance of a value; genotypes have
    half the variance of bits, and all weights may be doubled, which leaves ``1 - p^2 + 2 n sigma^2``.
    """
    spread = 1 - smooth**2
    if facts.sigma and facts.n is not None:
        spread = spread + facts.alleles * facts.n * facts.sigma**2
    return (q - smooth) / spread


def llr(q: Values, centre: Values, smooth: Values, facts: Facts) -> Values:
    """Return the log-likelihood ratio of a value one step up.

    Published means of exactly -1 or +1 are taken half a count inside, so that one error in a record does
    not veto.
    """
    return facts.alleles * (np.arctanh(inside(q, facts)) - np.arctanh(smooth))


def homer(q: Values, centre: Values, smooth: Values, facts: Facts) -> Values:
    """Return what Homer's distance amounts to for values of -1 and +1."""
    return (q - centre) / 2


def absent(q: Values, centre: Values, smooth: Values, facts: Facts) -> Values:
    """Count, downwards, the values that the release says nobody has.

    Alleles are two per person: at a mean of -1 nobody has the counted one, at +1 nobody the other.
    """
    return np.where(np.abs(q) >= 1, np.sign(q), 0.0) + 0.0 * centre


def inside(q: Values, facts: Facts) -> Values:
    """Move published means half a count away from -1 and +1."""
    assert facts.n is not None  # noqa: S101  (checked by check_weights)
    limit = 1 - 1 / (facts.alleles * facts.n)
    return np.clip(q, -limit, limit)


WEIGHTS: dict[str, Weighing] = {
    "raw": raw,
    "clip": clip,
    "corr": corr,
    "opt": opt,
    "llr": llr,
    "homer": homer,
    "absent": absent,
}

WITHOUT_CENTRE = frozenset({"raw", "absent"})
"""Weights that need nothing of the population."""


def check_weights(name: str, facts: Facts, kind: str) -> Weighing:
    """Return the function of these weights, or say what is missing for them."""
    if name not in WEIGHTS:
        raise InputError(f"weights {name!r}", "must be known ones", name, nearest(name, WEIGHTS))
    if name == "clip" and facts.alpha is None:
        raise InputError(
            "alpha", "must be given for the weights clip", "nothing", "Guess the release's error, as 0.1."
        )
    if facts.alpha is not None and not 0 < facts.alpha < np.inf:
        raise InputError("alpha", "must be above 0", f"{facts.alpha:g}", "Guess the release's error.")
    if name == "llr" and (facts.n is None or facts.n < 2):
        raise InputError(
            "n",
            "must be at least 2 for the weights llr",
            "nothing" if facts.n is None else str(facts.n),
            "Say how many people the release is about, or use the weights corr.",
        )
    if name == "opt" and facts.sigma and facts.n is None:
        raise InputError(
            "n", "must be given for the weights opt on a noisy release", "nothing", "Or use the weights corr."
        )
    if kind == "real" and name in {"opt", "llr", "homer", "absent"}:
        raise UnsupportedError(
            f"the weights {name} are for values of -1 and +1 or for genotypes; real values have a variance "
            "of their own: use raw, clip or corr"
        )
    return WEIGHTS[name]
