"""What is known of how rows were generalised, and which weight limits decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dalenius.findings.default_policy import CONFIDENCE
from dalenius.mechanisms.anonymise.hierarchy import Hierarchy
from dalenius.singling_out.attack.weights.sources import METHODS, Method

GRID = (1.0, 1e-1, 1e-2, 1e-3, 1e-4)
"""Weight limits, as shares of 1/n."""

REGISTERED = 1e-2
"""The limit that a pass must be about unless another is named: luck isolates somebody in 1% of cases."""


@dataclass(frozen=True)
class Recoding:
    """What is known of how rows were generalised.

    Parameters
    ----------
    hierarchies
        How columns were generalised, by column.
    tight, minimal
        Columns whose intervals end at values of rows, and whether labels are no coarser than they had to be,
        see `dalenius.singling_out.attack.planner.plan`.
    dropped
        Suppressed rows were left out, so that the release may have fewer rows than the original.
    """

    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    tight: tuple[str, ...] | None = None
    minimal: bool = True
    dropped: bool = False


@dataclass(frozen=True)
class WeightLimits:
    """How rare a condition must be to count, and how that is shown.

    Parameters
    ----------
    grid, registered
        Weight limits as shares of 1/n; all that can be shown decide. And the one that must be shown to pass.
    error
        The chance that a weight from a holdout is wrong.
    methods
        Which bounds a holdout may be used for, see
        `dalenius.singling_out.attack.weights.sources.HoldoutSource`.
    confidence
        Of the intervals.
    """

    grid: Sequence[float] = GRID
    registered: float = REGISTERED
    error: float = 0.001
    methods: tuple[Method, ...] = METHODS
    confidence: float = CONFIDENCE

    @property
    def all(self) -> list[float]:
        """Every limit that is looked at, largest first."""
        return sorted({*self.grid, self.registered}, reverse=True)


@dataclass(frozen=True)
class RowsSettings:
    """How a released table is attacked and judged.

    Parameters
    ----------
    recoding
        What is known of the anonymiser.
    limits
        Which weight limits decide.
    seed
        Of the hash's key, of how a holdout is halved, and of the control.
    """

    recoding: Recoding = Recoding()
    limits: WeightLimits = WeightLimits()
    seed: int = 1
