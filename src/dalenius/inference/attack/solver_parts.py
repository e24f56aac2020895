"""One way of finding nu for some of the people of a network, ready for any epsilons.

Exact ways rest on Theorem 3.4: for positively affiliated bits the worst event is as likely as
``exp(-sum eps_i |x_i - z|)``, which is the same network with fields of plus or minus eps/2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import SolveError
from dalenius.inference.attack import worst_mechanism as program
from dalenius.inference.attack.bounds import cutset as cut
from dalenius.inference.attack.bounds import influence
from dalenius.inference.attack.bounds.propagation import propagation_bound
from dalenius.inference.attack.solvers import cliques, forest, grid, junction
from dalenius.knowledge.correlation.joint import JointPrior
from dalenius.knowledge.correlation.model import CorrelationModel, Floats

People = NDArray[np.intp]

METHODS = ("forest", "cliques", "grid", "junction tree", "linear program", "bounds")
"""The ways nu is found."""

BOUNDS = (
    "exact-eq6",
    "exact-lp",
    *(f"bound-{name}" for name in (*influence.NAMES, "links", "cut", "propagation", "eq6", "ball")),
)
"""What a number is: exact by Equation 6 or by the linear program, or which bound."""

LAST_EXACT = BOUNDS.index("exact-lp")
"""Up to which place they are exact."""


ROUNDING, PER_LOG_ODDS = 1e-9, 1e-11
"""How far an exact nu may be off, and how much more for every unit of log-odds that it is a difference of."""

PROGRAM_ROUNDING = 1e-6
"""The same for the linear program, whose solver stops sooner."""


class SolvedNu(NamedTuple):
    """Nu of some people, of each what the number is (a place in `BOUNDS`), and what a bound rests on."""

    nu: Floats
    bound: NDArray[np.int8]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class SolvablePart:
    """Some connected groups of people, prepared for one way.

    Parameters
    ----------
    people
        Their places in the network.
    method
        One of `METHODS`.
    solve
        From their epsilons to nu.
    group
        The connected group of each; None where all are one.
    why
        How many they are and why they are solved this way, for a reader.
    rounding
        How far their nu may be off: a difference of log-odds loses digits where these are large.
    exact
        Whether nu is exact wherever the solver succeeds; bounds are rounded up on purpose.
    tables
        How many bytes of tables one solve works through, a hundred megabytes taking about a second; 0 where
        there are none.
    """

    people: People | slice
    method: str
    solve: Callable[[Floats], SolvedNu]
    group: People | None
    why: str
    rounding: float
    exact: bool = True
    tables: float = 0.0

    def sums(self, epsilon: Floats) -> Floats:
        """Add up the epsilons of every group: no nu in it is larger."""
        if self.group is None:
            return np.array([epsilon.sum()])
        return np.bincount(self.group, epsilon).astype(np.float64, copy=False)


def shift(log_odds: Callable[[Floats], Floats], field: Floats, epsilon: Floats) -> Floats:
    """Equation 6: how far fields of plus and minus eps/2 shift the log-odds, whichever is more.

    The paper's remark 3.7 prints fields of plus and minus eps; half of it is what its own (19) says. Without
    fields the two shifts are the same.
    """
    up = log_odds(field + epsilon / 2)
    if not field.any():
        return up
    before = log_odds(field)
    return np.maximum(up - before, before - log_odds(field - epsilon / 2))


def _exact(values: Floats) -> SolvedNu:
    return SolvedNu(values, np.full(values.size, BOUNDS.index("exact-eq6"), np.int8))


def of_forest(model: CorrelationModel, planted: forest.Forest, people: People | slice) -> SolvablePart:
    """Groups without cycles, all at once."""
    return SolvablePart(
        people,
        "forest",
        lambda eps: _exact(forest.odds_shift(planted, model.field, eps)),
        _trees(planted),
        f"{people_are(len(model))} in groups without cycles: exact, by propagation",
        ROUNDING + PER_LOG_ODDS * (planted.heard + 2 * float(np.abs(model.field).max(initial=0.0))),
    )


def _trees(planted: forest.Forest) -> People | None:
    """Everybody's tree; trees are numbered one after the other, each from its root."""
    tree = np.cumsum(planted.parent < 0) - 1
    if not tree.size or tree[-1] == 0:
        return None
    if planted.order is None:
        return tree
    by_person = np.empty_like(tree)
    by_person[planted.order] = tree
    return by_person


def _rounding(model: CorrelationModel) -> float:
    """Log-odds are at most a person's own and twice the couplings of all who speak to them."""
    largest = 2 * (np.abs(model.field) + model.matrix(np.abs(model.coupling)).sum(axis=1))
    return ROUNDING + PER_LOG_ODDS * float(largest.max(initial=0.0))


def of_cliques(model: CorrelationModel, people: People) -> SolvablePart:
    """Groups where all are related alike, all at once."""
    gathered = cliques.gather(model)
    groups = sum(len(members) for members in gathered.members)
    why = f"{people_are(len(model))} in {groups_of(groups)} where all are related alike: exact, by counting"
    return _solved_exactly(model, people, "cliques", lambda h: cliques.log_odds(gathered, h), why)


def of_grid(model: CorrelationModel, found: grid.GridNetwork, people: People) -> SolvablePart:
    """One group that is a grid."""
    rows, columns = found.place.shape
    why = f"{len(model):,} people stand in a grid of {rows} by {columns}: exact, by a transfer matrix"
    part = _solved_exactly(model, people, "grid", lambda h: grid.log_odds(found, h), why)
    return replace(part, tables=8.0 * 2 * rows * columns * 2**rows)


def of_junction_tree(tree: junction.JunctionTree, people: People) -> SolvablePart:
    """Groups with cycles that are narrow enough, all at once."""
    model = tree.merged.model
    groups = groups_of(tree.first.size - 1)
    how = f"exact, by a junction tree of width {tree.width}{_room(tree.bytes)}"
    why = f"{people_are(len(model))} in {groups} with cycles: {how}"
    part = _solved_exactly(model, people, "junction tree", lambda h: junction.log_odds(tree, h), why)
    return replace(part, tables=_tables(tree))


def _solved_exactly(
    model: CorrelationModel, people: People, method: str, log_odds: Callable[[Floats], Floats], why: str
) -> SolvablePart:
    """Whatever gives everybody's log-odds for any field gives nu by Equation 6."""
    return SolvablePart(
        people,
        method,
        lambda eps: _exact(shift(log_odds, model.field, eps)),
        model.components().astype(np.intp),
        why,
        _rounding(model),
    )


def _tables(tree: junction.JunctionTree) -> float:
    """Bytes of all tables, though groups use the same memory one after the other."""
    return 8.0 * float(np.ldexp(2.0, np.diff(tree.met)).sum())


def of_programs(
    model: CorrelationModel, tables: list[tuple[People, JointPrior]], people: People
) -> SolvablePart:
    """Small groups with a contradictory cycle: their places in the model, and their tables."""
    everybody = np.concatenate([some for some, _ in tables])
    ends = np.cumsum([some.size for some, _ in tables])[:-1]

    def solve(epsilon: Floats) -> SolvedNu:
        shares = zip(tables, np.split(epsilon, ends), strict=True)
        found = [_worst(model, some, joint, eps) for (some, joint), eps in shares]
        return SolvedNu(
            np.concatenate([each.nu for each in found]),
            np.concatenate([each.bound for each in found]),
            tuple(dict.fromkeys(note for each in found for note in each.notes)),
        )

    return SolvablePart(
        people[everybody],
        "linear program",
        solve,
        model.take(everybody).components().astype(np.intp),
        f"{people_are(everybody.size)} in {groups_of(len(tables))} with a cycle that has an odd number of "
        "negative agreements: exact, by the linear program",
        PROGRAM_ROUNDING,
        tables=sum(_programs(some.size) for some, _ in tables),
    )


def _programs(people: int) -> float:
    """Bytes of one program per person: one unknown per database, one condition per pair of neighbours.

    A small program takes as long as a megabyte of tables: some milliseconds.
    """
    return people * max(1e6, 8.0 * people * 4.0**people)


def _worst(model: CorrelationModel, people: People, joint: JointPrior, epsilon: Floats) -> SolvedNu:
    try:
        nu = program.worst_case(joint, epsilon).nu
    except SolveError:  # beyond the solver's digits: a proven bound, not a guess
        few = model.take(people)
        return _best_bound(few, epsilon, _InProportion(few))
    return SolvedNu(nu, np.full(nu.size, BOUNDS.index("exact-lp"), np.int8))


def of_bounds(
    model: CorrelationModel, people: People, why: str, cuts: Sequence[cut.Cut] = (), *, below: bool = True
) -> SolvablePart:
    """Groups of which only bounds are known, for the reason given; cuts only of positive links.

    Without ``below`` nothing is said from below: couplings are then the most that they can be.
    """
    influences = _InProportion(model)
    return SolvablePart(
        people,
        "bounds",
        lambda eps: _best_bound(model, eps, influences, cuts, below=below),
        model.components().astype(np.intp),
        f"{len(model):,} people have only an upper bound, the best of several: {why}",
        _rounding(model),
        exact=False,
        tables=sum(2 * _tables(one.tree) for one in cuts),  # once from above, once from below
    )


class _InProportion:
    """Bounds from influences, which grow with epsilon in proportion and so are found once.

    They are the least of several non-negative matrices times epsilon: no more for smaller epsilons.
    """

    def __init__(self, model: CorrelationModel) -> None:
        self._model = model
        self._last: tuple[Floats, influence.Bounds] | None = None

    def __call__(self, epsilon: Floats) -> tuple[Floats, influence.Bounds]:
        if self._last is not None:
            before, found = self._last
            used = before > 0
            ratio = epsilon[used] / before[used]
            if not epsilon[~used].any() and ratio.size and ratio.max() <= ratio.min() * (1 + 1e-12):
                return found.best * ratio.max() * (1 + 1e-15), found
        found = influence.bounds(self._model, epsilon)
        self._last = (epsilon, found)
        return found.best, found


def _best_bound(
    model: CorrelationModel,
    epsilon: Floats,
    influences: _InProportion,
    cuts: Sequence[cut.Cut] = (),
    *,
    below: bool = True,
) -> SolvedNu:
    """The least of all bounds, everybody's; an earlier one where they are equal."""
    nu, found = influences(epsilon)
    code = np.zeros(epsilon.size, np.int8)
    for name in influence.NAMES:
        code[found.best_name == name] = BOUNDS.index(f"bound-{name}")
    others = [("bound-links", cut.links_bound(model, epsilon))]
    others += [("bound-cut", cut.cut_bound(one, model, epsilon) + _rounding(model)) for one in cuts]
    above = propagation_bound(model, epsilon)
    if above is not None:
        others.append(("bound-propagation", above + _rounding(model)))
    for name, values in others:
        code[values < nu] = BOUNDS.index(name)
        nu = np.minimum(nu, values)
    tight = _how_tight(model, epsilon, nu, cuts) if below else ()
    return SolvedNu(nu, code, (*found.notes, *tight))


def _how_tight(
    model: CorrelationModel, epsilon: Floats, nu: Floats, cuts: Sequence[cut.Cut]
) -> tuple[str, ...]:
    """What is known from below, where anything is."""
    least = [known for one in cuts if (known := cut.known_least(one, model, epsilon)) is not None]
    if not least or not nu.any():
        return ()
    low = np.maximum(epsilon, np.max(least, axis=0))
    known = low > 0  # of somebody without data in the release nothing may be proven from below
    tight = ""
    if known.any():
        ratio = float(np.median(nu[known] / low[known]))
        whom = "these people" if known.all() else f"{int(known.sum()):,} of them"
        tight = f"; for half of {whom} the bound is at most {ratio:.3f} times what is proven from below"
    return (f"the largest bound is {nu.max():.4g}, and somebody's nu is at least {low.max():.4g}{tight}",)


def people_are(count: int) -> str:
    """So many people, with their verb."""
    return "1 person is" if count == 1 else f"{count:,} people are"


def _room(size: int) -> str:
    """The memory of tables, where it is worth saying."""
    if size < 1e6:
        return ""
    return f" ({size / 1e6:.0f} MB)" if size < 1e9 else f" ({size / 1e9:.1f} GB)"


def groups_of(count: int) -> str:
    """So many groups."""
    return "1 group" if count == 1 else f"{count:,} groups"
