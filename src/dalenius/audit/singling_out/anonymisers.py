"""The game against an anonymiser: draw people, anonymise them, single somebody out of what is released."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dalenius.attacks.predicates import Isolating, WeightBound
from dalenius.attacks.singling_out.candidates import KnownPeople
from dalenius.attacks.singling_out.classes import find_classes
from dalenius.attacks.singling_out.planner import plan
from dalenius.audit.singling_out.game import play
from dalenius.audit.singling_out.game_result import GameResult
from dalenius.audit.singling_out.game_tables import Population
from dalenius.mechanisms.anonymise.hierarchy import Hierarchy
from dalenius.mechanisms.anonymise.parse import Anonymiser, anonymise, parse_anonymiser
from dalenius.mechanisms.anonymise.released import AnonymisedRows
from dalenius.progress import Progress, silent
from dalenius.records.english import english
from dalenius.records.rows import Rows

USUAL = 0.01
"""The weight limit of the verdict as a share of 1/n: luck isolates somebody in 1% of rounds."""


@dataclass(frozen=True)
class Anonymising:
    """A mechanism of the game: recode the quasi-identifiers, publish in random order."""

    how: Anonymiser
    quasi: tuple[str, ...]

    def __call__(self, rows: Rows, rng: np.random.Generator) -> AnonymisedRows:
        """Release."""
        return anonymise(rows, self.quasi, self.how, rng)


@dataclass(frozen=True, eq=False)
class RowsAttack:
    """The planner's best condition that is light enough; it knows the population, never the data.

    Parameters
    ----------
    known
        The population.
    limit
        The weight limit.
    quasi
        The columns that are generalised.
    hierarchies
        How they were, where that is known.
    """

    known: Rows
    limit: float
    quasi: tuple[str, ...]
    hierarchies: Mapping[str, Hierarchy]

    def __call__(self, release: AnonymisedRows, rng: np.random.Generator) -> tuple[Isolating, ...]:
        """Name one condition, or none."""
        classes = find_classes(
            release.rows, release.quasi, known=self.known, hierarchies=self.hierarchies or None
        )
        planned = plan(classes, known=self._people, rng=rng)
        where = planned.choose(self.limit)
        if where is None:
            return ()
        attack, i = where
        candidates, predicate = planned.attacks[attack], planned.predicate(attack, i)
        weight = WeightBound(float(planned.weights[attack][i]), "exact", "the population is everybody", 0.0)
        size = int(classes.sizes[candidates.of_class[i]])
        success = float(candidates.success[i])
        return (Isolating(predicate, weight, candidates.kind, success, size, english(predicate)),)

    @cached_property
    def _people(self) -> KnownPeople:
        """The population in order, once for all rounds."""
        return KnownPeople(self.known, self.known.names, self.quasi)

    def __getstate__(self) -> dict[str, object]:
        """Leave the order out: another process makes its own."""
        return {name: value for name, value in self.__dict__.items() if name != "_people"}


def single_out_game(
    population: Rows,
    n: int,
    mechanism: str,
    quasi: tuple[str, ...] = (),
    *,
    trials: int = 1000,
    weight: float | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    seed: int = 1,
    workers: int = 1,
    progress: Progress = silent,
) -> GameResult:
    """Play the game against an anonymiser.

    Parameters
    ----------
    population
        Everybody; every column is released.
    n
        How many are drawn in each round.
    mechanism
        The anonymiser, such as ``mondrian:k=5``.
    quasi
        The columns it generalises; all by default.
    trials
        Rounds.
    weight
        The weight limit of the verdict; by default a hundredth of 1/n, or one person if that is more.
    hierarchies
        How columns are generalised, by column.

    Raises
    ------
    InputError
        If the anonymiser or a column is not known, or the limit is above 1/n.
    """
    source = Population(population)
    chosen = quasi or population.names
    population.select(chosen)
    limit = max(USUAL / n, source.least) if weight is None else weight
    anonymiser = parse_anonymiser(mechanism, hierarchies)
    return play(
        source,
        Anonymising(anonymiser, chosen),
        RowsAttack(population, limit, chosen, hierarchies or {}),
        n=n,
        trials=trials,
        weight=limit,
        seed=seed,
        workers=workers,
        names=(str(anonymiser), "the best condition that the release suggests"),
        progress=progress,
    )
