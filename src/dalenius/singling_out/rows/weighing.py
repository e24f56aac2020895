"""Who weighs conditions about a released table: a population, or a holdout of which the attack sees half."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dalenius.people.rows.rows import Rows
from dalenius.random import stream
from dalenius.singling_out.attack.candidates import ClassMembers
from dalenius.singling_out.attack.planner import ConditionsPlan
from dalenius.singling_out.attack.weights.certified import Certifier
from dalenius.singling_out.attack.weights.sources import HoldoutSource, PopulationSource, Source
from dalenius.singling_out.rows.settings import WeightLimits
from dalenius.theory.isolation import weight_upper_limit

SourceName = Literal["population", "holdout", "none"]


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
