"""Claim 4.8. One bit of every row is safe, all bits single everybody out."""

from __future__ import annotations

from dalenius.mechanisms.row_by_row import Projection
from dalenius.papers.experiment import Result
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated.people import refuse_above
from dalenius.papers.singling_out.isolation_rows import everybody_row, isolates, rounds, row
from dalenius.papers.statement import Statement
from dalenius.singling_out.attack.rows.whole_rows import WholeRows
from dalenius.singling_out.game.models import UniformNumbers
from dalenius.theory import isolation as luck

_M = Parameter("m", "number of bits of a row", 20, 1, 50, "Use at most 50 bits.", whole=True)

STATEMENT = Statement(
    says=(
        "All n rows are isolated at once, each by a condition of weight 2^-m, whenever all rows are "
        "different: with probability prod (1 - i 2^-m) over i < n."
    ),
    assumptions=(
        "The rows are uniform strings of m bits.",
        "Every bit of every row is published, column by column.",
    ),
    parameters=(Parameter("n", "number of rows", 50, 2, 1000, "Ask about fewer rows.", whole=True), _M),
    runs=100,
    errata=(
        "Printed: the i-th bit vector has the bits x_i[j]. It is x_j[i].",
        "Printed in Definition 3.7: no two conditions hold together, for all i and j. For i != j.",
    ),
)


def run(settings: Settings) -> Result:
    """Run Claim 4.8: one bit vector a column, and everybody is singled out."""
    n, bits = settings.whole("n"), settings.whole("m")
    refuse_above("n^2 x m x runs", n**2 * bits * settings.runs, 2e8, "Use a smaller --n or --runs.")
    numbers = UniformNumbers(2**bits, bits)
    promise = isolates("everybody", luck.all_distinct(n, bits))
    released = Projection(tuple(f"bit {i}" for i in range(bits)))
    played = rounds(settings, "rows", numbers, released, WholeRows(numbers.weigh), (0.0, 1.0))
    rows = (
        everybody_row("every row by a condition of its own", played, n, promise),
        row("some row", played, None, 0.5**bits),
    )
    facts = (
        f"All {bits} bits of {n} rows are published, column by column. Each column alone is safe (Theorem "
        "4.4).",
        "Everybody is isolated exactly when no two rows are the same.",
    )
    return Result((promise,), rows, facts)
