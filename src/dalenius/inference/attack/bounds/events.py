"""What one event of a release gives away: tables of its probability for every combination of values.

An event S of a mechanism M is here the table ``p(x) = Pr[M(x) in S]``, one axis per person. Learning that it
happened moves the odds of two values of a person by the ratio of its probabilities given the one and the
other (Bayes); M is epsilon-private if changing one person's value changes no p by more than a factor e^eps.
"""

from __future__ import annotations

import numpy as np

from dalenius.errors import InputError
from dalenius.knowledge.correlation.joint import JointPrior
from dalenius.knowledge.correlation.model import Floats


def epsilons(epsilon: float | Floats, people: int) -> Floats:
    """One epsilon a person, checked: a single one holds for all.

    Examples
    --------
    >>> epsilons(0.5, 2)
    array([0.5, 0.5])
    """
    values = np.asarray(epsilon, np.float64)
    if values.shape not in ((), (people,)):
        raise InputError("epsilon", f"must be one number, or one for each of {people:,}", f"{values.shape}")
    if not 0 <= values.min(initial=0.0) <= values.max(initial=0.0) < np.inf:  # not a number is neither
        raise InputError("epsilon", "must be at least 0 and finite for everybody", "one that is not")
    return np.broadcast_to(values, (people,)).astype(np.float64)


def odds_moved(joint: JointPrior, events: Floats) -> Floats:
    """How far the worst of these events moves the log-odds of two values of each person.

    Parameters
    ----------
    joint
        What is believed before.
    events
        One table an event along the first axis; constant factors do not matter.

    Examples
    --------
    >>> twins = JointPrior(("a", "b"), (("0", "1"), ("0", "1")), np.array([[0.5, 0.0], [0.0, 0.5]]))
    >>> odds_moved(twins, answered_alike(np.array([0.2, 0.5]))).round(12)
    array([0.7, 0.7])
    """
    return np.array([_moved(joint, events, person).max() for person in range(len(joint))])


def _moved(joint: JointPrior, events: Floats, person: int) -> Floats:
    given = joint.given(person)
    possible = ~np.isnan(given[:, 0])
    tables = np.moveaxis(events, person + 1, 1).reshape(len(events), len(given), -1)
    with np.errstate(divide="ignore"):  # an event that cannot happen with some value moves odds without limit
        chances = np.log(np.einsum("zy,ezy->ez", given[possible], tables[:, possible]))
    moved: Floats = chances.max(axis=1) - chances.min(axis=1)
    return moved


def answered_alike(epsilon: Floats) -> Floats:
    """Randomised response of every bit with its epsilon: the events that all answers are 0, and all 1.

    ``prod_i e^(-eps_i |x_i - z|) / (1 + e^(-eps_i))``. They attain the worst case on positively affiliated
    data (Theorem 3.4); Lemma 3.5 shows that only for equal epsilons, by a noisy sum.
    """
    n = epsilon.size
    tables = []
    for z in (0, 1):
        table = np.ones((1,) * n)
        for i, eps in enumerate(epsilon):
            keeps = 1 / (1 + np.exp(-eps))
            table = table * np.array([keeps, keeps * np.exp(-eps)])[:: 1 - 2 * z].reshape(_axis(i, n))
        tables.append(table)
    return np.stack(tables)


def _axis(i: int, n: int) -> tuple[int, ...]:
    return tuple(-1 if k == i else 1 for k in range(n))
