"""nu against epsilon: for the people of a network, and for all trees of the same degree and agreement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.inference.answers.bounded_degree import CurveOfTrees, tree_curve
from dalenius.inference.attack.nu import Nus, Prepared
from dalenius.inference.attack.solvers.blocks import blocks_with_loops
from dalenius.progress import Progress, silent

Floats = NDArray[np.float64]

POINTS = 17
"""Epsilons at which nu is computed for the picture: an odd number, so that the one given is in the middle."""

FEWER = 7
"""The same where each takes seconds."""

STRONGEST = 0.999
"""An agreement beyond which a tree of identical people says nothing more."""


@dataclass(frozen=True)
class NuCurve:
    """nu of the worst-off and of the median person at several epsilons.

    Parameters
    ----------
    epsilon, worst, median
        One of each a point.
    trees
        nu in all trees of the network's largest degree and strongest agreement; None without links.
    """

    epsilon: Floats
    worst: Floats
    median: Floats
    trees: CurveOfTrees | None


def scale(prepared: Prepared, nus: Nus, *, progress: Progress = silent) -> NuCurve:
    """Scale everybody's epsilon from a twentieth to twenty times and find nu.

    Parameters
    ----------
    nus
        Everybody's epsilon, of which the axis shows the largest, and nu as it is known already.
    """
    top = float(nus.epsilon.max())
    points = FEWER if prepared.slow else POINTS
    factors = np.geomspace(0.05, 20.0, points)
    worst, median = np.empty(points), np.empty(points)
    for at, factor in enumerate(factors):
        progress(at / points, "nu against epsilon")
        nu = nus.nu if at == points // 2 else prepared.nus(nus.epsilon * factor).nu
        worst[at], median[at] = nu.max(), np.median(nu)
    return NuCurve(top * factors, worst, median, _same_tree(prepared, top * factors))


def _same_tree(prepared: Prepared, epsilon: Floats) -> CurveOfTrees | None:
    model = prepared.model
    if not len(model.edges) or model.field.any():
        return None
    degree = max(2, int(model.degrees.max()))
    J = float(np.abs(model.coupling).max())
    agreement = 1 / (1 + np.exp(-2 * J))
    if agreement > STRONGEST:
        return None
    # within loops people agree more often than the coupling alone makes two of them: not what was stated
    looped = blocks_with_loops(model).links.size > 0
    strength = "the same couplings" if looped else f"agreement {agreement:.3g}"
    return tree_curve(degree, agreement, epsilon, strength=strength)
