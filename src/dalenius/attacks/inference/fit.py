"""Couplings that make given agreements hold on loops.

Couplings from agreements of an edge alone are exact on forests. On a loop people are also related the other
way round, and agree more often than asked for. Here all couplings and fields of a connected group are fitted
together: the model of largest entropy with these agreements and biases, which is unique.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from dalenius.attacks.inference.junction import JunctionTree, triangulate
from dalenius.errors import InputError, SolveError, UnsupportedError
from dalenius.knowledge.correlation.model import CorrelationModel, Floats

CLOSE = 1e-12
"""How far log-odds of agreement may stay from what was asked for."""

MOST_SWEEPS = 5000


@dataclass(frozen=True)
class Fitted:
    """A model whose agreements hold.

    Parameters
    ----------
    model
        With the fitted couplings and fields.
    sweeps
        How often everything was corrected, in the group that took longest; 0 if there is no loop.
    worst
        The largest difference left, in log-odds.
    """

    model: CorrelationModel
    sweeps: int
    worst: float


def fit(model: CorrelationModel, agreement: Floats, bias: Floats | None = None) -> Fitted:
    """Fit couplings and fields so that linked people agree as often as asked for, loops or not.

    Parameters
    ----------
    model
        The network with the couplings of edges alone, which forests keep.
    agreement
        One an edge: the probability that its people agree.
    bias
        The probability that each bit is 1; fair without.

    Raises
    ------
    TooWideError
        If a group with loops is too wide for a junction tree.
    SolveError
        If no model has these agreements: three people who all differ from each other, for example.

    Examples
    --------
    >>> square = CorrelationModel("id", np.array(["a", "b", "c", "d"]),
    ...                           np.array([[0, 1], [1, 2], [2, 3], [3, 0]]), np.full(4, 0.5), np.zeros(4))
    >>> fit(square, np.full(4, 0.75)).model.coupling.round(9)
    array([0.46656601, 0.46656601, 0.46656601, 0.46656601])
    """
    _check(model, agreement, bias)
    coupling, field = model.coupling.copy(), model.field.copy()
    sweeps, worst = 0, 0.0
    for people, edges in _groups_with_loops(model):
        own = model.take(people)
        tilt = np.zeros(people.size) if bias is None else -logit(bias[people])
        group = _Group(own, logit(agreement[edges]), tilt)
        took = group.fit()
        coupling[edges], field[people] = group.coupling, group.field
        sweeps, worst = max(sweeps, took), max(worst, group.gap())
    return Fitted(replace(model, coupling=coupling, field=field), sweeps, worst)


def _check(model: CorrelationModel, agreement: Floats, bias: Floats | None) -> None:
    if agreement.shape != (len(model.edges),):
        raise InputError("agreements", f"must be {len(model.edges):,}", f"shape {agreement.shape}")
    if bias is not None and (bias.shape != (len(model),) or not ((bias > 0) & (bias < 1)).all()):
        raise InputError("biases", "must be one a person, strictly between 0 and 1", f"shape {bias.shape}")


def _groups_with_loops(model: CorrelationModel) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """The people and the edges of each connected group that is no tree."""
    group = model.components()
    of_edge = group[model.edges[:, 0]]
    people = np.bincount(group)
    edges = np.bincount(of_edge, minlength=people.size)
    return [
        (np.flatnonzero(group == c), np.flatnonzero(of_edge == c)) for c in np.flatnonzero(edges >= people)
    ]


class _Group:
    """A connected group while it is fitted.

    Its likelihood is concave in couplings and fields, and grows along the correction of iterative
    proportional fitting, ``J += (logit p_wanted - logit p)/2`` of every edge, ``h`` alike: at least for a
    step short enough that it still grows at the end of it. One calibration gives all agreements.
    """

    def __init__(self, model: CorrelationModel, wanted: Floats, tilt: Floats) -> None:
        if not np.isfinite(model.coupling).all() or not np.isfinite(wanted).all():
            raise UnsupportedError(
                "fitting: people who always agree lie on a loop; join them to one person, or leave the "
                "couplings as those of edges alone."
            )
        self.coupling, self.field = model.coupling, model.field
        self._wanted, self._tilt = wanted, tilt
        # every edge carries its number instead of a coupling, so that its place in the tables is known
        tree = triangulate(replace(model, coupling=np.arange(1.0, wanted.size + 1)))
        self._tree, self._edge = tree, tree.coupling.astype(np.int64) - 1

    def fit(self) -> int:
        """Correct until all agreements and biases hold; return how often that took."""
        step, missing = 1.0, self._missing(self.coupling, self.field)
        for sweep in range(MOST_SWEEPS):
            if max(np.abs(part).max() for part in missing) < CLOSE:
                return sweep
            to_J, to_h = missing[0] / 2, missing[1] / 2
            while True:
                J, h = self.coupling + step * to_J, self.field + step * to_h
                left = self._missing(J, h)
                if self._grows(left, to_J, to_h) or step < 1e-9:
                    break
                step /= 2
            self.coupling, self.field, missing = J, h, left
            step = min(1.0, 1.25 * step)
        raise SolveError(
            f"fitting: after {MOST_SWEEPS:,} corrections agreements are still off by {self.gap():.2g} in "
            "log-odds. Probably no people can agree so: of three, at least two agree."
        )

    def gap(self) -> float:
        """The largest difference between what is wanted and what holds, in log-odds."""
        return float(max(np.abs(part).max() for part in self._missing(self.coupling, self.field)))

    def _missing(self, coupling: Floats, field: Floats) -> tuple[Floats, Floats]:
        """How far log-odds of agreement and of people are below those wanted."""
        together, u = _pairs(self._tree, self._edge, coupling, field)
        return self._wanted - together, self._tilt - u

    def _grows(self, left: tuple[Floats, Floats], to_J: Floats, to_h: Floats) -> bool:
        """Whether the likelihood still grows in this direction: what is wanted is above what holds."""
        at_J = expit(self._wanted) - expit(self._wanted - left[0])
        at_h = expit(self._tilt) - expit(self._tilt - left[1])
        return bool(at_J @ to_J + at_h @ to_h >= -1e-15 * (np.abs(to_J).sum() + np.abs(to_h).sum()))


def _pairs(
    tree: JunctionTree, edge: NDArray[np.int64], coupling: Floats, field: Floats
) -> tuple[Floats, Floats]:
    """Log-odds of agreement of every edge, and everybody's log-odds, in one calibration."""
    from dalenius.attacks.inference._fit_kernels import pair_log_odds
    from dalenius.attacks.inference._junction_kernels import calibrate

    linked = edge >= 0
    of_place = np.zeros(edge.size)
    of_place[linked] = coupling[edge[linked]]
    tables, by_place = np.empty(tree.bytes // 8), np.empty(len(tree))
    table = 2 << tree.width
    calibrate(
        tree.first,
        tree.met,
        of_place,
        tree.parent,
        tree.mask,
        tree.offset,
        field[tree.order],
        tables,
        np.empty(table, np.int32),
        np.empty(table // 2),
        np.empty(table // 2),
        by_place,
    )
    found = np.empty(edge.size)
    pair_log_odds(tree.met, tree.offset, tables, found)
    together, u = np.empty(coupling.size), np.empty(len(tree))
    together[edge[linked]] = found[linked]
    u[tree.order] = by_place
    return together, u
