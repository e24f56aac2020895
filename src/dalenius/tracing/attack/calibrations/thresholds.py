"""P-values of the thresholds that the papers print and prove, which `theory.tracing.traceability` has.

With ``L = ln(1/level)`` and one reference record (Dwork, Smith, Steinke, Ullman, Vadhan, *Robust
Traceability*):

========= ==================================== ===========================================================
fig1      sqrt(8 d L)                          Figure 1 as printed: sound, and guarantees level^2
proof     2 sqrt(d L)                          what the proof of soundness needs
fig2      4 alpha sqrt(d L)                    Figure 2, for weights within 2 alpha
fig3      2 sd sqrt(d L)                       Figure 3, real values, no column's spread above ``sd``
fig3-half 2 sd sqrt(d ln(1/(2 level)))         the same proof without its slack
known-sd  sqrt(2 sum sd_j^2 q_j^2) z_level     exact for Gaussian values with known spread
========= ==================================== ===========================================================

Each of the first five is ``sqrt(2 W L)`` for some W, so the p-value is ``exp(-S^2 / (2 W))``.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def figure_spread(rule: str, d: Values | float, *, alpha: float = 0.0, sd: float = 0.0) -> Values:
    """Return W: the threshold is ``sqrt(2 W ln(1/level))``.

    Examples
    --------
    >>> float(figure_spread("proof", 12))
    24.0
    """
    factor = {"fig1": 4.0, "proof": 2.0, "fig2": 8 * alpha**2, "fig3": 2 * sd**2, "fig3-half": 2 * sd**2}
    return factor[rule] * np.asarray(d, np.float64)


def norm_spread(v: Values, m0: float = math.inf, *, hwe: bool = False) -> float:
    """Return W of Hoeffding's inequality with the actual weights, ``(1 + 1/m0) ||v||^2``; half under HWE."""
    return float((1 + 1 / m0) * (v**2).sum()) * (0.5 if hwe else 1.0)


def log_p(score: Values, spread: Values | float, rule: str = "norm") -> Values:
    """Return the smallest level that accuses, as a logarithm; 0 unless the score is positive."""
    safe = np.where(np.asarray(spread) > 0, spread, 1.0)
    bound = -(np.maximum(score, 0) ** 2) / (2 * safe)
    if rule == "fig3-half":
        bound = bound + np.where(score > 0, math.log(0.5), 0.0)
    return np.where((score > 0) & (np.asarray(spread) > 0), bound, 0.0)
