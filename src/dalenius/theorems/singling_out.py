"""Cohen and Nissim (2022), Claim 3.1 and Propositions 4.2 and 4.5: luck, few outputs, the order of rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa

from dalenius.attacks.predicates import Isolating
from dalenius.attacks.singling_out.count_plans import keyed
from dalenius.attacks.singling_out.one_count import BestNumber
from dalenius.audit.singling_out.game import nothing
from dalenius.audit.singling_out.game_models import UniformNumbers
from dalenius.audit.singling_out.game_tables import Population
from dalenius.errors import InputError
from dalenius.mechanisms.row_by_row import Bits, OneBitEach
from dalenius.records.predicate import Between, Equals, Predicate, evaluate
from dalenius.records.rows import Rows
from dalenius.theorems.experiment import Experiment, Result
from dalenius.theorems.isolating import isolates, rounds, row
from dalenius.theorems.settings import Parameter, Settings
from dalenius.theory import isolation as luck
from dalenius.theory import singling_out as theory


def run_baseline(settings: Settings) -> Result:
    """Run Claim 3.1: the heaviest condition allowed is the best that luck has."""
    n, size = settings.whole("n"), settings.whole("m")
    limit = settings["c"] / n
    everybody = Population(Rows.of_table(pa.table({"number": np.arange(size)})), replace=True)
    heaviest = luck.realisable_weights([1] * size, limit)
    if heaviest == 0:
        raise InputError(
            "c", f"must be at least n/m = {n / size:g}", f"{settings['c']:g}", "Use a larger --m."
        )
    best = luck.isolation(n, heaviest)
    most = isolates("any condition chosen before, of weight at most c/n", best, "at most")
    least = isolates("the heaviest condition of weight at most c/n", best)
    fixed = Between("number", 0, round(heaviest * size))

    def before(release: None, rng: np.random.Generator) -> tuple[Isolating, ...]:
        return (_claim(fixed, everybody),)

    def by_key(release: None, rng: np.random.Generator) -> tuple[Isolating, ...]:
        predicate = keyed(("number",), Fraction(limit).limit_denominator(10**9), rng)
        return (_claim(predicate, everybody),)

    first = rounds(settings, "fixed", everybody, nothing, before, (0.0, 0.5))
    second = rounds(settings, "keyed", everybody, nothing, by_key, (0.5, 1.0))
    rows = (
        row("heaviest condition allowed: not less", first, least, limit),
        row("heaviest condition allowed: not more", first, most, limit),
        row("keyed hash of weight c/n, where within the limit", second, most, limit),
    )
    facts = (
        f"The population is {size:,} different rows; conditions have weights that are multiples of "
        f"1/{size:,}, the largest up to {limit:.3g} is {heaviest:.3g}.",
        f"At weight 1/n luck isolates somebody in {luck.isolation(n, 1 / n):.1%} of all data.",
    )
    return Result((most, least), rows, facts)


def _claim(predicate: Predicate, source: Population | UniformNumbers) -> Isolating:
    return Isolating(predicate, source.weigh(predicate), "luck", 0.0, None, "")


def run_few_outputs(settings: Settings) -> Result:
    """Run Proposition 4.2 and the sharper bound for counts: one number tells little."""
    n, size, part = settings.whole("n"), settings.whole("m"), settings.whole("part")
    if part >= size:
        raise InputError("part", f"must be below m = {size}", str(part))
    numbers = UniformNumbers(size)
    counted = Between("number", 0, part)
    attack = BestNumber(n, size, part, numbers.weigh)
    base = luck.isolation(n, 1 / size)
    printed = isolates("n + 1 outputs, as printed", theory.few_outputs_limit(n + 1, base), "at most")
    sharp = isolates("one count: 2 n w", theory.additive_limit(n, 2, 1 / size), "at most")
    two = isolates("two outputs: twice the baseline", theory.few_outputs_limit(2, base), "at most")
    reached = isolates("the best attack on one count, computed", attack.optimum())

    def count(rows: Rows, rng: np.random.Generator) -> list[int]:
        return [int(evaluate(counted, rows).sum())]

    def whether(rows: Rows, rng: np.random.Generator) -> list[int]:
        return list(range(1, n + 1)) if evaluate(counted, rows).any() else [0]

    exact = rounds(settings, "count", numbers, count, attack, (0.0, 0.6))
    bit = rounds(settings, "bit", numbers, whether, attack, (0.6, 1.0))
    rows = (
        row("one exact count, the best attack", exact, sharp),
        row("one exact count, the best attack: as computed", exact, reached),
        row("one bit, whether anybody is counted", bit, two),
    )
    facts = (
        f"Numbers are uniform below {size:,}; those below {part:,} are counted; conditions name one number, "
        f"weight {1 / size:.3g}.",
        f"Luck reaches {base:.3g}, the best attack on the count {attack.optimum():.3g}.",
    )
    return Result((printed, sharp, two, reached), rows, facts)


def run_order(settings: Settings) -> Result:
    """Run Proposition 4.5: the order of rows is worth nothing."""
    n, size, part = settings.whole("n"), settings.whole("m"), settings.whole("part")
    if part >= size:
        raise InputError("part", f"must be below m = {size}", str(part))
    numbers = UniformNumbers(size)
    marked = Between("number", 0, part)
    value = _by_first_bit(n, size, part)
    least = isolates("rows in any order", value)
    most = isolates("rows in any order", value, "at most")

    def first_bit(bits: Bits, rng: np.random.Generator) -> tuple[Isolating, ...]:
        number = rng.integers(part) if bits[0] else rng.integers(part, size)
        return (_claim(Equals("number", str(number)), numbers),)

    given = rounds(settings, "given", numbers, OneBitEach(marked), first_bit, (0.0, 0.5))
    mixed = rounds(settings, "shuffled", numbers, OneBitEach(marked, shuffled=True), first_bit, (0.5, 1.0))
    rows = tuple(
        row(f"{what}: not {side}", played, promise)
        for what, played in (("rows as drawn", given), ("rows shuffled", mixed))
        for side, promise in (("less", least), ("more", most))
    )
    facts = (
        f"One bit a row is published, whether its number is below {part:,}; the attack looks at the first "
        f"bit alone. Luck reaches {luck.isolation(n, 1 / size):.3g}.",
    )
    return Result((least, most), rows, facts)


def _by_first_bit(n: int, size: int, part: int) -> float:
    """Exactly one row is the number named, given on which side of the limit the first one is."""

    def side(numbers: int) -> float:
        others = 1 - 1 / size
        first = others ** (n - 1) / numbers
        another = (1 - 1 / numbers) * (n - 1) / size * others ** (n - 2)
        return numbers / size * (first + another)

    return side(part) + side(size - part)


_N = Parameter("n", "number of rows", 50, 2, 10_000, "Ask about fewer rows.", whole=True)
_M = Parameter("m", "number of different rows there are", 500, 2, 10**6, "Use fewer.", whole=True)
_PART = Parameter("part", "how many of them are counted", 1, 1, 10**6, whole=True)

EXPERIMENTS = (
    Experiment(
        "pso-3.1",
        (_N, _M, Parameter("c", "weight limit as a multiple of 1/n", 0.5, 1e-6, 1.0)),
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
        "pso-4.2",
        (_N, _M, _PART),
        run_few_outputs,
        runs=2000,
        errata=(
            "Printed in 4.3.1: O(log n) counts are safe because their codomain grows polynomially. "
            "(n+1)^(log n) does not; the conclusion holds by n 2^m w, for anything made from sums over "
            "people (ours).",
        ),
    ),
    Experiment(
        "pso-4.5",
        (_N, _M, Parameter("part", "how many of them are marked", 250, 1, 10**6, whole=True)),
        run_order,
        runs=2000,
    ),
)
