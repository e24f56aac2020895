"""All people who are alone in a release at once: luck from a holdout, no condition shown to be rare."""

from __future__ import annotations

import numpy as np

from dalenius.conditions.boxes.conjunctions import RowsInBoxes
from dalenius.findings.measure import Rate
from dalenius.findings.tally import Tally
from dalenius.singling_out.attack.weights.sources import HoldoutSource
from dalenius.singling_out.finding import Together
from dalenius.singling_out.released.luck import Matched, compared
from dalenius.singling_out.rows.at_limit import Judging


def all_together(judging: Judging) -> Together | None:
    """Count conditions about people who are alone in the data, and in the holdout that the attack never saw.

    ``None`` without such people, without an original or a holdout, or if a column is not known of others.
    """
    truth, certifier, weighing = judging.truth, judging.certifier, judging.weighing
    names = judging.plan.classes.released.names
    source = weighing.source
    if truth is None or certifier is None or not isinstance(source, HoldoutSource) or weighing.unknown(names):
        return None
    kinds = [kind for kind in judging.plan.attacks if kind.each or kind.kind == "class of one"]
    if not kinds:
        return None
    here = _matched([truth.within(kind) for kind in kinds])
    there = _matched([certifier.within(kind) for kind in kinds])
    found = compared(here, there, judging.n, len(source.rows), 1.0, judging.confidence)
    hits = int((here.counts == 1).sum())
    return Together(
        success=Rate.of(Tally(hits, here.counts.size), judging.confidence),
        luck=found.luck.value,
        advantage=found.advantage.value,
        low=found.advantage.low,
        high=found.advantage.high,
    )


def _matched(parts: list[RowsInBoxes]) -> Matched:
    return Matched(np.concatenate([own.counts for own in parts]), np.concatenate([own.rows for own in parts]))
