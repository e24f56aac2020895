"""How a released table is attacked, and who weighs the conditions about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from dalenius.findings.default_policy import CONFIDENCE
from dalenius.mechanisms.anonymise.hierarchy import Hierarchy
from dalenius.people.rows.rows import Rows
from dalenius.random import stream
from dalenius.shown import hides_people
from dalenius.singling_out.attack.candidates import ClassMembers
from dalenius.singling_out.attack.planner import ConditionsPlan
from dalenius.singling_out.attack.weights.certified import Certifier
from dalenius.singling_out.attack.weights.sources import (
    METHODS,
    HoldoutSource,
    Method,
    PopulationSource,
    Source,
)
from dalenius.theory.isolation import weight_upper_limit

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


SourceName = Literal["population", "holdout", "none"]


@hides_people("name")
@dataclass(frozen=True, eq=False)
class Weighing:
    """Other people, and their roles.

    Parameters
    ----------
    name, rows
        What they are, and how many.
    known
        Whom the attack may know; ``None`` if nobody.
    source
        Who certifies weights after conditions were chosen: everybody, or the half of a holdout that the
        attack never sees.
    """

    name: SourceName
    rows: int
    known: Rows | None
    source: Source | None

    @property
    def error(self) -> float:
        """The chance that a certified weight is wrong."""
        return self.source.error if isinstance(self.source, HoldoutSource) else 0.0

    @property
    def everybody(self) -> int | None:
        """How many people there are, where all are known."""
        return len(self.source.rows) if isinstance(self.source, PopulationSource) else None

    @property
    def least(self) -> float:
        """The least weight that they can show: of one person, or of nobody in a holdout."""
        if self.source is None:
            return 1.0
        if isinstance(self.source, HoldoutSource):
            return weight_upper_limit(0, len(self.source.rows), self.source.error / 3)
        return 1 / len(self.source.rows)

    def unknown(self, columns: Sequence[str]) -> tuple[str, ...]:
        """The columns that are not known of them, so that nobody can say how rare values are."""
        known = () if self.source is None else self.source.rows.names
        return tuple(name for name in columns if name not in known)

    @property
    def text(self) -> str:
        """Who they are, in a few words."""
        if self.name == "holdout" and self.source is not None:
            return f"a holdout of {self.rows:,} people, {len(self.source.rows):,} of whom certify weights"
        return f"a population of {self.rows:,} people" if self.name == "population" else "nobody: assumed"

    def certifier(self, planned: ConditionsPlan) -> Certifier | None:
        """Who weighs the conditions of a plan; people whom it has already searched are not searched again."""
        if self.source is None:
            return None
        classes = planned.classes
        searched = planned.known if isinstance(self.source, PopulationSource) else None
        return Certifier(
            self.source, searched or ClassMembers(self.source.rows, classes.boxes, classes.released.names)
        )


def weigh_with(population: Rows | None, holdout: Rows | None, limits: WeightLimits, seed: int) -> Weighing:
    """Give other people their roles; a holdout is halved at random."""
    if population is not None:
        return Weighing("population", len(population), population, PopulationSource(population))
    if holdout is None:
        return Weighing("none", 0, None, None)
    order = stream(seed, "holdout", "halves").permutation(len(holdout))
    half = len(holdout) // 2
    certify = HoldoutSource(holdout.take(order[half:]), limits.error, limits.methods)
    return Weighing("holdout", len(holdout), holdout.take(order[:half]), certify)
