"""Audits: from a plan to findings and a verdict.

Takes a plan (``audit.toml``, or arguments in Python); gives the report of what each release gives away and
the claims behind it. Calling the room itself, ``dalenius.audit(people, ...)``, runs an audit.
"""

from __future__ import annotations

import sys
import types
from typing import Any


class _Room(types.ModuleType):
    """The room answers to a call, because the verb and the room have one name."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from dalenius.audit.run import audit

        return audit(*args, **kwargs)


sys.modules[__name__].__class__ = _Room
