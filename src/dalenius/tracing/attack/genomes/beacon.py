"""Asking a beacon: does anybody in it have this allele? Yes or no, about one person's alleles, so many times.

A member's alleles are all there; of a stranger's rare ones most are not. So whoever asks starts with those
that are rarest among reference people, and weighs every answer by its likelihood ratio (Shringarpure and
Bustamante 2015, with frequencies as in Raisaro et al. 2017)::

    outsider  P[no] = (1 - f)^(2n)             nobody of n people has it, at frequency f
    member    P[no] = error * (1 - f)^(2n-2)   only if the record asked from is wrong

and with answers that are turned over with probability r, ``(1 - r) P[no] + r (1 - P[no])`` in both. The sum
is ranked among reference people, each of whom asks about alleles of their own: half of the references say
which alleles are rare, the others are ranked, so that target and ranked people are exchangeable and the level
holds whatever variants have in common, and whatever the beacon does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, UnsupportedError
from dalenius.knowledge.tracing import TracingView
from dalenius.people.traits.missing import lacks_any
from dalenius.people.traits.traits import CodedTraits, sums
from dalenius.release.means import MeansRelease
from dalenius.tracing.attack.accusations import Accusations
from dalenius.tracing.attack.calibrations.calibrations import EXCHANGEABLE, MISSING
from dalenius.tracing.attack.calibrations.conformal import rank

Values = NDArray[np.float64]

STRIP = 2048
"""Variants looked through at a time, rarest first: most people have asked all they may after the first."""

CERTAIN = 1e-9
"""Answers are never taken as more certain than this."""


@dataclass(frozen=True)
class BeaconAttack:
    """How a beacon is asked.

    Parameters
    ----------
    queries
        Questions about one person, at most.
    error
        How likely an allele in a record is wrong.
    flip
        How likely an answer is turned over, as the beacon says.
    """

    queries: int = 100
    error: float = 1e-3
    flip: float = 0.0

    def __post_init__(self) -> None:
        if self.queries < 1:
            raise InputError("queries", "must be at least 1", str(self.queries))
        if not 0 <= self.error < 1:
            raise InputError("errors", "must be a rate from 0 to below 1", f"{self.error:g}")
        if not 0 <= self.flip <= 0.5:
            raise InputError("noise", "must be a probability of at most 0.5", f"{self.flip:g}")

    def __call__(self, view: TracingView, rng: np.random.Generator) -> Accusations:
        """Ask about every target, and rank the answers among those of reference people."""
        reference, targets = view.reference, view.targets
        if not isinstance(reference, CodedTraits) or not isinstance(targets, CodedTraits) or reference.n < 2:
            raise UnsupportedError("asking a beacon needs the genotypes of two reference people or more")
        order = rng.permutation(reference.n)
        half = reference.n // 2
        frequency = _smoothed(reference.take(order[:half]))
        ranked = reference.take(order[half:])
        # alleles that are equally rare are asked about in an order that nobody's record decides
        rarest = np.lexsort((rng.random(frequency.size), frequency))
        weight = self.evidence(view.release, frequency)
        score = self._asked(targets, rarest, weight)
        log_p = np.log(rank(score, self._asked(ranked, rarest, weight)))
        holes = lacks_any(targets) or lacks_any(reference)
        return Accusations(
            targets.id_name,
            targets.ids,
            score,
            np.exp(log_p),
            log_p,
            f"beacon:queries={self.queries}",
            "conformal:how=held-out",
            not holes,
            reference.n,
            ranked.n,
            (EXCHANGEABLE, *((MISSING,) if holes else ())),
            (
                f"{self.queries:,} questions about each person at most, rarest alleles of {half:,} reference "
                f"people first, ranked among {ranked.n:,} others",
            ),
            smallest=1 / (ranked.n + 1),
        )

    def evidence(self, release: MeansRelease, frequency: Values) -> Values:
        """Return the log-likelihood ratio of each answer, member against outsider, for who has the allele."""
        if release.n is None:
            raise InputError("beacon", "must say of how many people it is", "nothing")
        nobody = (1 - frequency) ** (2 * release.n)
        others = (1 - frequency) ** (2 * release.n - 2)
        return np.where(
            release.means > 0,
            np.log(self._seen(1 - self.error * others)) - np.log(self._seen(1 - nobody)),
            np.log(self._seen(self.error * others)) - np.log(self._seen(nobody)),
        )

    def _seen(self, probability: Values) -> Values:
        """How likely an answer is seen that is given so often before it may be turned over."""
        given = (1 - self.flip) * probability + self.flip * (1 - probability)
        return np.clip(given, CERTAIN, 1 - CERTAIN)

    def _asked(self, people: CodedTraits, rarest: NDArray[np.intp], weight: Values) -> Values:
        """Add up the evidence over each person's first alleles, in this order."""
        total, asked = np.zeros(people.n), np.zeros(people.n, np.int64)
        for start in range(0, rarest.size, STRIP):
            columns = rarest[start : start + STRIP]
            carried = people.select(columns).values(slice(None)) > -1  # what is missing is not carried
            counted = carried & (asked[:, None] + np.cumsum(carried, axis=1, dtype=np.int32) <= self.queries)
            total += counted @ weight[columns]
            asked += counted.sum(axis=1)
            if (asked >= self.queries).all():
                break
        return total


def _smoothed(people: CodedTraits) -> Values:
    """Frequencies of the counted allele, one half of a copy beyond what is seen."""
    total, seen = sums(people)
    return np.asarray((total + seen + 0.5) / (2 * seen + 1))
