"""Members whom a release gives away one by one, however well it hides the others.

A share of members recognised says nothing about one person far from all others: an income of a thousand
times the usual one, or the only person of another ancestry. Whoever knows such a record sees in the means
whether it is in them. With a record `x` the mean of n people moves by ``(x - mu) / n``; without it, means of
groups of n people differ by chance. How many standard deviations the one is of the other is computed from
the records of members and references: a test of that person alone, with false alarms of one in three million
at five of them, recognises every second such member.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from dalenius.people.sealed import SealedTraits
from dalenius.people.traits.traits import CodedTraits, RealTraits, Traits
from dalenius.people.truth import open_traits
from dalenius.release.means import MeansRelease

Values = NDArray[np.float64]

FAR = 5.0
"""Standard deviations from which somebody stands out."""

FEWEST = 20
"""References with a value, from which it is said how far values lie apart."""

MOST_OF_ONE = 0.05
"""Part of the evidence that one attribute may be: how rare a value is that no reference has is not known."""

HELD = 300
"""Reference people, and members, by whom scores are said to vary."""

MOST_WORK = 30_000_000_000
"""Members times references times attributes; of more attributes some are left out, evenly."""

COMPARED = 0.5
"""Part of members' values that references must have too, for an attack that sees little to mean much."""


@dataclass(frozen=True)
class StandingOut:
    """How many members stand out, and which part of members' values references could be compared on."""

    people: int
    compared: float


NOBODY = StandingOut(0, 1.0)
"""Where nobody was looked at one by one."""


def find_standing_out(members: SealedTraits, pool: Traits, release: MeansRelease) -> StandingOut:
    """Count members whose own record moves the means farther than chance does.

    Parameters
    ----------
    members, pool
        The people of the release, and others of their population; the attributes are those of the release.
    release
        What was published: its noise, and of how many people it is.
    """
    people, n = open_traits(members), release.n or members.n
    if isinstance(people, RealTraits):
        seen = np.asarray((~np.isnan(people.table)).sum(axis=0), np.float64)
        theirs = np.asarray((~np.isnan(cast(RealTraits, pool).table)).mean(axis=0), np.float64)
        far = _real(people.table, cast(RealTraits, pool).table, release.sigma or 0.0, n)
    else:
        seen, theirs = _seen(people), _seen(cast(CodedTraits, pool)) / pool.n
        far = _coded(people, cast(CodedTraits, pool), release.sigma or 0.0, n)
    return StandingOut(int(far.sum()), float((seen * theirs).sum() / max(seen.sum(), 1)))


def _seen(people: CodedTraits) -> Values:
    return np.asarray(people.counts()[:, :3].sum(axis=1), np.float64)


def _real(table: Values, pool: Values, sigma: float, n: int) -> NDArray[np.bool_]:
    """Say who has a number that moves a mean so far, by all other members and by the references."""
    seen, own = ~np.isnan(pool), ~np.isnan(table)
    known, ours = seen.sum(axis=0), own.sum(axis=0)
    mean = np.where(seen, pool, 0.0).sum(axis=0) / np.maximum(known, 1)
    spread = (np.where(seen, pool - mean, 0.0) ** 2).sum(axis=0) / np.maximum(known - 1, 1)
    middle = np.where(own, table, 0.0).sum(axis=0) / np.maximum(ours, 1)
    apart = np.where(own, table - middle, 0.0)
    # without the person: the mean of the others, and how far they lie apart
    alone = apart * (ours / np.maximum(ours - 1, 1))
    others = ((apart**2).sum(axis=0) - apart * alone) / np.maximum(ours - 2, 1)
    chance = np.sqrt(np.maximum(spread, others) / n + sigma**2)
    far = np.abs(alone) / n > FAR * chance
    return np.asarray((far & (known >= FEWEST)).any(axis=1))


def _coded(people: CodedTraits, pool: CodedTraits, sigma: float, n: int) -> NDArray[np.bool_]:
    """Say whose answers, or alleles, move the means so far together.

    The score of a person weighs every mean by that person's difference to the other members over the
    variance among these and the references. How it varies is read off both, whichever vary more, so that
    linkage and ancestry count, and is at least what independent attributes would give.
    """
    most = max(MOST_WORK // max(people.n * 2 * HELD, 1), 1)
    columns = np.linspace(0, people.d - 1, min(people.d, most)).round().astype(np.intp)
    people, pool = people.select(columns), pool.select(columns)
    judged = _some(people.n)
    held = [people.take(judged), pool.take(_some(pool.n))]
    (ours, known), (theirs, others) = _sums(people), _sums(pool)
    alleles = 2 if people.kind == "genotype" else 1
    shift, alone, noise, largest = (np.zeros(people.n) for _ in range(4))
    scores = [np.zeros((people.n, each.n)) for each in held]
    for part, values in people.blocks():
        own = np.where(np.isnan(values), 0.0, values.astype(np.float64))
        count = np.maximum(known[part] - 1, 1)
        apart = np.where(np.isnan(values), 0.0, own - (ours[part] - own) / count)
        both = (ours[part] - own + theirs[part]) / (known[part] + others[part] + 1)
        variance = (1 - both**2) / alleles
        weighed = apart / (variance + n * sigma**2)
        each = apart * weighed
        shift += each.sum(axis=1)
        largest = np.maximum(largest, each.max(axis=1, initial=0.0))
        alone += (weighed**2 * variance).sum(axis=1)
        noise += (weighed**2).sum(axis=1)
        for total, some in zip(scores, held, strict=True):
            total += weighed @ np.nan_to_num(some.values(part).astype(np.float64)).T
    scores[0][judged, np.arange(judged.size)] = np.nan  # nobody's own score says how others' vary
    spread = np.maximum.reduce([alone, *(np.nanvar(each, axis=1, ddof=1) for each in scores)])
    chance = np.sqrt(n * spread + n**2 * sigma**2 * noise)
    return np.asarray((shift > FAR * chance) & (largest <= MOST_OF_ONE * shift))


def _some(people: int) -> NDArray[np.intp]:
    """Who of so many people is looked at, evenly."""
    return np.linspace(0, people - 1, min(people, HELD)).round().astype(np.intp)


def _sums(people: CodedTraits) -> tuple[Values, Values]:
    counts = people.counts()
    return (counts[:, 2] - counts[:, 0]).astype(np.float64), counts[:, :3].sum(axis=1).astype(np.float64)
