"""What follows about each person by arithmetic, all values of the secret together, within a budget.

Row by row at any size first. What that leaves open falls apart into parts that share no row, and each is
searched (`search`), the cheapest first; small parts are then counted through, which gives exact chances.

And what somebody in the data learns besides, who knows their own secret. An insider takes themselves out of
every count. Where the numbers allow one person with a value beyond those who must have it, whoever has it
knows that no other has; where they allow one without it beyond those who cannot have it, whoever lacks it
knows that all others have it. So six neighbours of whom five are ill give five secrets away to the sixth,
though nobody outside is certain of any. An attack cannot know whether there is such an insider: it says what
one would know, and the referee, who knows everybody's value, counts where there is one. Single numbers and
single groups of people are followed, no chains of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import gammaln

from dalenius.matrices.answers import Vector
from dalenius.matrices.operators import HadamardRows
from dalenius.progress import Progress, silent
from dalenius.reconstruction.attack.cost import say_seconds
from dalenius.reconstruction.attack.search.parts import (
    TOLERANCE,
    Found,
    Part,
    Work,
    blocks,
    contradiction,
    expected,
    points_that_fit,
    propagate,
)
from dalenius.reconstruction.attack.system.build import Problem, all_values, couple
from dalenius.reconstruction.attack.system.system import EDGE, TRIM_LIMIT, LinearSystem, log_prior

ENTRY_LIMIT = 4_000_000
"""Entries of what row by row leaves open, above which nothing more is searched: a minute to a pass."""

ROUNDS = 100
"""How often values tell each other what is left."""

COUNT_STEPS, COUNT_SOLUTIONS = 30_000, 20_000
"""Assumptions and solutions up to which all solutions of a part are counted."""

COUNT_SUMS = 60
"""Open sums up to which counting is tried at all."""


@dataclass(frozen=True)
class Settled:
    """What follows from all answers together.

    Parameters
    ----------
    systems
        One a value, with what is known about every sum.
    mean
        The expected sum of every unknown by value where all solutions were counted, else not a number.
    notes
        What was not searched, and what was counted.
    seconds
        What the search took, at fixed rates.
    """

    systems: tuple[LinearSystem, ...]
    mean: NDArray[np.float64]
    notes: tuple[str, ...]
    seconds: float = 0.0


def _holds_for_sure(system: LinearSystem) -> bool:
    """Whether a row says something without noise: an exact number, or an end that its noise cannot pass.

    Of a sample at least those are there whom it counts, however many are not in it.
    """
    if (system.sd == 0).any():
        return True
    least, most = (system.A.apply(ends.astype(np.float64)) for ends in (system.least, system.most))
    told = (system.low > least + 0.5) | (system.high < most - 0.5)  # both are whole numbers
    return bool((told & system.counting).any())


def settle(problem: Problem, seconds: float, progress: Progress = silent) -> Settled:
    """Tighten what is known about every sum, within so many seconds beyond following single rows.

    The seconds are work at fixed rates (`work`), not time: the same is found on every machine.

    Raises
    ------
    InputError
        If the answers contradict each other.
    """
    systems = problem.systems
    sure = any(_holds_for_sure(system) for system in systems)
    if sure:
        progress(0.0, "looking for certain secrets")
        systems = _row_by_row(systems)
    shape = len(systems), systems[0].unknowns
    mean, undecided, unsearched = np.full(shape, np.nan), np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
    least, most = (np.stack(ends) for ends in zip(*((s.least, s.most) for s in systems), strict=True))
    if not sure or not (least < most).any():
        return Settled(systems, mean, ())
    if sum(_open_entries(system) for system in systems) > ENTRY_LIMIT:
        return Settled(systems, mean, _notes(systems, least < most, least < most, 0, seconds))
    whole = all_values(problem, systems)
    work = Work(seconds)
    # only where intervals are all that is known does every vector that fits count alike
    counted, sharp = 0, all(system.sharp and system.counting.all() for system in systems)
    flat_least, flat_most = least.ravel(), most.ravel()
    parts = sorted(_parts(whole, len(systems) == 1), key=lambda found: found[1].A.nnz)
    weights = _Weights(whole, len(systems))
    for done, (unknowns, part) in enumerate(parts):
        progress(done / len(parts), f"looking for certain secrets among {unknowns.size:,} sums")
        points = points_that_fit(part.A, part.low, part.high, part.least, part.most)
        if points is not None and len(points):
            flat_least[unknowns], flat_most[unknowns] = points.min(axis=0), points.max(axis=0)
            if sharp and len(points) > 1:
                counted += 1
                mean.ravel()[unknowns] = expected(points, part.least, weights.of(unknowns))
            continue
        found = _searched(part, work, whole)
        flat_least[unknowns], flat_most[unknowns] = found.board.least, found.board.most
        undecided.ravel()[unknowns] = found.undecided
        unsearched.ravel()[unknowns] = found.undecided & (not found.by_programs)
        means = _count(part, found, partial(weights.of, unknowns)) if sharp else None
        if means is not None:
            counted += 1
            mean.ravel()[unknowns] = means
    systems = couple([s.tightened(a, b) for s, a, b in zip(systems, least, most, strict=True)])
    notes = _notes(systems, undecided, unsearched, counted, seconds)
    return Settled(systems, mean, notes, seconds - work.left)


def _searched(part: Part, work: Work, whole: LinearSystem) -> Found:
    """Search a part that too many vectors fit to try them all; few small releases have one."""
    from dalenius.reconstruction.attack.search.search import search_part
    from dalenius.reconstruction.attack.search.search_steps import ContradictionError

    try:
        return search_part(part, work)
    except ContradictionError:
        from dalenius.reconstruction.attack.certain.conflict import name_conflict

        raise contradiction(name_conflict(whole, "no secrets fit all of them")) from None


def _row_by_row(systems: Sequence[LinearSystem]) -> tuple[LinearSystem, ...]:
    """Follow single rows of every value, and what values leave each other, until nothing changes."""
    found = tuple(systems)
    for _ in range(ROUNDS):
        before = [(system.least, system.most) for system in found]
        found = couple([_follow(system) for system in found])
        after = [(system.least, system.most) for system in found]
        if all(np.array_equal(a, b) for a, b in zip(before, after, strict=True)):
            break
    return found


def _follow(system: LinearSystem) -> LinearSystem:
    if not (system.sd == 0).any():
        return system
    if isinstance(system.A, HadamardRows):
        from dalenius.reconstruction.attack.decoders import hadamard

        return hadamard.settle(system)
    return propagate(system)


def _open_entries(system: LinearSystem) -> float:
    """Matrix entries of open sums, as if every sum were in as many rows."""
    return system.A.entries * float((system.least < system.most).mean())


def _parts(system: LinearSystem, both: bool) -> Iterator[tuple[NDArray[np.intp], Part]]:
    """The parts of what is open, each with the places of its unknowns."""
    reduced, open_ = system.free()
    matrix = sparse.csr_array(reduced.A.explicit())
    up, down = matrix.maximum(0), matrix.minimum(0)
    smallest, largest = up @ reduced.least + down @ reduced.most, up @ reduced.most + down @ reduced.least
    counting = reduced.counting
    low = np.where(counting, np.ceil(reduced.low - TOLERANCE), reduced.low)
    high = np.where(counting, np.floor(reduced.high + TOLERANCE), reduced.high)
    rows = np.flatnonzero((low > smallest) | (high < largest))
    matrix = sparse.csr_array(matrix[rows])
    for found, own, entries in blocks(matrix):
        inside = rows[found]
        part = Part(
            entries,
            low[inside],
            high[inside],
            counting[inside],
            reduced.least[own],
            reduced.most[own],
            reduced.sizes[own],
            both,
        )
        yield open_[own], part


class _Weights:
    """Logarithm of the prior of each sum from its least on: binomial, or for several values multinomial."""

    def __init__(self, system: LinearSystem, values: int) -> None:
        self.system, self.values = system, values

    def of(self, unknowns: NDArray[np.intp]) -> NDArray[np.float64]:
        """Those of some sums."""
        if self.values == 1:
            return np.asarray(np.nan_to_num(log_prior(self.system, unknowns), neginf=-1e300), np.float64)
        least, most = self.system.least[unknowns], self.system.most[unknowns]
        sums = least[:, None] + np.arange(int((most - least).max(initial=0)) + 1)[None, :]
        chance = np.log(np.clip(self.system.prior[unknowns], EDGE, 1.0))[:, None]
        return np.asarray(sums * chance - gammaln(sums + 1), np.float64)


def _count(part: Part, found: Found, weights: Callable[[], NDArray[np.float64]]) -> Vector | None:
    """The expected value of every sum of a part, if all its solutions can be counted."""
    from dalenius.reconstruction.attack.search import _search_kernels as kernels

    board = found.board
    if not 0 < (board.least < board.most).sum() <= COUNT_SUMS or not part.whole.all():
        return None
    mean, keep = np.zeros(part.sizes.size), np.zeros(part.sizes.size, np.int64)
    hint = board.least if found.solution is None else found.solution
    ended, met, total = kernels.explore(
        board, hint, weights(), part.least, keep, mean, COUNT_STEPS, COUNT_SOLUTIONS + 1, -1, 0, 0
    )
    return mean / total if ended == kernels.NONE and met else None


def _notes(
    systems: Sequence[LinearSystem],
    undecided: NDArray[np.bool_],
    unsearched: NDArray[np.bool_],
    counted: int,
    seconds: float,
) -> tuple[str, ...]:
    """Say who was not searched, who only by linear programs, and what was counted."""
    sizes = systems[0].sizes
    least, most = (np.stack(ends) for ends in zip(*((s.least, s.most) for s in systems), strict=True))
    known = (least == sizes).any(axis=0) | (most == 0).all(axis=0)
    people, missed, asked = (
        int(sizes[~known & some].sum())
        for some in (True, unsearched.any(axis=0), (undecided & ~unsearched).any(axis=0))
    )
    said = []
    if missed:
        said.append(
            f"{missed:,} of {people:,} open people were not searched by linear programs of their own, which "
            f"are left out of large parts and end after {say_seconds(seconds)}: more of them may be certain"
        )
    if asked:
        said.append(
            f"{asked:,} of {people:,} open people were searched by linear programs alone, which leave out "
            "that secrets are whole numbers: more of them may be certain"
        )
    if counted:
        parts = "one part" if counted == 1 else f"{counted:,} parts"
        said.append(f"in {parts} of what is open, all secrets that fit were counted")
    return tuple(said)


Told = NDArray[np.int64]
"""One line for each claim and person in it: number of the claim, line of the person, twice the code of the
value plus 1 if the insider has it (then the others do not) or 0 if the insider lacks it (they have it)."""


def told_to_insiders(systems: Sequence[LinearSystem], group: NDArray[np.intp]) -> Told:
    """Say what whoever knows their own secret would know about others.

    Parameters
    ----------
    systems
        One a value, or one for the second of two, with what is known about every sum.
    group
        The unknown that each line of people is part of.
    """
    two = len(systems) == 1
    claims: list[tuple[NDArray[np.intp], int]] = []
    for v, system in enumerate(systems):
        value = 1 if two else v
        claims += [(who, 2 * value) for who in _all_but_one(system)]
        if two:  # of more values, lacking one does not say which
            claims += [(who, 2 * value + 1) for who in _one_alone(system)]
    order = np.argsort(group, kind="stable")
    start = np.searchsorted(group[order], np.arange(systems[0].unknowns + 1))
    told = [
        np.stack([np.full(lines.size, number), lines, np.full(lines.size, code)], axis=1)
        for number, (who, code) in enumerate(claims)
        for lines in [np.concatenate([order[start[i] : start[i + 1]] for i in who])]
    ]
    return np.concatenate([np.zeros((0, 3), np.int64), *told]).astype(np.int64)


def _one_alone(system: LinearSystem) -> Iterator[NDArray[np.intp]]:
    """Unknowns of which at most one person has the value: whoever has it knows that."""
    nobody_must = (system.least == 0) & (system.most > 0)
    yield from _single((system.most == 1) & (system.sizes > 1))
    rows = _sure_rows(system)
    if rows.size:
        least = system.A.apply(system.least.astype(np.float64))[rows]
        high = np.floor(system.high[rows] + TOLERANCE)
        yield from _members(system, rows[high == least + 1], nobody_must)


def _all_but_one(system: LinearSystem) -> Iterator[NDArray[np.intp]]:
    """Unknowns of which at most one person lacks the value: whoever does knows that all others have it."""
    everybody_may = (system.most == system.sizes) & (system.least < system.sizes)
    yield from _single((system.least == system.sizes - 1) & (system.sizes > 1))
    rows = _sure_rows(system)
    if rows.size:
        most = system.A.apply(system.most.astype(np.float64))[rows]
        low = np.ceil(system.low[rows] - TOLERANCE)
        yield from _members(system, rows[low == most - 1], everybody_may)


def _sure_rows(system: LinearSystem) -> NDArray[np.intp]:
    """Rows that count people and are free of noise."""
    if isinstance(system.A, HadamardRows) or system.A.entries > TRIM_LIMIT:
        return np.zeros(0, np.intp)
    return np.flatnonzero(system.counting & (system.sd == 0))


def _single(found: NDArray[np.bool_]) -> Iterator[NDArray[np.intp]]:
    for unknown in np.flatnonzero(found):
        yield np.array([unknown])


def _members(
    system: LinearSystem, rows: NDArray[np.intp], among: NDArray[np.bool_]
) -> Iterator[NDArray[np.intp]]:
    """The unknowns of each row that an insider may be one of, where they are two people or more."""
    if not rows.size:
        return
    matrix = sparse.csr_array(system.A.explicit()[rows])
    for row in range(rows.size):
        counted = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
        who = counted[among[counted]]
        if system.sizes[who].sum() > 1:
            yield who.astype(np.intp)
