"""One weight limit of an attack on a released table: choose conditions, certify their weights, judge them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.attacks.predicates import Isolating
from dalenius.attacks.singling_out.assumed import assumed_weight
from dalenius.attacks.singling_out.candidates import Candidates, ClassMembers
from dalenius.attacks.singling_out.certify import Certifier
from dalenius.attacks.singling_out.planner import Plan
from dalenius.attacks.singling_out.weights import bound
from dalenius.audit.singling_out.rows_result import AtLimit, RowsAnswer
from dalenius.audit.singling_out.rows_source import Weighing
from dalenius.findings.interval import clopper_pearson
from dalenius.records.english import english
from dalenius.records.matching import Matcher
from dalenius.records.predicate import columns_of
from dalenius.referee.classes import OriginalRows, people_singled_out
from dalenius.referee.score import Tally
from dalenius.theory.isolation import isolation, isolation_without_replacement


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
    plan: Plan
    weighing: Weighing
    certifier: Certifier | None
    truth: OriginalRows | None
    confidence: float

    def at(self, c: float, others: ClassMembers | None = None) -> AtLimit:
        """Choose, certify and judge at the limit c/n; with other people, count the same conditions there."""
        limit = c / self.n
        baseline = self.luck(limit)
        judged = [
            self._judge(self.plan.attacks[attack].take(which), limit, others)
            for attack, which in self.plan.at_once(limit)
        ]
        trials = sum(one.trials for one in judged)
        alone = np.concatenate([[-1], *(one.certified for one in judged)])
        counted = self.truth is not None and self.certifier is not None
        hits = int((alone >= 0).sum())
        interval = clopper_pearson(hits, trials, self.confidence) if counted and trials else None
        return AtLimit(
            c=c,
            limit=limit,
            baseline=baseline,
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
            control=None if others is None else _sum([one.control for one in judged]),
        )

    def _judge(self, chosen: Candidates, limit: float, others: ClassMembers | None) -> _Kind:
        """Count what conditions of one kind match in the original, and among other people."""
        trials, expected, key = len(chosen), float(chosen.success.sum()), self.plan.key
        if self.truth is None:
            return _Kind(trials, expected, 0, np.full(trials, -1), Tally(0, 0))
        found = self.truth.judge(chosen, key).alone
        light = np.ones(trials, np.bool_)
        if self.certifier is not None:
            light = self.certifier.bounds(chosen, key) <= limit
        control = Tally(0, 0)
        if others is not None:
            control = Tally(int((others.matches(chosen, key).alone[light] >= 0).sum()), int(light.sum()))
        return _Kind(trials, expected, int((found >= 0).sum()), np.where(light, found, -1), control)

    def luck(self, limit: float) -> float:
        """The best success without the release; drawn without replacement too, if the population is known."""
        best = isolation(self.n, limit)
        size = self.weighing.everybody
        if size is not None and size >= self.n:
            best = max(best, isolation_without_replacement(size, self.n, math.floor(size * limit)))
        return best

    def others(self, rng: np.random.Generator) -> ClassMembers | None:
        """As many other people as the data have, drawn from those who weigh; ``None`` if they are too few.

        Conditions that single these out as often as the original are no news about the original.
        """
        source, classes = self.weighing.source, self.plan.classes
        if source is None or len(source.rows) < self.n:
            return None
        if not set(classes.released.names) <= set(source.rows.names):
            return None
        drawn = rng.choice(len(source.rows), self.n, replace=False, shuffle=False)
        return ClassMembers(source.rows.take(drawn), classes.boxes, classes.released.names)

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
    control: Tally


def _sum(tallies: list[Tally]) -> Tally:
    return Tally(sum(one.hits for one in tallies), sum(one.trials for one in tallies))
