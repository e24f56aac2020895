"""Populations given by a table: everybody, or a sample of which a part is held out for weights.

Whom a round draws, and who is held out, is the truth of a game: both are sealed. What an attack knows of the
population it is handed apart.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.matching import Matcher
from dalenius.conditions.predicate import Predicate
from dalenius.errors import InputError
from dalenius.people.rows.rows import Rows
from dalenius.people.sealed import SealedRows, sealed_rows
from dalenius.people.truth import open_rows
from dalenius.singling_out.attack.isolating import WeightBound
from dalenius.singling_out.game.rounds import Independent, check_limit
from dalenius.spread.digest import digest_of
from dalenius.theory.isolation import isolation, isolation_without_replacement, weight_upper_limit

FEW = 10
"""A population of fewer than so many times n is hardly a population."""


class Everybody:
    """People drawn from a table that is all there are.

    Parameters
    ----------
    rows
        The table.
    replace
        Draw with replacement, as the definition has it; by default without, as in the world.
    """

    error = 0.0

    def __init__(self, rows: Rows | SealedRows, *, replace: bool = False) -> None:
        self._people = sealed_rows(rows)
        self.replace = replace
        self._matcher = Matcher(open_rows(self._people))

    @property
    def size(self) -> int:
        """How many people there are."""
        return len(self._people)

    @property
    def text(self) -> str:
        """What it is."""
        how = "with" if self.replace else "without"
        return f"a population of {self.size:,}, drawn {how} replacement"

    @property
    def names(self) -> tuple[str, ...]:
        """All columns."""
        return self._people.names

    def digest(self) -> str:
        """Digest who they are, and how they are drawn."""
        return digest_of(open_rows(self._people).digest(), self.replace)

    @property
    def least(self) -> float:
        """One person of the population."""
        return 1 / self.size

    def draw(self, n: int, rng: np.random.Generator) -> SealedRows:
        """Draw n people."""
        self._check(n)
        return self._people.take(rng.choice(self.size, n, replace=self.replace, shuffle=False))

    def weigh(self, predicate: Predicate) -> WeightBound:
        """Count: exact."""
        share = self._matcher.count(predicate) / self.size
        return WeightBound(share, "exact", "the population is everybody", 0.0)

    def baseline(self, n: int, weight: float) -> float:
        """Return what the heaviest condition allowed reaches, as if every number of matches could be had."""
        self._check(n)
        matches = math.floor(self.size * check_limit(n, weight) * (1 + 1e-9))
        if self.replace:
            return isolation(n, matches / self.size)
        return isolation_without_replacement(self.size, n, matches)

    def swapped(self, n: int, weight: float) -> float:
        """Without replacement a new row is one of the people not drawn, so a little likelier to match."""
        return weight if self.replace else weight * self.size / (self.size - n + 1)

    def warnings(self, n: int) -> tuple[str, ...]:
        """Warn if the population is small: whoever is matched at all is a large share of it."""
        if self.size >= FEW * n:
            return ()
        return (
            f"The population has only {self.size:,} people for data of {n:,}: a condition that matches "
            f"anybody has a weight of at least 1/{self.size:,}, at which luck already isolates somebody "
            f"with chance {n / self.size:.2g}. No attack can be told from less luck than that.",
        )

    def _check(self, n: int) -> None:
        if not 1 <= n <= self.size:
            raise InputError("n", f"must be from 1 to the population's {self.size:,} rows", str(n))


class Holdout(Independent):
    """A sample of an unknown population: data come from one part, weights from another.

    What an attack knows of the population must be a third: whoever knows the rows that data are drawn from
    writes one of them down, and isolates it by luck far more often than its weight allows.

    Parameters
    ----------
    rows
        The sample.
    rng
        Splits it.
    error
        How often a weight may be larger than said.
    share
        Share of the sample that data are drawn from.
    known
        Share of it that an attack may know.
    """

    def __init__(
        self,
        rows: Rows,
        *,
        rng: np.random.Generator,
        error: float = 1e-3,
        share: float = 0.5,
        known: float = 0.0,
    ) -> None:
        order: NDArray[np.intp] = rng.permutation(len(rows))
        drawn, held = int(len(rows) * share), int(len(rows) * share) + int(len(rows) * known)
        if not 0 < drawn <= held < len(rows):
            got = f"{share:g} and {known:g} of {len(rows):,}"
            raise InputError("shares", "must leave rows to draw from and rows to weigh with", got)
        self.error = error
        self.least = weight_upper_limit(0, len(rows) - held, error)
        self._drawn = order[:drawn]
        self._people = sealed_rows(rows)
        self.known = rows.take(order[drawn:held])
        self.held = self._people.take(order[held:])
        self._matcher = Matcher(open_rows(self.held))

    @property
    def text(self) -> str:
        """What it is."""
        known = f" and {len(self.known):,} known to the attack" if len(self.known) else ""
        return (
            f"a sample of {len(self._people):,}, of which {len(self.held):,} are held out for weights{known}"
        )

    def digest(self) -> str:
        """Digest who they are, and who among them is drawn, known or held out."""
        parts = (self._drawn, self.known.digest(), open_rows(self.held).digest())
        return digest_of(open_rows(self._people).digest(), self.error, *parts)

    def spared(self, weight: float) -> int:
        """Return how many of those held out may meet a condition that is shown to be this light."""
        most = 0
        while weight_upper_limit(most + 1, len(self.held), self.error) <= weight:
            most += 1
        return most

    @property
    def names(self) -> tuple[str, ...]:
        """All columns."""
        return self._people.names

    def draw(self, n: int, rng: np.random.Generator) -> SealedRows:
        """Draw without replacement, which leaves rows of an independent sample independent."""
        if not 1 <= n <= self._drawn.size:
            raise InputError("n", f"must be from 1 to {self._drawn.size:,}, the rows drawn from", str(n))
        return self._people.take(rng.choice(self._drawn, n, replace=False, shuffle=False))

    def weigh(self, predicate: Predicate) -> WeightBound:
        """Return the Clopper-Pearson limit from rows that neither the release nor the attack ever saw.

        An attack may carry it along, but must not choose among conditions by it: the limit would then be
        of the luckiest one.
        """
        limit = weight_upper_limit(self._matcher.count(predicate), len(self.held), self.error)
        return WeightBound(limit, "cp", "the sample is independent draws of the population", self.error)

    def warnings(self, n: int) -> tuple[str, ...]:
        """Warn if rounds share most of their people: they then show what happens to these, not to others."""
        if self._drawn.size >= FEW * n:
            return ()
        return (
            f"Data of {n:,} are drawn from only {self._drawn.size:,} people, so rounds have people in "
            "common, and their interval is about these people more than about all.",
        )
