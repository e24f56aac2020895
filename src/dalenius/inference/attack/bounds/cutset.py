"""Upper bounds on nu in groups that are too wide to be exact: what relatives can say at most.

Two bounds of our own, beside those from influences, for networks of links. Both use that a person's odds
depend on the rest only through those they are linked with.

**links**: whatever the others' bits are, they move a person's log-odds by at most ``2 sum |J|`` to either
side, before and after the release; the mechanism adds its eps. So ``nu <= eps + 4 sum |J|``; without fields
the odds before are even, and ``nu <= eps + 2 sum |J|``. For any signs of the links, and any mechanism.

**cut**: some people's bits are fixed so that the rest is narrow enough for a junction tree. Where links are
positive, more 0s among them make 0 more likely for everybody (positive association, Fortuin, Kasteleyn
and Ginibre 1971): log-odds are at most what they are with all of them 0, at least what with all of them 1. So
Equation 6 is bounded by its own terms. Where no field speaks for 1, leaving people out only lowers log-odds
(Griffiths 1967), which is closer; without fields that also bounds nu from below, and shows how tight it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.inference.attack.solvers import junction
from dalenius.inference.attack.solvers.elimination import min_fill
from dalenius.knowledge.correlation.model import CorrelationModel, Floats

NARROW = (14, 8)
"""Widths of what is left after cutting; the second where the first takes too much memory."""

ROUNDS = 6
"""How often people are cut: those who were cut every time so far are spared, to be bounded too."""

MOST_PEOPLE = 50_000
"""Larger groups would take minutes to cut."""


@dataclass(frozen=True)
class Cut:
    """A network with some people's bits fixed.

    Parameters
    ----------
    kept
        The others.
    tree
        Their junction tree.
    pull
        The couplings of each of them with people whose bits are fixed, added up.
    """

    kept: NDArray[np.intp]
    tree: junction.JunctionTree
    pull: Floats


def links_bound(model: CorrelationModel, epsilon: Floats) -> Floats:
    """Bound nu by all that the people somebody is linked with can say."""
    says = 2 * model.matrix(np.abs(model.coupling)).sum(axis=1)
    group = model.components()
    even = np.bincount(group, model.field != 0)[group] == 0
    result: Floats = (epsilon + np.where(even, says, 2 * says)) * (1 + 1e-12)  # far more than roundings
    return result


def cuts(model: CorrelationModel) -> list[Cut]:
    """Cut a network of positive links some times, so that nearly everybody is kept at least once."""
    if len(model) > MOST_PEOPLE:
        return []
    found: list[Cut] = []
    always_cut: set[int] = set()
    while len(found) < ROUNDS and (always_cut or not found):
        one = next((one for width in NARROW if (one := _cut(model, width, always_cut))), None)
        if one is None:
            break
        always_cut = (always_cut if found else set(range(len(model)))) - set(one.kept.tolist())
        found.append(one)
    return found


def _cut(model: CorrelationModel, width: int, spared: set[int]) -> Cut | None:
    """Cut a network down to a width, or not at all if its tables would still be too large."""
    links = model.matrix(model.coupling)
    ends = np.split(links.indices, links.indptr[1:-1])
    gone: list[int] = []
    left = min_fill(
        {v: set(some.tolist()) for v, some in enumerate(ends)}, width, gone, spared, junction.MOST_BYTES
    )
    if junction.too_wide(left):
        return None
    kept, tree = junction.assemble(model, [left])
    fixed = np.zeros(len(model))
    fixed[gone] = 1.0
    return Cut(kept, tree, (links @ fixed)[kept])


def cut_bound(cut: Cut, model: CorrelationModel, epsilon: Floats) -> Floats:
    """Bound nu of everybody; infinite for people who were cut."""
    h, e = model.field, epsilon / 2

    def at_most(field: Floats) -> Floats:
        fixed = junction.log_odds(cut.tree, field[cut.kept] + cut.pull)
        if (field > 0).any():
            return fixed
        return np.minimum(fixed, junction.log_odds(cut.tree, field[cut.kept]))  # left out

    def at_least(field: Floats) -> Floats:
        return -at_most(-field)  # with 0 and 1 exchanged everywhere, it is the same network

    result = np.full(len(model), np.inf)
    if not h.any():
        result[cut.kept] = at_most(e)  # the odds before are even
    else:
        up, down = at_most(h + e) - at_least(h), at_most(h) - at_least(h - e)
        result[cut.kept] = np.maximum(up, down)
    return result


def known_least(cut: Cut, model: CorrelationModel, epsilon: Floats) -> Floats | None:
    """Bound nu from below where there are no fields, by leaving the cut people out; 0 for themselves."""
    if model.field.any():
        return None
    result = np.zeros(len(model))
    result[cut.kept] = junction.log_odds(cut.tree, epsilon[cut.kept] / 2)
    return result
