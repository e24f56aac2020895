"""Does the test keep its level here? Questions put to the reference, without knowing who is in the data.

References are people who are not in the data, so a sound test treats them as it treats any outsider. Some
of them are taken out and asked about with the rest as their reference: their p-values must not be too
small. That exposes dependent attributes under a test that assumes independence, and any test that uses one
group of people for two purposes. Whether the *targets* are of the reference's population is asked by
exchanging people between the two. Where values are missing, whether that depends on the value is asked by
comparing how many heterozygous calls targets and references have among the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.people.traits.missing import lacks_any
from dalenius.people.traits.traits import CodedTraits, Traits
from dalenius.tracing.attack.tails.column_sums import column_sums

Values = NDArray[np.float64]
Test = Callable[[Traits, Traits], Values]
"""From targets and reference to p-values; the release is inside."""

LEVELS = (0.2, 0.1, 0.05, 0.01)
ALARM = 1e-3
"""A chance below which an alarm is raised, divided among the levels looked at."""

CALLED_APART = 0.02
"""A difference of heterozygous calls, relative to their number, that matters."""

MOST_PEOPLE, MOST_COLUMNS, EXCHANGES = 400, 20_000, 1_999


@dataclass(frozen=True)
class Diagnosis:
    """What was asked of the reference, and whether the test can be believed.

    Parameters
    ----------
    asked, small
        How many references were asked about in all, and how many of them had a p-value at or below each of
        `LEVELS`.
    drift_p
        The chance of targets as far from the reference as these, if they are of one population; ``None`` if
        the targets were not looked at.
    alarms
        What is wrong, as sentences; nothing if no fault was found.
    """

    asked: int
    small: tuple[int, ...]
    drift_p: float | None
    alarms: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether no fault was found."""
        return not self.alarms


def diagnose(
    test: Test, reference: Traits, targets: Traits | None = None, *, rounds: int = 1, rng: np.random.Generator
) -> Diagnosis:
    """Ask references as if they were targets, and compare the targets with the reference.

    Parameters
    ----------
    test
        From targets and a reference to p-values, with the release inside.
    reference
        People of the population who are not in the data.
    targets
        The people to be asked about; not given, they are not looked at.
    rounds
        How often the reference is divided anew; a fifth of it is asked about each time.
    rng
        For the divisions.
    """
    if reference.n < 10:
        raise InputError("reference", "must hold at least 10 people to be asked about", str(reference.n))
    p = np.concatenate([_ask(test, reference, rng) for _ in range(rounds)])
    small = tuple(int((p <= level).sum()) for level in LEVELS)
    alarms = _level_alarms(p.size, small, rounds)
    drift = None if targets is None else drift_p(targets, reference, rng=rng)
    if targets is not None:
        alarms += missing_alarms(targets, reference)
    if drift is not None and drift <= ALARM:
        alarms.append(
            f"the targets are not of the reference's population (chance {drift:.2g}): an accusation may "
            "only say that a person resembles the released group more than the reference does"
        )
    return Diagnosis(int(p.size), small, drift, tuple(alarms))


def _ask(test: Test, reference: Traits, rng: np.random.Generator) -> Values:
    order = rng.permutation(reference.n)
    held = max(1, reference.n // 5)
    return test(reference.take(order[:held]), reference.take(order[held:]))


def _level_alarms(asked: int, small: tuple[int, ...], rounds: int) -> list[str]:
    """Say at which levels more references are accused than chance explains."""
    from scipy.stats import binom

    alarms = []
    for level, found in zip(LEVELS, small, strict=True):
        # the same person may be asked about in several rounds: count as many as there are people
        chance = float(binom.sf(math.ceil(found / rounds) - 1, math.ceil(asked / rounds), level))
        if chance <= ALARM / len(LEVELS):
            alarms.append(
                f"{found:,} of {asked:,} references ({found / asked:.1%}) are accused at {level:g}, which "
                f"has a chance of {chance:.2g} if the test keeps its level: attributes depend on each other, "
                "or people are used twice; do not believe this test here"
            )
    return alarms


def missing_alarms(targets: Traits, reference: Traits) -> list[str]:
    """Say that values seem to be missing because of what they are: heterozygous calls, for example.

    Everybody's heterozygous calls are compared with what the references have in the same columns; targets
    and references are then two samples of numbers, of which neither may lie higher (Mann and Whitney 1947).
    """
    if targets.kind != "genotype" or not (lacks_any(targets) or lacks_any(reference)):
        return []
    assert isinstance(reference, CodedTraits)  # noqa: S101  (genotypes are coded)
    from scipy.stats import mannwhitneyu

    counts = reference.counts().astype(np.float64)
    share = counts[:, 1] / np.maximum(counts[:, :3].sum(axis=1), 1)

    def terms(x: Values, part: slice) -> Values:
        expected = np.broadcast_to(share[part], x.shape)
        return np.stack([(x == 0) - expected, expected])

    excess = []
    for people in (targets, reference):
        more, expected = column_sums(people, terms).T
        excess.append(more / np.maximum(expected, 1e-9))
    chance = float(mannwhitneyu(*excess).pvalue)
    apart = float(np.median(excess[0]) - np.median(excess[1]))
    if chance > ALARM or abs(apart) < CALLED_APART:
        return []
    return [
        f"among the values they have, targets have {abs(apart):.0%} {'more' if apart > 0 else 'fewer'} "
        f"heterozygous calls than references (chance {chance:.2g}): whether a value is missing depends on "
        "the value, or the two were called differently"
    ]


def drift_p(targets: Traits, reference: Traits, *, rng: np.random.Generator) -> float:
    """Test whether targets and reference are of one population, by exchanging people between the two.

    The statistic is the squared distance between their means, each attribute in units of its standard
    deviation. Exchanging whole people keeps every dependence between attributes, so the level is exact for
    any of them. At most 400 people a side and 20,000 attributes are looked at.
    """
    first = targets.take(rng.permutation(targets.n)[:MOST_PEOPLE])
    other = reference.take(rng.permutation(reference.n)[:MOST_PEOPLE])
    columns = np.sort(rng.permutation(targets.d)[:MOST_COLUMNS])
    x = np.vstack([first.values(columns), other.values(columns)]).astype(np.float64)
    seen = ~np.isnan(x)
    mean = np.where(seen, x, 0.0).sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
    x = np.where(seen, x - mean, 0.0)
    spread = np.sqrt((x**2).mean(axis=0))
    x = x[:, spread > 0] / spread[spread > 0]
    gram = x @ x.T
    side = np.where(np.arange(len(x)) < first.n, 1 / first.n, -1 / other.n)
    seen_distance = float(side @ gram @ side)
    shuffled = np.stack([rng.permutation(side) for _ in range(EXCHANGES)])
    distances = ((shuffled @ gram) * shuffled).sum(axis=1)
    return float((1 + (distances >= seen_distance * (1 - 1e-12)).sum()) / (EXCHANGES + 1))
