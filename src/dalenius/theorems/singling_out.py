"""Cohen and Nissim (2022), Lemma 4.1 and Propositions 4.2 and 4.5: what comes after, few outputs, order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalenius.attacks.predicates import Isolating
from dalenius.attacks.singling_out.one_count import BestNumber
from dalenius.audit.singling_out.game_models import UniformNumbers
from dalenius.errors import InputError
from dalenius.mechanisms.row_by_row import Bits, OneBitEach
from dalenius.records.predicate import Between, Equals, evaluate
from dalenius.records.rows import Rows
from dalenius.theorems.experiment import Experiment, Result
from dalenius.theorems.isolating import isolates, rounds, row
from dalenius.theorems.settings import Parameter, Settings
from dalenius.theorems.singling_out_luck import EXPERIMENTS as LUCK
from dalenius.theorems.singling_out_luck import claim
from dalenius.theory import isolation as luck
from dalenius.theory import singling_out as theory


def run_afterwards(settings: Settings) -> Result:
    """Run Lemma 4.1: what is made from a release tells no more than the release."""
    n, size, part = settings.whole("n"), settings.whole("m"), settings.whole("part")
    numbers, attack = _one_count(n, size, part)
    whole = isolates("the best attack on the count, computed", attack.optimum())
    made = isolates("any attack on what is made from the count", attack.optimum(), "at most")
    exact = rounds(settings, "count", numbers, Counted(part), attack, (0.0, 0.5))
    rounded = rounds(settings, "made", numbers, Counted(part, any_alone=True), attack, (0.5, 1.0))
    rows = (
        row("one exact count, the best attack", exact, whole),
        row("whether it is 0, made from the count, the best attack", rounded, made),
    )
    facts = (
        f"Numbers are uniform below {size:,}; those below {part:,} are counted. Whoever gets the count can "
        "make anything from it, so what is made from it cannot be worth more.",
    )
    return Result((whole, made), rows, facts)


@dataclass(frozen=True)
class Counted:
    """Publish how many numbers are below a limit, or only whether any is: the counts that are possible."""

    part: int
    any_alone: bool = False

    def __call__(self, rows: Rows, rng: np.random.Generator) -> list[int]:
        """Publish."""
        count = int(evaluate(Between("number", 0, self.part), rows).sum())
        return list(range(1, len(rows) + 1)) if self.any_alone and count else [count]


def _one_count(n: int, size: int, part: int) -> tuple[UniformNumbers, BestNumber]:
    """Uniform numbers, and the best use of how many are below ``part``."""
    if part >= size:
        raise InputError("part", f"must be below m = {size}", str(part))
    numbers = UniformNumbers(size)
    return numbers, BestNumber(n, size, part, numbers.weigh)


def run_few_outputs(settings: Settings) -> Result:
    """Run Proposition 4.2 and the sharper bound for counts: one number tells little."""
    n, size, part = settings.whole("n"), settings.whole("m"), settings.whole("part")
    numbers, attack = _one_count(n, size, part)
    base = luck.isolation(n, 1 / size)
    printed = isolates("n + 1 outputs, as printed", theory.few_outputs_limit(n + 1, base), "at most")
    sharp = isolates("one count: 2 n w", theory.additive_limit(n, 2, 1 / size), "at most")
    two = isolates("two outputs: twice the baseline", theory.few_outputs_limit(2, base), "at most")
    reached = isolates("the best attack on one count, computed", attack.optimum())
    exact = rounds(settings, "count", numbers, Counted(part), attack, (0.0, 0.6))
    bit = rounds(settings, "bit", numbers, Counted(part, any_alone=True), attack, (0.6, 1.0))
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
    """Run Proposition 4.5: the order of rows is worth nothing, unless it was chosen by looking at them."""
    n, size, part = settings.whole("n"), settings.whole("m"), settings.whole("part")
    if part >= size:
        raise InputError("part", f"must be below m = {size}", str(part))
    if part > n:
        raise InputError("part", f"must be at most n = {n}, a place for each", str(part))
    numbers = UniformNumbers(size)
    marked = Between("number", 0, part)
    value = luck.isolation(n, 1 / size)
    least = isolates("rows in an order that does not look at them", value)
    most = isolates("rows in an order that does not look at them", value, "at most")
    told = isolates("rows in the order of their numbers", _all_differ(n, size, part))

    def by_place(bits: Bits, rng: np.random.Generator) -> tuple[Isolating, ...]:
        """Take the place of a marked row for its number."""
        places = np.flatnonzero(bits)
        place = int(rng.choice(places)) if places.size else part
        number = place if place < part else int(rng.integers(part))
        return (claim(Equals("number", str(number)), numbers),)

    given = rounds(settings, "given", numbers, OneBitEach(marked), by_place, (0.0, 0.3))
    mixed = rounds(settings, "shuffled", numbers, OneBitEach(marked, shuffled=True), by_place, (0.3, 0.6))
    sorted_ = rounds(settings, "placed", numbers, PlacedByNumber(part), by_place, (0.6, 1.0))
    rows = tuple(
        row(f"{what}: not {side}", played, promise)
        for what, played in (("rows as drawn", given), ("rows shuffled", mixed))
        for side, promise in (("less", least), ("more", most))
    )
    facts = (
        f"One bit a row is published, whether its number is below {part:,}. The attack takes the place of a "
        f"marked row for its number: no better than luck, {value:.3g}, unless the order was chosen by it.",
        "The last line breaks the assumption on purpose: every marked row stands at the place of its number.",
    )
    return Result(
        (least, most, told), (*rows, row("rows at the place of their number", sorted_, told)), facts
    )


@dataclass(frozen=True)
class PlacedByNumber:
    """Publish one bit a row, in an order that looks at the rows: a marked one at the place of its number."""

    part: int

    def __call__(self, rows: Rows, rng: np.random.Generator) -> Bits:
        """Publish; further rows of one number stand where there is room, from the end on."""
        column = rows.column("number")
        marked = np.array([int(column.text(i)) for i in range(len(rows))])
        marked = marked[marked < self.part]
        bits = np.zeros(len(rows), np.bool_)
        bits[marked] = True
        free = np.flatnonzero(~bits)[::-1]
        bits[free[: marked.size - np.unique(marked).size]] = True
        return bits


def _all_differ(n: int, size: int, part: int) -> float:
    """The chance that somebody is marked, and that those who are have different numbers: then it is told."""
    from scipy.stats import binom

    marked = np.arange(1, min(n, part) + 1)
    chances = binom.pmf(marked, n, part / size)
    return float(chances @ np.cumprod(1 - (marked - 1) / part))


_N = Parameter("n", "number of rows", 50, 2, 10_000, "Ask about fewer rows.", whole=True)
_M = Parameter("m", "number of different rows there are", 500, 2, 10**6, "Use fewer.", whole=True)
_PART = Parameter("part", "how many of them are counted", 1, 1, 10**6, whole=True)

EXPERIMENTS = (
    *LUCK,
    Experiment(
        "pso-4.1",
        (_N, _M, Parameter("part", "how many of them are counted", 10, 1, 10**6, whole=True)),
        run_afterwards,
        runs=2000,
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
        (_N, _M, Parameter("part", "how many of them are marked", 20, 1, 10**6, whole=True)),
        run_order,
        runs=2000,
    ),
)
