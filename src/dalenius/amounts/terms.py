"""The terms of a judgement about amounts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalenius.findings.default_policy import CONFIDENCE


@dataclass(frozen=True)
class AmountTerms:
    """What counts as close, what is known beforehand, and how sure intervals are."""

    within: float = 0.1
    least: float = 0.0
    most: float | None = None
    confidence: float = CONFIDENCE
    seed: int = 1
    why: bool = True

    @property
    def top(self) -> float:
        """The largest amount that anybody can have."""
        return np.inf if self.most is None else self.most
