"""The terms of a judgement about amounts."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dalenius.findings.policy import Policy


@dataclass(frozen=True)
class AmountTerms:
    """What counts as close, what is known beforehand, and what the result is held against.

    A pass is tried again on ``resamples`` samples of the people. ``weights`` are the ends between which
    everybody knows each survey weight to lie; None where weights are known, or nobody has one. Where it is
    not ``stated`` what was done to the numbers, they are taken for exact, and whatever follows says so.
    """

    within: float = 0.1
    least: float = 0.0
    most: float | None = None
    policy: Policy = field(default_factory=Policy)
    seed: int = 1
    why: bool = True
    resamples: int = 0
    weights: tuple[float, float] | None = None
    stated: bool = True

    @property
    def confidence(self) -> float:
        """With which intervals hold together."""
        return self.policy.confidence

    @property
    def top(self) -> float:
        """The largest amount that anybody can have."""
        return np.inf if self.most is None else self.most
