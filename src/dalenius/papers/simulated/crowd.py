"""Simulated crowds: members, outsiders, what is published about the members, and who is accused.

A crowd has d attributes worth -1 or +1. The population's means are drawn first, uniform in [-1, 1]
unless said otherwise; members, outsiders and reference people are then independent draws of the same
population. The attacker sees the release, the target's record and the reference, nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.findings.tally import Tally, count
from dalenius.papers.experiment import PromisedShare, SimulatedRow
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated.people import refuse_above, repeat

Values = NDArray[np.float64]

Records = NDArray[np.float32]
"""People's values; -1 and +1 are exact in it, and it halves the work."""

Verdict = NDArray[np.bool_]

Mechanism = Callable[[Records, np.random.Generator], Values]
"""From the members' records (n, d) to what is published (d)."""

Attack = Callable[[Records, Values, Records], Verdict]
"""From targets (k, d), the release (d) and one reference record (d) to who is accused."""

OUTSIDERS = 10
"""Outsiders tested in each run; they share the reference person, hence fall together."""

ENTRIES = 6e8
"""People x columns x runs that take about a minute."""

DELTA = Parameter("delta", "false alarms allowed for one outsider", 0.05, 1e-9, 0.5)


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Who was accused in one run.

    Parameters
    ----------
    members
        With the release about them.
    outsiders
        People who are not in the data, with the same release.
    unrelated
        The members, with a release about other people of the same population: no release about them.
    error
        Average distance between the release and the population's means.
    """

    members: Verdict
    outsiders: Verdict
    unrelated: Verdict
    error: float = 0.0


def draw(means: Values, people: int, rng: np.random.Generator) -> Records:
    """Draw people of a population with these means, one row each.

    Examples
    --------
    >>> draw(np.array([-1.0, 1.0]), 2, np.random.default_rng(1)).tolist()
    [[-1.0, 1.0], [-1.0, 1.0]]
    """
    up = rng.random((people, means.size), np.float32) < ((1 + means) / 2).astype(np.float32)
    return np.where(up, np.float32(1), np.float32(-1))


def exact(x: Records, rng: np.random.Generator) -> Values:
    """Publish the means as they are."""
    return np.asarray(x.mean(axis=0, dtype=np.float64))


def half(x: Records, rng: np.random.Generator) -> Values:
    """Publish the means of one random half, the same people in every column."""
    kept = rng.permutation(x.shape[0])[: (x.shape[0] + 1) // 2]
    return np.asarray(x[kept].mean(axis=0, dtype=np.float64))


def table(outputs: Values) -> Mechanism:
    """Answer each column from its count, by a table of n + 1 answers."""

    def answer(x: Records, rng: np.random.Generator) -> Values:
        return np.asarray(outputs[(x > 0).sum(axis=0)], np.float64)

    return answer


def extreme_flip(n: int, limit: float) -> Values:
    """Return the table that is exact in the middle and answers the opposite end beyond ``limit``.

    Examples
    --------
    >>> extreme_flip(4, 0.6).tolist()
    [1.0, -0.5, 0.0, 0.5, -1.0]
    """
    from dalenius.theory.tracing.count_mechanisms import sample_means

    means = sample_means(n)
    return np.where(np.abs(means) <= limit, means, -np.sign(means))


def scores(targets: Records, weights: Values, z: Records) -> Values:
    """Return `<y - z, weights>`; single precision costs far less than the scores' own spread.

    Examples
    --------
    >>> y, z = np.array([[1.0, -1.0]], np.float32), np.array([-1.0, -1.0], np.float32)
    >>> scores(y, np.array([0.5, 0.25]), z).tolist()
    [1.0]
    """
    v = weights.astype(np.float32)
    return (targets @ v - z @ v).astype(np.float64)


def against_one(threshold: float) -> Attack:
    """Accuse whoever scores above the threshold: `<y - z, q>`, Figures 1 and 3."""

    def accuse(targets: Records, q: Values, z: Records) -> Verdict:
        return scores(targets, q, z) > threshold

    return accuse


def crowd_run(
    n: int, d: int, mechanism: Mechanism, attack: Attack, *, reach: float = 1.0
) -> Callable[[np.random.Generator], Verdicts]:
    """Return a run: draw everybody, publish, accuse; means are uniform in [-reach, reach]."""

    def run(world: np.random.Generator) -> Verdicts:
        means = world.uniform(-reach, reach, d)
        members, others = draw(means, n, world), draw(means, n, world)
        (z,) = draw(means, 1, world)
        q = mechanism(members, world)
        return Verdicts(
            attack(members, q, z),
            attack(draw(means, OUTSIDERS, world), q, z),
            attack(members, mechanism(others, world), z),
            float(np.abs(q - means).mean()),
        )

    return run


def simulate(
    settings: Settings, name: str, run: Callable[[np.random.Generator], Verdicts], done: tuple[float, float]
) -> list[Verdicts]:
    """Repeat a run as often as set."""
    return list(repeat(settings, name, lambda world, attacker: run(world), done))


def members_row(what: str, runs: list[Verdicts], promise: PromisedShare | None = None) -> SimulatedRow:
    """Count the members accused."""
    return SimulatedRow(what, tuple(count(run.members) for run in runs), promise, "accused")


def enough_row(
    what: str, runs: list[Verdicts], promise: PromisedShare | None, least: int = 1
) -> SimulatedRow:
    """Count the runs that accuse at least so many members."""
    hits = tuple(Tally(int(run.members.sum() >= least), 1) for run in runs)
    return SimulatedRow(what, hits, promise, "with enough accused")


def control_rows(runs: list[Verdicts], sound: PromisedShare) -> tuple[SimulatedRow, SimulatedRow]:
    """Count the outsiders accused, and the members accused without a release about them."""
    return (
        SimulatedRow(
            "people who are not in the data", tuple(count(run.outsiders) for run in runs), sound, "accused"
        ),
        SimulatedRow(
            "no release about them: the members, means of others",
            tuple(count(run.unrelated) for run in runs),
            sound,
            "accused",
        ),
    )


def soundness(delta: float) -> PromisedShare:
    """Promise that outsiders are rarely accused."""
    return PromisedShare("an outsider, any mechanism", delta, "accused", holds="on average")


def somebody(delta: float) -> PromisedShare:
    """Promise that somebody is accused in nearly every run."""
    what = "at least one member accused"
    return PromisedShare(what, 1 - delta, "with enough accused", "at least", "on average")


def everybody(delta: float) -> PromisedShare:
    """Promise that each member is accused nearly always."""
    return PromisedShare("each member", 1 - delta, "accused", "at least", "on average")


def columns(settings: Settings, wanted: float) -> int:
    """Return the whole number of columns, if the runs finish."""
    d = math.ceil(wanted)
    size = d * (2.0 * settings.whole("n") + OUTSIDERS) * settings.runs
    fix = "Use a smaller --n or --runs, a larger --delta or a smaller --alpha."
    refuse_above("people x columns x runs", size, ENTRIES, fix)
    return d


def mean_error(runs: list[Verdicts]) -> float:
    """Average distance of what was published from the population's means, over all runs."""
    return float(np.mean([run.error for run in runs]))
