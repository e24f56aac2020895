"""Theorem 4.6. Counts that are safe one by one single somebody out together."""

from __future__ import annotations

from fractions import Fraction

from dalenius.errors import InputError
from dalenius.papers.experiment import Result
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated.people import refuse_above
from dalenius.papers.singling_out.isolation_rows import isolates, rounds, row
from dalenius.papers.statement import Statement
from dalenius.release.desk.count_desk import OpenCounts
from dalenius.singling_out.attack.counts.bisection import Bisection, BitHalves
from dalenius.singling_out.attack.counts.counts import CountsAttack
from dalenius.singling_out.attack.counts.plans import KeyedPlan, NumberPlan
from dalenius.singling_out.attack.weights.sources import fingerprint
from dalenius.singling_out.game.game import Trivial, Unweighed, nothing
from dalenius.singling_out.game.models import UniformNumbers
from dalenius.theory import isolation as luck
from dalenius.theory import singling_out as theory

FINGERPRINT_ERROR = 0.01
"""The chance that the condition made of hashes is heavier than the bound."""

WORK = 1e8
"""Rows times questions times runs that take about a minute."""

N = Parameter("n", "number of rows", 100, 4, 5000, "Ask about fewer rows.", whole=True)

M = Parameter("m", "number of bits of a row", 20, 3, 50, "Use at most 50 bits.", whole=True)

STATEMENT = Statement(
    says=(
        "Somebody is isolated by a condition of weight 2^-m with probability about B(n, 1/n), 37%; nearly "
        "always with some dozens of regions, or with m counts asked one after the other."
    ),
    assumptions=(
        "The rows are uniform strings of m bits, or are hashed to m bits.",
        "m + 1 exact counts are published: of a region of weight 1/n, and of it with each bit.",
    ),
    parameters=(N, M, Parameter("regions", "number of disjoint regions", 5, 1, 1000, whole=True)),
    runs=300,
    errata=(
        "Printed: the region [x < 2^m/n] has weight at most 1/n. It is ceil(2^m/n)/2^m, a little more.",
        "Printed: the condition has weight 2^-m by construction. At most; only m - log2 n of the bits "
        "tell anything, as the region fixes the others.",
        "Printed: success at least B(n, 1/n) less something negligible. The exact value is promised "
        "here: the attack also succeeds when all others in the region are the zero string (ours).",
        "Printed in Corollary B.2: O(m) counts succeed nearly always. One region gives only 1/e; it "
        "takes t (m+1) counts of t regions, or m counts asked one after the other (ours).",
    ),
)


def run(settings: Settings) -> Result:
    """Run Theorem 4.6: m + 1 exact counts of uniform strings of m bits."""
    n, bits, numbers = strings(settings)
    regions = settings.whole("regions")
    below = -(-(2**bits) // n)  # as printed; its weight is a little above 1/n
    slice_ = 2**bits // n
    if regions * slice_ > 2**bits:
        raise InputError("regions", f"must be at most n = {n}", str(regions), "They are disjoint.")
    one = isolates("m + 1 counts", theory.counts_success(n, bits, below / 2**bits))
    many = isolates("several regions", theory.disjoint_success(n, slice_ / 2**bits, regions))
    # appendix B: of any rows; the weight of what the counts spell is that of a fingerprint, up to an error
    rare = fingerprint(0.5**bits, bits, FINGERPRINT_ERROR, 1 / n)
    hashed = isolates("counts of keyed hashes, any rows", luck.isolation(n, 1 / n) - n**2 / 2 ** (bits + 1))
    adaptive = isolates("m counts, one after the other", 1 - (n - 1) / 2**bits)
    exact, point = OpenCounts(), 0.5**bits

    def counts(plan: NumberPlan | KeyedPlan) -> CountsAttack:
        return CountsAttack(plan, numbers.weigh)

    plain = rounds(settings, "counts", numbers, exact, counts(NumberPlan(bits, below)), (0.0, 0.3))
    amplified = rounds(
        settings, "regions", numbers, exact, counts(NumberPlan(bits, slice_, regions)), (0.3, 0.6)
    )
    keys = KeyedPlan(("number",), Fraction(1, n), bits)
    any_rows = rounds(settings, "hashed", Unweighed(numbers, rare), exact, counts(keys), (0.6, 0.75))
    walk = rounds(
        settings, "adaptive", numbers, exact, Bisection(n, BitHalves(bits), numbers.weigh), (0.75, 0.95)
    )
    control = rounds(settings, "luck", Unweighed(numbers), nothing, Trivial(("number",), n), (0.95, 1.0))
    rows = (
        row(f"{bits + 1} counts, weight at most 2^-{bits}", plain, one, point),
        row(f"{regions * (bits + 1)} counts of {regions} disjoint regions", amplified, many, point),
        row(
            f"{bits + 1} counts of keyed hashes, weight at most {rare.value:.2g}",
            any_rows,
            hashed,
            rare.value,
        ),
        row(f"{bits} counts, each after the last", walk, adaptive, point),
        row("no release: a hash of weight 1/n, far too heavy", control),
    )
    return Result((one, many, hashed, adaptive), rows, _facts(n, bits, regions))


def _facts(n: int, bits: int, regions: int) -> tuple[str, ...]:
    lucky = luck.isolation(n, 0.5**bits)
    return (
        f"Rows are uniform strings of {bits} bits. Luck at weight 2^-{bits}: {lucky:.3g}.",
        "When the count of the region is 1 the attacker knows that it will succeed.",
        f"The weight of what hashes spell is larger than said with a chance of {FINGERPRINT_ERROR:g}.",
        f"{regions} regions with a key of their own each isolate somebody with probability "
        f"{theory.repeated_success(n, 1 / n, regions):.4g}; for all but one in a million it takes "
        f"{theory.regions_for(n, 1 / n, 1e-6)}.",
    )


def strings(settings: Settings) -> tuple[int, int, UniformNumbers]:
    """Return n, the number of bits, and the uniform strings, if a region of weight 1/n has a string."""
    n, bits = settings.whole("n"), settings.whole("m")
    if 2**bits < 2 * n:
        raise InputError("m", f"must be at least log2 of 2 n = {2 * n:,}", str(bits), "Use for example 20.")
    refuse_above("n x m x runs", n * bits * settings.runs, WORK, "Use a smaller --n or --runs.")
    return n, bits, UniformNumbers(2**bits, bits)
