"""Findings of a run that was stopped, one for each release: nobody is in them."""

from __future__ import annotations

import json

import numpy as np

from dalenius.auditing.families import read_as_found
from dalenius.findings.report import Finding
from dalenius.spread.parts import KeptParts

WORK = "findings"
"""The folder among the parts."""


def keep_finding(parts: KeptParts, case: int, finding: Finding) -> None:
    """Keep what was found in a case, unless that does not come back as it is."""
    text = finding.model_dump_json()
    back = _read(text, finding.goal)
    if back is not None and back.model_dump() == finding.model_dump():
        parts.keep(WORK, case, {"finding": np.array(text)})


def read_finding(parts: KeptParts, case: int, goal: str) -> Finding | None:
    """What was kept of a case; ``None`` if nothing was, or something else."""
    part = parts.read(WORK, case)
    return None if part is None or "finding" not in part else _read(str(part["finding"]), goal)


def _read(text: str, goal: str) -> Finding | None:
    try:
        return read_as_found(goal, json.loads(text))
    except ValueError:  # a number that is not finite, or a damaged part: it is made again
        return None
