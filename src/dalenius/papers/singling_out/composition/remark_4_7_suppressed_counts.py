"""Remark 4.7. Hiding small counts does not help."""

from __future__ import annotations

from dalenius.papers.experiment import Result
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.singling_out.composition.theorem_4_6_counts import M, N, strings
from dalenius.papers.singling_out.isolation_rows import isolates, rounds, row
from dalenius.papers.statement import Statement
from dalenius.release.desk.count_desk import OpenCounts
from dalenius.singling_out.attack.counts.counts import CountsAttack
from dalenius.singling_out.attack.counts.plans import NumberPlan
from dalenius.singling_out.game.rounds import GameRound
from dalenius.theory import isolation as luck
from dalenius.theory import singling_out as theory

STATEMENT = Statement(
    says=(
        "Joined with a condition that half of all rows meet no count is small, and somebody is isolated with "
        "probability B(n, w/2) for a region of weight w: 30% for 1/n, 37% for 2/n."
    ),
    assumptions=("As in pso-4.6, but every count below a threshold is hidden.",),
    parameters=(N, M, Parameter("below", "counts below this are hidden", 10, 2, 1000, whole=True)),
    runs=400,
    errata=(
        "Printed: it succeeds when q*(x) = q_0*(x) + 1. The counts are the other way round.",
        "Printed: success at least B(n, 1/n)/2. It is B(n, w/2) for a region of weight w, so twice the "
        "region gives all of B(n, 1/n) back (ours).",
    ),
)


def run(settings: Settings) -> Result:
    """Run Remark 4.7: hiding small counts does not help."""
    n, bits, numbers = strings(settings)
    hidden = OpenCounts(f"suppression:below={settings.whole('below')}")
    single, double = (2 * round(factor * 2**bits / n / 2) for factor in (1, 2))
    loose = isolates("as printed: half of B(n, 1/n)", luck.isolation(n, 1 / n) / 2)
    sharp = isolates("a region of weight 1/n", theory.suppressed_counts_success(n, single / 2**bits))
    back = isolates("a region of weight 2/n", theory.suppressed_counts_success(n, double / 2**bits))
    point = 2 * 0.5**bits

    def played(name: str, plan: NumberPlan, done: tuple[float, float]) -> list[GameRound]:
        return rounds(settings, name, numbers, hidden, CountsAttack(plan, numbers.weigh), done)

    first = played("single", NumberPlan(bits, single, half=True), (0.0, 0.4))
    second = played("double", NumberPlan(bits, double, half=True), (0.4, 0.8))
    plain = played("small", NumberPlan(bits, single), (0.8, 1.0))
    rows = (
        row("joined with a half: as printed", first, loose, point),
        row("joined with a half, region of weight 1/n", first, sharp, point),
        row("joined with a half, region of weight 2/n", second, back, point),
        row("the counts of Theorem 4.6, hidden where small", plain, None, point),
    )
    facts = (
        f"Counts from 1 to {settings.whole('below') - 1} are hidden. Every count is joined with 'the last "
        "bit is one', which half of all rows meet, so none is small.",
    )
    return Result((loose, sharp, back), rows, facts)
