"""Files of people for tracing: opened and matched, with relatives looked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from dalenius.genomes.match import Matching, match_variants
from dalenius.genomes.read import read_genotypes
from dalenius.genomes.variants import Genotypes, Variants
from dalenius.matrices.answers import Vector
from dalenius.people.files.addresses import shown
from dalenius.people.traits.traits import CodedTraits, sums
from dalenius.progress import Progress, silent
from dalenius.release.means import to_fractions
from dalenius.tracing.attack.genomes.linkage import related

By = Literal["auto", "id", "place"]


@dataclass(frozen=True)
class Opening:
    """How files of genotypes are opened and matched.

    Parameters
    ----------
    id
        Of tables, the column that names people; without it rows are numbered.
    by
        What makes two variants the same: their id, or chromosome and place.
    strands_agree
        All files read the same strand, so variants ``A/T`` and ``C/G`` are kept.
    cache
        Where converted VCF and Zarr files are kept; beside them if not given.
    progress
        Told how far a conversion is.
    """

    id: str | None = None
    by: By = "auto"
    strands_agree: bool = False
    cache: Path | None = None
    progress: Progress = silent

    def genotypes(self, source: Any) -> Genotypes:
        """Open a file of genotypes, or several as one."""
        return read_genotypes(source, cache=self.cache, progress=self.progress)

    def match(self, first: Variants, second: Variants, *files: Any) -> Matching:
        """Find the variants that two files share."""
        names = said_place(files[0]), said_place(files[1])
        return match_variants(first, second, by=self.by, strands_agree=self.strands_agree, names=names)


def said_place(source: Any) -> str:
    """Write where genotypes are, as messages may."""
    return f"{shown(source[0])} and others" if isinstance(source, list | tuple) else shown(source)


def known_fractions(people: CodedTraits) -> Vector:
    """Frequencies among people; not a number where nobody has a value."""
    total, seen = sums(people)
    return to_fractions(np.divide(total, seen, out=np.full(total.shape, np.nan), where=seen > 0))


MOST_PAIRS = 250_000
"""Pairs of target and reference up to which relatives are looked for."""

FEWEST_VARIANTS = 2000
"""Variants below which chance makes strangers look related."""

LEAST_BASES = 500_000_000
"""Base pairs that variants must span: on less, strangers share by chance as much as cousins do in all."""


def bases_spanned(variants: Variants) -> int:
    """Add up, over chromosomes, the distance between the first and the last variant; 0 without places.

    Examples
    --------
    >>> columns = (["a", "b", "c"], ["1", "1", "2"], [100, 600, 50], ["A"] * 3, ["G"] * 3)
    >>> bases_spanned(Variants(*map(np.array, columns)))
    500
    """
    known = variants.places > 0
    names, where = np.unique(variants.chromosomes[known], return_inverse=True)
    places, total = variants.places[known], 0
    for j in range(names.size):
        here = places[where == j]
        total += int(here.max() - here.min())
    return total


def say_related(targets: CodedTraits, pool: CodedTraits, variants: Variants) -> tuple[str, ...]:
    """Say how many targets have relatives in the reference: those lower their scores."""
    few = targets.d < FEWEST_VARIANTS or bases_spanned(variants) < LEAST_BASES
    if few or targets.n * pool.n > MOST_PAIRS:
        return ()
    people = len({pair.one for pair in related(targets, pool)})
    if not people:
        return ()
    return (
        f"{people:,} targets have a relative of second degree or closer in the reference: they look less "
        "like members than they are. Leave such references out.",
    )
