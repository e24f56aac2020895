"""Theorem 3.2. Any non-degenerate function of a few attributes and the secret gives everybody away."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.findings.tally import Tally
from dalenius.matrices.answers import Vector
from dalenius.papers.experiment import PromisedShare, Result, SimulatedRow
from dalenius.papers.linear_reconstruction.counted_subsets import K, public_bits
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated import adversarial_errors
from dalenius.papers.simulated.people import (
    RANDOM,
    UNANNOUNCED,
    Bits,
    attack,
    baseline,
    coins,
    once,
    refuse_above,
    repeat,
    view_of,
    wrong,
)
from dalenius.papers.statement import Statement
from dalenius.people.schema import Roster
from dalenius.random import stream
from dalenius.statistics.counts.boolean import BooleanFunction, named_function
from dalenius.statistics.counts.boolean_counts import BooleanCounts, counts_of

FUNCTIONS = ("and", "xor", "majority", "not-all-equal")

STATEMENT = Statement(
    says=(
        "With n up to the order of d^k, up to iterated logarithms, least squares gets all but a vanishing "
        "fraction of the bits right. For one matrix: at most 4 C(d,k) beta^2 / sigma^2 wrong bits. A "
        "degenerate function still gives equations, of rank at most the sum of C(d,j) over the sizes j of "
        "its parities."
    ),
    assumptions=(
        "People have d random, fair public bits, and one secret bit each.",
        "A function of k public bits and the secret is counted over all sets of k attributes.",
        "Its polynomial contains the product of all k + 1 inputs.",
        "Every count is off by less than the order of sqrt(n); the errors may be chosen.",
    ),
    parameters=(
        Parameter("n", "number of people", 60, 2, 400, whole=True),
        Parameter("d", "number of public bits", 20, 4, 60, whole=True),
        Parameter("beta", "largest error of a count", 0.2, 0.0, 1e6),
    ),
    runs=10,
    errata=(
        "Print: decision trees of depth k + 1 are non-degenerate. Depth does not decide: not-all-equal "
        "of three bits has depth 3 and degree 2; its counts have a rank below the number of people.",
        "Print: the +-1 form of the counts is another problem. It is the same one, term by term.",
        "Print: the number of people is of order d^k up to iterated logarithms, without constants. The "
        "bound shown is that of Theorem 2.1 for the matrix at hand.",
    ),
)


@dataclass(frozen=True, eq=False)
class CountedFunction:
    """One function counted over all pairs of public bits."""

    function: BooleanFunction
    counts: BooleanCounts
    matrix: NDArray[np.float64]
    offset: Vector
    rank: int
    sigma_min: float

    def mistakes(self, roster: Roster, secret: Bits, errors: Vector, attacker: np.random.Generator) -> Tally:
        """Publish with these errors, attack by least squares, count who is guessed wrong."""
        answers = self.offset + self.matrix @ secret + errors
        view = view_of(roster, self.counts, answers, UNANNOUNCED)
        return wrong(attack(view, "least-squares", attacker), roster, secret)


def run(settings: Settings) -> Result:
    """Run Theorem 3.2: least squares on the counts of several functions, each off by at most beta."""
    from dalenius.theory.reconstruction.tables import nondegenerate_count

    n, d, beta = settings.whole("n"), settings.whole("d"), settings["beta"]
    m = math.comb(d, K)
    refuse_above("d^2 x n^2 x runs", 2 * m * n**2 * settings.runs, 8e9, "Use a smaller --n, --d or --runs.")
    roster = public_bits(n, d, stream(settings.seed, settings.id, "people"))
    facts = [
        f"{m:,} pairs of {d} random public bits; each count off by at most {beta:g}.",
        f"Of all {2**2 ** (K + 1)} functions of {K + 1} bits {nondegenerate_count(K + 1)} are "
        "non-degenerate.",
    ]
    rows, promises = [], []
    for j, name in enumerate(FUNCTIONS):
        counted = _counted(name, roster)
        facts.append(_fact(counted, d))
        promise = _promise(counted, n, beta)
        if promise is not None:
            promises.append(promise)
        done = (j / len(FUNCTIONS), (j + 1) / len(FUNCTIONS))
        rows.append(_random_row(settings, roster, counted, promise, done))
        if promise is not None:
            rows.append(_constructed_row(settings, roster, counted, promise))
    rows.append(baseline(settings, f"{RANDOM} {FUNCTIONS[0]}", n))
    return Result(tuple(promises), tuple(rows), tuple(facts))


def _counted(name: str, roster: Roster) -> CountedFunction:
    counts = counts_of(roster.attributes.columns, named_function(name, K))
    form = counts.linear(roster, np.zeros(counts.rows))
    matrix = form.rows.astype(np.float64)
    sizes = np.linalg.svd(matrix, compute_uv=False)
    rank = int((sizes > 1e-9 * sizes[0]).sum())
    full = rank == len(roster)
    return CountedFunction(
        counts.function, counts, matrix, -form.target, rank, float(sizes[-1]) if full else 0.0
    )


def _promise(counted: CountedFunction, n: int, beta: float) -> PromisedShare | None:
    from dalenius.theory.reconstruction.least_squares import least_squares_wrong_bound

    if counted.sigma_min == 0:
        return None
    bound = least_squares_wrong_bound(counted.matrix.shape[0], beta, counted.sigma_min)
    return PromisedShare(f"{counted.function.name}, any errors", min(1.0, bound / n))


def _fact(counted: CountedFunction, d: int) -> str:
    from dalenius.theory.reconstruction.tables import function_rank_bound

    f, n = counted.function, counted.matrix.shape[1]
    kind = "non-degenerate" if f.nondegenerate else "degenerate"
    limit = function_rank_bound(d, f.levels)
    size = f"sigma_min {counted.sigma_min:.3g}" if counted.sigma_min else "nothing is promised"
    rank = f"rank {counted.rank} of {n}, at most {limit}"
    return f"{f.name}: {kind}, degree {f.degree} of {K + 1}; {rank}; {size}."


def _random_row(
    settings: Settings,
    roster: Roster,
    counted: CountedFunction,
    promise: PromisedShare | None,
    done: tuple[float, float],
) -> SimulatedRow:
    beta, m = settings["beta"], counted.matrix.shape[0]

    def trial(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        secret = coins(len(roster), world)
        errors: Vector = world.uniform(-beta, beta, (m,))
        return counted.mistakes(roster, secret, errors, attacker)

    name = f"{counted.function.name}, random errors in +-beta"
    return SimulatedRow(name, repeat(settings, f"{RANDOM} {counted.function.name}", trial, done), promise)


def _constructed_row(
    settings: Settings, roster: Roster, counted: CountedFunction, promise: PromisedShare
) -> SimulatedRow:
    aimed = adversarial_errors.least_squares(counted.matrix, settings["beta"])

    def trial(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        return counted.mistakes(roster, aimed.secret, aimed.errors, attacker)

    name = f"{counted.function.name}, constructed errors"
    return SimulatedRow(name, once(settings, name, trial), promise, drawn=False)
