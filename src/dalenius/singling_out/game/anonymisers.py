"""The game against an anonymiser: draw people, anonymise them, single somebody out of what is released."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dalenius.conditions.text import english
from dalenius.errors import InputError
from dalenius.mechanisms.anonymise.datafly import Datafly
from dalenius.mechanisms.anonymise.hierarchy import Hierarchy
from dalenius.mechanisms.anonymise.parse import Anonymiser, anonymise, parse_anonymiser
from dalenius.mechanisms.anonymise.released import AnonymisedRows
from dalenius.people.files.read_file import Source
from dalenius.people.opening import read_rows
from dalenius.people.rows.rows import Rows
from dalenius.progress import Progress, silent
from dalenius.random import stream
from dalenius.release.rows.classes import find_classes
from dalenius.singling_out.attack.candidates import OrderedPeople
from dalenius.singling_out.attack.isolating import Isolating, WeightBound
from dalenius.singling_out.attack.planner import plan
from dalenius.singling_out.game.game import play
from dalenius.singling_out.game.result import GameResult
from dalenius.singling_out.game.rounds import Beside, GameSettings
from dalenius.singling_out.referee.populations import Everybody, Holdout
from dalenius.spread.digest import digest_of
from dalenius.spread.parts import current_parts

USUAL = 0.01
"""The weight limit of the verdict as a share of 1/n: luck isolates somebody in 1% of rounds."""

DRAWN, KNOWN = 0.25, 0.25
"""Of a sample, who is drawn and who is known to the attack; the other half weighs."""


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
    """The planner's best condition that is light enough; it knows other people, never the data.

    Parameters
    ----------
    known
        The population, or a part of a sample from which no data are drawn.
    limit
        The share of them that may meet a condition.
    quasi
        The columns that are generalised.
    hierarchies
        How they were, where that is known.
    """

    known: Rows
    limit: float
    quasi: tuple[str, ...]
    hierarchies: Mapping[str, Hierarchy]
    everybody: bool = True
    """Whether they are the population, so that shares of them are weights."""

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
        share = float(planned.weights[attack][i])
        exact = WeightBound(share, "exact", "the population is everybody", 0.0)
        weight = exact if self.everybody else WeightBound(share, "assumed", "others are like those known")
        size = int(classes.sizes[candidates.of_class[i]])
        success = float(candidates.success[i])
        return (Isolating(predicate, weight, candidates.kind, success, size, english(predicate)),)

    @cached_property
    def _people(self) -> OrderedPeople:
        """The population in order, once for all rounds."""
        return OrderedPeople(self.known, self.known.names, self.quasi)

    def __getstate__(self) -> dict[str, object]:
        """Leave the order out: another process makes its own."""
        return {name: value for name, value in self.__dict__.items() if name != "_people"}


def single_out_game(
    people: Rows | Source,
    n: int,
    mechanism: str | Anonymiser,
    quasi: tuple[str, ...] = (),
    *,
    sample: bool = False,
    how: GameSettings = GameSettings(),
    progress: Progress = silent,
) -> GameResult:
    """Play the game against an anonymiser.

    Parameters
    ----------
    people
        Everybody: rows, or a file, frame or table of a database; every column is released.
    n
        How many are drawn in each round.
    mechanism
        The anonymiser, such as ``mondrian:k=5``; one with hierarchies as `parse_anonymiser` reads it.
    quasi
        The columns it generalises; all by default.
    sample
        Whether they are only a sample of an unknown population. Data are then drawn from a quarter of them,
        the attack knows a second one, and the other half says how rare conditions are, with a confidence
        limit.
    how
        Rounds, weight limit, seed.

    Raises
    ------
    InputError
        If the anonymiser or a column is not known, the limit is above 1/n, or a sample is too small.
    """
    people = read_rows(people)
    chosen = quasi or people.names
    people.select(chosen)
    anonymiser = parse_anonymiser(mechanism) if isinstance(mechanism, str) else mechanism
    hierarchies = anonymiser.hierarchies or {} if isinstance(anonymiser, Datafly) else {}
    for name, hierarchy in hierarchies.items():
        hierarchy.levels(people.column(name))  # whoever is drawn later, their values are there
    if n > len(people):
        raise InputError("n", f"must be from 1 to the population's {len(people):,} rows", f"{n:,}")
    source = _sample(people, n, how.seed) if sample else Everybody(people)
    limit = max(USUAL / n, source.least) if how.weight is None else how.weight
    if isinstance(source, Holdout):
        aim = max(source.spared(limit) / len(source.held), 1 / len(source.known))
        attack = RowsAttack(source.known, aim, chosen, hierarchies, everybody=False)
    else:
        attack = RowsAttack(people, limit, chosen, hierarchies)
    about = None
    if current_parts() is not None:
        about = digest_of(source.digest(), repr(anonymiser), repr(chosen), attack.limit)
    return play(
        source,
        Anonymising(anonymiser, chosen),
        attack,
        n=n,
        how=replace(how, weight=limit),
        beside=Beside((str(anonymiser), "the best condition that the release suggests"), about=about),
        progress=progress,
    )


def _sample(people: Rows, n: int, seed: int) -> Holdout:
    """Split a sample, large enough to show any weight limit for data of n rows."""
    source = Holdout(people, rng=stream(seed, "game", "parts"), share=DRAWN, known=KNOWN)
    if source.least > 1 / n:
        rule = f"must be large enough to show a weight of 1/n = {1 / n:.2g}"
        got = f"{len(people):,} rows, of which {len(source.held):,} show {source.least:.2g} at best"
        raise InputError("sample", rule, got, "Give more rows, or a smaller n.")
    return source
