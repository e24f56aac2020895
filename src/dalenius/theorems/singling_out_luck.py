"""Cohen and Nissim (2022), Claims 3.1 and 3.3: how far luck goes, knowing the law of the rows or nothing."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa

from dalenius.attacks.predicates import Isolating
from dalenius.attacks.singling_out.count_plans import keyed
from dalenius.audit.singling_out.game import Trial, Unweighed, nothing
from dalenius.audit.singling_out.game_models import UniformNumbers
from dalenius.audit.singling_out.game_source import Source
from dalenius.audit.singling_out.game_tables import Population
from dalenius.errors import InputError
from dalenius.records.predicate import Between, Predicate
from dalenius.records.rows import Rows
from dalenius.theorems.experiment import Experiment, Result
from dalenius.theorems.isolating import isolates, rounds, row
from dalenius.theorems.settings import Parameter, Settings
from dalenius.theory import isolation as luck


def claim(predicate: Predicate, source: Source) -> Isolating:
    """Claim a condition that owes nothing to any release."""
    return Isolating(predicate, source.weigh(predicate), "luck", 0.0, None, "")


@dataclass(frozen=True, eq=False)
class Fixed:
    """Name the same condition in every round."""

    condition: Predicate
    source: Source

    def __call__(self, release: object, rng: np.random.Generator) -> tuple[Isolating, ...]:
        """Name it."""
        return (claim(self.condition, self.source),)


@dataclass(frozen=True, eq=False)
class Keyed:
    """Name a condition on a hash, with a fresh key in every round; nothing is known of the rows."""

    weight: float
    source: Source

    def __call__(self, release: object, rng: np.random.Generator) -> tuple[Isolating, ...]:
        """Draw a key."""
        weight = Fraction(self.weight).limit_denominator(10**9)
        return (claim(keyed(self.source.names, weight, rng), self.source),)


def run_baseline(settings: Settings) -> Result:
    """Run Claim 3.1: of the conditions allowed, the one with a weight nearest to 1/n is luck's best."""
    n, size = settings.whole("n"), settings.whole("m")
    low, high = settings["c"] / n, min(1.0, settings["high"] / n)
    if n > size:
        raise InputError("n", f"must be at most m = {size:,} to be drawn without replacement", str(n))
    rows = Rows.of_table(pa.table({"number": np.arange(size)}))
    everybody, once = Population(rows, replace=True), Population(rows)
    heaviest = luck.realisable_weights([1] * size, low)
    lightest = luck.realisable_weights([1] * size, high, at_least=True)
    if heaviest == 0:
        raise InputError(
            "c", f"must be at least n/m = {n / size:g}", f"{settings['c']:g}", "Use a larger --m."
        )
    best = luck.best_luck(n, [1] * size, low)
    best_high = luck.best_luck(n, [1] * size, high, at_least=True)
    finite = luck.isolation_without_replacement(size, n, round(heaviest * size))
    most = isolates("any condition chosen before, of weight at most c/n", best, "at most")
    least = isolates("the heaviest condition of weight at most c/n", best)
    heavy = isolates("the lightest condition of weight at least high/n", best_high)
    heavy_most = isolates("any condition chosen before, of weight at least high/n", best_high, "at most")
    drawn = isolates("rows drawn without replacement", finite)
    drawn_most = isolates("rows drawn without replacement", finite, "at most")

    def fixed(name: str, source: Population, weight: float, done: tuple[float, float]) -> list[Trial]:
        condition = Between("number", 0, round(weight * size))
        return rounds(settings, name, source, nothing, Fixed(condition, source), done)

    first = fixed("fixed", everybody, heaviest, (0.0, 0.25))
    second = rounds(settings, "keyed", everybody, nothing, Keyed(low, everybody), (0.25, 0.5))
    third = fixed("high", everybody, lightest, (0.5, 0.75))
    fourth = fixed("without replacement", once, heaviest, (0.75, 1.0))
    measured = (
        row("heaviest condition allowed: not less", first, least, low),
        row("heaviest condition allowed: not more", first, most, low),
        row("keyed hash of weight c/n, where within the limit", second, most, low),
        row("lightest condition allowed from high/n on: not less", third, heavy),
        row("lightest condition allowed from high/n on: not more", third, heavy_most),
        row("heaviest, rows drawn without replacement: not less", fourth, drawn, low),
        row("heaviest, rows drawn without replacement: not more", fourth, drawn_most, low),
    )
    facts = (
        f"The population is {size:,} different rows; conditions have weights that are multiples of "
        f"1/{size:,}, the largest up to {low:.3g} is {heaviest:.3g}, the smallest from {high:.3g} on is "
        f"{lightest:.3g}.",
        f"At weight 1/n luck isolates somebody in {luck.isolation(n, 1 / n):.1%} of all data.",
    )
    return Result((most, least, heavy, heavy_most, drawn, drawn_most), measured, facts)


def run_blind(settings: Settings) -> Result:
    """Run Claim 3.3: with enough min-entropy luck need not know the law of the rows."""
    n, bits = settings.whole("n"), settings.whole("m")
    low, high = settings["c"] / n, min(1.0, settings["high"] / n)
    lost = luck.lost_by_hashing(n, bits)
    numbers = Unweighed(UniformNumbers(2**bits))
    few = Unweighed(UniformNumbers(2))
    printed = isolates("a hash of weight c/n, as printed", luck.isolation(n, low) - lost)
    printed_high = isolates("a hash of weight high/n, as printed", luck.isolation(n, high) - lost)
    sharp = isolates("a hash of weight 1/n: B(n, 1/n) (1 - n/2N)", luck.keyed_luck(n, 2**bits))
    light = rounds(settings, "low", numbers, nothing, Keyed(low, numbers), (0.0, 0.3))
    heavy = rounds(settings, "high", numbers, nothing, Keyed(high, numbers), (0.3, 0.6))
    best = rounds(settings, "best", numbers, nothing, Keyed(1 / n, numbers), (0.6, 0.9))
    alike = rounds(settings, "few", few, nothing, Keyed(1 / n, few), (0.9, 1.0))
    measured = (
        row(f"hash of weight {low:.3g}", light, printed),
        row(f"hash of weight {high:.3g}", heavy, printed_high),
        row("hash of weight 1/n", best, sharp),
        row("hash of weight 1/n where there are only two different rows", alike),
    )
    facts = (
        f"Rows are uniform numbers of {bits} bits, of which the attack knows nothing. As printed a hash "
        f"loses at most {lost:.3g} of B(n, w); to lose at most 0.001 takes {luck.entropy_for_luck(n, 10)} "
        "bits of min-entropy.",
        f"Ours: the weight of a hash varies by sqrt(1/(n N)) over its key, so at 1/n only a share n/2N = "
        f"{n / 2 / 2**bits:.2g} is lost, whatever the law if no row is likelier than 1/N.",
    )
    return Result((printed, printed_high, sharp), measured, facts)


_N = Parameter("n", "number of rows", 50, 2, 10_000, "Ask about fewer rows.", whole=True)
_C = Parameter("c", "weight limit as a multiple of 1/n", 0.5, 1e-6, 1.0)
_HIGH = Parameter("high", "least weight on the high side as a multiple of 1/n", 2.0, 1.0, 10_000.0)

EXPERIMENTS = (
    Experiment(
        "pso-3.1",
        (
            _N,
            Parameter("m", "number of different rows there are", 500, 2, 10**6, "Use fewer.", whole=True),
            _C,
            _HIGH,
        ),
        run_baseline,
        runs=1000,
        errata=(
            'Printed: "unique x in the data". Exactly one row by its place is meant: of two that are the '
            "same neither is isolated.",
            "Printed: the baseline differs from B(n, w) by up to 1/e. By up to (1 - 1/n)^(n-1), one half for "
            "n = 2, where few weights can be had.",
        ),
    ),
    Experiment(
        "pso-3.3",
        (
            _N,
            Parameter("m", "bits of min-entropy of a row", 50, 1, 53, "Use at most 53 bits.", whole=True),
            _C,
            _HIGH,
        ),
        run_blind,
        runs=1000,
        errata=(
            "Printed: min-entropy above 5 (c + log n + 2). At least 5 times that rounded up: a hash has a "
            "whole number of bits.",
            "Printed in its proof: (1 - 2^-m) B(n, 3 2^-m). B(n, w_low - 3 2^-m) is meant.",
            "Printed in Lemma 3.4: Pr[h(x)/(2^m - 1) <= w] is w + 2^-m. Comparing h(x) with a whole number "
            "floor(2^m w) - 1 makes the proof right.",
        ),
    ),
)
