"""Claim 5.6. Differential privacy limits heavy conditions too."""

from __future__ import annotations

import numpy as np

from dalenius.findings.tally import Tally
from dalenius.matrices.answers import Sensitivity
from dalenius.mechanisms.stages.noise import Geometric
from dalenius.papers.experiment import Result, SimulatedRow
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated.people import refuse_above
from dalenius.papers.simulated.runs import each_run
from dalenius.papers.singling_out.isolation_rows import isolates
from dalenius.papers.statement import Statement
from dalenius.random import stream
from dalenius.theory import isolation as luck
from dalenius.theory import singling_out as theory

STATEMENT = Statement(
    says=(
        "No attack isolates somebody with a condition of weight at least w with probability above 2 n ln(n) "
        "exp(-(n epsilon/2) (e^(-2 epsilon) (1 - 1/n) w - 3/n))."
    ),
    assumptions=(
        "The rows are drawn independently from one law.",
        "The release is epsilon-differentially private; n is at least 4.",
    ),
    parameters=(
        Parameter("n", "number of rows", 2000, 4, 100_000, "Ask about fewer rows.", whole=True),
        Parameter("epsilon", "privacy of the histogram", 1.0, 1e-3, 20.0),
        Parameter("weight", "least weight of a condition", 0.15, 1e-6, 0.9),
    ),
    runs=200,
    errata=(
        "Printed: negligible success for weights of larger order than log(n)/n. Made explicit for delta "
        "= 0: 2 n ln(n) exp(-(n epsilon/2)(e^(-2 epsilon) (1 - 1/n) w - 3/n)) (ours, from its proof).",
    ),
)


def run(settings: Settings) -> Result:
    """Run Claim 5.6: conditions that many people meet, and exactly one row."""
    n, epsilon, heavy = settings.whole("n"), settings["epsilon"], settings["weight"]
    cells = 10 * n
    refuse_above("n x runs", n * settings.runs, 2e7, "Use a smaller --n or --runs.")
    limit = isolates("any private release", theory.private_success_limit_high(n, epsilon, heavy), "at most")
    # a replaced row leaves one cell and enters another
    noise = Geometric(None, epsilon).resolve(Sensitivity(2.0, 2.0))

    def one(number: int) -> tuple[Tally, Tally]:
        world, mechanism, attacker = (
            stream(settings.seed, settings.id, number, part) for part in ("data", "mechanism", "attack")
        )
        true = np.bincount(world.integers(cells, size=n), minlength=cells)
        noisy = true + noise.draw(noise.known_scale(), true.shape, mechanism)
        hidden = _isolates_heavily(true, noisy, heavy, attacker)
        return hidden, _isolates_heavily(true, true.astype(np.float64), heavy, attacker)

    hidden, plain = zip(*each_run(settings, "histograms", one, (0.0, 1.0)), strict=True)
    rows = (
        SimulatedRow("histogram with geometric noise", hidden, limit, "that isolate"),
        SimulatedRow("the same histogram without noise", plain, None, "that isolate"),
    )
    facts = (
        f"A histogram of {cells:,} cells is published; the attack accepts the cells that look empty and one "
        f"that looks as if one row were in it. Luck at weight {heavy:g}: {luck.isolation(n, heavy):.3g}.",
    )
    return Result((limit,), rows, facts)


def _isolates_heavily(
    true: np.ndarray[tuple[int], np.dtype[np.int64]],
    seen: np.ndarray[tuple[int], np.dtype[np.float64]],
    weight: float,
    rng: np.random.Generator,
) -> Tally:
    """Accept the emptiest cells, as many as the weight asks for, and one with about one row."""
    order = rng.permutation(seen.size)
    order = order[np.argsort(seen[order], kind="stable")]
    wanted = int(np.ceil(weight * seen.size))
    accepted = order[:wanted]
    rest = order[wanted:]
    one = rest[np.argmin(np.abs(seen[rest] - 1))]
    return Tally(int(true[accepted].sum() + true[one] == 1), 1)
