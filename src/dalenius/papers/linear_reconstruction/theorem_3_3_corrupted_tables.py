"""Theorem 3.3. Linear programming survives wild tables, once they are turned into parities."""

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
from dalenius.papers.simulated.people import (
    RANDOM,
    UNANNOUNCED,
    Bits,
    attack,
    baseline,
    coins,
    refuse_above,
    repeat,
    view_of,
    wrong,
)
from dalenius.papers.statement import Statement
from dalenius.people.schema import Roster
from dalenius.random import stream
from dalenius.statistics.counts.boolean import named_function
from dalenius.statistics.counts.boolean_counts import counts_of
from dalenius.statistics.tables import Tables, tables_of
from dalenius.theory.reconstruction.tables import attributes_for_full_rank, table_rank_bound

STATEMENT = Statement(
    says=(
        "Least absolute error on the parities of at most k attributes gets all but a vanishing fraction of "
        "the bits right. For one matrix: t wild tables do no harm if no parity can carry 1/(2t) of the "
        "whole. Raw conjunctions have no such guarantee."
    ),
    assumptions=(
        "People have d random, fair public bits, and one secret bit each.",
        "All tables of the secret with k attributes are published.",
        "A small fraction of the tables is arbitrary, the cells of all others are off by less than the "
        "order of sqrt(n).",
    ),
    parameters=(
        Parameter("n", "number of people", 36, 2, 80, whole=True),
        Parameter("d", "number of public bits", 12, 4, 16, whole=True),
        Parameter("gross", "fraction of the tables that is wild", 0.03, 0.0, 1.0),
    ),
    runs=10,
    errata=(
        "Print: small errors on at most a fraction 1 - gamma of the answers. At least is meant, the rest "
        "being arbitrary.",
        "Print: for every non-degenerate function. The flatness it needs holds for parities of distinct "
        "attributes; with lower-order terms, or attributes repeated, it fails, and one wrong attribute "
        "misleads LP decoding of conjunctions. Tables hold all parities: they are decoded as such.",
        "Print: a 0/1 matrix cannot be flat because its norm is large. A large norm in one direction "
        "does no harm; the lower-order terms do.",
    ),
)


@dataclass(frozen=True, eq=False)
class CorruptedTables:
    """Tables of all pairs of public bits, some of them computed on another secret."""

    roster: Roster
    tables: Tables
    cells: NDArray[np.float64]

    def mistakes(self, secret: Bits, answers: Vector, attacker: np.random.Generator) -> Tally:
        """Publish the cells, attack by LP decoding, which makes them parities, count who is guessed wrong."""
        view = view_of(self.roster, self.tables, answers, UNANNOUNCED)
        return wrong(attack(view, "lp", attacker), self.roster, secret)

    def raw_mistakes(self, secret: Bits, answers: Vector, attacker: np.random.Generator) -> Tally:
        """The same from the cells (1, 1) alone, as counts of a conjunction: they are not transformed."""
        conjunctions = counts_of(self.roster.attributes.columns, named_function("and", K))
        view = view_of(self.roster, conjunctions, answers[3::4], UNANNOUNCED)
        return wrong(attack(view, "lp", attacker), self.roster, secret)

    def wild(self, secret: Bits, world: np.random.Generator, which: NDArray[np.intp]) -> Vector:
        """The cells, with those of some tables anywhere between 0 and n."""
        answers = self.cells @ secret
        rows = (4 * which[:, None] + np.arange(4)).ravel()
        answers[rows] = world.uniform(0, len(self.roster), rows.size)
        return np.asarray(answers, np.float64)

    def one_attribute(self, secret: Bits) -> Vector:
        """The cells, with every table of the first attribute as if the secret were that attribute."""
        other = self.roster.attributes.codes[:, 0]
        first = np.repeat(["a0" in names for names in self.tables.sets], 4)
        return np.where(first, self.cells @ other, self.cells @ secret)


def run(settings: Settings) -> Result:
    """Run Theorem 3.3 in the form that holds: LP decoding of parities, some tables wild."""
    n, d = settings.whole("n"), settings.whole("d")
    tables_number = math.comb(d, K)
    wild = math.floor(settings["gross"] * tables_number + 1e-9)
    refuse_above("n x d^2 x runs", n * d**2 * settings.runs, 1e6, "Use a smaller --n, --d or --runs.")
    roster = public_bits(n, d, stream(settings.seed, settings.id, "people"))
    tables = tables_of(roster.attributes.columns, K)
    case = CorruptedTables(roster, tables, tables.operator(roster).explicit().toarray())
    settings.progress(0.0, "certificate of the parities")
    promise, said = _promise(roster, wild, tables_number)

    def anywhere(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        secret = coins(n, world)
        which = world.permutation(tables_number)[:wild]
        return case.mistakes(secret, case.wild(secret, world, which), attacker)

    def attribute(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        secret = coins(n, world)
        return case.mistakes(secret, case.one_attribute(secret), attacker)

    def raw(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        secret = coins(n, world)
        return case.raw_mistakes(secret, case.one_attribute(secret), attacker)

    coherent = "one attribute's tables all wrong"
    rows = (
        SimulatedRow(
            f"{wild} wild tables anywhere, parities", repeat(settings, RANDOM, anywhere, (0.2, 0.5)), promise
        ),
        SimulatedRow(f"{coherent}, parities", repeat(settings, coherent, attribute, (0.5, 0.8))),
        SimulatedRow(f"{coherent}, raw conjunctions", repeat(settings, coherent, raw, (0.8, 1.0))),
        baseline(settings, RANDOM, n),
    )
    facts = (
        f"{tables_number:,} tables of {d} random public bits and the secret; those that are not wrong are "
        f"exact. All {d - 1} tables of one attribute are {2 / d:.1%} of them.",
        f"All of them together have rank {table_rank_bound(d, K)} at most: to determine {n} "
        f"secrets takes at least {attributes_for_full_rank(n, K)} public bits.",
    )
    return Result(() if promise is None else (promise,), rows, (*facts, *said))


def _promise(roster: Roster, wild: int, tables: int) -> tuple[PromisedShare | None, tuple[str, ...]]:
    from dalenius.theory.reconstruction.lp import gross_errors_tolerated, tau1

    signs = 2.0 * roster.attributes.codes.T - 1
    pairs = [signs[i] * signs[j] for i in range(len(signs)) for j in range(i + 1, len(signs))]
    parities = np.vstack([np.ones((1, len(roster))), signs, pairs])
    rank = int(np.linalg.matrix_rank(parities))
    tolerated = gross_errors_tolerated(tau1(parities))
    # a lower parity is the median over the tables that have it: fewer than half of them wild do not move it
    covered = rank == len(roster) and wild <= tolerated and 2 * wild < len(signs) - 1
    said = (
        f"The {len(parities)} parities have rank {rank} of {len(roster)} and certainly survive {tolerated} "
        f"wild tables of {tables}, found by {len(parities)} linear programs."
    )
    if not covered:
        return None, (said, f"Nothing is promised with {wild}; what happens is measured all the same.")
    return PromisedShare("LP decoding of parities", 0.0), (said,)
