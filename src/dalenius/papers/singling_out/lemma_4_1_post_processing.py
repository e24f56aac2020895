"""Lemma 4.1. What is made from a release tells no more than the release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dalenius.conditions.predicate import Between, evaluate
from dalenius.errors import InputError
from dalenius.papers.experiment import Result
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.singling_out.claim_3_1_luck import N
from dalenius.papers.singling_out.isolation_rows import isolates, rounds, row
from dalenius.papers.statement import Statement
from dalenius.people.rows.rows import Rows
from dalenius.singling_out.attack.counts.bisection import BestNumber
from dalenius.singling_out.game.models import UniformNumbers

M = Parameter("m", "number of different rows there are", 500, 2, 10**6, "Use fewer.", whole=True)

STATEMENT = Statement(
    says=(
        "No attack on what is made from a release isolates somebody more often than the best attack on the "
        "release itself."
    ),
    assumptions=("The rows are drawn independently from one law.", "What is made uses the release alone."),
    parameters=(N, M, Parameter("part", "how many of them are counted", 10, 1, 10**6, whole=True)),
    runs=2000,
)


def run(settings: Settings) -> Result:
    """Run Lemma 4.1: what is made from a release tells no more than the release."""
    n, size, part = settings.whole("n"), settings.whole("m"), settings.whole("part")
    numbers, attack = one_count(n, size, part)
    whole = isolates("the best attack on the count, computed", attack.optimum())
    made = isolates("any attack on what is made from the count", attack.optimum(), "at most")
    exact = rounds(settings, "count", numbers, CountBelow(part), attack, (0.0, 0.5))
    rounded = rounds(settings, "made", numbers, CountBelow(part, any_alone=True), attack, (0.5, 1.0))
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
class CountBelow:
    """Publish how many numbers are below a limit, or only whether any is: the counts that are possible."""

    part: int
    any_alone: bool = False
    draws: ClassVar[bool] = False

    def __call__(self, rows: Rows, rng: np.random.Generator) -> list[int]:
        """Publish."""
        count = int(evaluate(Between("number", 0, self.part), rows).sum())
        return list(range(1, len(rows) + 1)) if self.any_alone and count else [count]


def one_count(n: int, size: int, part: int) -> tuple[UniformNumbers, BestNumber]:
    """Uniform numbers, and the best use of how many are below ``part``."""
    if part >= size:
        raise InputError("part", f"must be below m = {size}", str(part))
    numbers = UniformNumbers(size)
    return numbers, BestNumber(n, size, part, numbers.weigh)
