"""Attack a finished table of generalised rows: does it let somebody point at exactly one person?

The attack sees the release and other people (a population, or half of a holdout); the other half of a holdout
certifies weights; the original, if there is one, is opened by the referee alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dalenius.findings.interval import share_confidence
from dalenius.mechanisms.anonymise.hierarchy import Hierarchy
from dalenius.people.files.read_file import Source
from dalenius.people.rows.rows import Rows
from dalenius.people.sealed import SealedRows, sealed_rows
from dalenius.progress import Progress, silent
from dalenius.random import stream
from dalenius.singling_out.attack.candidates import Candidates
from dalenius.singling_out.attack.classes import find_classes
from dalenius.singling_out.attack.planner import Plan, plan
from dalenius.singling_out.attack.rows.minimality import downcode
from dalenius.singling_out.attack.rows.released_values import alone_rows
from dalenius.singling_out.attack.weights.sources import METHODS, Method
from dalenius.singling_out.finding import AsTheyAre
from dalenius.singling_out.referee.classes import ClassCheck, OriginalRows, fitting
from dalenius.singling_out.referee.pooled import Pool
from dalenius.singling_out.rows.as_they_are import as_they_are
from dalenius.singling_out.rows.at_limit import Judging
from dalenius.singling_out.rows.checks import check_files, check_kinds, fit_warnings, shared_columns
from dalenius.singling_out.rows.files import read_rows_files
from dalenius.singling_out.rows.outcome import assumptions_of, conclude_rows
from dalenius.singling_out.rows.result import AtLimit, SingledOutRows
from dalenius.singling_out.rows.together import all_together
from dalenius.singling_out.rows.weighing import weigh_with
from dalenius.singling_out.rows.written import written_down

GRID = (1.0, 1e-1, 1e-2, 1e-3, 1e-4)
"""Weight limits, as shares of 1/n."""

REGISTERED = 1e-2
"""The limit that a pass must be about unless another is named: luck isolates somebody in 1% of cases."""


def single_out_rows(
    released: Rows | Source,
    quasi: Sequence[str],
    *,
    original: Rows | SealedRows | Source | None = None,
    population: Rows | Source | None = None,
    holdout: Rows | Source | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    limits: Sequence[float] = GRID,
    registered: float = REGISTERED,
    error: float = 0.001,
    methods: tuple[Method, ...] = METHODS,
    tight: tuple[str, ...] | None = None,
    minimal: bool = True,
    dropped: bool = False,
    told: Sequence[str] = (),
    confidence: float = 0.95,
    seed: int = 1,
    progress: Progress = silent,
) -> SingledOutRows:
    """Single people out of a released table, and compare with luck.

    Parameters
    ----------
    released
        The table as published, cells as text. This and the others are rows, or files, frames or tables of
        databases.
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
        Weight limits as shares of 1/n; all that can be shown decide. And the one that must be shown to pass.
    error
        The chance that a weight from a holdout is wrong.
    methods
        Which bounds a holdout may be used for, see
        `~dalenius.singling_out.attack.weights.sources.HoldoutSource`.
    tight, minimal
        What is known of the anonymiser, see `~dalenius.singling_out.attack.planner.plan`.
    dropped
        Accept a release with fewer rows than the original: suppressed rows were left out.
    told
        What a reader must know of the files.
    confidence
        Of the intervals.
    seed
        Of the hash's key, of how a holdout is halved, and of the control.
    """
    if not isinstance(released, Rows):
        files = read_rows_files(released, quasi, original=original, population=population, holdout=holdout)
        released, original = files.released, files.original
        population, holdout, told = files.population, files.holdout, (*told, *files.warnings)
    given = Rowed(
        released,
        quasi,
        original,
        population,
        holdout,
        hierarchies or {},
        limits,
        registered,
        error,
        methods,
        tight,
        minimal,
        dropped,
        told,
        seed,
    )
    return given.judge(given.attack(given.view(), progress), confidence, progress)


@dataclass(frozen=True)
class RowsView:
    """All that an attack on released rows sees: the release, and other people.

    Parameters
    ----------
    released, quasi
        The table as published, and the columns that were generalised.
    known
        People of the population, to see how rare values are; ``None`` without.
    hierarchies, tight, minimal
        What is known of the anonymiser.
    """

    released: Rows
    quasi: Sequence[str]
    known: Rows | None
    hierarchies: Mapping[str, Hierarchy]
    tight: tuple[str, ...] | None
    minimal: bool


class Rowed:
    """A released table and what belongs to it; the parameters are those of `single_out_rows`."""

    def __init__(
        self,
        released: Rows,
        quasi: Sequence[str],
        original: Rows | SealedRows | None = None,
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
        told: Sequence[str] = (),
        seed: int = 1,
    ) -> None:
        original = None if original is None else sealed_rows(original)
        self.warnings = check_files(released, original, population, holdout, (*limits, registered), dropped)
        self.released, left_out = shared_columns(released, quasi, original)
        check_kinds(population if population is not None else holdout, original, self.released.names)
        if holdout is not None and original is not None:
            shared = [name for name in original.names if name in holdout.names]
            Pool(original.select(shared), holdout.select(shared)).check_apart("holdout")
        self.weighing = weigh_with(population, holdout, error, methods, seed)
        self.quasi, self.original, self.hierarchies = quasi, original, hierarchies or {}
        self.tight, self.minimal, self.seed = tight, minimal, seed
        self.registered, self.grid = registered, sorted(set(limits) | {registered}, reverse=True)
        self.said = (*told, *left_out)

    def view(self) -> RowsView:
        """Return what the attack sees."""
        return RowsView(
            self.released, self.quasi, self.weighing.known, self.hierarchies, self.tight, self.minimal
        )

    def attack(self, view: RowsView, progress: Progress = silent) -> Plan:
        """Find the classes of a release, and plan conditions about each."""
        progress(0.05, "read the released cells")
        classes = find_classes(view.released, view.quasi, known=view.known, hierarchies=view.hierarchies)
        return plan(
            classes,
            known=view.known,
            tight=view.tight,
            minimal=view.minimal,
            rng=stream(self.seed, "attack", "rows"),
            progress=progress,
        )

    def judge(self, planned: Plan, confidence: float, progress: Progress = silent) -> SingledOutRows:
        """Weigh the conditions, and count whom they match."""
        classes = planned.classes
        truth = None if self.original is None else OriginalRows(self.original, classes)
        check = None if truth is None else truth.check()
        n = len(self.released) if self.original is None else len(self.original)
        judging = Judging(n, planned, self.weighing, self.weighing.certifier(planned), truth, confidence)
        tried = 2 + len(judging.ways) * sum(
            map(judging.shown, self.grid)
        )  # and two questions without weights
        judging = replace(judging, confidence=share_confidence(confidence, tried))
        progress(0.8, "judge conditions")
        results = tuple(judging.at(c) for c in self.grid)
        finer = downcode(classes) if self.minimal else ()
        warnings = [*self.warnings, *self.said, *fit_warnings(check)]
        whole = None if truth is None else as_they_are(classes, truth, judging.confidence)
        return _conclude(judging, results, self.registered, whole, check, finer, warnings, self.seed, tried)


def _conclude(
    judging: Judging,
    results: tuple[AtLimit, ...],
    registered: float,
    whole: AsTheyAre | None,
    check: ClassCheck | None,
    finer: Sequence[Candidates],
    warnings: Sequence[str],
    seed: int,
    tried: int,
) -> SingledOutRows:
    classes, weighing, truth = judging.plan.classes, judging.weighing, judging.truth
    asked = next(one for one in results if one.c == registered)
    low, middle, high = np.quantile(judging.plan.ratios, [0.05, 0.5, 0.95]).tolist()
    together = all_together(judging)
    lows = [own.low for own in (whole, together) if own is not None]
    verdict, undecided = conclude_rows(results, asked, judging, middle, lows)
    shown = [one for one in results if one.shown and one.lower_end is not None]
    decided = max(shown, key=lambda one: one.lower_end or 0.0, default=asked)
    control = judging.control(decided, stream(seed, "control", "rows"))
    return SingledOutRows(
        n=judging.n,
        quasi=classes.quasi,
        verbatim=classes.verbatim,
        classes=len(classes),
        k=classes.k,
        compatible=classes.compatible,
        suppressed=classes.suppressed,
        source=weighing.name,
        source_rows=weighing.rows,
        source_text=weighing.text,
        weight_error=weighing.error,
        check=check,
        ratios=(low, middle, high),
        unique_rows=alone_rows(classes).size,
        refined=sum(map(len, finer)),
        refined_right=None if truth is None else fitting([truth.within(one) for one in finer]),
        limits=results,
        registered=registered,
        decided=decided.c,
        tried=tried,
        as_they_are=whole,
        together=together,
        conditions=tuple(written_down(judging, results)),
        notes=judging.plan.notes,
        control=control,
        verdict=verdict,
        undecided=undecided,
        assumptions=tuple(assumptions_of(decided, judging)),
        warnings=tuple(warnings),
    )
