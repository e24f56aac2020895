"""From the calls of a VCF to codes: what all readers of variant files share.

A reader yields `Site` after `Site`; a site with several alternatives becomes one variant for each, or none.
The alternative allele is counted. A haploid call counts as two copies of its allele, as PLINK stores it; a
call of which a part is missing is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.genomes.variants import UNNAMED, Variants
from dalenius.people.traits.two_bits import MISSING, Codes

Several = Literal["split", "drop"]
"""What to do with a site of several alternatives."""

UNKNOWN, ABSENT = -1, -2
"""Entries of a call: an allele that was not called, and the second one of a haploid call."""


@dataclass(frozen=True, eq=False)
class Site:
    """One line of a VCF: where, which alleles, and the called alleles of everybody, ``(people, ploidy)``."""

    chromosome: str
    place: int
    name: str
    reference: str
    alternatives: tuple[str, ...]
    calls: NDArray[np.integer]


@dataclass
class SitesTally:
    """What happened to the sites of a file."""

    sites: int = 0
    several: int = 0
    no_allele: int = 0

    def notes(self, several: Several) -> tuple[str, ...]:
        """Say in sentences what was left out or split."""
        parts = [
            (
                self.several,
                f"sites with several alternative alleles were {'split' if several == 'split' else 'dropped'}",
            ),
            (self.no_allele, "sites or alleles that name no sequence were dropped"),
        ]
        return tuple(f"{count:,} {what}." for count, what in parts if count)


def codes_of(calls: NDArray[np.integer], allele: int) -> Codes:
    """Count the copies of an allele: 0, 1, 2, or `MISSING`.

    Examples
    --------
    >>> codes_of(np.array([[0, 0], [0, 1], [1, 1], [-1, 1], [1, -2], [2, 1]]), 1)
    array([0, 1, 2, 3, 2, 1], dtype=uint8)
    """
    first = calls[:, 0]
    # a haploid call is told by a second allele that is absent, or by a file that has no second ones
    second = calls[:, 1] if calls.shape[1] == 2 else np.full_like(first, ABSENT)
    own = first == allele
    copies: Codes = own.astype(np.uint8) + ((second == allele) | (own & (second == ABSENT)))
    copies[(first == UNKNOWN) | (second == UNKNOWN)] = MISSING
    return copies


def variants_of(
    source: str, sites: Iterable[Site], several: Several, tally: SitesTally
) -> Iterator[tuple[Codes, Variants]]:
    """Turn sites into variants of two alleles, one at a time."""
    for site in sites:
        tally.sites += 1
        if site.calls.shape[1] > 2:
            raise InputError(
                source,
                "must have at most two alleles per person",
                f"{site.calls.shape[1]}",
                "Leave polyploid sites out.",
            )
        if len(site.alternatives) > 1:
            tally.several += 1
            if several == "drop":
                continue
        for allele, counted in enumerate(site.alternatives, start=1):
            if counted in UNNAMED or not counted.isalpha():
                tally.no_allele += 1
                continue
            name = _name(site, counted)
            yield codes_of(site.calls, allele)[None, :], _one(site, name, counted)
        if not site.alternatives:
            tally.no_allele += 1


def _name(site: Site, counted: str) -> str:
    if site.name in UNNAMED:
        return f"{site.chromosome}:{site.place}:{site.reference}:{counted}"
    return f"{site.name}_{counted}" if len(site.alternatives) > 1 else site.name


def _one(site: Site, name: str, counted: str) -> Variants:
    return Variants(
        np.array([name]),
        np.array([site.chromosome]),
        np.array([site.place]),
        np.array([counted.upper()]),
        np.array([site.reference.upper()]),
    )
