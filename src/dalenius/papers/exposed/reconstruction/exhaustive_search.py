"""All secrets that are consistent with a release, and the releases that leave the most of them.

The theorems about exhaustive search speak of any consistent secret. The decoder takes a vote over all of
them, which is right more often; what follows for it is twice the bound, since whom it gets wrong is wrong
in at least half of the consistent secrets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.findings.tally import Tally
from dalenius.knowledge.view import View
from dalenius.matrices.answers import Vector
from dalenius.matrices.operators import BitRows
from dalenius.papers.experiment import PromisedShare, SimulatedRow
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated.people import (
    RANDOM,
    Bits,
    Trial,
    attack,
    bounded,
    coins,
    members,
    people,
    repeat,
    view_of,
    wrong,
)
from dalenius.people.schema import Roster
from dalenius.random import stream
from dalenius.reconstruction.attack.decoders.exhaustive import search
from dalenius.reconstruction.attack.system.build import build
from dalenius.statistics.counts.subsets import Subsets
from dalenius.theory.reconstruction.discrepancy import (
    indistinguishable_pair,
    partial_discrepancy,
    reconstruction_possibility,
)

SECONDS = 20.0
"""Patience with one integer program; sizes within the limits of the experiments need about one."""

VOTE = "The decoder takes a vote over all consistent secrets: at most twice as many wrong (ours)."

LARGER = "The search tries all 2^n secrets; krs-2.1 takes hundreds of people, exposed-7 a million."

ALPHA = Parameter("alpha", "largest error of an answer, as a fraction of n", 0.06, 0.0, 1.0)

SUBSETS = (
    Parameter("n", "number of people", 12, 2, 16, LARGER, whole=True),
    Parameter("m", "number of random subsets", 4, 1, 128, LARGER, whole=True, per_person=True),
    ALPHA,
)


@dataclass(frozen=True, eq=False)
class World:
    """People, the subsets that are counted, and how far each count may be off."""

    roster: Roster
    queries: Subsets
    matrix: NDArray[np.float64]
    error: float

    def view(self, answers: Vector) -> View:
        """Publish answers whose bound is announced: the search needs it."""
        return view_of(self.roster, self.queries, answers, bounded(self.error))


def world_of(rows: NDArray[np.bool_], error: float) -> World:
    """Make people and queries from a 0/1 matrix."""
    roster = people(rows.shape[1])
    names = tuple(str(j) for j in range(rows.shape[0]))
    queries = Subsets(roster.ids, BitRows.from_dense(rows), names)
    return World(roster, queries, rows.astype(np.float64), error)


def consistent(view: View) -> Bits:
    """List every secret of everybody that fits the release, one per row."""
    problem = build(view)
    system = problem.systems[0]
    _, _, found = search(system, keep=1 << system.unknowns)
    return found[:, problem.group].astype(np.int32)


def farthest(view: View, secret: Bits) -> Tally:
    """Count the mistakes of the worst secret that is consistent with the release."""
    return Tally(int((consistent(view) != secret).sum(axis=1).max()), secret.size)


def random_world(settings: Settings) -> World:
    """Draw uniform subsets that tell all people apart."""
    n = settings.whole("n")
    rng = stream(settings.seed, settings.id, "queries")
    return world_of(members(n, settings.whole("m"), rng), settings["alpha"] * n)


def _trial(world_: World, worst: bool) -> Trial:
    rows, n = world_.matrix.shape

    def trial(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        secret = coins(n, world)
        errors = world_.error * world.choice([-1.0, 1.0], rows)
        view = world_.view(world_.matrix @ secret + errors)
        if worst:
            return farthest(view, secret)
        return wrong(attack(view, "exhaustive", attacker), world_.roster, secret)

    return trial


def random_rows(
    settings: Settings, world_: World, each: PromisedShare | None, vote: PromisedShare | None
) -> list[SimulatedRow]:
    """Errors of full size with random signs: the decoder, and the worst consistent secret."""
    decoder = repeat(settings, RANDOM, _trial(world_, worst=False), (0.3, 0.6))
    worst = repeat(settings, RANDOM, _trial(world_, worst=True), (0.6, 1.0))
    return [
        SimulatedRow("random errors of +-alpha n: decoder", decoder, vote),
        SimulatedRow("random errors: worst consistent secret", worst, each),
    ]


def pair_rows(
    settings: Settings,
    world_: World,
    x: NDArray[np.int8],
    each: PromisedShare | None,
    vote: PromisedShare | None,
) -> list[SimulatedRow]:
    """Publish what lies half-way between two secrets; score on the one that the attack does worse on.

    Parameters
    ----------
    x
        One secret less the other.
    """
    pair = indistinguishable_pair(world_.matrix, x)
    view = world_.view(pair.published)
    secrets = [pair.first.astype(np.int32), pair.second.astype(np.int32)]
    claims = attack(view, "exhaustive", stream(settings.seed, settings.id, "pair", "attack"))
    decoder = max((wrong(claims, world_.roster, s) for s in secrets), key=lambda tally: tally.hits)
    worst = max((farthest(view, s) for s in secrets), key=lambda tally: tally.hits)
    return [
        SimulatedRow("constructed errors: decoder", (decoder,), vote, drawn=False),
        SimulatedRow("constructed errors: worst consistent secret", (worst,), each, drawn=False),
    ]


def most_confusable(A: NDArray[np.float64], error: float) -> tuple[int, NDArray[np.int8] | None]:
    """Find how far two secrets can be apart that some release within ``error`` fits both.

    Returns
    -------
    int
        Proven: every consistent secret is within this many people of the truth.
    NDArray or None
        The difference of two such secrets, as far apart as was found.

    Examples
    --------
    >>> within, x = most_confusable(np.tril(np.ones((4, 4))), 0.5)
    >>> within, np.abs(x).sum()
    (4, np.int64(4))
    """
    n = A.shape[1]
    within, apart, difference = 0, n + 1, None
    while apart - within > 1:
        middle = (within + apart) // 2
        found = partial_discrepancy(A, (middle - 1) / n, seconds=SECONDS)
        verdict = reconstruction_possibility(found, error)
        if verdict == "possible":
            apart = middle
            continue
        within = middle
        if verdict == "impossible" and found.minimiser is not None:
            difference = found.minimiser
            within = int(np.abs(difference).sum())
    return within, difference


def promises(share: float) -> tuple[PromisedShare, PromisedShare]:
    """The theorem's, about any consistent secret, and what it means for a vote over all of them."""
    each = PromisedShare("every consistent secret", min(1.0, share))
    return each, PromisedShare("the decoder's vote over all of them", min(1.0, 2 * share))
