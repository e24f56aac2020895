"""What the rest of a nuclear family says at most about one member: a program over counts of children.

Children of whom the same may be learned otherwise are exchangeable: an event may as well depend on how many
of them have each value. So a family of fourteen is a program of some dozen unknowns, not of sixty thousand.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import factorial, prod
from typing import Any, Literal

import numpy as np
from scipy.sparse import coo_array

from dalenius.errors import SolveError
from dalenius.inference.attack.worst_mechanism import most_telling_event
from dalenius.knowledge.correlation.inheritance import Floats, MendelLaw

MOST_CASES = 2_500
"""Combinations of one family up to which the program is solved."""

TOLERANCE = 1e-6
"""How far what is proven may be from what the solver claims."""

Apart = tuple[tuple[float, ...], ...]
"""By how much the logarithm may differ between two values of one member: a square table."""


@dataclass(frozen=True)
class OtherMembers:
    """A nuclear family as one member sees it.

    Parameters
    ----------
    role
        Whom it is about.
    parents
        What the other parent, or both, may say by themselves and by their own relatives.
    children
        The same of the children besides.
    """

    role: Literal["parent", "child"]
    parents: tuple[Apart, ...]
    children: tuple[Apart, ...]


def said_by_family(law: MendelLaw, members: OtherMembers) -> tuple[Floats, bool]:
    """Return the most that the others say about any two values, and whether no more was allowed than is true.

    Where the children are too different, all are taken like the largest among them; where that is still too
    much, or the program is not solved, everybody's share is added up, which always holds.
    """
    groups = Counter(members.children)
    for some, exact in ((groups, True), (_alike(members.children), len(groups) < 2)):
        cases = law.values ** len(members.parents)
        cases *= prod(len(_counts(many, law.values)) for many in some.values())
        if cases <= MOST_CASES:
            key = tuple(sorted(some.items()))
            try:
                return np.array(_solved((law.kind, law.frequency), members.role, members.parents, key)), exact
            except SolveError:  # beyond the solver's digits: a proven bound, not a guess
                break
    most = sum(max(max(row) for row in each) for each in (*members.parents, *members.children))
    return np.where(np.eye(law.values, dtype=np.bool_), 0.0, most), False


def _alike(children: tuple[Apart, ...]) -> Counter[Apart]:
    """All children like the largest among them, value by value."""
    if not children:
        return Counter()
    top = np.max(np.array(children), axis=0)
    return Counter({tuple(tuple(float(v) for v in row) for row in top): len(children)})


@lru_cache(maxsize=10_000)
def _solved(
    law_key: tuple[str, float],
    role: str,
    parents: tuple[Apart, ...],
    children: tuple[tuple[Apart, int], ...],
) -> Floats:
    from dalenius.knowledge.correlation.inheritance import mendel

    law = mendel(law_key[1], genotypes=law_key[0] == "genotypes")
    cases = list(
        product(*(range(law.values) for _ in parents), *(_counts(many, law.values) for _, many in children))
    )
    given = np.array([[_likely(law, role, value, case) for case in cases] for value in range(law.values)])
    given /= given.sum(axis=1, keepdims=True)
    private = _conditions(cases, parents, [apart for apart, _ in children], law.values)
    reach = sum(max(map(max, apart)) * many for apart, many in (*((one, 1) for one in parents), *children))
    found = np.zeros((law.values, law.values))
    for to, away in product(range(law.values), repeat=2):
        if to != away:
            found[to, away] = _most(given[to], given[away], private, reach)
    return found


def _counts(many: int, values: int) -> list[tuple[int, ...]]:
    """In how many ways so many children can have these values."""
    if values == 2:
        return [(many - k, k) for k in range(many + 1)]
    return [(many - i - j, i, j) for i in range(many + 1) for j in range(many + 1 - i)]


def _likely(law: MendelLaw, role: str, value: int, case: tuple[Any, ...]) -> float:
    """How likely one combination of the others is together with a value of the member."""
    if role == "parent":
        (other, *groups), mine = case, value
        weight, of_child = law.founder[other], law.child[mine, other]
    else:
        father, mother, *groups = case
        of_child = law.child[father, mother]
        weight = law.founder[father] * law.founder[mother] * of_child[value]
    for counts in groups:
        ways = factorial(sum(counts)) / prod(factorial(count) for count in counts)
        weight *= ways * prod(chance**count for chance, count in zip(of_child, counts, strict=True))
    return float(weight)


def _conditions(
    cases: list[tuple[Any, ...]], parents: tuple[Apart, ...], children: list[Apart], values: int
) -> Any:
    """``p(x) - e^apart p(x')``, at most 0, wherever one member has another value."""
    place = {case: at for at, case in enumerate(cases)}
    more, less, factor = [], [], []
    for case, at in place.items():
        for slot, apart in enumerate((*parents, *children)):
            for now, then in product(range(values), repeat=2):
                other = _moved(case[slot], now, then) if now != then else None
                if other is not None:
                    more.append(at)
                    less.append(place[(*case[:slot], other, *case[slot + 1 :])])
                    factor.append(-np.exp(apart[now][then]))
    rows = np.tile(np.arange(len(more)), 2)
    numbers = np.r_[np.ones(len(more)), factor]
    return coo_array((numbers, (rows, np.r_[more, less])), shape=(len(more), len(cases))).tocsc()


def _moved(cell: Any, now: int, then: int) -> Any:
    """A cell after somebody in it changed from one value to another; None if nobody has the one."""
    if isinstance(cell, int):
        return then if cell == now else None
    if not cell[now]:
        return None
    return tuple(count - (at == now) + (at == then) for at, count in enumerate(cell))


def _most(for_it: Floats, against: Floats, private: Any, reach: float) -> float:
    """Solve one program, and prove its value from above by the prices of its conditions.

    No probability is above e^reach where the mean is 1: what the prices leave open counts with that much.
    """
    result = most_telling_event(for_it, against, private, method="highs-ds")
    value, prices = -float(result.eqlin.marginals[0]), np.maximum(-result.ineqlin.marginals, 0.0)
    open_left = np.maximum(for_it - value * against - private.T @ prices, 0.0).sum()
    proven = float(np.log(value + open_left * np.exp(reach)))
    if not abs(proven - np.log(-result.fun)) <= TOLERANCE:
        raise SolveError("the linear program of a family is beyond the solver's digits")
    return max(proven, 0.0)
