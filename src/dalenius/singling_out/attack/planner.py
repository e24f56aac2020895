"""Which condition to write down: all attacks propose, the planner weighs and chooses.

For a weight limit the choice is the candidate that most probably isolates somebody among those light enough
(of equals, the lightest). The planner knows the release and, at most, other people: the population, or a part
of a holdout that is not used to certify weights afterwards. Other people also tell how many rows of one class
meet the cells of another, and how many are the same; without them that none are is taken for granted, and
said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.predicate import And
from dalenius.errors import InputError
from dalenius.people.rows.rows import Rows
from dalenius.progress import Progress, silent
from dalenius.release.rows.classes import Classes
from dalenius.singling_out.attack.candidates import Candidates, ClassMembers, Floats, Key, OrderedPeople
from dalenius.singling_out.attack.rows.interval_ends import (
    endpoint_candidates,
    full_set_candidates,
    tight_columns,
)
from dalenius.singling_out.attack.rows.minimality import bit_candidates, minimality_candidates
from dalenius.singling_out.attack.rows.overlapping import Strangers, Twins, allow_for
from dalenius.singling_out.attack.rows.released_values import (
    alone_candidates,
    alone_rows,
    hash_candidates,
    nearly_unique,
    verbatim_candidates,
)
from dalenius.singling_out.attack.weights.certified import AssumedWeights

WORTH_SAYING = 0.05
"""Rows of other classes in a class, on average, from which on a reader is told."""


@dataclass(frozen=True, eq=False)
class ConditionsPlan:
    """All candidates of all attacks, with what the attacker thinks they weigh.

    Parameters
    ----------
    classes
        The release.
    attacks
        The candidates of each attack.
    weights
        For each attack the weights of its candidates, as estimated from who is known.
    class_weights
        The weights of the classes themselves.
    key
        The hash of this attack.
    known
        The people it weighed with; ``None`` where weights are assumed.
    notes
        What a reader of the expected success should know.
    """

    classes: Classes
    attacks: tuple[Candidates, ...]
    weights: tuple[Floats, ...]
    class_weights: Floats
    key: Key
    known: ClassMembers | None
    notes: tuple[str, ...]

    @property
    def ratios(self) -> Floats:
        """For every class ``r = n w(phi) / k``: near 1, a class is as large as luck would have it.

        A hash in the class then isolates somebody no better than the same weight without the release; far
        below 1, the class fits these people and nobody else.
        """
        return len(self.classes.released) * self.class_weights / self.classes.sizes

    def choose(self, limit: float) -> tuple[int, int] | None:
        """The attack and its candidate that is the one answer for a weight limit; ``None`` to abstain."""
        best: tuple[float, float] | None = None
        where = None
        for a, (attack, weights) in enumerate(zip(self.attacks, self.weights, strict=True)):
            light = np.flatnonzero(weights <= limit)
            if not light.size:
                continue
            i = light[np.lexsort((weights[light], -attack.success[light]))[0]]
            found = (-float(attack.success[i]), float(weights[i]))
            if best is None or found < best:
                best, where = found, (a, int(i))
        return where

    def at_once(
        self, limit: float, least: float = 0.0, *, each: bool = True
    ) -> tuple[tuple[int, NDArray[np.intp]], ...]:
        """All conditions about single rows that are light enough; for every other class its best one.

        Parameters
        ----------
        limit
            The share of people that may meet a condition.
        least
            How probably it must isolate somebody to be written down.
        each
            Whether conditions about single rows are written down, or only the best one of every class.
        """
        total = len(self.classes)
        best = np.full(total, -1.0)
        attack_of, index_of = np.full(total, -1), np.zeros(total, np.intp)
        every = {
            a: np.flatnonzero((weights <= limit) & (attack.success >= least))
            for a, (attack, weights) in enumerate(zip(self.attacks, self.weights, strict=True))
            if attack.each and each
        }
        for a, light in every.items():
            best[self.attacks[a].of_class[light]] = np.inf
        for a, (attack, weights) in enumerate(zip(self.attacks, self.weights, strict=True)):
            if attack.each and each:
                continue
            light = np.flatnonzero((weights <= limit) & (attack.success >= least))
            order = light[np.lexsort((-weights[light], attack.success[light]))]  # the last one written stays
            better = order[attack.success[order] > best[attack.of_class[order]] + 1e-12]
            own = attack.of_class[better]
            index_of[own], attack_of[own] = better, a
            best[own] = attack.success[index_of[own]]
        chosen = {a: index_of[attack_of == a] for a in range(len(self.attacks))} | every
        return tuple((a, which) for a, which in chosen.items() if which.size)

    def predicate(self, attack: int, i: int) -> And:
        """One candidate as a condition on original rows."""
        return self.attacks[attack].predicate(i, self.key)


def plan(
    classes: Classes,
    *,
    known: Rows | OrderedPeople | None,
    tight: tuple[str, ...] | None = None,
    minimal: bool = True,
    family: str = "prf64",
    rng: np.random.Generator,
    progress: Progress = silent,
) -> ConditionsPlan:
    """Propose conditions for every class and weigh them.

    Parameters
    ----------
    classes
        The release.
    known
        Other people, to weigh with, put in order before if many releases are attacked; ``None`` to assume
        weights.
    tight
        Columns whose intervals end at values of rows; ``None`` to judge by their looks.
    minimal
        Whether the anonymiser generalises no more than it must, where its hierarchy is known.
    family
        The kind of hash.
    rng
        Draws the key; independent of the data.
    """
    for name in tight or ():
        if name not in classes.quasi:
            raise InputError(f"tight column {name!r}", "must be a quasi-identifier", ", ".join(classes.quasi))
    columns = classes.released.names
    key = Key(columns, rng.bytes(16).hex(), family)
    progress(0.1, "find who meets each class")
    others = None if known is None else ClassMembers(known, classes.boxes, columns)
    ends = tight_columns(classes) if tight is None else tight
    progress(0.3, "propose conditions")
    attacks = (*alone_candidates(classes, others, rng), *_attacks(classes, ends, minimal, others))
    progress(0.6, "weigh conditions")
    assumed = AssumedWeights(classes.boxes)
    crowd = (
        None if others is None else _Crowd(others, Strangers(classes.sizes, others), Twins(others, columns))
    )
    weighed = [_weigh(attack, assumed, crowd) for attack in attacks]
    return ConditionsPlan(
        classes,
        tuple(attack for attack, _ in weighed),
        tuple(weights for _, weights in weighed),
        assumed.of(classes.boxes) if others is None else np.maximum(others.counts, 1) / len(others.rows),
        key,
        others,
        (*_notes(classes, crowd), *_left_out(classes, attacks)),
    )


def _attacks(
    classes: Classes, ends: tuple[str, ...], minimal: bool, known: ClassMembers | None
) -> Iterator[Candidates]:
    yield from verbatim_candidates(classes)
    yield from endpoint_candidates(classes, ends, known)
    yield from full_set_candidates(classes)
    if minimal:
        yield from minimality_candidates(classes, known)
        yield from bit_candidates(classes)
    yield from hash_candidates(classes)


class _Crowd(NamedTuple):
    """Other people, and what they tell: who else meets the cells of a class, and who is like whom."""

    known: ClassMembers
    strangers: Strangers
    twins: Twins


def _weigh(
    candidates: Candidates, assumed: AssumedWeights, crowd: _Crowd | None
) -> tuple[Candidates, Floats]:
    """Allow for rows of other classes and equal rows; estimate weights, which a hash divides."""
    if crowd is None:
        return candidates, assumed.of(candidates.boxes) / candidates.one_in
    inside = crowd.known.within(candidates.boxes, candidates.of_class)
    strangers = crowd.strangers.expected(inside, candidates.of_class, candidates.one_in)
    candidates = allow_for(candidates, strangers, crowd.twins.expected(candidates, inside))
    return candidates, np.maximum(inside.counts / candidates.one_in, 1) / len(crowd.known.rows)


def _notes(classes: Classes, crowd: _Crowd | None) -> Iterator[str]:
    """What a reader of the expected success should know."""
    for name in nearly_unique(classes):
        yield (
            f"Column {name!r} is released as it is, and nearly every value occurs once: it singles out rows "
            "by itself. If it was to be protected, it belongs to the quasi-identifiers."
        )
    if crowd is None:
        yield (
            "No reference people: expected success assumes that classes do not overlap and that rows of "
            "a class are distinct."
        )
        return
    others = crowd.strangers.expected(crowd.known.members, np.arange(len(classes)), classes.sizes)
    if others.max() >= WORTH_SAYING:
        yield (
            f"Cells of classes overlap: {np.mean(others >= WORTH_SAYING):.0%} of them are met by rows of "
            f"others too, {others.mean():.2g} a class on average as other people tell; expected success and "
            "hashes allow for them."
        )


def _left_out(classes: Classes, attacks: tuple[Candidates, ...]) -> Iterator[str]:
    """Say how many rows that are alone were too many to weigh."""
    tried = sum(len(attack) for attack in attacks if attack.each)
    if tried and (alone := alone_rows(classes).size) > tried:
        yield f"Of {alone:,} released rows that are alone, {tried:,} drawn at random were attacked."
