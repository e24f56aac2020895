"""Kasiviswanathan, Rudelson and Smith (2013), Theorems 2.1 and 2.2: least squares and LP decoding."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.random import stream
from dalenius.records.answers import Vector
from dalenius.records.roster import Roster
from dalenius.referee.score import Tally
from dalenius.statistics.subsets import Subsets, random_subsets
from dalenius.theorems import hardest
from dalenius.theorems.experiment import Experiment, Promised, Result, Row
from dalenius.theorems.settings import Parameter, Settings
from dalenius.theorems.simulate import (
    UNANNOUNCED,
    Bits,
    attack,
    baseline,
    coins,
    once,
    people,
    refuse_above,
    repeat,
    view_of,
    wrong,
)

RANDOM, CONSTRUCTED = "random errors", "constructed errors"


@dataclass(frozen=True, eq=False)
class Linear:
    """Random subset counts about simulated people, and the decoder that reads them."""

    roster: Roster
    queries: Subsets
    matrix: NDArray[np.float64]
    sigma_min: float
    decoder: str

    def mistakes(self, secret: Bits, errors: Vector, attacker: np.random.Generator) -> Tally:
        """Publish with these errors, attack, count who is guessed wrong."""
        view = view_of(self.roster, self.queries, self.matrix @ secret + errors, UNANNOUNCED)
        return wrong(attack(view, self.decoder, attacker), self.roster, secret)


def _linear(settings: Settings, decoder: str) -> Linear:
    n, m = settings.whole("n"), settings.whole("m")
    if m < n:
        raise InputError("m", f"must be at least n = {n}", str(m), "With fewer answers A has no rank n.")
    roster = people(n)
    queries = random_subsets(roster.ids, m, rng=stream(settings.seed, settings.id, "queries"))
    matrix = queries.members.rows(0, m).astype(np.float64)
    sigma_min = float(np.linalg.svd(matrix, compute_uv=False)[-1])
    if sigma_min < 1e-9 * m:
        raise InputError("m", "must give a matrix of rank n", f"{m} rows of lower rank", f"Use {2 * n}.")
    return Linear(roster, queries, matrix, sigma_min, decoder)


def run_least_squares(settings: Settings) -> Result:
    """Run Theorem 2.1: every count off by at most beta."""
    from dalenius.theory.least_squares import (
        inverse_gram_diagonal,
        least_squares_expected_wrong_bound,
        least_squares_wrong_bound,
    )

    n, m, beta = settings.whole("n"), settings.whole("m"), settings["beta"]
    refuse_above("m x n^2 x runs", m * n**2 * settings.runs, 4e9, "Use a smaller --n, --m or --runs.")
    system = _linear(settings, "least-squares")
    always = Promised("any errors", min(1.0, least_squares_wrong_bound(m, beta, system.sigma_min) / n))
    trace = inverse_gram_diagonal(system.matrix)
    expected = least_squares_expected_wrong_bound(beta / math.sqrt(3), trace) / n
    average = Promised("independent errors, even in +-beta", min(1.0, expected), holds="on average")
    aimed = hardest.least_squares(system.matrix, beta)

    def random(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        secret = coins(n, world)
        return system.mistakes(secret, world.uniform(-beta, beta, m), attacker)

    def constructed(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        return system.mistakes(aimed.secret, aimed.errors, attacker)

    rows = (
        Row("random errors, even in +-beta", repeat(settings, RANDOM, random, (0.1, 0.9)), average),
        Row("constructed errors", once(settings, CONSTRUCTED, constructed), always, drawn=False),
        baseline(settings, RANDOM, n),
    )
    facts = (
        f"{m:,} random subsets are counted, each count off by at most {beta:g}; sigma_min is "
        f"{system.sigma_min:.4g}.",
        "The constructed errors are the best that a search found; they need not be the worst there are.",
    )
    return Result((always, average), rows, facts)


def run_lp(settings: Settings) -> Result:
    """Run Theorem 2.2: a fraction of the counts wild, the others off by at most beta."""
    n, m, beta = settings.whole("n"), settings.whole("m"), settings["beta"]
    wild = math.floor(settings["gross"] * m + 1e-9)
    refuse_above("n x m x runs", n * m * settings.runs, 2e6, "Use a smaller --n, --m or --runs.")
    system = _linear(settings, "lp")
    settings.progress(0.0, "certificate of the matrix")
    promise, said = _lp_promise(system, beta, wild)
    aimed = hardest.wild(system.matrix, beta, wild)

    def random(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        secret = coins(n, world)
        errors = world.uniform(-beta, beta, m)
        rows = world.permutation(m)[:wild]
        errors[rows] = world.uniform(0, n, wild) - system.matrix[rows] @ secret
        return system.mistakes(secret, errors, attacker)

    def constructed(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        return system.mistakes(aimed.secret, aimed.errors, attacker)

    rows = (
        Row("random errors, wild answers anywhere", repeat(settings, RANDOM, random, (0.3, 1.0)), promise),
        Row("constructed errors", once(settings, CONSTRUCTED, constructed), promise, drawn=False),
        baseline(settings, RANDOM, n),
    )
    fact = f"{m:,} random subsets are counted: {wild} wild answers, the others off by at most {beta:g}."
    return Result(() if promise is None else (promise,), rows, (fact, *said))


def _lp_promise(system: Linear, beta: float, wild: int) -> tuple[Promised | None, tuple[str, ...]]:
    """Take the smaller of two proven bounds: the theorem's with a certified constant, and tau1's own."""
    from dalenius.theory.lp import (
        gross_errors_tolerated,
        lp_gross_fraction_limit,
        lp_wrong_bound,
        lp_wrong_bound_from_tau1,
        section_lower_bound,
        tau1,
    )

    m, n = system.matrix.shape
    certificate = tau1(system.matrix)
    section, tolerated = section_lower_bound(m, certificate), gross_errors_tolerated(certificate)
    bounds = []
    if wild / m < lp_gross_fraction_limit(section):
        bounds.append(lp_wrong_bound(m, beta, system.sigma_min, section, wild / m))
    if wild <= tolerated:
        bounds.append(lp_wrong_bound_from_tau1(m, beta, system.sigma_min, certificate, wild))
    said = (
        f"sigma_min is {system.sigma_min:.4g}; a is at least {section:.3g}, certified by {m} linear "
        f"programs, so the theorem covers {lp_gross_fraction_limit(section):.2%} wild answers and the "
        f"certificate itself {tolerated} of {m}.",
    )
    if not bounds:
        return None, (
            *said,
            f"Nothing is promised with {wild} wild answers; what happens is measured all the same.",
        )
    return Promised("LP decoding", min(1.0, min(bounds) / n)), said


_N = Parameter("n", "number of people", 64, 2, 1000, "Ask about fewer people, or run exposed-7.", whole=True)
_M = Parameter("m", "number of random subsets", 4, 2, 100_000, whole=True, per_person=True)

EXPERIMENTS = (
    Experiment(
        "krs-2.1",
        (_N, _M, Parameter("beta", "largest error of a count", 0.75, 0.0, 1e6)),
        run_least_squares,
        runs=20,
        errata=(
            "Printed: the left inverse lists the reciprocal singular values in the wrong order; as printed "
            "it does not invert.",
            "Printed: m > n and O(4 m beta^2)/sigma^2. m >= n suffices, and 4 is the exact constant.",
            "Printed: one bound for all errors. For independent errors m may be replaced by n (ours).",
        ),
    ),
    Experiment(
        "krs-2.2",
        (
            Parameter(
                "n",
                "number of people",
                24,
                2,
                60,
                "Its certificate takes a linear program an answer; krs-2.1 takes more.",
                whole=True,
            ),
            Parameter(
                "m",
                "number of random subsets",
                4,
                2,
                200,
                "Its certificate takes a linear program an answer.",
                whole=True,
                per_person=True,
            ),
            Parameter("gross", "fraction of the answers that is wild", 0.05, 0.0, 1.0),
            Parameter("beta", "largest error of the other counts", 0.0, 0.0, 1e6),
        ),
        run_lp,
        runs=20,
        errata=(
            "Printed: O(beta sqrt(m n)/sigma) and an unspecified fraction. The explicit form is never larger "
            "where it says anything: 16 m beta^2 / (sigma^2 (a - 2 sqrt g)^2) for g < a^2/4.",
            "Printed: a linear program with n variables and m constraints. It has n + m and 2m, or the dual.",
        ),
    ),
)
