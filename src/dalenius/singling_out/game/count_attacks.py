"""The ways to ask a number of counts about people, each with the attack that reads them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from dalenius.errors import InputError
from dalenius.mechanisms.parse import check_counts_to_come, parse_mechanism
from dalenius.mechanisms.stages.noise import Noise
from dalenius.mechanisms.stages.suppression import Suppression
from dalenius.people.rows.rows import Rows
from dalenius.singling_out.attack.counts.bisection import Bisection, KeyedHalves
from dalenius.singling_out.attack.counts.counts import CountsAttack
from dalenius.singling_out.attack.counts.plans import KeyedPlan, WordsPlan
from dalenius.singling_out.game.game import Attack
from dalenius.singling_out.referee.populations import Everybody
from dalenius.theory.singling_out import additive_limit, private_success_limit

FAMILY = "ms32"
"""The success is measured, not proved, so the fast family serves; its keys are fresh in every round."""

SPARE = 4
"""Bits of a fingerprint beyond those that tell the people of one region apart on average."""


@dataclass(frozen=True)
class Way:
    """One way to ask: what is released, and how it is attacked."""

    released: str
    attack: Attack
    name: str
    limit: Callable[[float], float] | None = None


def ways_to_ask(source: Everybody, n: int, queries: int, released: str) -> list[Way]:
    """All attacks that fit so many counts, protected in this way."""
    if queries < 2:
        raise InputError("queries", "must be at least 2", str(queries), "One count alone is safe.")
    if n > source.size:
        raise InputError("n", f"must be from 1 to the population's {source.size:,} rows", f"{n:,}")
    check_counts_to_come(released)
    stage = parse_mechanism(released).stages[0]
    people = source.size
    apart = math.ceil(math.log2(people / n)) + SPARE if people > n else SPARE
    half = isinstance(stage, Suppression)
    bits = min(apart, queries - 1 - half)
    if bits < 1:
        raise InputError("queries", "must be at least 3 where small counts are hidden", str(queries))
    regions = (queries - half) // (bits + 1)
    # joined with a half, a region counts only those outside it: twice the weight leaves one person again
    share = Fraction(2 if half else 1, n)

    def counts(*, regions: int = 1, half: bool = False, noisy: bool = False) -> CountsAttack:
        return CountsAttack(
            KeyedPlan(source.names, share if half else Fraction(1, n), bits, regions, half, FAMILY, noisy),
            source.weigh,
        )

    if isinstance(stage, Noise):
        name = f"{bits + 1} counts of one region, with noise"
        return [Way(released, counts(noisy=True), name, _private_limit(source, n, stage.budget or 0.0))]
    ways = [Way(released, counts(), f"{bits + 1} counts of one region")]
    if half:
        asked = regions * (bits + 1) + 1
        name = f"{asked} counts of {regions} regions, none of them small"
        ways.append(Way(released, counts(regions=regions, half=True), name))
    elif regions > 1:
        name = f"{regions * (bits + 1)} counts of {regions} regions"
        ways.append(Way(released, counts(regions=regions), name))
    if not half:
        steps = min(queries, math.ceil(math.log2(people)) + SPARE)
        attack = Bisection(n, KeyedHalves(source.names, steps, FAMILY), source.weigh)
        ways.append(Way(released, attack, f"{steps} counts, one after the other"))
    return ways


def way_in_words(source: Everybody, known: Rows, n: int, released: str) -> Way:
    """Counts of ordinary attributes, however many were planned, by somebody who knows the population."""
    return Way(released, CountsAttack(WordsPlan(known, n), source.weigh), "counts in words")


def _private_limit(source: Everybody, n: int, epsilon: float) -> Callable[[float], float]:
    """What no attack on counts with this promise exceeds, by weight (Theorem 5.4)."""

    def limit(weight: float) -> float:
        return private_success_limit(n, epsilon, 0.0, min(1.0, source.swapped(n, weight)))

    return limit


def few_counts_limit(source: Everybody, n: int, queries: int, weight: float) -> float:
    """What no attack on so many counts exceeds, whatever they are of: ``n 2^m w``, see `additive_limit`."""
    return additive_limit(n, 2.0 ** min(queries, 1000), min(1.0, source.swapped(n, weight)))
