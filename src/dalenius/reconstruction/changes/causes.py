"""Which tables are behind a finding: by the report if it says so, else by attacking without each in turn."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dalenius.auditing.changes.parts import ChangeablePart
from dalenius.auditing.changes.planned import Ground
from dalenius.auditing.changes.proposals import ToChange
from dalenius.findings.report import Finding

BETWEEN = re.compile(r"\s*[*×]\s*|\s+x\s+")
"""What stands between the columns of a table's name."""

NO_CAUSES = "Changes of single tables: finding the tables behind it would take too much of the time."


def effects_of(asked: ToChange, ground: Ground) -> dict[ChangeablePart, float] | None:
    """Say by how much less is at risk without each table; ``None`` if that would take too long."""
    parts = ground.parts
    told = _told(asked.finding, parts)
    if told or len(parts) < 2:
        return told
    called = {part: f"{part.release}: without {part.name}" for part in parts}
    plans = {called[part]: plan for part in parts if (plan := ground.leave_out([part])) is not None}
    less = asked.less_at_risk(plans)
    return None if less is None else {part: less[name] for part, name in called.items() if name in less}


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
