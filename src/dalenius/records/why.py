"""Which tables prove the records: the proof tried again without each table, and with each alone."""

from __future__ import annotations

from collections.abc import Sequence

from dalenius.errors import InputError, TooLargeError
from dalenius.findings.explanation import Cause, Why, said_of_causes
from dalenius.progress import Progress, silent
from dalenius.records.attack.certain.settle import Effort, settle
from dalenius.records.attack.system import make_system
from dalenius.records.cells.release import PublishedRecords
from dalenius.records.finding import RecordsFinding

COUNTED = "people whose whole record is certain"

MOST_TABLES = 24
"""Tables up to which each is left out."""

MOST_CELLS = 100_000
"""Cells of all proofs that are tried again: beyond, no table is left out."""

SHORT = Effort(nodes=20, questions=10, rounds=3, others=2, most=400)
"""How far each proof goes: where the first took long, one without each table would take as long again."""


def with_causes(
    finding: RecordsFinding, published: PublishedRecords, *, progress: Progress = silent
) -> RecordsFinding:
    """Say which tables are behind the certain records; as it was where there is nothing to say."""
    if finding.details.lost:  # what ended others may end this process, too
        return finding
    why = look_for_causes(published, finding.certain or 0, progress=progress)
    if why is None:
        return finding
    explained = finding.explanation.model_copy(update={"why": why})
    facts = (*finding.facts, *said_of_causes(why))
    return finding.model_copy(update={"explanation": explained, "facts": facts})


def look_for_causes(published: PublishedRecords, whole: int, *, progress: Progress = silent) -> Why | None:
    """Prove records without each table and by each alone, the most telling first.

    Nothing where no record is certain, where there is one table, and where counts have noise, by which
    nothing is proved.
    """
    tables = list(dict.fromkeys(grid.table for grid in published.grids))
    if not whole or len(tables) < 2 or published.noisy:
        return None
    cells = sum(grid.places.size for grid in published.grids)
    if len(tables) > MOST_TABLES or len(tables) * cells > MOST_CELLS:
        left = f"each of the {len(tables):,} tables: too many, or too large, to prove records again without"
        return Why(counted=COUNTED, whole=whole, left_out=left)
    if _certain(published, tables) != whole:  # what a short proof misses is behind no table
        left = f"each of the {len(tables):,} tables: records take too long to prove to do it again without"
        return Why(counted=COUNTED, whole=whole, left_out=left)
    causes = []
    for done, name in enumerate(tables):
        progress(done / len(tables), f"without the table {name}")
        rest = [other for other in tables if other != name]
        causes.append(
            Cause(
                kind="table",
                name=name,
                alone=_certain(published, [name]),
                without=_certain(published, rest),
            )
        )
    causes.sort(key=lambda cause: (whole if cause.without is None else cause.without, cause.name))
    return Why(counted=COUNTED, whole=whole, causes=tuple(causes))


def _certain(published: PublishedRecords, tables: Sequence[str]) -> int | None:
    """How many people's whole records a short proof shows by some tables; nothing if that cannot be told."""
    grids = [grid for grid in published.grids if grid.table in tables]
    sums = [each for each in published.sums if each.table in tables]
    medians = [each for each in published.medians if each.table in tables]
    told = {column for grid in grids for column in grid.columns}
    free = [at for at, own in enumerate(published.columns.levels) if len(own) > 1 and at not in told]
    if free and not sums and not medians:  # whoever has a record may as well have another level there
        return 0
    try:
        return settle(make_system(published.columns, grids, sums, medians), SHORT).certain
    except (InputError, TooLargeError):
        return None
