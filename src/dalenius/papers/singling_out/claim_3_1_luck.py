"""Claim 3.1. What luck reaches: the heaviest condition allowed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa

from dalenius.conditions.predicate import Between, Predicate
from dalenius.errors import InputError
from dalenius.papers.experiment import Result
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.singling_out.isolation_rows import isolates, rounds, row
from dalenius.papers.statement import Statement
from dalenius.people.rows.rows import Rows
from dalenius.singling_out.attack.counts.plans import keyed
from dalenius.singling_out.attack.isolating import Isolating
from dalenius.singling_out.game.game import nothing
from dalenius.singling_out.game.rounds import DataSource, GameRound
from dalenius.singling_out.referee.populations import Everybody
from dalenius.theory import isolation as luck

N = Parameter("n", "number of rows", 50, 2, 10_000, "Ask about fewer rows.", whole=True)

C = Parameter("c", "weight limit as a multiple of 1/n", 0.5, 1e-6, 1.0)

HIGH = Parameter("high", "least weight on the high side as a multiple of 1/n", 2.0, 1.0, 10_000.0)

STATEMENT = Statement(
    says=(
        "It matches exactly one of n rows with probability at most B(n, w*) = n w* (1 - w*)^(n-1), w* the "
        "largest weight up to w that any condition has; at w = 1/n that is about 37%. For a share of at "
        "least w >= 1/n, w* is the smallest such weight from w on. Drawn without replacement from N rows of "
        "which K match, it is K C(N-K, n-1) / C(N, n)."
    ),
    assumptions=(
        "The rows are drawn independently from one law.",
        "The condition is chosen before, and at most a share w <= 1/n of the law meets it.",
    ),
    parameters=(
        N,
        Parameter("m", "number of different rows there are", 500, 2, 10**6, "Use fewer.", whole=True),
        C,
        HIGH,
    ),
    runs=1000,
    errata=(
        'Printed: "unique x in the data". Exactly one row by its place is meant: of two that are the '
        "same neither is isolated.",
        "Printed: the baseline differs from B(n, w) by up to 1/e. By up to (1 - 1/n)^(n-1), one half for "
        "n = 2, where few weights can be had.",
    ),
)


def claim(predicate: Predicate, source: DataSource) -> Isolating:
    """Claim a condition that owes nothing to any release."""
    return Isolating(predicate, source.weigh(predicate), "luck", 0.0, None, "")


@dataclass(frozen=True, eq=False)
class FixedCondition:
    """Name the same condition in every round."""

    condition: Predicate
    source: DataSource

    def __call__(self, release: object, rng: np.random.Generator) -> tuple[Isolating, ...]:
        """Name it."""
        return (claim(self.condition, self.source),)


@dataclass(frozen=True, eq=False)
class KeyedCondition:
    """Name a condition on a hash, with a fresh key in every round; nothing is known of the rows."""

    weight: float
    source: DataSource

    def __call__(self, release: object, rng: np.random.Generator) -> tuple[Isolating, ...]:
        """Draw a key."""
        weight = Fraction(self.weight).limit_denominator(10**9)
        return (claim(keyed(self.source.names, weight, rng), self.source),)


def run(settings: Settings) -> Result:
    """Run Claim 3.1: of the conditions allowed, the one with a weight nearest to 1/n is luck's best."""
    sizes = _sizes(settings)
    n, size, low = sizes.n, sizes.rows, sizes.low
    rows = Rows.of_table(pa.table({"number": np.arange(size)}))
    everybody, once = Everybody(rows, replace=True), Everybody(rows)
    best = luck.best_luck(n, [1] * size, low)
    best_high = luck.best_luck(n, [1] * size, sizes.high, at_least=True)
    finite = luck.isolation_without_replacement(size, n, round(sizes.heaviest * size))
    most = isolates("any condition chosen before, of weight at most c/n", best, "at most")
    least = isolates("the heaviest condition of weight at most c/n", best)
    heavy = isolates("the lightest condition of weight at least high/n", best_high)
    heavy_most = isolates("any condition chosen before, of weight at least high/n", best_high, "at most")
    drawn = isolates("rows drawn without replacement", finite)
    drawn_most = isolates("rows drawn without replacement", finite, "at most")

    def fixed(name: str, source: Everybody, weight: float, done: tuple[float, float]) -> list[GameRound]:
        condition = Between("number", 0, round(weight * size))
        return rounds(settings, name, source, nothing, FixedCondition(condition, source), done)

    first = fixed("fixed", everybody, sizes.heaviest, (0.0, 0.25))
    second = rounds(settings, "keyed", everybody, nothing, KeyedCondition(low, everybody), (0.25, 0.5))
    third = fixed("high", everybody, sizes.lightest, (0.5, 0.75))
    fourth = fixed("without replacement", once, sizes.heaviest, (0.75, 1.0))
    measured = (
        row("heaviest condition allowed: not less", first, least, low),
        row("heaviest condition allowed: not more", first, most, low),
        row("keyed hash of weight c/n, where within the limit", second, most, low),
        row("lightest condition allowed from high/n on: not less", third, heavy),
        row("lightest condition allowed from high/n on: not more", third, heavy_most),
        row("heaviest, rows drawn without replacement: not less", fourth, drawn, low),
        row("heaviest, rows drawn without replacement: not more", fourth, drawn_most, low),
    )
    return Result((most, least, heavy, heavy_most, drawn, drawn_most), measured, sizes.facts)


@dataclass(frozen=True)
class Allowed:
    """How many rows are drawn of how many, and which weights conditions may and can have."""

    n: int
    rows: int
    low: float
    high: float
    heaviest: float
    lightest: float

    @property
    def facts(self) -> tuple[str, ...]:
        """Say so."""
        n, size = self.n, self.rows
        return (
            f"The population is {size:,} different rows; conditions have weights that are multiples of "
            f"1/{size:,}, the largest up to {self.low:.3g} is {self.heaviest:.3g}, the smallest from "
            f"{self.high:.3g} on is {self.lightest:.3g}.",
            f"At weight 1/n luck isolates somebody in {luck.isolation(n, 1 / n):.1%} of all data.",
        )


def _sizes(settings: Settings) -> Allowed:
    n, size = settings.whole("n"), settings.whole("m")
    low, high = settings["c"] / n, min(1.0, settings["high"] / n)
    if n > size:
        raise InputError("n", f"must be at most m = {size:,} to be drawn without replacement", str(n))
    heaviest = luck.realisable_weights([1] * size, low)
    lightest = luck.realisable_weights([1] * size, high, at_least=True)
    if heaviest == 0:
        raise InputError(
            "c", f"must be at least n/m = {n / size:g}", f"{settings['c']:g}", "Use a larger --m."
        )
    return Allowed(n, size, low, high, heaviest, lightest)
