"""Attack a finished table of generalised rows: does it let somebody point at exactly one person?

The attack sees the release and other people (a population, or half of a holdout); the other half of a holdout
certifies weights; the original, if there is one, is opened by the referee alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dalenius.findings.tally import share_confidence
from dalenius.people.files.read_file import Source
from dalenius.people.rows.rows import Rows
from dalenius.people.sealed import SealedRows, sealed_rows
from dalenius.progress import Progress, silent
from dalenius.random import stream
from dalenius.release.rows.classes import find_classes
from dalenius.singling_out.attack.planner import ConditionsPlan, plan
from dalenius.singling_out.attack.rows.minimality import downcode
from dalenius.singling_out.attack.rows.released_values import alone_rows
from dalenius.singling_out.finding import AsTheyAre
from dalenius.singling_out.referee.classes import OriginalRows, fitting
from dalenius.singling_out.referee.columns.recoded import changed_columns
from dalenius.singling_out.referee.pooled import PooledRows
from dalenius.singling_out.rows.at_limit import Judging
from dalenius.singling_out.rows.checks import check_files, check_kinds, fit_warnings, shared_columns
from dalenius.singling_out.rows.evidence import assumptions_of, conclude_rows
from dalenius.singling_out.rows.files import RowsFiles, read_rows_files
from dalenius.singling_out.rows.result import AtLimit, SingledOutRows
from dalenius.singling_out.rows.settings import Recoding, RowsSettings, weigh_with
from dalenius.singling_out.rows.unweighed import all_together, as_they_are
from dalenius.singling_out.rows.written import finer_rows, written_down


def single_out_rows(
    released: Rows | Source,
    quasi: Sequence[str],
    *,
    original: Rows | SealedRows | Source | None = None,
    population: Rows | Source | None = None,
    holdout: Rows | Source | None = None,
    how: RowsSettings = RowsSettings(),
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
    how
        What is known of the anonymiser, which weight limits decide, and the seed.
    """
    if isinstance(released, Rows):
        files = RowsFiles(released, original, population, holdout)
    else:
        files = read_rows_files(released, quasi, original=original, population=population, holdout=holdout)
    return Rowed(files, quasi, how).run(progress)


@dataclass(frozen=True)
class RowsView:
    """All that an attack on released rows sees: the release, and other people.

    Parameters
    ----------
    released, quasi
        The table as published, and the columns that were generalised.
    known
        People of the population, to see how rare values are; ``None`` without.
    recoding
        What is known of the anonymiser.
    """

    released: Rows
    quasi: Sequence[str]
    known: Rows | None
    recoding: Recoding


class Rowed:
    """A released table and what belongs to it.

    Parameters
    ----------
    files
        The released rows, those behind them, and other people.
    quasi
        The columns that were generalised.
    how
        What is known of the anonymiser, which weight limits decide, and the seed.
    """

    def __init__(self, files: RowsFiles, quasi: Sequence[str], how: RowsSettings = RowsSettings()) -> None:
        original = None if files.original is None else sealed_rows(files.original)
        population, holdout, limits = files.population, files.holdout, how.limits
        self.warnings = check_files(files, limits.all, dropped=how.recoding.dropped)
        self.released, left_out, self.unjudged = shared_columns(files.released, quasi, original)
        check_kinds(population if population is not None else holdout, original, self.released.names)
        if holdout is not None and original is not None:
            shared = [name for name in original.names if name in holdout.names]
            PooledRows(original.select(shared), holdout.select(shared)).check_apart("holdout")
        self.weighing = weigh_with(population, holdout, limits, how.seed)
        self.quasi, self.original, self.how = quasi, original, how
        self.said = (*files.warnings, *left_out)

    def run(self, progress: Progress = silent) -> SingledOutRows:
        """Attack and judge."""
        return self.judge(self.attack(self.view(), progress), self.how.limits.confidence, progress)

    def view(self) -> RowsView:
        """Return what the attack sees."""
        return RowsView(self.released, self.quasi, self.weighing.known, self.how.recoding)

    def attack(self, view: RowsView, progress: Progress = silent) -> ConditionsPlan:
        """Find the classes of a release, and plan conditions about each."""
        progress(0.05, "read the released cells")
        recoding = view.recoding
        classes = find_classes(view.released, view.quasi, known=view.known, hierarchies=recoding.hierarchies)
        return plan(
            classes,
            known=view.known,
            tight=recoding.tight,
            minimal=recoding.minimal,
            rng=stream(self.how.seed, "attack", "rows"),
            progress=progress,
        )

    def judge(
        self, planned: ConditionsPlan, confidence: float, progress: Progress = silent
    ) -> SingledOutRows:
        """Weigh the conditions, and count whom they match."""
        classes = planned.classes
        truth = None if self.original is None else OriginalRows(self.original, classes)
        check = None if truth is None else truth.check()
        n = len(self.released) if self.original is None else len(self.original)
        judging = Judging(n, planned, self.weighing, self.weighing.certifier(planned), truth, confidence)
        grid = self.how.limits.all
        # and two questions without weights
        tried = 2 + len(judging.ways) * sum(map(judging.shown, grid))
        judging = replace(judging, confidence=share_confidence(confidence, tried))
        progress(0.8, "judge conditions")
        results = tuple(judging.at(c) for c in grid)
        whole = None if truth is None else as_they_are(classes, truth, judging.confidence)
        warnings = (*self.warnings, *self.said, *fit_warnings(check))
        return replace(self._conclude(judging, results, whole, warnings, tried), confidence=confidence)

    def _conclude(
        self,
        judging: Judging,
        results: tuple[AtLimit, ...],
        whole: AsTheyAre | None,
        warnings: tuple[str, ...],
        tried: int,
    ) -> SingledOutRows:
        classes, weighing, truth = judging.plan.classes, judging.weighing, judging.truth
        registered = self.how.limits.registered
        asked = next(one for one in results if one.c == registered)
        low, middle, high = np.quantile(judging.plan.ratios, [0.05, 0.5, 0.95]).tolist()
        together = all_together(judging)
        lows = [own.low for own in (whole, together) if own is not None]
        changed = [] if truth is None else changed_columns(classes, truth)
        evidence, undecided = conclude_rows(results, asked, judging, middle, lows, self.unjudged, changed)
        shown = [one for one in results if one.shown and one.lower_end is not None]
        decided = max(shown, key=lambda one: one.lower_end or 0.0, default=asked)
        control = judging.control(decided, stream(self.how.seed, "control", "rows"))
        finer = downcode(classes) if self.how.recoding.minimal else ()
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
            check=None if truth is None else truth.check(),
            ratios=(low, middle, high),
            unique_rows=alone_rows(classes).size,
            refined=sum(map(len, finer)),
            finer=tuple(finer_rows(classes, finer)),
            refined_right=None if truth is None else fitting([truth.within(one) for one in finer]),
            limits=results,
            registered=registered,
            decided=decided.c,
            tried=tried,
            as_they_are=whole,
            together=together,
            conditions=tuple(written_down(judging, results, whole, together)),
            notes=judging.plan.notes,
            control=control,
            evidence=evidence,
            undecided=undecided,
            assumptions=tuple(assumptions_of(decided, judging)),
            warnings=warnings,
            seed=self.how.seed,
            confidence=self.how.limits.confidence,
        )
