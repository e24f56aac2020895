"""How much people's values depend on each other's, and what that promises: six upper bounds on nu.

Two matrices of influence, of j on i when everybody else is fixed:

- ``gamma_ij``, half the largest change of ``ln Pr(x_i = v | others)`` as x_j changes (Definition 4.1, which
  needs every combination of values to be possible);
- ``gtilde_ij``, a quarter of the largest change of the log-odds of two values of x_i; gamma/2 to gamma.

With ``Phi = sum_k Gamma^k`` and ``Phit = sum_k Gtilde^k``, which exist where the *spectral radius* is below 1
(Theorem 4.2 asks for the norm, which is more than its proof needs):

=========  ==========================  =======================================
group      sum of eps                  always: group privacy
paper      2 Phi eps                   Theorem 4.2
A          eps + Phi eps               ours, as all below
A-bin      Phi eps                     people with two values
B          2 eps + Gamma Phit eps
B-bin      eps + Gamma Phit eps        people with two values
=========  ==========================  =======================================

Where ours differ from the paper: the likelihood ratio of one person's values given the rest is within e^eps
(not e^(2 eps)), only odds enter the step that is iterated, and for two values the last, smoothing, step costs
eps (not 2 eps). All are rounded up: they hold as printed.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import expit

from dalenius.inference.attack.bounds.events import epsilons
from dalenius.inference.attack.bounds.spectral import UNIT, Influences, Labels, Radius, radius, resolvent
from dalenius.knowledge.correlation.joint import JointPrior
from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.shown import hides_people

NAMES = ("group", "B-bin", "A-bin", "B", "A", "paper")
"""From where several are equal, the first is named."""

STRONGEST = 1.0
"""Two people with a coupling of this size alone have an influence matrix of radius 1."""


@hides_people()
@dataclass(frozen=True)
class Bounds:
    """Upper bounds on everybody's nu, side by side.

    Parameters
    ----------
    values
        By name; infinite where a bound does not hold or could not be shown to, None where that is so for all.
    radius_gamma, radius_gtilde
        Limits of the two spectral radii, by group; None where a table has combinations of probability 0.
    best
        The smallest of them, everybody's.
    best_name
        Which it is.
    notes
        Which do not hold, for how many people, and why.
    """

    values: Mapping[str, Floats | None]
    radius_gamma: Radius | None
    radius_gtilde: Radius | None
    best: Floats
    best_name: NDArray[np.str_]
    notes: tuple[str, ...]


def bounds(prior: CorrelationModel | JointPrior, epsilon: float | Floats) -> Bounds:
    """Bound everybody's nu by all six.

    Examples
    --------
    >>> chain = CorrelationModel("id", np.array(["a", "b", "c"]), np.array([[0, 1], [1, 2]]),
    ...                          np.array([0.3, 0.3]), np.zeros(3))
    >>> found = bounds(chain, 0.2)
    >>> found.values["B-bin"].round(9), found.values["paper"].round(9)
    (array([0.31707317, 0.44418924, 0.31707317]), array([0.67623855, 0.92079517, 0.67623855]))
    """
    eps = epsilons(epsilon, len(prior))
    if isinstance(prior, JointPrior):
        return _of_table(prior, eps)
    return _of_network(prior, eps)


def _of_network(model: CorrelationModel, eps: Floats) -> Bounds:
    model = _links(model, model.coupling != 0)
    group = model.components()
    groups = int(group.max(initial=-1)) + 1
    at = group[model.edges[:, 0]]
    strongest = np.zeros(groups)
    np.maximum.at(strongest, at, np.abs(model.coupling))
    strong = strongest >= STRONGEST
    gamma, gtilde = network_influences(_links(model, ~strong[at]))
    sides = [Influences(matrix, group, groups) for matrix in (gamma, gtilde)]
    radii = [_no_less(radius(side), strongest, strong) for side in sides]
    values = _six(eps, sides, radii, binary=True)
    values["group"] = _group_privacy(eps, group, groups)
    return _side_by_side(values, radii, _notes(group, strong, radii, values))


def _of_table(joint: JointPrior, eps: Floats) -> Bounds:
    group = np.zeros(len(joint), np.int32)
    values = {"group": _group_privacy(eps, group, 1)}
    if not joint.everywhere:
        note = "combinations of probability 0: influences have no limit, and only the group bound holds"
        return _side_by_side(values, [], (note,))
    sides = [Influences(csr_array(matrix), group, 1) for matrix in table_influences(joint)]
    radii = [radius(side) for side in sides]
    values |= _six(eps, sides, radii, binary=joint.binary)
    return _side_by_side(values, radii, _notes(group, np.zeros(1, np.bool_), radii, values))


def _links(model: CorrelationModel, kept: NDArray[np.bool_]) -> CorrelationModel:
    return replace(model, edges=model.edges[kept], coupling=model.coupling[kept])


def _no_less(found: Radius, strongest: Floats, strong: NDArray[np.bool_]) -> Radius:
    """Put in the groups that were left out: two people with coupling J alone have radius J."""
    return Radius(np.where(strong, strongest, found.low), np.where(strong, np.inf, found.high))


def _six(eps: Floats, sides: list[Influences], radii: list[Radius], *, binary: bool) -> dict[str, Floats]:
    """All but the group bound; each sum loses at most two roundings."""
    gamma, gtilde = sides
    phi = resolvent(gamma, radii[0], eps)
    phit = resolvent(gtilde, radii[1], eps)
    finite = np.isfinite(phit)
    step = np.where(finite, gamma.above(np.where(finite, phit, 0.0)), np.inf)
    up = 1 + 4 * UNIT
    found = {"paper": 2 * phi, "A": (eps + phi) * up, "B": (2 * eps + step) * up}
    return found | {"A-bin": phi, "B-bin": (eps + step) * up} if binary else found


def _group_privacy(eps: Floats, group: Labels, groups: int) -> Floats:
    """The sum of eps over the group, rounded up; a single person's is exact."""
    others = np.bincount(group, minlength=groups) - 1
    return (np.bincount(group, eps, minlength=groups) * (1 + 2 * UNIT * others))[group]


def _side_by_side(values: Mapping[str, Floats], radii: list[Radius], notes: tuple[str, ...]) -> Bounds:
    table = np.stack([values.get(name, np.full_like(values["group"], np.inf)) for name in NAMES])
    which = table.argmin(axis=0)
    best = table[which, np.arange(which.size)]
    shown = {name: row if np.isfinite(row).any() else None for name, row in zip(NAMES, table, strict=True)}
    gamma, gtilde = radii or (None, None)
    return Bounds(shown, gamma, gtilde, best, np.array(NAMES)[which], notes)


def _notes(
    group: Labels, strong: NDArray[np.bool_], radii: list[Radius], values: Mapping[str, Floats]
) -> tuple[str, ...]:
    """For how many people a condition fails or is not shown; everything in the words of a report."""
    size = np.bincount(group, minlength=strong.size)
    notes = []
    if strong.any():
        notes.append(
            f"{size[strong].sum():,} people are in groups with a coupling of {STRONGEST:g} or more: "
            "the spectral radii are above 1 there, and only the group bound holds"
        )
    uses = (("gamma", ("A", "A-bin", "paper")), ("gtilde", ("B", "B-bin")))
    for (letter, of_it), found in zip(uses, radii, strict=True):
        names = ", ".join(name for name in of_it if name in values)
        unsolved = int((np.isinf(values[of_it[0]]) & (found.high < 1)[group]).sum())
        if unsolved:
            notes.append(f"{names} not available for {unsolved:,} people: the solver came to no certain end")
        low, high = found.low[~strong], found.high[~strong]
        below, above = high < 1, low >= 1
        if below.any():
            notes.append(
                f"{names}: the spectral radius of {letter} is below 1 in the groups of "
                f"{size[~strong][below].sum():,} people (at most {high[below].max():.6g})"
            )
        for failed, words in ((above, "is 1 or more"), (~below & ~above, "could not be shown to be below 1")):
            if failed.any():
                notes.append(
                    f"{names} not available for {size[~strong][failed].sum():,} people: "
                    f"the spectral radius of {letter} {words} in their groups "
                    f"(between {low[failed].min():.6g} and {high[failed].max():.6g})"
                )
    return tuple(notes)


def network_influences(model: CorrelationModel) -> tuple[csr_array, csr_array]:
    """Gamma, rounded up, and gtilde of a network whose couplings are finite and not 0.

    ``gtilde_ij = |J_ij|``. Gamma also depends on what else pulls at i, ``T = |h_i| + sum_{k != j} |J_ik|``:
    ``(softplus(2(T + |J|)) - softplus(2(T - |J|)))/2``, which is |J| for T = 0 and grows to 2|J|. So it is
    not symmetric, and the paper's "gamma = J" on trees is true of gtilde.
    """
    gtilde = model.matrix(np.abs(model.coupling))
    gtilde.sort_indices()
    entries = np.diff(gtilde.indptr)
    pull = (np.abs(model.field) + gtilde.sum(axis=1)) * (1 + 2 * UNIT * (entries + 2))
    data = _gamma(gtilde.data, np.repeat(pull, entries))
    return csr_array((data, gtilde.indices, gtilde.indptr), shape=gtilde.shape), gtilde


def _gamma(J: Floats, pull: Floats) -> Floats:
    """``ln((1 + e^(b + 4J)) / (1 + e^b)) / 2`` with ``b = 2 (pull - 2 J)``, rounded up; pull includes J."""
    result: Floats = 0.5 * np.log1p(np.expm1(4 * J) * expit(2 * (pull - 2 * J))) * (1 + 64 * UNIT)
    return result


def table_influences(joint: JointPrior) -> tuple[Floats, Floats]:
    """Gamma and gtilde of a table, rounded up; infinite if any combination has probability 0.

    The maxima are over contexts of positive probability. Three identical people have none that differ in
    one person: read as an influence of 0, the theorem would promise 2 eps where nu is 3 eps.
    """
    n = len(joint)
    gamma, gtilde = np.zeros((n, n)), np.zeros((n, n))
    if not joint.everywhere:
        gamma[~np.eye(n, dtype=np.bool_)] = gtilde[~np.eye(n, dtype=np.bool_)] = np.inf
        return gamma, gtilde
    for i in range(n):
        log = np.log(joint.mass) - np.log(joint.mass.sum(axis=i, keepdims=True))
        lost = 8 * UNIT * (np.abs(np.log(joint.mass)).max() + joint.mass.shape[i])
        for j in range(n):
            if i != j:
                gamma[i, j], gtilde[i, j] = _along(log, i, j)
        gamma[i] += lost
        gtilde[i] += lost
        gamma[i, i] = gtilde[i, i] = 0.0
    return gamma, gtilde


def _along(log: Floats, i: int, j: int) -> tuple[float, float]:
    """The influence of j on i: for all pairs of values of j, how the log-probabilities of i change."""
    table = np.moveaxis(log, (j, i), (0, 1)).reshape(log.shape[j], log.shape[i], -1)
    gamma = gtilde = 0.0
    for before, after in itertools.combinations(table, 2):
        change = after - before
        gamma = max(gamma, float(np.abs(change).max()) / 2)
        gtilde = max(gtilde, float((change.max(axis=0) - change.min(axis=0)).max()) / 4)
    return gamma, gtilde
