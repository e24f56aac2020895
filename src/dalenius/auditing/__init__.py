"""Audits: from a plan to findings and a verdict, for every family alike.

Takes a plan (``audit.toml``, or arguments in Python); gives the report of what each release gives away and
the claims behind it.
"""

from __future__ import annotations

from dalenius.registry import face

_HOMES = {
    "findings_schema": "dalenius.auditing.schemas",
    "read_plan": "dalenius.auditing.plan",
    "run_plan": "dalenius.auditing.run",
    "working": "dalenius.spread.places",
}

__all__ = sorted(_HOMES)

__getattr__, __dir__ = face(__name__, _HOMES)
