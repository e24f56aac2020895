"""Plain values that last: frozen, versioned, written as JSON in one way."""

from __future__ import annotations

import json
import math
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict

Verdict = Literal["pass", "stop", "undecided"]
"""What a policy says: shown to be kept, shown to be broken, or neither; there is no fourth word."""

SCHEMA_VERSION: Final = 2
"""Raised when a field changes its meaning or goes; a new field may come without."""

_DIGITS = 10


class Plain(BaseModel):
    """Frozen plain values; an unknown field is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def dump(document: Plain) -> str:
    """Write a document as JSON: sorted keys, ten significant digits; what is not a finite number is null.

    Examples
    --------
    >>> from dalenius.findings.report import Data
    >>> print(dump(Data(source="people.csv", people=3, public=(), secret="ill")), end="")
    {
      "people": 3,
      "public": [],
      "secret": "ill",
      "source": "people.csv"
    }
    """
    plain = _round(document.model_dump(mode="json"))
    return json.dumps(plain, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def _round(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _round(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_round(entry) for entry in value]
    if not isinstance(value, float):
        return value
    return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None
