"""Which columns of a released table single people out: attacked again with each of them left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dalenius.errors import DaleniusError
from dalenius.findings.explanation import Cause, PartKind, Why, said_of_causes
from dalenius.progress import Progress, silent, within
from dalenius.shown import several
from dalenius.singling_out.finding import ConditionsFinding
from dalenius.singling_out.rows.files import RowsFiles
from dalenius.singling_out.rows.result import SingledOutRows
from dalenius.singling_out.rows.rows import Rowed
from dalenius.singling_out.rows.settings import RowsSettings

MOST_COLUMNS = 12
"""Columns up to which each is left out."""

MOST_CELLS = 2_000_000
"""Released cells, times attacks: beyond, nothing is tried."""


def explained_rows(
    finding: ConditionsFinding,
    files: RowsFiles,
    quasi: Sequence[str],
    found: SingledOutRows,
    how: RowsSettings,
    *,
    progress: Progress = silent,
) -> ConditionsFinding:
    """Return the finding with the columns behind it, where singling out was demonstrated."""
    if found.evidence != "demonstrated":
        return finding
    why = look_for_causes(files, quasi, found, how, progress=progress)
    explanation = finding.explanation.model_copy(update={"why": why})
    facts = (*finding.facts, *said_of_causes(why))
    return finding.model_copy(update={"explanation": explanation, "facts": facts})


def look_for_causes(
    files: RowsFiles,
    quasi: Sequence[str],
    found: SingledOutRows,
    how: RowsSettings,
    *,
    progress: Progress = silent,
) -> Why:
    """Count whom conditions still match alone if one column less were released.

    Parameters
    ----------
    files, quasi, how
        What was attacked, as of `Rowed`.
    found
        What came out with all columns.
    """
    names = [name for name in files.released.names if name in (*found.quasi, *found.verbatim)]
    counted, whole = "people whom a condition matches alone", _people(found, found)
    cells = len(files.released) * len(names) ** 2
    if len(names) > MOST_COLUMNS or cells > MOST_CELLS:
        too_long = f"each of {several(len(names), 'column')}: they would take too long"
        return Why(counted=counted, whole=whole, left_out=too_long)
    causes, untried = [], []
    for done, name in enumerate(names):
        share = within(progress, done / len(names), (done + 1) / len(names))
        rest = [other for other in names if other != name]
        still = [other for other in quasi if other != name]
        if not still:
            untried.append(name)
            continue
        fewer = replace(files, released=files.released.select(rest), warnings=())
        kind: PartKind = "quasi-identifier" if name in quasi else "column"
        causes.append(Cause(kind=kind, name=name, without=_without((fewer, still, how), found, share)))
    causes.sort(key=lambda one: float("inf") if one.without is None else one.without)
    left_out = f"{', '.join(untried)}: the only column that was generalised" if untried else None
    return Why(counted=counted, whole=whole, causes=tuple(causes), left_out=left_out)


def _without(
    attacked: tuple[RowsFiles, Sequence[str], RowsSettings], found: SingledOutRows, progress: Progress
) -> float | None:
    try:
        return _people(Rowed(*attacked).run(progress), found)
    except DaleniusError:  # nothing is left that could be weighed
        return None


def _people(found: SingledOutRows, whole: SingledOutRows) -> float:
    """How many people are singled out, by the question that finds most of them in the whole table."""
    at = next(one for one in found.limits if one.c == whole.decided)
    by_conditions = at.people or 0
    plain, first = found.as_they_are, whole.as_they_are
    if first is not None and first.low > 0 and first.people > (whole.deciding.people or 0):
        return float(0 if plain is None else plain.people)
    return float(by_conditions)
