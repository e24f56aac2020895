"""What is taken for granted about an outsider: the law of a record's values, and the weights.

Two nulls. *Pooled*: given the totals of each column over the reference and the record itself, the record's
value is one of the column's, each equally likely. Nothing is estimated, so the weights may use the totals
as well. *Known*: the means of the population are given.

Only means of a reference of genotypes are not its genotypes: then every law on [-1, 1] with that mean is
possible, and the heaviest of them is used, unless Hardy-Weinberg proportions are asserted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.tracing.attack.tails import record_law
from dalenius.tracing.attack.tails.record_law import CODES, Law
from dalenius.tracing.attack.weights import Facts, Weighing

Values = NDArray[np.float64]
Columns = slice | NDArray[np.intp]


@dataclass(frozen=True)
class Null:
    """An outsider's law and the weights.

    Parameters
    ----------
    at
        For values of records in some columns, ``(records, width)``: the law, ``(values, records, width)``,
        and the weights, ``(records, width)``. Where the law is certain the column says nothing.
    sharp
        Whether it is the law itself; otherwise only a law with heavier tails, good for bounds alone.
    """

    at: Callable[[Values, Columns], tuple[Law, Values]]
    sharp: bool = True


def pooled_counts(q: Values, counts: Values, weigh: Weighing, facts: Facts, *, hwe: bool = False) -> Null:
    """Condition on how often -1, 0 and +1 occur in each column; ``counts`` is ``(3, d)``.

    Under Hardy-Weinberg the totals of alleles are enough, and the record holds two of them.
    """

    def at(x: Values, part: Columns) -> tuple[Law, Values]:
        total = counts[:, None, part] + (x == CODES[:, None, None])
        people = total.sum(axis=0)
        plus = total[2] - total[0]
        law = record_law.two_of(2 * people, people + plus) if hwe else record_law.multiset(total)
        return law, weigh(q[part], plus / people, plus / (people + 2), facts)

    return Null(at)


def pooled_sums(
    q: Values, sums: Values, m: Values | float, weigh: Weighing, facts: Facts, *, hwe: bool = False
) -> Null:
    """Condition on each column's total alone: all that reference frequencies of m people tell."""

    def at(x: Values, part: Columns) -> tuple[Law, Values]:
        plus, people = sums[part] + x, np.broadcast_to(m, sums.shape)[part] + 1.0
        mean = np.clip(plus / people, -1, 1)
        law = record_law.two_of(2 * people, people * (1 + mean)) if hwe else record_law.two_point(mean)
        return law, weigh(q[part], mean, plus / (people + 2), facts)

    return Null(at, sharp=hwe or facts.alleles == 1)


def pooled_values(q: Values, pool: Values, weigh: Weighing, facts: Facts) -> Null:
    """Condition on the values of each column: real numbers, ``(m, d)``, not a number where missing."""

    def at(x: Values, part: Columns) -> tuple[Law, Values]:
        others = np.broadcast_to(pool[:, None, part], (len(pool), *x.shape))
        values = np.concatenate([others, x[None]])
        seen = ~np.isnan(values)
        people = seen.sum(axis=0)
        values = np.where(seen, values, x)
        centre = (values * seen).sum(axis=0) / people
        return Law(values, seen / people), weigh(q[part], centre, centre, facts)

    return Null(at)


def known_means(q: Values, p: Values, weigh: Weighing, facts: Facts, *, hwe: bool = False) -> Null:
    """Take the population's means as given; columns where a mean is -1 or +1 are left out."""
    sure = np.abs(p) >= 1
    inner = np.where(sure, 0.0, p)
    v = np.where(sure, 0.0, weigh(q, inner, inner, facts))

    def at(x: Values, part: Columns) -> tuple[Law, Values]:
        mean = np.broadcast_to(p[part], x.shape)
        law = record_law.hardy_weinberg(mean) if hwe else record_law.two_point(mean)
        return law, np.broadcast_to(v[part], x.shape)

    return Null(at, sharp=hwe or facts.alleles == 1)


def pair(z: Values, v: Values) -> Null:
    """Condition on the two values of target and one reference: the sign-flip test, at half its scale."""

    def at(x: Values, part: Columns) -> tuple[Law, Values]:
        both = np.stack([np.broadcast_to(z[part], x.shape), x])
        both = np.where(np.isnan(both), x, both)
        return record_law.column(both), np.broadcast_to(v[part], x.shape)

    return Null(at)
