"""Which tables are behind a finding about amounts: the attack repeated without each, and with each alone."""

from __future__ import annotations

from collections.abc import Callable

from dalenius.findings.explanation import Cause, Why
from dalenius.progress import Progress
from dalenius.release.amounts import AmountRelease

COUNTED = "people whose amount is known or bounded too closely"

MOST = 24
"""Tables up to which each is looked at."""


ONE_ALONE = "there is one table alone"

NOT_SEARCHED = (
    "the release without each of its tables: not everybody's ends were looked for, so that what is left "
    "without a table could not be compared"
)


def look_for_causes(
    release: AmountRelease, at_risk: Callable[[AmountRelease], int], whole: int, *, progress: Progress
) -> Why | None:
    """Say what each table gives away, the most telling first."""
    tables = list(dict.fromkeys(release.groups[one.group].table for one in release.said))
    if whole == 0:
        return None
    if len(tables) < 2:
        return Why(counted=COUNTED, whole=whole, left_out=ONE_ALONE)
    causes = []
    for done, name in enumerate(tables[:MOST]):
        progress(done / min(len(tables), MOST), f"without the table {name}")
        rest = [other for other in tables if other != name]
        alone, without = at_risk(release.of_tables([name])), at_risk(release.of_tables(rest))
        causes.append(Cause(kind="table", name=name, alone=alone, without=without))
    causes.sort(key=lambda cause: (cause.without or 0, -(cause.alone or 0), cause.name))
    left = len(tables) - len(causes)
    said = f"{left:,} of {len(tables):,} tables were not looked at" if left else None
    return Why(counted=COUNTED, whole=whole, causes=tuple(causes), left_out=said)
