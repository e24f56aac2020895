"""Attack a finished table of generalised rows: does it let somebody point at exactly one person?

The attack sees the release and other people (a population, or half of a holdout); the other half of a holdout
certifies weights; the original, if there is one, is opened by the referee alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dalenius.attacks.predicates import Isolating, WeightBound
from dalenius.attacks.singling_out.assumed import assumed_weight
from dalenius.attacks.singling_out.candidates import Candidates, ClassMembers
from dalenius.attacks.singling_out.certify import Certifier
from dalenius.attacks.singling_out.classes import Classes, find_classes
from dalenius.attacks.singling_out.minimal import downcode
from dalenius.attacks.singling_out.planner import Plan, plan
from dalenius.attacks.singling_out.weights import (
    METHODS,
    HoldoutSource,
    Method,
    PopulationSource,
    Source,
    bound,
)
from dalenius.audit.singling_out.rows_checks import check_files, check_kinds, shared_columns
from dalenius.audit.singling_out.rows_result import AtLimit, RowsAnswer, SingledOutRows, SourceName, Verdict
from dalenius.findings.interval import clopper_pearson
from dalenius.mechanisms.anonymise.hierarchy import Hierarchy
from dalenius.progress import Progress, silent
from dalenius.random import stream
from dalenius.records.english import english
from dalenius.records.matching import Matcher
from dalenius.records.predicate import columns_of
from dalenius.records.row_columns import NumberColumn, NumberKind
from dalenius.records.rows import Rows, distinct
from dalenius.referee.classes import OriginalRows, people_singled_out
from dalenius.theory.isolation import isolation, isolation_without_replacement

GRID = (1e-1, 1e-2, 1e-3, 1e-4)
"""Weight limits, as shares of 1/n."""

REGISTERED = 1e-2
"""The limit that a verdict is about unless another is named: luck isolates somebody in 1% of cases."""

CONFIDENCE = 0.95
NEAR_ONE = 2.0
"""Classes whose r lies within this factor of 1 are as large as luck would have them."""


def single_out_rows(
    released: Rows,
    quasi: Sequence[str],
    *,
    original: Rows | None = None,
    population: Rows | None = None,
    holdout: Rows | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    limits: Sequence[float] = GRID,
    registered: float = REGISTERED,
    error: float = 0.001,
    methods: tuple[Method, ...] = METHODS,
    tight: tuple[str, ...] | None = None,
    minimal: bool = True,
    dropped: bool = False,
    seed: int = 1,
    progress: Progress = silent,
) -> SingledOutRows:
    """Single people out of a released table, and compare with luck.

    Parameters
    ----------
    released
        The table as published; cells as text.
    quasi
        The columns that were generalised.
    original
        The rows that were anonymised: whether conditions isolate somebody. Without them, no verdict.
    population, holdout
        Everybody, or other people of the same population: how rare conditions are. Without either, weights
        are assumed and there is no verdict.
    hierarchies
        How columns were generalised, by column.
    limits, registered
        Weight limits as shares of 1/n, and the one that the verdict is about.
    error
        The chance that a weight from a holdout is wrong.
    methods
        Which bounds a holdout may be used for, see `~dalenius.attacks.singling_out.weights.HoldoutSource`.
    tight, minimal
        What is known of the anonymiser, see `~dalenius.attacks.singling_out.planner.plan`.
    dropped
        Accept a release with fewer rows than the original: suppressed rows were left out.
    seed
        Of the hash's key and of how a holdout is halved.
    """
    notes = check_files(released, original, population, holdout, limits, registered, dropped)
    released, left_out = shared_columns(released, quasi, original)
    notes += left_out
    others = population if population is not None else holdout
    if others is not None:
        check_kinds(others, original, released.names)
    known, source = _roles(population, holdout, error, methods, seed)
    progress(0.05, "read the released cells")
    classes = find_classes(released, quasi, known=known, hierarchies=hierarchies)
    truth = None if original is None else OriginalRows(original, classes)
    check = None if truth is None else truth.check()
    planned = plan(
        classes,
        known=known,
        tight=tight,
        minimal=minimal,
        rng=stream(seed, "attack", "rows"),
        progress=progress,
    )
    n = len(released) if original is None else len(original)
    work = _Work(n, planned, source, truth, _certifier(source, planned))
    finer = downcode(classes) if minimal else ()
    progress(0.8, "judge conditions")
    results = tuple(work.at(c) for c in sorted(set(limits) | {registered}, reverse=True))
    decided = next(one for one in results if one.c == registered)
    low, middle, high = np.quantile(planned.ratios, [0.05, 0.5, 0.95]).tolist()
    return SingledOutRows(
        n=n,
        quasi=classes.quasi,
        verbatim=classes.verbatim,
        classes=len(classes),
        k=classes.k,
        suppressed=classes.suppressed,
        source=_name(population, holdout),
        source_rows=0 if others is None else len(others),
        check=check,
        ratios=(low, middle, high),
        unique_rows=_unique_rows(classes),
        refined=sum(map(len, finer)),
        refined_right=None if truth is None else sum(_right(one, truth, planned) for one in finer),
        limits=results,
        registered=registered,
        verdict=_verdict(decided, work, middle),
        assumptions=tuple(_assumptions(work, decided)),
        notes=(*notes, *planned.notes, *_further_notes(work, decided, check)),
    )


@dataclass(frozen=True, eq=False)
class _Work:
    """All that one weight limit needs."""

    n: int
    plan: Plan
    source: Source | None
    truth: OriginalRows | None
    certifier: Certifier | None

    def at(self, c: float) -> AtLimit:
        """Choose, certify and judge at one limit."""
        limit = c / self.n
        baseline = self.luck(limit)
        trials, expected, isolating, hits = 0, 0.0, 0, 0
        alone: list[np.ndarray[tuple[int], np.dtype[np.int64]]] = []
        for attack, which in self.plan.at_once(limit):
            chosen = self.plan.attacks[attack].take(which)
            trials += len(chosen)
            expected += float(chosen.success.sum())
            if self.truth is not None:
                found = self.truth.judge(chosen, self.plan.key).alone
                isolating += int((found >= 0).sum())
                if self.certifier is not None:
                    found = np.where(self.certifier.bounds(chosen, self.plan.key) <= limit, found, -1)
                hits += int((found >= 0).sum())
                alone.append(found)
        judged = self.truth is not None and self.certifier is not None
        interval = clopper_pearson(hits, trials, CONFIDENCE) if judged and trials else None
        error = 0.0 if self.certifier is None else self.certifier.error
        return AtLimit(
            c,
            limit,
            baseline,
            self.answer(limit),
            trials,
            expected / trials if trials else 0.0,
            isolating if self.truth is not None else None,
            hits if judged else None,
            people_singled_out(np.concatenate([[-1], *alone])) if self.truth is not None else None,
            interval.low if interval else None,
            interval.high if interval else None,
            hits / trials - baseline if interval else None,
            interval.low - baseline - error if interval else None,
        )

    def luck(self, limit: float) -> float:
        """The best success without the release; drawn without replacement too, if the population is known."""
        best = isolation(self.n, limit)
        if isinstance(self.source, PopulationSource) and len(self.source.rows) >= self.n:
            size = len(self.source.rows)
            best = max(best, isolation_without_replacement(size, self.n, math.floor(size * limit)))
        return best

    def answer(self, limit: float) -> RowsAnswer | None:
        """The one condition for a limit, with the bound that the source allows it."""
        where = self.plan.choose(limit)
        if where is None:
            return None
        attack, i = where
        candidates = self.plan.attacks[attack]
        predicate = self.plan.predicate(attack, i)
        own = int(candidates.of_class[i])
        classes = self.plan.classes
        known = self.source is not None and columns_of(predicate) <= set(self.source.rows.names)
        weight: WeightBound
        if self.source is None or not known:
            weight = assumed_weight(float(self.plan.weights[attack][i]))
        else:
            weight = bound(predicate, self.source)
        kinds = {} if self.source is None else _kinds(self.source.rows)
        claim = Isolating(
            predicate,
            weight,
            candidates.kind,
            float(candidates.success[i]),
            int(classes.sizes[own]),
            english(predicate, kinds=kinds),
        )
        matches = None if self.truth is None else Matcher(self.truth.rows).count(predicate)
        return RowsAnswer(
            claim, classes.cells(own), float(self.plan.ratios[own]), candidates.assumes, matches
        )


def _certifier(source: Source | None, planned: Plan) -> Certifier | None:
    if source is None:
        return None
    people = planned.known if isinstance(source, PopulationSource) else None
    classes = planned.classes
    return Certifier(source, people or ClassMembers(source.rows, classes.boxes, classes.released.names))


def _roles(
    population: Rows | None, holdout: Rows | None, error: float, methods: tuple[Method, ...], seed: int
) -> tuple[Rows | None, Source | None]:
    """Whom the attack may know, and who certifies: half of a holdout each, which the other never sees."""
    if population is not None:
        return population, PopulationSource(population)
    if holdout is None:
        return None, None
    order = stream(seed, "holdout", "halves").permutation(len(holdout))
    half = len(holdout) // 2
    return holdout.take(order[:half]), HoldoutSource(holdout.take(order[half:]), error, methods)


def _name(population: Rows | None, holdout: Rows | None) -> SourceName:
    if population is not None:
        return "population"
    return "none" if holdout is None else "holdout"


def _verdict(at: AtLimit, work: _Work, ratio: float) -> Verdict:
    if work.truth is None or work.source is None:
        return "no verdict"
    if at.lower_end is not None and at.lower_end > 0:
        return "demonstrated"
    too_small = isinstance(work.source, PopulationSource) and at.limit * len(work.source.rows) < 1
    better = at.isolating and clopper_pearson(at.isolating, at.trials, CONFIDENCE).low > at.baseline
    if too_small or better or not 1 / NEAR_ONE <= ratio <= NEAR_ONE:
        return "not shown"
    return "no advantage"


def _right(finer: Candidates, truth: OriginalRows, planned: Plan) -> int:
    return int((truth.judge(finer, planned.key).counts == 1).sum())


def _unique_rows(classes: Classes) -> int:
    """Released rows that are the only ones of their class with their verbatim values."""
    kept = classes.by_class
    number = NumberColumn("", classes.of_row[kept].astype(np.float64), "integer")
    columns = (classes.released.column(name).take(kept) for name in classes.verbatim)
    counts = distinct(Rows((number, *columns))).counts
    return int((counts == 1).sum())


def _kinds(rows: Rows) -> dict[str, NumberKind]:
    return {column.name: column.kind for column in rows.columns if isinstance(column, NumberColumn)}


def _assumptions(work: _Work, at: AtLimit) -> Iterator[str]:
    yield "the people of the data are independent draws from the population that weights are about"
    if at.answer is not None:
        yield f"weights: {at.answer.claim.weight.assumption}"
    kinds = {work.plan.attacks[attack].assumes for attack, _ in work.plan.at_once(at.limit)}
    if work.truth is None:
        yield from (f"expected success: {text}" for text in sorted(kinds))
    else:
        yield "interval: conditions of different classes succeed independently"


def _further_notes(work: _Work, at: AtLimit, check: object) -> Iterator[str]:
    if at.answer is None:
        yield f"No condition was light enough at the weight {at.limit:.3g} of the verdict."
    if isinstance(work.source, HoldoutSource):
        need = math.ceil(-math.log(work.source.error / 3) / at.limit)
        if len(work.source.rows) < need:
            yield (
                f"{len(work.source.rows):,} people certify weights; a weight of {at.limit:.3g} takes "
                f"{need:,} of them with no match: {2 * need:,} rows of holdout."
            )
    if isinstance(work.source, PopulationSource) and at.limit * len(work.source.rows) < 1:
        yield (
            f"No condition that matches somebody in a population of {len(work.source.rows):,} is as light as "
            f"{at.limit:.3g}: name a larger limit, or give a larger population."
        )
    if getattr(check, "more", 0):
        yield (
            "Some classes match more original rows than the release has in them: cells overlap, or "
            "rows that were suppressed fit them too."
        )
