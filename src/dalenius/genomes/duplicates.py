"""People who are in two files: by name, or because the genotypes are the same.

A pool of outsiders that holds the targets spoils every comparison with it. The same person, or an identical
twin, agrees on nearly every genotype; hashes of short runs of genotypes find such pairs without comparing
everybody with everybody, and pairs that share a hash are then compared value by value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.people.traits.traits import CodedTraits
from dalenius.people.traits.two_bits import MISSING, Codes
from dalenius.shown import people, several

RUN = 24
"""Genotypes in one hash: unrelated people share 24 common variants with a probability of about 1e-9."""

RUNS = 64
"""Hashes a person. With one genotype in twenty different or missing, a pair shares none in 3e-10 of cases."""

COMPARED = 16_384
"""Variants on which a pair is compared."""

MANY = 1_000_000
"""Pairs that are compared; more say that the variants do not tell people apart."""

TELLING = 0.1
"""How often two people must disagree on a variant for it to say who is who: on rare ones nearly all agree."""

FEW = 100
"""Variants below which people who are alike may well be different ones."""


@dataclass(frozen=True, eq=False)
class Overlap:
    """Who is in both: pairs of positions with the same name, and with the same genotypes.

    ``agreement`` is the share of equal genotypes, one per pair, among those that both have.
    """

    same_name: NDArray[np.intp]
    same_genotypes: NDArray[np.intp]
    agreement: NDArray[np.float64]

    def __bool__(self) -> bool:
        return bool(self.same_name.size or self.same_genotypes.size)

    def __str__(self) -> str:
        """Say how many, naming nobody."""
        named, pairs = len(self.same_name), several(len(self.same_genotypes), "pair")
        have = "has" if named == 1 else "have"
        return f"{people(named)} {have} the same name in both files, {pairs} the same genotypes."


def find_overlap(
    one: CodedTraits, two: CodedTraits, *, rng: np.random.Generator, share: float = 0.99
) -> Overlap:
    """Find people of one file in another; columns must be the same attributes in the same order.

    Parameters
    ----------
    one, two
        Aligned genotypes or answers.
    rng
        Draws which variants are hashed together.
    share
        The share of equal values from which two records are of the same person, or of identical twins.

    Examples
    --------
    >>> from dalenius.people.traits.traits import coded_from_values
    >>> values = np.random.default_rng(1).integers(-1, 2, (3, 200))
    >>> names = np.array([f"rs{j}" for j in range(200)])
    >>> a = coded_from_values("id", np.array(["x", "y", "z"]), names, values, "genotype")
    >>> b = coded_from_values("id", np.array(["u", "x"]), names, values[[2, 1]], "genotype")
    >>> print(find_overlap(a, b, rng=np.random.default_rng(2)))
    1 person has the same name in both files, 2 pairs the same genotypes.
    """
    if one.d != two.d:
        raise InputError("the two files", "must be aligned", f"{one.d:,} and {two.d:,} columns")
    _, i, j = np.intersect1d(one.ids, two.ids, return_indices=True)
    empty = np.zeros((0, 2), np.intp)
    if one.d < FEW or not one.n or not two.n:
        return Overlap(np.stack((i, j), axis=1), empty, np.zeros(0))
    pairs = _candidates(one, two, rng)
    agreement = _agreement(one, two, pairs)
    alike = agreement >= share
    return Overlap(np.stack((i, j), axis=1), pairs[alike], agreement[alike])


def _candidates(one: CodedTraits, two: CodedTraits, rng: np.random.Generator) -> NDArray[np.intp]:
    """Pairs that share a hash; two that share one often share several, each is listed once."""
    pool = _common_variants(one)
    chosen = np.sort(rng.permutation(pool)[: RUN * RUNS])
    first, second = one.codes(chosen), two.codes(chosen)
    found: set[tuple[int, int]] = set()
    for _ in range(RUNS):
        run = rng.choice(chosen.size, min(RUN, chosen.size), replace=False)
        keys = rng.integers(1, 2**63, (run.size, 4), dtype=np.uint64)
        found.update(_equal(_hashes(first[run], keys), _hashes(second[run], keys)))
        _check_few(len(found))
    return np.array(sorted(found), np.intp).reshape(-1, 2)


def _common_variants(traits: CodedTraits) -> NDArray[np.intp]:
    """The variants on which people differ most."""
    return np.argsort(-_apart(traits), kind="stable")[: 4 * RUN * RUNS]


def _apart(traits: CodedTraits) -> NDArray[np.float64]:
    """How often two people disagree on each variant."""
    shares = traits.counts() / max(1, traits.n)
    seen = 1 - shares[:, MISSING]
    return np.asarray(seen**2 - (shares[:, :MISSING] ** 2).sum(axis=1))


def _hashes(codes: Codes, keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """One number per person: the sum of a random number for each code of each variant."""
    total = np.zeros(codes.shape[1], np.uint64)
    for row, own in zip(codes, keys, strict=True):
        total += own[row]
    return total


def _equal(one: NDArray[np.uint64], two: NDArray[np.uint64]) -> set[tuple[int, int]]:
    order = np.argsort(two, kind="stable")
    low = np.searchsorted(two[order], one, "left")
    high = np.searchsorted(two[order], one, "right")
    _check_few(int((high - low).sum()))
    return {(int(i), int(order[k])) for i in np.flatnonzero(high > low) for k in range(low[i], high[i])}


def _check_few(pairs: int) -> None:
    if pairs > MANY:
        raise InputError(
            "the columns",
            "must tell people apart",
            f"more than {MANY:,} pairs that look alike",
            "Use more variants, or common ones.",
        )


def _agreement(one: CodedTraits, two: CodedTraits, pairs: NDArray[np.intp]) -> NDArray[np.float64]:
    """The share of equal values of each pair, on variants spread evenly over those that tell people apart."""
    if not pairs.size:
        return np.zeros(0)
    telling = np.flatnonzero(_apart(one) >= TELLING)
    if telling.size < FEW:
        return np.zeros(len(pairs))
    columns = telling[
        np.unique(np.linspace(0, telling.size - 1, min(telling.size, COMPARED)).astype(np.intp))
    ]
    left, i = np.unique(pairs[:, 0], return_inverse=True)
    right, j = np.unique(pairs[:, 1], return_inverse=True)
    first, second = one.take(left), two.take(right)
    equal, both = np.zeros(len(pairs)), np.zeros(len(pairs))
    width = max(1, 16_000_000 // len(pairs))
    for start in range(0, columns.size, width):
        part = columns[start : start + width]
        a, b = first.codes(part)[:, i], second.codes(part)[:, j]
        seen = (a != MISSING) & (b != MISSING)
        equal += np.count_nonzero(seen & (a == b), axis=0)
        both += np.count_nonzero(seen, axis=0)
    return equal / np.maximum(both, 1)
