"""Theorem 4.9. Two releases, each safe, together give a row away."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalenius.conditions.predicate import And, Equals
from dalenius.errors import InputError
from dalenius.mechanisms.row_by_row import Bits, PadAndMasked
from dalenius.papers.experiment import Result
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.singling_out.isolation_rows import isolates, rounds, row
from dalenius.papers.statement import Statement
from dalenius.singling_out.attack.counts.counts import Weigh
from dalenius.singling_out.attack.isolating import Isolating
from dalenius.singling_out.attack.rows.whole_rows import UnmaskedRow
from dalenius.singling_out.game.models import UniformNumbers
from dalenius.theory import isolation as luck
from dalenius.theory import singling_out as theory

STATEMENT = Statement(
    says=(
        "Together they isolate the last row with probability at least P(Bin(n/4, 1/2) >= m) (1 - (n-1) "
        "2^-m). The extracted bits alone allow at most twice the baseline."
    ),
    assumptions=(
        "The rows are uniform strings of m bits, n is divisible by 4.",
        "One release is m bits extracted from half of the rows, the other the last row masked by them.",
    ),
    parameters=(
        Parameter("n", "number of rows", 256, 8, 5000, "Ask about fewer rows.", whole=True),
        Parameter("m", "number of bits of a row", 16, 1, 50, "Use at most 50 bits.", whole=True),
    ),
    runs=300,
    errata=(
        "Printed: m up to n/8 with failure at most e^(-n/16). n/4 pairs give n/8 bits on average, so at "
        "m = n/8 the extractor fails about half the time; m up to n/16 fails at most e^(-n/32) (ours).",
        "Printed: isolation with probability 1 - n 2^-m. At least 1 - (n-1) 2^-m.",
        "The box with the extractor is missing from the text; any labelling of unequal pairs will do.",
    ),
)


def run(settings: Settings) -> Result:
    """Run Theorem 4.9: two releases, each safe, together one row."""
    n, bits = settings.whole("n"), settings.whole("m")
    if n % 4:
        raise InputError("n", "must be divisible by 4", str(n), "Pairs are taken from half of the rows.")
    numbers = UniformNumbers(2**bits, bits)
    point = 0.5**bits
    enough = theory.extractor_success(n, bits)
    both = isolates("both releases", enough * (1 - (n - 1) * point))
    alone = isolates("the extracted bits alone: twice the baseline", 2 * luck.isolation(n, point), "at most")
    attack, name = UnmaskedRow(numbers.weigh), NamesThePad(numbers.weigh)
    together = rounds(settings, "both", numbers, PadAndMasked(), attack, (0.0, 0.5))
    extracted = rounds(settings, "pad", numbers, PadAndMasked(masked=False), name, (0.5, 0.75))
    masked = rounds(settings, "masked", numbers, PadAndMasked(pad=False), name, (0.75, 1.0))
    rows = (
        row("extracted bits and masked row", together, both, point),
        row("extracted bits alone", extracted, alone, point),
        row("masked row alone", masked, None, point),
    )
    facts = (
        f"Von Neumann's extractor makes bits from the last bits of the first {n // 2} rows; {bits} come out "
        f"with probability {enough:.4g}. They mask the last row.",
        f"Luck at weight 2^-{bits}: {luck.isolation(n, point):.3g}.",
    )
    return Result((both, alone), rows, facts)


@dataclass(frozen=True)
class NamesThePad:
    """Take what was published for a row: all that can be done with one of the two releases alone."""

    weigh: Weigh

    def __call__(
        self, released: tuple[Bits | None, Bits | None], rng: np.random.Generator
    ) -> tuple[Isolating, ...]:
        """Name the row that the bits would be."""
        pad, masked = released
        bits = pad if masked is None else masked
        if bits is None:
            return ()
        parts = tuple(Equals(f"bit {i}", "true" if one else "false") for i, one in enumerate(bits.tolist()))
        return (Isolating(And(parts), self.weigh(And(parts)), "a pad alone", 0.0, None, ""),)
