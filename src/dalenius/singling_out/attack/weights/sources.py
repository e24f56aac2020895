"""Upper bounds of a condition's weight, each with the assumption that it rests on.

The attacker chose the condition after seeing the release, so the data under attack can say nothing about its
weight. What can: the population itself, a holdout of other people of the same population, or a theorem on the
condition's form. `bound` takes the least of those that apply, each at its share of the error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dalenius.conditions.matching import Matcher
from dalenius.conditions.predicate import And, Equals, HashBelow, Predicate, columns_of, evaluate
from dalenius.errors import InputError
from dalenius.people.rows.keyed_hash import RANGES
from dalenius.people.rows.rows import Rows, distinct
from dalenius.singling_out.attack.isolating import WeightBound
from dalenius.singling_out.attack.rows.dependence import independent_blocks
from dalenius.theory.isolation import weight_upper_limit

Method = Literal["cp", "frechet", "product", "chain", "minentropy", "hash"]
METHODS: tuple[Method, ...] = ("cp", "frechet", "minentropy", "hash")
"""What a holdout is used for unasked: bounds that need no model of how columns depend on each other."""

_TABLE = "the population is the file given, everybody in it equally likely"
_SAMPLE = "the holdout is an independent sample of the population, unseen by the publisher and the attacker"
_KEY = "; the key of the hash is independent of the data, and hashes are pairwise independent"


@dataclass(frozen=True, eq=False)
class PopulationSource:
    """Everybody: weights are exact shares of these rows."""

    rows: Rows


@dataclass(frozen=True, eq=False)
class HoldoutSource:
    """Other people of the same population: weights are upper confidence limits.

    Parameters
    ----------
    rows
        They must be unseen by the publisher and by the attacker.
    error
        The chance, for one condition, that its bound is wrong.
    methods
        Which bounds may be used. ``product`` and ``chain`` assume something about the population, so they
        are used only if asked for.
    """

    rows: Rows
    error: float = 0.05
    methods: tuple[Method, ...] = METHODS


Source = PopulationSource | HoldoutSource


def exact(matches: int, rows: int) -> WeightBound:
    """The share of a population; at least one person, since the condition was made to match somebody."""
    if not 0 <= matches <= rows or rows < 1:
        raise InputError("matches", f"must be at most the {rows:,} people", f"{matches:,}")
    return WeightBound(max(matches, 1) / rows, "exact", _TABLE)


def clopper_pearson(matches: int, rows: int, error: float) -> WeightBound:
    """From the number of matches in a holdout.

    Examples
    --------
    >>> round(clopper_pearson(3, 10_000, 0.05).value, 12)
    0.000775181379
    """
    return WeightBound(weight_upper_limit(matches, rows, error), "cp", _SAMPLE, error)


def frechet(parts: Sequence[WeightBound]) -> WeightBound:
    """A conjunction weighs at most as much as its lightest part; the errors of all parts add up."""
    least = min(parts, key=lambda part: part.value)
    return WeightBound(least.value, "frechet", least.assumption, math.fsum(part.error for part in parts))


def product(matches: Sequence[int], rows: int, error: float) -> WeightBound:
    """Multiply over independent blocks of columns, each at its share of the error.

    Examples
    --------
    >>> f"{product([5, 9], 20_000, 0.05).value:.9e}"
    '4.981941091e-07'
    """
    each = [weight_upper_limit(count, rows, error / len(matches)) for count in matches]
    assumption = f"{_SAMPLE}; the {len(matches)} blocks of columns are independent in it"
    return WeightBound(math.prod(each), "product", assumption, error)


def chain(parts: Sequence[Predicate], rows: Rows, error: float) -> WeightBound:
    """Multiply each part's weight among those who meet the part before it, in the order given."""
    value = 1.0
    among = np.ones(len(rows), np.bool_)
    for part in parts:
        matched = evaluate(part, rows)
        size = int(among.sum())
        if size:
            value *= weight_upper_limit(int((matched & among).sum()), size, error / len(parts))
        among = matched
    names = ", ".join(dict.fromkeys(name for part in parts for name in sorted(columns_of(part))))
    assumption = f"{_SAMPLE}; each of {names} depends on those before it through the last one alone (Markov)"
    return WeightBound(value, "chain", assumption, error)


def largest_atom(rows: Rows, error: float) -> float:
    """An upper limit of the chance of the most frequent row, also for rows never seen.

    The true mode occurs at most as often as the most frequent row of the holdout.
    """
    return weight_upper_limit(int(distinct(rows).counts.max()), len(rows), error)


def min_entropy(accepted: int, atom: float, error: float) -> WeightBound:
    """A condition that accepts so many different rows weighs at most that many of the heaviest one."""
    return WeightBound(min(1.0, accepted * atom), "minentropy", _SAMPLE, error)


def hashed(phi: WeightBound, share: float, atom: float, error: float) -> WeightBound:
    """A class and a keyed hash below a limit: Chebyshev over the key.

    On average the weight is ``q w(phi)``; its variance over the key is at most ``q pmax w(phi)``. It is never
    more than ``w(phi)``.
    """
    if not 0 < error < 1:
        raise InputError("error", "must lie between 0 and 1", f"{error:g}")
    spread = math.sqrt(phi.value * atom * share / error)
    value = min(phi.value, phi.value * share + spread)
    return WeightBound(value, "hash", phi.assumption + _KEY, phi.error + error)


def fingerprint(atom: float, bits: int, error: float, region: float = 1.0) -> WeightBound:
    """A row's hash of so many bits, inside a region of some weight: ``pmax + w0 2^-m / error``."""
    if bits < 1 or not 0 < error < 1:
        raise InputError("bits and error", "must be at least 1, and between 0 and 1", f"{bits}, {error:g}")
    value = min(1.0, atom + region * 0.5**bits / error)
    return WeightBound(value, "fingerprint", "the family of hashes is universal, its key independent", error)


def bound(predicate: Predicate, source: Source) -> WeightBound:
    """Return the least bound that the source allows for a condition.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = Rows.of_table(pa.table({"age": [31, 37, 52, 37]}))
    >>> bound(Equals("age", "37"), PopulationSource(people)).value
    0.5
    """
    if isinstance(source, PopulationSource):
        return exact(Matcher(source.rows).count(predicate), len(source.rows))
    return min(bounds(predicate, source), key=lambda one: one.value)


def bounds(predicate: Predicate, source: HoldoutSource) -> tuple[WeightBound, ...]:
    """Return every bound that applies, each at its share of the error: together they hold with the rest."""
    parts = predicate.parts if isinstance(predicate, And) else (predicate,)
    methods = [method for method in source.methods if _applies(method, parts, source.rows)]
    if not methods:
        raise InputError("methods", "must hold one that applies to the condition", ", ".join(source.methods))
    share = source.error / len(methods)
    return tuple(_bound(method, predicate, parts, source.rows, share) for method in methods)


def _applies(method: Method, parts: Sequence[Predicate], rows: Rows) -> bool:
    if method == "hash":
        return sum(isinstance(part, HashBelow) for part in parts) == 1
    if method == "minentropy":
        return {part.column for part in parts if isinstance(part, Equals)} == set(rows.names)
    return method == "cp" or len(parts) > 1


def _bound(
    method: Method, predicate: Predicate, parts: Sequence[Predicate], rows: Rows, error: float
) -> WeightBound:
    if method == "frechet":
        each = error / len(parts)
        return frechet([clopper_pearson(_matches(part, rows), len(rows), each) for part in parts])
    if method == "product":
        return _product(parts, rows, error)
    if method == "chain":
        return chain(parts, rows, error)
    if method == "minentropy":
        return min_entropy(1, largest_atom(rows, error), error)
    if method == "hash":
        return _hash(parts, rows, error)
    return clopper_pearson(_matches(predicate, rows), len(rows), error)


def _product(parts: Sequence[Predicate], rows: Rows, error: float) -> WeightBound:
    """Columns that a test finds dependent are one block; what it found is part of the assumption."""
    found = independent_blocks([columns_of(part) for part in parts], rows)
    counts = [_matches(And(tuple(parts[i] for i in block)), rows) for block in found.blocks]
    made = product(counts, len(rows), error)
    return WeightBound(made.value, made.tag, f"{made.assumption} ({found.sentence})", made.error)


def _hash(parts: Sequence[Predicate], rows: Rows, error: float) -> WeightBound:
    (below,) = (part for part in parts if isinstance(part, HashBelow))
    phi = And(tuple(part for part in parts if part is not below))
    weight = clopper_pearson(_matches(phi, rows), len(rows), error / 3)
    atom = largest_atom(rows.select(below.columns), error / 3)
    return hashed(weight, below.below / RANGES[below.family], atom, error / 3)


def _matches(predicate: Predicate, rows: Rows) -> int:
    return Matcher(rows).count(predicate)
