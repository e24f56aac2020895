"""Which columns of synthetic or perturbed rows point at real people: counted again without each of them."""

from __future__ import annotations

from dataclasses import replace

from dalenius.errors import DaleniusError
from dalenius.findings.explanation import Cause, Why, said_of_causes
from dalenius.progress import Progress, silent, within
from dalenius.shown import several
from dalenius.singling_out.finding import SinglingOutFinding
from dalenius.singling_out.released.files import TripleRows
from dalenius.singling_out.released.result import Triple
from dalenius.singling_out.released.triple import TripleSettings, run_triple

MOST_COLUMNS = 12
"""Columns up to which each is left out."""

MOST_CELLS = 2_000_000
"""Cells, times attacks: beyond, nothing is tried."""

FEW = 500
"""Conditions of a family each time: only whom rows point at is counted, not how often."""

FEW_CHOICES = 100
"""Choices of columns that are looked at together each time."""


def explained_triple(
    finding: SinglingOutFinding,
    rows: TripleRows,
    found: Triple,
    how: TripleSettings,
    *,
    progress: Progress = silent,
) -> SinglingOutFinding:
    """Return the finding with the columns behind it, where rows point at originals beyond luck."""
    if beyond_luck(found) <= 0:
        return finding
    why = look_for_causes(rows, found, how, progress=progress)
    explanation = finding.explanation.model_copy(update={"why": why})
    facts = (*finding.facts, *said_of_causes(why))
    return finding.model_copy(update={"explanation": explanation, "facts": facts})


def look_for_causes(
    rows: TripleRows, found: Triple, how: TripleSettings, *, progress: Progress = silent
) -> Why:
    """Count whom rows point at if one column less were released, and with each column alone."""
    names = rows.synthetic.names
    counted, whole = "people whom released rows point at beyond luck", beyond_luck(found)
    size = len(rows.original) + len(rows.synthetic) + len(rows.control)
    if len(names) > MOST_COLUMNS or size * len(names) ** 2 > MOST_CELLS:
        too_long = f"each of {several(len(names), 'column')}: they would take too long"
        return Why(counted=counted, whole=whole, left_out=too_long)
    bare, causes = replace(rows, named=()), []
    for done, name in enumerate(names):
        share = within(progress, done / len(names), (done + 1) / len(names))
        rest = [other for other in names if other != name]
        without = _again(rows, rest, how, share) if rest else 0.0
        causes.append(
            Cause(kind="column", name=name, alone=_again(bare, [name], how, silent), without=without)
        )
    for one in rows.named:
        others = replace(rows, named=tuple(other for other in rows.named if other is not one))
        without = _again(others, list(names), how, silent)
        causes.append(Cause(kind="column", name=one.released.names[0], without=without))
    causes.sort(key=lambda one: (float("inf") if one.without is None else one.without, -(one.alone or 0.0)))
    return Why(counted=counted, whole=whole, causes=tuple(causes))


def _again(rows: TripleRows, names: list[str], how: TripleSettings, progress: Progress) -> float | None:
    fewer = replace(how, attacks=FEW, columns=None if how.columns is None else min(how.columns, len(names)))
    try:
        return beyond_luck(run_triple(rows.select(names), fewer, progress, choices=FEW_CHOICES))
    except DaleniusError:  # without the column people of the two files are the same
        return None


def beyond_luck(found: Triple) -> float:
    """How many originals are pointed at beyond luck, by the reach that shows most; 0 if it may be luck."""
    shown = [one.share[0] * one.people for one in found.copies if one.share[1] > 0]
    return float(round(max(shown, default=0.0)))
