"""What is proposed for anonymised rows and for counts to come."""

from __future__ import annotations

from dalenius.auditing.changes.proposals import Proposals, ToChange, joined
from dalenius.errors import InputError
from dalenius.progress import Progress
from dalenius.singling_out.changes.counts import propose_counts
from dalenius.singling_out.changes.rows import RowsChanges


def propose(asked: ToChange, progress: Progress) -> Proposals:
    """Propose recoding and fewer columns for rows; fewer counts and noise for counts to come."""
    rows = asked.of_kind("anonymised-rows")
    if len(rows) > 1:
        fix = "Say which one to mend with --release NAME."
        raise InputError("plan", "must have one release of rows to change", f"{len(rows)}", fix)
    found = [RowsChanges.of(asked, release).propose() for release in rows]
    found += [propose_counts(asked, release) for release in asked.of_kind("counts")]
    return joined(found)
