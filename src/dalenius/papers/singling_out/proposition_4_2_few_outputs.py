"""Proposition 4.2. Few possible outputs tell little."""

from __future__ import annotations

from dalenius.papers.experiment import Result
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.singling_out.claim_3_1_luck import N
from dalenius.papers.singling_out.isolation_rows import isolates, rounds, row
from dalenius.papers.singling_out.lemma_4_1_post_processing import CountBelow, M, one_count
from dalenius.papers.statement import Statement
from dalenius.theory import isolation as luck
from dalenius.theory import singling_out as theory

_PART = Parameter("part", "how many of them are counted", 1, 1, 10**6, whole=True)

STATEMENT = Statement(
    says=(
        "No attack isolates somebody with a condition of weight at most w more often than the number of "
        "outputs times the baseline. For anything made from a sum over people of a vector with V values: n V "
        "w, so 2 n w for one count and n 2^m w for m of them."
    ),
    assumptions=(
        "The rows are drawn independently from one law.",
        "The release has a given number of possible values; for 2 n w, it is one exact count.",
    ),
    parameters=(N, M, _PART),
    runs=2000,
    errata=(
        "Printed in 4.3.1: O(log n) counts are safe because their codomain grows polynomially. "
        "(n+1)^(log n) does not; the conclusion holds by n 2^m w, for anything made from sums over "
        "people (ours).",
    ),
)


def run(settings: Settings) -> Result:
    """Run Proposition 4.2 and the sharper bound for counts: one number tells little."""
    n, size, part = settings.whole("n"), settings.whole("m"), settings.whole("part")
    numbers, attack = one_count(n, size, part)
    base = luck.isolation(n, 1 / size)
    printed = isolates("n + 1 outputs, as printed", theory.few_outputs_limit(n + 1, base), "at most")
    sharp = isolates("one count: 2 n w", theory.additive_limit(n, 2, 1 / size), "at most")
    two = isolates("two outputs: twice the baseline", theory.few_outputs_limit(2, base), "at most")
    reached = isolates("the best attack on one count, computed", attack.optimum())
    exact = rounds(settings, "count", numbers, CountBelow(part), attack, (0.0, 0.6))
    bit = rounds(settings, "bit", numbers, CountBelow(part, any_alone=True), attack, (0.6, 1.0))
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
