"""How often singling out succeeds in simulated settings, beside exact values and a reference's simulations.

Run: python -m validation.singling_out_rates [--share 1.0] [--only counts mondrian]

Each row plays rounds with the attacks, mechanisms and game of the package, and agrees when its rate differs
by at most four standard errors from the exact value where one is known, and by four combined ones from the
rate of a reference that shares no code with this. Rows of the group ``fault`` have a fault planted and must
not agree. Exit code 1 if a row is not as it should be. ``--share`` scales the numbers of rounds.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from dalenius.conditions.hash_counts import count_words
from dalenius.conditions.leaves import Between
from dalenius.conditions.matching import Matcher
from dalenius.mechanisms.anonymise.parse import anonymise
from dalenius.mechanisms.row_by_row import PadAndMasked
from dalenius.papers.singling_out.theorem_6_1_k_anonymity import suppressed_bits
from dalenius.people.rows.keyed_hash import MERSENNE, RowHashes
from dalenius.people.rows.rows import Rows
from dalenius.random import stream
from dalenius.release.desk.count_desk import OpenCounts
from dalenius.release.rows.classes import find_classes
from dalenius.singling_out.attack.counts.bisection import Bisection, BitHalves
from dalenius.singling_out.attack.counts.counts import CountsAttack
from dalenius.singling_out.attack.counts.plans import NumberPlan, keyed
from dalenius.singling_out.attack.isolating import Isolating, WeightBound
from dalenius.singling_out.attack.planner import plan
from dalenius.singling_out.attack.rows.whole_rows import UnmaskedRow
from dalenius.singling_out.game.game import Attack, Game, Mechanism, Trivial, Unweighed, nothing
from dalenius.singling_out.game.models import UniformNumbers
from dalenius.singling_out.game.rounds import DataSource
from dalenius.singling_out.referee.populations import Everybody
from dalenius.theory.singling_out import bit_suppression_success, counts_success

Measured = NDArray[np.float64]
Run = Callable[[int], Measured]
"""From a number of rounds to what each of them gave: 1 for isolated, or another quantity."""

SEED = 20


@dataclass(frozen=True)
class Row:
    """A setting, what is known of it exactly, what the reference measured, and how many rounds to play."""

    name: str
    what: str
    run: Run
    rounds: int
    exact: float | None = None
    reference: float | None = None
    error: float = 0.0
    """Of the reference; for weights about the digits it gives."""
    quantile: float | None = None
    """Compare this quantile of the rounds, not their mean."""


def game(source: DataSource, mechanism: Mechanism, attack: Attack, n: int, name: str) -> Run:
    """Rounds of the package's game: whether the first condition matched exactly one row."""

    def run(rounds: int) -> Measured:
        played = Game(source, mechanism, attack, n, SEED, name).trials(0, rounds)
        return np.array([trial.matches == 1 for trial in played], np.float64)

    return run


def trivial(factor: float = 1.0) -> Run:
    """A hash of weight 1/n, or heavier by a factor; the release is ignored."""
    source = Unweighed(UniformNumbers(2**50))
    n = 365
    attack = Trivial(source.names, n) if factor == 1 else hashed(source, Fraction(factor) / n, "prf64")
    return game(source, nothing, attack, n, f"trivial {factor}")


def hashed(source: DataSource, weight: Fraction, family: str) -> Attack:
    """A condition on a hash, with a fresh key in every round."""

    def attack(release: object, rng: np.random.Generator) -> tuple[Isolating, ...]:
        bound = WeightBound(float(weight), "hash", "on average over the key")
        return (Isolating(keyed(source.names, weight, rng, family), bound, "luck", 0.37, None, ""),)

    return attack


def mixed_table() -> Run:
    """A pairwise independent family on 20,000 different rows of mixed types, 200 drawn with replacement."""
    rng, size = np.random.default_rng(8), 20_000
    table = {"id": np.arange(size), "town": rng.choice(["Bern", "Zug"], size), "pay": rng.normal(size=size)}
    source = Unweighed(Everybody(Rows.of_table(pa.table(table)), replace=True))
    return game(source, nothing, hashed(source, Fraction(1, 200), "ms32"), 200, "mixed")


def counts(n: int, bits: int, released: str = "exact", *, factor: int = 1, half: bool = False) -> Run:
    """One more count than bits; joined with a half where small counts are hidden."""
    source = UniformNumbers(2**bits, bits)
    below = 2 * round(factor * 2**bits / n / 2) if half else -(-(2**bits) // n)
    noisy = released.startswith("laplace")
    attack = CountsAttack(NumberPlan(bits, below, half=half, noisy=noisy), source.weigh)
    return game(source, OpenCounts(released), attack, n, f"counts {n} {bits} {released} {factor} {half}")


def bisection() -> Run:
    """30 counts, each asked after the last, of 1,000 numbers of 30 bits."""
    source = UniformNumbers(2**30, 30)
    return game(source, OpenCounts(), Bisection(1000, BitHalves(30), source.weigh), 1000, "bisection")


def pad(bits: int) -> Run:
    """A row behind a pad, and the pad."""
    source = UniformNumbers(2**bits, bits)
    return game(source, PadAndMasked(), UnmaskedRow(source.weigh), 256, f"pad {bits}")


def stars(k: int) -> Run:
    """768 columns of bits, starred where a group of k disagrees."""

    def run(rounds: int) -> Measured:
        rng = stream(SEED, "stars", k)
        drawn = (rng.integers(0, 2, (k, 768)).astype(np.bool_) for _ in range(rounds))
        return np.array([suppressed_bits(bits, k)[0] == 1 for bits in drawn], np.float64)

    return run


def class_of_five(reused: bool = False) -> Run:
    """Five different rows and a fresh key; the fault: the best of three keys by looking at the rows."""
    found = RowHashes(Rows.of_table(pa.table({"x": list("abcde")})))

    def run(rounds: int) -> Measured:
        def one(key: str) -> bool:
            return int(found.below(("x",), "prf64", key, 2**64 // 5).sum()) == 1

        tries = 3 if reused else 1
        return np.array([any(one(f"{i} {j}") for j in range(tries)) for i in range(rounds)], np.float64)

    return run


def affine(k: int) -> Run:
    """A family that is pairwise independent and no more, on the rows 0 to k - 1."""

    def run(rounds: int) -> Measured:
        keys = stream(SEED, "affine", k).integers(0, MERSENNE, (rounds, 2), dtype=np.uint64)
        below = np.zeros(rounds, np.int64)
        words = np.arange(k, dtype=np.uint64)[None]
        count_words(below, words, keys, np.full(rounds, MERSENNE // k, np.uint64), "cw61")
        return (below == 1).astype(np.float64)

    return run


def mondrian(attributes: int, kind: str, measure: str = "isolated", cells: str = "tight") -> Run:
    """1,000 uniform points, k = 5: the lightest condition of a kind, without knowing anybody."""

    def run(rounds: int) -> Measured:
        return np.array(
            [_mondrian_round(attributes, kind, measure, cells, j) for j in range(rounds)], np.float64
        )

    return run


def _mondrian_round(attributes: int, kind: str, measure: str, cells: str, j: int) -> float:
    rng = stream(SEED, "mondrian", attributes, j)
    quasi = [f"q{i:02}" for i in range(attributes)]
    columns: dict[str, object] = {name: rng.random(1000) for name in quasi}
    if kind == "unique value":
        columns["ill"] = [f"i{code:02}" for code in rng.integers(0, 100, 1000)]
    rows = Rows.of_table(pa.table(columns))
    released = anonymise(rows, quasi, f"mondrian:k=5,cells={cells}", rng)
    made = plan(find_classes(released.rows, quasi), known=None, tight=tuple(quasi), rng=rng)
    found = [
        (float(weights.min()), a, int(weights.argmin()))
        for a, (attack, weights) in enumerate(zip(made.attacks, made.weights, strict=True))
        if attack.kind == kind
    ]
    if not found:
        return 0.0  # no condition is a failure
    _, a, i = min(found)
    if measure == "isolated":
        return float(Matcher(rows).count(made.predicate(a, i)) == 1)
    volumes = np.array(
        [
            math.prod(_length(part) for part in made.classes.phi(c).parts)
            for c in (range(len(made.classes)) if measure == "median" else [made.attacks[a].of_class[i]])
        ]
    )
    return float(np.median(np.log(volumes))) if kind == "hash" else float(volumes[0]) / 100


def _length(part: object) -> float:
    assert isinstance(part, Between)
    assert part.low is not None
    assert part.high is not None
    return part.high - part.low


def rows() -> list[Row]:
    """Every row, with what is known of it."""
    below = [(-(-(2**bits) // n) / 2**bits, n, bits) for n, bits in ((100, 20), (50, 10))]
    exact = [counts_success(n, bits, weight) for weight, n, bits in below]
    k_of = bit_suppression_success
    return [
        Row("luck", "hash of weight 1/n, n=365", trivial(), 8000, 0.368384, 0.36827, 0.00076),
        Row("luck", "pairwise hash, mixed table, n=200", mixed_table(), 8000, 0.36696, 0.3682, 0.0015),
        Row("counts", "21 counts, n=100", counts(100, 20), 3000, exact[0], 0.3705, 0.0024),
        Row("counts", "11 counts, n=50", counts(50, 10), 3000, exact[1], 0.3922, 0.0024),
        Row(
            "counts",
            "none small, region 1/n",
            counts(100, 20, "suppression:below=10", half=True),
            3000,
            0.304411,
            0.3038,
            0.0023,
        ),
        Row(
            "counts",
            "none small, region 2/n",
            counts(100, 20, "suppression:below=10", factor=2, half=True),
            3000,
            0.369730,
            0.3708,
            0.0024,
        ),
        Row("counts", "30 counts one after the other, n=1000", bisection(), 200, 1.0, 1.0, 1 / 2000),
        Row(
            "counts", "Laplace, 4 a count", counts(100, 20, "laplace:scale=0.25"), 4000, None, 0.0946, 0.0015
        ),
        Row("counts", "Laplace, 1 a count", counts(100, 20, "laplace:scale=1"), 4000, None, 0.0005, 0.0001),
        Row("pad", "pad and masked row, n=256 m=16", pad(16), 4000, 0.99610, 0.9963, 0.0004),
        Row("pad", "pad and masked row, n=256 m=32", pad(32), 4000, 0.54967, 0.5548, 0.0035),
        Row("stars", "bit suppression, k=3", stars(3), 6000, k_of(3), 0.609, 0.009),
        Row("stars", "bit suppression, k=4", stars(4), 6000, k_of(4), 0.524, 0.009),
        Row("stars", "bit suppression, k=5", stars(5), 6000, k_of(5), 0.445, 0.009),
        Row("hash", "class of five, full independence", class_of_five(), 40_000, 0.4096, 0.4088, 0.0008),
        Row("hash", "rows 0 to 2, pairwise alone", affine(3), 400_000, None, 0.4997, 0.0008),
        Row("hash", "rows 0 to 4, pairwise alone", affine(5), 400_000, None, 0.4830, 0.0008),
        Row("hash", "rows 0 to 7, pairwise alone", affine(8), 400_000, None, 0.4721, 0.0008),
        Row("mondrian", "40 attributes, tightest box, hash", mondrian(40, "hash"), 600, None, 0.378, 0.024),
        Row(
            "mondrian", "40 attributes, end of an interval", mondrian(40, "interval end"), 200, 1.0, 1.0, 0.0
        ),
        Row(
            "mondrian",
            "40 attributes, ln weight of the tightest box",
            mondrian(40, "hash", "weight"),
            100,
            None,
            -20.2,
            0.1,
        ),
        Row(
            "mondrian",
            "40 attributes, ln weight of the median box",
            mondrian(40, "hash", "median"),
            100,
            None,
            -15.7,
            0.05,
        ),
        Row("mondrian", "4 attributes, tightest box, hash", mondrian(4, "hash"), 1000, None, 0.435, 0.035),
        Row(
            "mondrian",
            "4 attributes, ln weight of the tightest box",
            mondrian(4, "hash", "weight"),
            300,
            None,
            -7.5,
            0.05,
        ),
        Row(
            "mondrian",
            "3 attributes and a verbatim one, unique value",
            mondrian(3, "unique value"),
            300,
            1.0,
            1.0,
            0.0,
        ),
        *(
            Row(
                "mondrian",
                f"the same, {share:.0%} quantile of the weight",
                mondrian(3, "unique value", "weight"),
                300,
                None,
                value,
                error,
                share,
            )
            for share, value, error in ((0.05, 4.8e-6, 1.5e-7), (0.5, 8.3e-6, 1.5e-7), (0.95, 1.2e-5, 3e-7))
        ),
        Row("fault", "hash of weight 2/n called 1/n", trivial(2.0), 4000, 0.368384),
        Row("fault", "key chosen by looking at the rows", class_of_five(reused=True), 4000, 0.4096),
        Row(
            "fault",
            "counts of one region where small ones are hidden",
            counts(100, 20, "suppression:below=10"),
            300,
            exact[0],
        ),
        Row(
            "fault",
            "ends of intervals where regions are published",
            mondrian(4, "interval end", cells="regions"),
            100,
            1.0,
        ),
    ]


def judge(row: Row, share: float) -> tuple[float, float, bool]:
    """Play a row; return its value, its standard error, and whether it agrees with what is known."""
    found = row.run(max(20, round(row.rounds * share)))
    if row.quantile is None:
        value, error = float(found.mean()), float(found.std() / math.sqrt(found.size))
    else:
        drawn = np.random.default_rng(1).choice(found, (400, found.size))
        value = float(np.quantile(found, row.quantile))
        error = float(np.quantile(drawn, row.quantile, axis=1).std())
    agrees = True
    if row.exact is not None:
        of_exact = math.sqrt(row.exact * (1 - row.exact) / found.size)
        agrees &= abs(value - row.exact) <= 4 * max(error, of_exact) + 1e-5
    if row.reference is not None:
        agrees &= abs(value - row.reference) <= 4 * math.hypot(error, row.error) + 1e-12
    return value, error, agrees


def main() -> int:
    """Play the rows and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--share", type=float, default=1.0, help="scales the numbers of rounds")
    parser.add_argument("--only", nargs="*", help="groups of rows: luck counts pad stars hash mondrian fault")
    given = parser.parse_args()
    table = Table("group", "setting", "exact", "reference", "here", "agree")
    wrong = 0
    console = Console(width=130)
    for row in rows():
        if given.only and row.name not in given.only:
            continue
        value, error, agrees = judge(row, given.share)
        as_it_should = agrees != (row.name == "fault")
        wrong += not as_it_should
        table.add_row(
            row.name,
            row.what,
            "" if row.exact is None else f"{row.exact:.6g}",
            "" if row.reference is None else f"{row.reference:.6g} ± {row.error:.2g}",
            f"{value:.5g} ± {error:.2g}",
            ("agree" if agrees else "disagree") + ("" if as_it_should else " (!)"),
        )
    console.print(table)
    console.print(f"{wrong} rows are not as they should be." if wrong else "All rows are as they should be.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
