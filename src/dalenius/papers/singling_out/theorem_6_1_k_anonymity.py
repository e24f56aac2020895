"""Theorem 6.1. k-anonymity does not prevent singling out."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.predicate import And, Between, Equals, Predicate
from dalenius.errors import InputError
from dalenius.findings.tally import Tally
from dalenius.mechanisms.row_by_row import Bits
from dalenius.papers.experiment import Result, SimulatedRow
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated.people import refuse_above
from dalenius.papers.simulated.runs import each_run
from dalenius.papers.singling_out.isolation_rows import isolates, rounds, row
from dalenius.papers.statement import Statement
from dalenius.people.rows.rows import NumberColumn, Rows
from dalenius.random import stream
from dalenius.singling_out.attack.counts.counts import Weigh
from dalenius.singling_out.attack.counts.plans import keyed
from dalenius.singling_out.attack.isolating import Isolating, WeightBound
from dalenius.singling_out.game.models import UniformNumbers
from dalenius.theory import isolation as luck
from dalenius.theory import singling_out as theory

STATEMENT = Statement(
    says=(
        "The condition of a class together with a keyed hash of weight 1/k isolates one of its rows with "
        "probability eta B(k, 1/k), above eta/e."
    ),
    assumptions=(
        "Classes of k different rows are published, each as a condition that its rows meet.",
        "With probability eta the attacked class has a weight within the limit.",
    ),
    parameters=(
        Parameter("n", "number of rows", 50, 2, 2000, "Ask about fewer rows.", whole=True),
        Parameter("k", "size of a class", 5, 2, 20, whole=True),
        Parameter("m", "number of bit columns", 768, 128, 10_000, "Use fewer.", whole=True),
    ),
    runs=400,
    errata=(
        "Printed: min-entropy of m + 2 log(1/alpha^2) + k log n. With an ideal hash none is needed, "
        "since the key is drawn without the data, and success is exactly B(k, 1/k) (ours).",
        "Printed: k alpha^2 and 2^-m n with k undefined. k_max alpha^2, and k 2^-(m+1) is enough.",
        "Lemma 6.3, first inequality, is false: a choice of rows that depends on all of them can leave "
        "the j-th one nearly known. The second one holds.",
        "Printed in 6.2: of m columns m/2^k stay. m/2^(k-1): all ones or all zeros; and the starred bits "
        "are compared with 'less than' 2^s/k, not 'greater'.",
        "Printed in 6.2: bit suppression is isolated with probability 0.37. More: 1, 0.6, 0.51, 0.45 for "
        "k = 2 to 5.",
    ),
)


def run(settings: Settings) -> Result:
    """Run Theorem 6.1: a hash of weight 1/k isolates one of k rows more than a third of the time."""
    n, k, columns = settings.whole("n"), settings.whole("k"), settings.whole("m")
    if n < k:
        raise InputError("n", f"must be at least k = {k}", str(n))
    refuse_above("n x m x runs", n * columns * settings.runs, 4e8, "Use a smaller --n, --m or --runs.")
    numbers = UniformNumbers(2**50)
    hashed = isolates("a hash in a class of k different rows", theory.k_anonymity_success(k))
    printed = isolates(
        "as printed, at least 1/e less what hashing costs", theory.k_anonymity_promise(n, k, 40, 1e-9)
    )
    end = isolates("an end of a bucket", 1 - n**2 * 0.5**51)
    starred = isolates(
        "bit suppression, computed", theory.bit_suppression_success(k) - 2.0 ** (k - columns / 4)
    )
    in_bucket = rounds(
        settings, "hash", numbers, IntervalBuckets(k), InBucket(k, True, numbers.weigh), (0.0, 0.4)
    )
    at_end = rounds(
        settings, "end", numbers, IntervalBuckets(k), InBucket(k, False, numbers.weigh), (0.4, 0.7)
    )
    hits, weights = _suppression(settings, n, k, columns)
    rows = (
        row("interval buckets, hash: as printed", in_bucket, printed),
        row("interval buckets, hash of weight 1/k", in_bucket, hashed),
        row("interval buckets, an end of the bucket", at_end, end, 2.0**-50),
        SimulatedRow("bit suppression, starred bits in the lowest 1/k", hits, starred, "that isolate"),
    )
    pairwise = luck.pairwise_isolation(k, 1 / (2 * k - 2))
    twins = luck.isolation_in_class([1] * (k - 2) + [2], 1 / (k - 1))
    facts = (
        f"Buckets of {k} numbers below 2^50; groups of {k} rows of {columns} fair bits, columns starred "
        f"where the rows disagree. Median weight of the last condition: {float(np.median(weights)):.2g}; of "
        f"a bucket alone, about {k - 1}/n: with one attribute a bucket is no rarer than luck, its end is.",
        f"B(k, 1/k) is {luck.isolation(k, 1 / k):.4g}. Rows of a group are not independent on starred "
        "columns, so bit suppression does better.",
        f"With a universal hash of 40 bits the theorem as printed asks for "
        f"{theory.entropy_for_hash(40, 1e-9, n, k):.0f} bits of min-entropy; an ideal hash for none.",
        f"A hash whose values are only pairwise independent guarantees {pairwise:.4g}, at weight 1/(2k - 2). "
        f"If two rows of a class are the same the ideal one reaches {twins:.4g}.",
    )
    return Result((printed, hashed, end, starred), rows, facts)


@dataclass(frozen=True)
class IntervalBuckets:
    """Sort the numbers and publish the ends of every k of them: k-anonymous."""

    k: int
    draws: ClassVar[bool] = False

    def __call__(self, rows: Rows, rng: np.random.Generator) -> NDArray[np.float64]:
        """Publish."""
        column = rows.column("number")
        values = np.sort(column.values) if isinstance(column, NumberColumn) else np.empty(0)
        whole = values[: values.size // self.k * self.k].reshape(-1, self.k)
        return whole[:, [0, -1]]


@dataclass(frozen=True)
class InBucket:
    """Single somebody out in the narrowest bucket: at an end of it, or by a hash of weight 1/k."""

    k: int
    by_hash: bool
    weigh: Weigh

    def __call__(self, ends: NDArray[np.float64], rng: np.random.Generator) -> tuple[Isolating, ...]:
        """Return one condition."""
        low, high = ends[np.argmin(ends[:, 1] - ends[:, 0])]
        bucket = Between("number", float(low), float(high), "both")
        last: Predicate = keyed(("number",), Fraction(1, self.k), rng)
        if not self.by_hash:
            last = Equals("number", str(int(low)))
        predicate = And((bucket, last))
        return (Isolating(predicate, self.weigh(predicate), "bucket", 0.0, self.k, ""),)


def _suppression(settings: Settings, n: int, k: int, columns: int) -> tuple[tuple[Tally, ...], list[float]]:
    def one(number: int) -> tuple[Tally, float]:
        world = stream(settings.seed, settings.id, "suppression", number)
        matches, _, weight = suppressed_bits(world.integers(0, 2, (n, columns), np.int8).astype(np.bool_), k)
        return Tally(int(matches == 1), 1), weight.value

    hits, weights = zip(*each_run(settings, "bit suppression", one, (0.7, 1.0)), strict=True)
    return hits, list(weights)


def suppressed_bits(bits: Bits, k: int) -> tuple[int, int, WeightBound]:
    """Star the columns on which the first k rows disagree, and attack what is left.

    The condition: equal on the columns that are kept, and the starred bits, read as a number, in the lowest
    share 1/k. Returns how many rows meet it, how many columns were starred, and its weight.

    Examples
    --------
    >>> matches, starred, weight = suppressed_bits(np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1]], bool), 2)
    >>> matches, starred, weight.value
    (1, 2, 0.25)
    """
    group = bits[:k]
    kept = (group == group[0]).all(axis=0)
    below = below_share(bits[:, ~kept], k)
    matches = (bits[:, kept] == group[0, kept]).all(axis=1) & below
    weight = WeightBound(0.5 ** int(kept.sum()) / k, "exact", "the bits are fair and independent")
    return int(matches.sum()), int((~kept).sum()), weight


def below_share(bits: Bits, k: int) -> Bits:
    """Say which rows, read as binary fractions, are below 1/k.

    Examples
    --------
    >>> below_share(np.array([[0, 0], [0, 1], [1, 0]], bool), 3).tolist()
    [True, False, False]
    """
    less = np.zeros(len(bits), np.bool_)
    equal = np.ones(len(bits), np.bool_)
    rest = 1
    for column in bits.T:
        digit, rest = divmod(2 * rest, k)
        if digit:
            less |= equal & ~column
        equal &= column == bool(digit)
    return less
