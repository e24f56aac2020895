"""Which tables are behind a finding: by the report if it says so, else by attacking without each in turn."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dalenius.findings.finding import Finding
from dalenius.progress import Progress
from dalenius.remedy.bench import Workbench
from dalenius.remedy.parts import ChangeablePart
from dalenius.remedy.proposals.tables import Ground
from dalenius.remedy.rungs import at_risk
from dalenius.remedy.work import WorkLeft

BETWEEN = re.compile(r"\s*[*×]\s*|\s+x\s+")
"""What stands between the columns of a table's name."""

SHARE = 3
"""At most a third of the work is for finding causes."""

NO_CAUSES = "Changes of single tables: finding the tables behind it would take too much of the time."


def effects_of(
    bench: Workbench, ground: Ground, finding: Finding | None, work: WorkLeft, progress: Progress
) -> dict[ChangeablePart, float] | None:
    """Say by how much less is at risk without each table; ``None`` if that would take too long."""
    parts = ground.parts
    told = _told(finding, parts)
    if told:
        return told
    if len(parts) < 2:
        return {}
    if len(parts) * SHARE > work.left:
        return None
    work.spend(len(parts))
    people, gain = at_risk(finding)
    found = {}
    for j, part in enumerate(parts):
        progress(j / len(parts), f"without {part.name}")
        plan = ground.leave_out([part])
        if plan is None:
            continue
        fewer, less = at_risk(bench.look(plan, quick=True).finding)
        found[part] = people - fewer if people else gain - less
    return found


def _told(finding: Finding | None, parts: Sequence[ChangeablePart]) -> dict[ChangeablePart, float]:
    """What the finding itself says about its tables."""
    why = None if finding is None else finding.explanation.why
    if why is None:
        return {}
    named = {frozenset(part.columns): part for part in parts if part.columns}
    found = {}
    for cause in why.causes:
        part = named.get(frozenset(BETWEEN.split(cause.name)))
        if cause.kind == "table" and part is not None and cause.without is not None:
            found[part] = why.whole - cause.without
    return found
