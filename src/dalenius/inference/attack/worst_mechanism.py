"""The worst mechanism there is, for any prior about a few people: a linear program.

The program chooses ``p(x) = Pr[M(x) in S]`` for every combination x, also for those of prior probability 0,
to make the event as telling as it can be about one person: the largest ``Pr(S | x_a = z1)`` where
``Pr(S | x_a = z0)`` is 1 and nobody's value changes p by more than a factor e^eps. The 1 is had by scaling,
since the other conditions are homogeneous (Charnes and Cooper). Whatever comes out is realisable: scaled to
at most 1/2, the event and its complement are both epsilon-private. No theorem of the paper is needed, so it
also serves where those do not apply: more than two values, or data that is not positively affiliated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csc_array

from dalenius.errors import InputError, SolveError, TooLargeError
from dalenius.inference.attack.bounds.events import epsilons
from dalenius.knowledge.correlation.joint import JointPrior
from dalenius.knowledge.correlation.model import Floats
from dalenius.progress import Progress, silent
from dalenius.shown import hides_people

CELLS = 2**12
"""The largest table: one program takes seconds, growing with more than the square."""

SIMPLEX_CELLS = 2**9
"""Up to here the simplex method is faster than the interior point method."""

TOLERANCE = 1e-6
"""How far what the mechanism attains may stay behind what the solver claims."""


@hides_people()
@dataclass(frozen=True)
class WorstMechanism:
    """The most telling private mechanism about each person asked for.

    Parameters
    ----------
    people
        Whom each entry is about: positions in the prior.
    nu
        How far the mechanism moves the log-odds: what `events` attain, exactly computed.
    events
        By person, the probability of the event for every combination of values; at most 1/2.
    to, away
        By person, which of their values the event speaks for, and which against.
    """

    people: NDArray[np.intp]
    nu: Floats
    events: Floats
    to: NDArray[np.intp]
    away: NDArray[np.intp]


def worst_case(
    joint: JointPrior,
    epsilon: float | Floats,
    people: Sequence[int] | None = None,
    *,
    progress: Progress = silent,
) -> WorstMechanism:
    """Find, for each of these people or for all, the private mechanism that tells most about them.

    Raises
    ------
    TooLargeError
        If there are more than 4,096 combinations of values.
    SolveError
        If the solver stops, or its solution does not stand up when put back into the privacy conditions.

    Examples
    --------
    >>> even = np.array([[[1, 0], [0, 1]], [[0, 1], [1, 0]]]) / 4  # the sum of three bits is even
    >>> parity = JointPrior(("a", "b", "c"), (("0", "1"),) * 3, even)
    >>> worst_case(parity, 0.5).nu.round(7)
    array([1., 1., 1.])
    """
    eps = epsilons(epsilon, len(joint))
    if joint.mass.size > CELLS:
        raise TooLargeError(
            "the linear program",
            f"must have at most {CELLS:,} combinations of values",
            f"{joint.mass.size:,}",
            "Use the bounds from influences, or fewer people.",
        )
    who = _people(joint, people)
    private = _privacy_rows(joint.mass.shape, eps)
    found = []
    for done, person in enumerate(who):
        progress(done / who.size, f"worst case about person {done + 1:,} of {who.size:,}")
        found.append(_worst_about(joint, eps, int(person), private))
    nus, events, to, away = zip(*found, strict=True)
    return WorstMechanism(who, np.array(nus), np.stack(events), np.array(to), np.array(away))


def _people(joint: JointPrior, people: Sequence[int] | None) -> NDArray[np.intp]:
    who = np.arange(len(joint)) if people is None else np.asarray(people, np.intp).reshape(-1)
    if who.size == 0 or who.min() < 0 or who.max() >= len(joint):
        raise InputError("people", f"must be some of 0 to {len(joint) - 1}", f"{who.tolist()}")
    return who


def _worst_about(
    joint: JointPrior, eps: Floats, person: int, private: csc_array
) -> tuple[float, Floats, int, int]:
    given = joint.given(person)
    possible = np.flatnonzero(~np.isnan(given[:, 0]))
    if possible.size < 2:
        fix = "Leave them out: nothing is left to learn about them."
        where = f"column {person + 1} of the prior"
        raise InputError(where, "must have two possible values", "one", fix, value=joint.names[person])
    best: tuple[float, Floats, int, int] | None = None
    for to in possible:
        for away in possible:
            if to != away:
                nu, event = _most_telling(joint, eps, person, (int(to), int(away)), private)
                if best is None or nu > best[0]:
                    best = (nu, event, int(to), int(away))
    assert best is not None  # noqa: S101 -- there are at least two possible values
    return best


def _most_telling(
    joint: JointPrior, eps: Floats, person: int, values: tuple[int, int], private: csc_array
) -> tuple[float, Floats]:
    """Solve one program; put its solution inside the conditions and see what it attains there."""
    for_it, against = (_weights(joint, person, value) for value in values)
    top, solution = _solve(for_it, against, private)
    event = _above(solution.reshape(joint.mass.shape), eps)
    event /= 2 * event.max()
    attained = float(np.log(for_it @ event.ravel()) - np.log(against @ event.ravel()))
    if not abs(attained - top) <= TOLERANCE:
        raise SolveError(
            f"the linear program claims {top:.9g} and its mechanism attains {attained:.9g}: probabilities "
            "this far apart are beyond the solver's digits. Use smaller epsilons, or bounds from influences."
        )
    if attained < eps[person] - TOLERANCE:  # a coin about this person alone attains their own epsilon
        raise SolveError(
            f"the linear program found a nu of {attained:.9g}, below the person's own epsilon of "
            f"{eps[person]:.9g}: probabilities this far apart are beyond the solver's digits. Use smaller "
            "epsilons, or bounds from influences."
        )
    return attained, event


def _weights(joint: JointPrior, person: int, value: int) -> Floats:
    """The probability of every combination given one value of a person."""
    table = np.zeros(joint.mass.shape)
    at: list[Any] = [slice(None)] * joint.mass.ndim
    at[person] = value
    part = joint.mass[tuple(at)]
    table[tuple(at)] = part / part.sum()
    return table.ravel()


def _privacy_rows(shape: tuple[int, ...], eps: Floats) -> csc_array:
    """``p(x) - e^(eps_i) p(x')``, at most 0, for all x and x' that differ in person i alone."""
    cells = np.arange(np.prod(shape)).reshape(shape)
    more, less, factor = [], [], []
    for i, q in enumerate(shape):
        for v, w in ((v, w) for v in range(q) for w in range(q) if v != w):
            more.append(cells.take(v, axis=i).ravel())
            less.append(cells.take(w, axis=i).ravel())
            factor.append(np.full(more[-1].size, -np.exp(eps[i])))
    columns = np.concatenate([*more, *less])
    rows = np.tile(np.arange(columns.size // 2), 2)
    values = np.concatenate([np.ones(columns.size // 2), *factor])
    return coo_array((values, (rows, columns)), shape=(rows.size // 2, cells.size)).tocsc()


def _solve(for_it: Floats, against: Floats, private: csc_array) -> tuple[float, Floats]:
    method = "highs-ds" if for_it.size <= SIMPLEX_CELLS else "highs-ipm"
    result = most_telling_event(for_it, against, private, method=method)
    return float(np.log(-result.fun)), np.maximum(result.x, 0.0)


def most_telling_event(for_it: Floats, against: Floats, private: csc_array, *, method: str) -> Any:
    """Solve the program of the event that is likeliest under one law where its mean under another is 1.

    Parameters
    ----------
    for_it, against
        The two laws, a probability for each case.
    private
        How far the event's probabilities may differ between cases, as rows that are at most 0.
    method
        Of SciPy: the dual simplex, or interior points.

    Returns
    -------
    result
        SciPy's, with the prices of all conditions.

    Raises
    ------
    SolveError
        If the solver gave up.
    """
    from scipy.optimize import linprog

    solve: Any = linprog  # SciPy's type stubs do not know that HiGHS takes sparse matrices
    result = solve(
        -for_it,
        A_ub=private,
        b_ub=np.zeros(private.shape[0]),
        A_eq=against[np.newaxis],
        b_eq=np.ones(1),
        method=method,
    )
    if result.status != 0:
        raise SolveError(f"the linear program of the most telling event was not solved: {result.message}")
    return result


def _above(table: Floats, eps: Floats) -> Floats:
    """The smallest private table nowhere below this one: ``max over y of e^(-d(x, y)) p(y)``.

    The distance d adds up over people, so one sweep along each axis does it. Up rather than down: where a
    tiny probability was rounded to 0, everything would have to be 0.
    """
    for i, e in enumerate(eps):
        table = np.maximum(table, np.exp(-e) * table.max(axis=i, keepdims=True))
    return table
