"""Claim 3.3. Luck need not know who the people are."""

from __future__ import annotations

import math

from dalenius.papers.experiment import Result
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.singling_out.claim_3_1_luck import HIGH, C, KeyedCondition, N
from dalenius.papers.singling_out.isolation_rows import isolates, rounds, row
from dalenius.papers.statement import Statement
from dalenius.singling_out.game.game import Unweighed, nothing
from dalenius.singling_out.game.models import UniformNumbers
from dalenius.theory import isolation as luck

STATEMENT = Statement(
    says=(
        "It matches exactly one of n rows with probability at least B(n, w) - 2^-b, for weights up to 1/n "
        "and from 1/n on."
    ),
    assumptions=(
        "The rows are drawn independently from one law with min-entropy at least 5 ceil(b + log2 n + 2).",
        "The condition is on a keyed hash; of the law nothing is known.",
    ),
    parameters=(
        N,
        Parameter("m", "bits of min-entropy of a row", 50, 1, 53, "Use at most 53 bits.", whole=True),
        C,
        HIGH,
    ),
    runs=1000,
    errata=(
        "Printed: min-entropy above 5 (c + log n + 2). At least 5 times that rounded up: a hash has a "
        "whole number of bits.",
        "Printed in its proof: (1 - 2^-m) B(n, 3 2^-m). B(n, w_low - 3 2^-m) is meant.",
        "Printed in Lemma 3.4: Pr[h(x)/(2^m - 1) <= w] is w + 2^-m. Comparing h(x) with a whole number "
        "floor(2^m w) - 1 makes the proof right.",
    ),
)


def run(settings: Settings) -> Result:
    """Run Claim 3.3: with enough min-entropy luck need not know the law of the rows."""
    n, bits = settings.whole("n"), settings.whole("m")
    low, high = settings["c"] / n, min(1.0, settings["high"] / n)
    lost = luck.lost_by_hashing(n, bits)
    numbers = Unweighed(UniformNumbers(2**bits))
    few = Unweighed(UniformNumbers(2))
    printed = isolates("a hash of weight c/n, as printed", luck.isolation(n, low) - lost)
    printed_high = isolates("a hash of weight high/n, as printed", luck.isolation(n, high) - lost)
    sharp = isolates("a hash of weight 1/n: B(n, 1/n) (1 - n/2N)", luck.keyed_luck(n, 2**bits))
    light = rounds(settings, "low", numbers, nothing, KeyedCondition(low, numbers), (0.0, 0.3))
    heavy = rounds(settings, "high", numbers, nothing, KeyedCondition(high, numbers), (0.3, 0.6))
    best = rounds(settings, "best", numbers, nothing, KeyedCondition(1 / n, numbers), (0.6, 0.9))
    alike = rounds(settings, "few", few, nothing, KeyedCondition(1 / n, few), (0.9, 1.0))
    measured = (
        row(f"hash of weight {low:.3g}", light, printed),
        row(f"hash of weight {high:.3g}", heavy, printed_high),
        row("hash of weight 1/n", best, sharp),
        row("hash of weight 1/n where there are only two different rows", alike),
    )
    hashed = math.ceil(10 + math.log2(n) + 2)  # as the proof has it, to lose at most 2^-10
    facts = (
        f"Rows are uniform numbers of {bits} bits, of which the attack knows nothing. As printed a hash "
        f"loses at most {lost:.3g} of B(n, w); to lose at most 0.001 takes {luck.entropy_for_luck(n, 10)} "
        "bits of min-entropy.",
        f"Ours: the weight of a hash varies by sqrt(1/(n N)) over its key, so at 1/n only a share n/2N = "
        f"{n / 2 / 2**bits:.2g} is lost, whatever the law if no row is likelier than 1/N.",
        f"A universal hash of {hashed} bits of such rows is within {luck.hash_distance(hashed, bits):.2g} of "
        "uniform (leftover hash lemma). How much min-entropy rows have is seen by the most frequent one: "
        f"{luck.min_entropy_bits(1, 10**6, 0.05):.3g} bits or more, with confidence 95%, if no two of a "
        "million are the same.",
    )
    return Result((printed, printed_high, sharp), measured, facts)
