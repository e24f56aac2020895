"""One weight limit of an attack on a released table: choose conditions, certify their weights, judge them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.matching import Matcher
from dalenius.conditions.predicate import columns_of
from dalenius.conditions.text import english
from dalenius.findings.tally import Tally, clopper_pearson
from dalenius.singling_out.attack.candidates import Candidates, ClassMembers
from dalenius.singling_out.attack.isolating import Isolating
from dalenius.singling_out.attack.planner import ConditionsPlan
from dalenius.singling_out.attack.weights.certified import Certifier, assumed_weight
from dalenius.singling_out.attack.weights.sources import bound
from dalenius.singling_out.referee.classes import OriginalRows, people_singled_out
from dalenius.singling_out.rows.result import AtLimit, RowsAnswer
from dalenius.singling_out.rows.settings import Weighing
from dalenius.theory.isolation import isolation, isolation_without_replacement

CLEARLY = 2.0
"""How many times as often as luck a condition should succeed to be written down."""

CONTROLS = 2000
"""Conditions that the control asks of other people: enough to see a rate within 0.02."""


@dataclass(frozen=True, eq=False)
class Judging:
    """All that one weight limit needs.

    Parameters
    ----------
    n
        People of the data.
    plan
        What the attack proposes.
    weighing, certifier
        Who weighs.
    truth
        The original rows; ``None`` without them.
    confidence
        Of the intervals.
    """

    n: int
    plan: ConditionsPlan
    weighing: Weighing
    certifier: Certifier | None
    truth: OriginalRows | None
    confidence: float

    def at(self, c: float) -> AtLimit:
        """Choose, certify and judge at the limit c/n, with conditions about single rows and without them.

        Of the two the one that says more: a column that was made up, not released as it is, would spoil all
        conditions about single rows.
        """
        both = [self._at(c, each=each) for each in self.ways]
        return max(both, key=lambda at: -1.0 if at.lower_end is None else at.lower_end)

    @property
    def ways(self) -> tuple[bool, ...]:
        """With conditions about single rows, where there are such, and without."""
        return (True, False) if any(kind.each for kind in self.plan.attacks) else (True,)

    def _at(self, c: float, *, each: bool) -> AtLimit:
        limit = c / self.n
        baseline = self.luck(limit)
        judged = [self._judge(chosen, limit) for chosen in self.chosen(limit, each=each)]
        trials = sum(one.trials for one in judged)
        alone = np.concatenate([[-1], *(one.certified for one in judged)])
        counted = self.truth is not None and self.certifier is not None
        hits = int((alone >= 0).sum())
        interval = clopper_pearson(hits, trials, self.confidence) if counted and trials else None
        return AtLimit(
            c=c,
            limit=limit,
            baseline=baseline,
            shown=self.shown(c),
            each=each,
            answer=self.answer(limit),
            trials=trials,
            expected=sum(one.expected for one in judged) / trials if trials else 0.0,
            isolating=None if self.truth is None else sum(one.isolating for one in judged),
            hits=hits if counted else None,
            people=None if self.truth is None else people_singled_out(alone),
            low=interval.low if interval else None,
            high=interval.high if interval else None,
            advantage=hits / trials - baseline if interval else None,
            lower_end=interval.low - baseline - self.weighing.error if interval else None,
        )

    def chosen(self, limit: float, *, each: bool) -> list[Candidates]:
        """The conditions that are written down at a limit."""
        return [self.plan.attacks[attack].take(which) for attack, which in self.written(limit, each=each)]

    def written(self, limit: float, *, each: bool) -> tuple[tuple[int, NDArray[np.intp]], ...]:
        """The same by attack and number: those expected to succeed clearly more often than luck."""
        return self.plan.at_once(limit, CLEARLY * self.luck(limit), each=each)

    def shown(self, c: float) -> bool:
        """Whether whoever weighs can show a weight of c/n at all."""
        return self.weighing.least <= c / self.n * (1 + 1e-9)

    def _judge(self, chosen: Candidates, limit: float) -> _Kind:
        """Count what conditions of one kind match in the original."""
        trials, expected = len(chosen), float(chosen.success.sum())
        if self.truth is None:
            return _Kind(trials, expected, 0, np.full(trials, -1))
        found = self.truth.judge(chosen, self.plan.key).alone
        certified = np.where(self.bounds(chosen) <= limit, found, -1)
        return _Kind(trials, expected, int((found >= 0).sum()), certified)

    def bounds(self, chosen: Candidates) -> NDArray[np.float64]:
        """Upper bounds of the weights of conditions; 0 where nobody can certify any."""
        if self.certifier is None:
            return np.zeros(len(chosen))
        return self.certifier.bounds(chosen, self.plan.key)

    def luck(self, limit: float) -> float:
        """The best success without the release; drawn without replacement too, if the population is known."""
        best = isolation(self.n, limit)
        size = self.weighing.everybody
        if size is not None and size >= self.n:
            best = max(best, isolation_without_replacement(size, self.n, math.floor(size * limit)))
        return best

    def control(self, at: AtLimit, rng: np.random.Generator) -> Tally | None:
        """Count which of the same conditions match exactly one of as many other people.

        If these are isolated as often as the people of the data, the conditions are no news about the data.
        The others are drawn from those who weigh; ``None`` if they are too few, or lack a column. Of many
        conditions a random part is enough.
        """
        source, classes, limit = self.weighing.source, self.plan.classes, at.limit
        names = classes.released.names
        if self.truth is None or source is None or len(source.rows) < self.n:
            return None
        if not set(names) <= set(source.rows.names):
            return None
        drawn = rng.choice(len(source.rows), self.n, replace=False, shuffle=False)
        kinds = _some(self.chosen(limit, each=at.each), CONTROLS, rng)
        kinds = [kind.take(np.flatnonzero(self.bounds(kind) <= limit)) for kind in kinds]
        which = np.unique(np.concatenate([np.zeros(0, np.int64), *(kind.of_class for kind in kinds)]))
        others = ClassMembers(source.rows.take(drawn), classes.boxes.take(which), names)
        alone = [others.matches(_renumbered(kind, which), self.plan.key).alone for kind in kinds]
        return Tally(sum(int((one >= 0).sum()) for one in alone), sum(map(len, kinds)))

    def answer(self, limit: float) -> RowsAnswer | None:
        """The one condition for a limit, with the bound that the source allows it."""
        where = self.plan.choose(limit)
        if where is None:
            return None
        attack, i = where
        candidates = self.plan.attacks[attack]
        claim = self._claim(attack, i)
        own = int(candidates.of_class[i])
        matches = None if self.truth is None else Matcher(self.truth.rows).count(claim.predicate)
        ratio = float(self.plan.ratios[own])
        return RowsAnswer(claim, self.plan.classes.cells(own), ratio, candidates.assumes, matches)

    def _claim(self, attack: int, i: int) -> Isolating:
        candidates: Candidates = self.plan.attacks[attack]
        predicate, source = self.plan.predicate(attack, i), self.weighing.source
        if source is None or not columns_of(predicate) <= set(source.rows.names):
            weight = assumed_weight(float(self.plan.weights[attack][i]))
        else:
            weight = bound(predicate, source)
        size = int(self.plan.classes.sizes[candidates.of_class[i]])
        text = english(predicate, kinds={} if source is None else source.rows.kinds)
        return Isolating(predicate, weight, candidates.kind, float(candidates.success[i]), size, text)


@dataclass(frozen=True, eq=False)
class _Kind:
    """What the conditions of one kind did; ``certified`` is whom those certain to be light match alone."""

    trials: int
    expected: float
    isolating: int
    certified: NDArray[np.int64]


def _some(kinds: list[Candidates], most: int, rng: np.random.Generator) -> list[Candidates]:
    """At most so many of the conditions, drawn at random from all kinds together."""
    kept = np.sort(rng.permutation(sum(map(len, kinds)))[:most])
    ends = np.cumsum([0, *map(len, kinds)])
    parts = np.split(kept, np.searchsorted(kept, ends[1:-1]))
    return [kind.take(part - start) for kind, part, start in zip(kinds, parts, ends, strict=False)]


def _renumbered(kind: Candidates, which: NDArray[np.int64]) -> Candidates:
    """The same conditions, their classes numbered by their places among these."""
    rest = kind.rest
    return replace(
        kind,
        of_class=np.searchsorted(which, kind.of_class),
        rest=None if rest is None else lambda i: rest(int(which[i])),
    )
