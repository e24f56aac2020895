"""Proposition 4.5. The order of the rows is worth nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dalenius.conditions.predicate import Between, Equals
from dalenius.errors import InputError
from dalenius.mechanisms.row_by_row import Bits, OneBitEach
from dalenius.papers.experiment import Result
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.singling_out.claim_3_1_luck import N, claim
from dalenius.papers.singling_out.isolation_rows import isolates, rounds, row
from dalenius.papers.singling_out.lemma_4_1_post_processing import M
from dalenius.papers.statement import Statement
from dalenius.people.rows.rows import Rows
from dalenius.singling_out.attack.isolating import Isolating
from dalenius.singling_out.game.models import UniformNumbers
from dalenius.theory import isolation as luck

STATEMENT = Statement(
    says="Reordering the rows before the release changes no attack's success.",
    assumptions=(
        "The rows are drawn independently from one law.",
        "The order is chosen without looking at them.",
    ),
    parameters=(N, M, Parameter("part", "how many of them are marked", 20, 1, 10**6, whole=True)),
    runs=2000,
)


def run(settings: Settings) -> Result:
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
    """Publish one bit per row, in an order that looks at the rows: a marked one at its number's place."""

    part: int
    draws: ClassVar[bool] = False

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
