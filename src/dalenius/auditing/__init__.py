"""Audits: from a plan to findings and a verdict, for every family alike.

Takes a plan (``audit.toml``, or arguments in Python); gives the report of what each release gives away and
the claims behind it.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOMES = {
    "findings_schema": "dalenius.auditing.read",
    "read_plan": "dalenius.auditing.plan",
    "run_plan": "dalenius.auditing.run",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
