"""What is known about the variants (SNPs) of a file: where they are, and which allele is counted."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.people.traits.traits import CodedTraits, Which, positions
from dalenius.shown import hides_people

Text = NDArray[np.str_]

UNNAMED = (".", "", "0", "NA")
"""How files write that a variant has no id, or that an allele is not known."""


FEW_BAD = 0.01
"""Share of the lines of a file that may be dropped for what is wrong with them alone."""


@hides_people()
@dataclass(frozen=True, eq=False)
class Variants:
    """Variants, one entry each in every array.

    Parameters
    ----------
    ids
        Names, all different.
    chromosomes
        As the file writes them; empty where not known.
    places
        Base pairs from the start of the chromosome, the first is 1; 0 where not known.
    counted
        The allele whose copies are counted; empty where not known.
    other
        The other allele; empty where not known.
    """

    ids: Text
    chromosomes: Text
    places: NDArray[np.int64]
    counted: Text
    other: Text

    def __len__(self) -> int:
        return int(self.ids.size)

    def take(self, which: Which) -> Variants:
        """Keep these variants, in this order."""
        chosen = positions(which, len(self), "variants")
        return Variants(
            self.ids[chosen],
            self.chromosomes[chosen],
            self.places[chosen],
            self.counted[chosen],
            self.other[chosen],
        )


@hides_people()
@dataclass(frozen=True, eq=False)
class Genotypes:
    """Packed genotypes and what is known about their variants; ``notes`` say what reading left out."""

    traits: CodedTraits
    variants: Variants
    notes: tuple[str, ...] = ()

    def take(self, people: Which) -> Genotypes:
        """Keep these people, in this order."""
        return Genotypes(self.traits.take(people), self.variants, self.notes)

    def select(self, columns: Which, flip: NDArray[np.bool_] | None = None) -> Genotypes:
        """Keep these variants, in this order, counting the other allele where ``flip`` says so."""
        kept = self.variants.take(columns)
        if flip is not None:
            kept = Variants(
                kept.ids,
                kept.chromosomes,
                kept.places,
                np.where(flip, kept.other, kept.counted),
                np.where(flip, kept.counted, kept.other),
            )
        return Genotypes(self.traits.select(columns, flip), kept, self.notes)


def name_variants(
    source: str, variants: Variants
) -> tuple[Variants, NDArray[np.intp] | None, tuple[str, ...]]:
    """Name variants that have no id by their place and alleles, and drop a few ids that are not unique.

    Two variants of one name cannot be told apart, so both go. Where more than one in a hundred would, the
    file is refused: something else is wrong with it.

    Returns
    -------
    tuple
        The variants that are left, which they are (nothing if all), and a sentence about the others.
    """
    unnamed = np.flatnonzero(np.isin(variants.ids, UNNAMED))
    named = variants.ids
    if unnamed.size:
        ids = named.astype(object)
        for j in unnamed:
            place = f"{variants.chromosomes[j]}:{variants.places[j]}"
            ids[j] = f"{place}:{variants.other[j]}:{variants.counted[j]}"
        named = ids.astype(np.str_)
    found = replace(variants, ids=named)
    _, back, counts = np.unique(named, return_inverse=True, return_counts=True)
    keep = np.flatnonzero(counts[back] == 1)
    gone = len(variants) - keep.size
    if not gone:
        return found, None, ()
    if gone > FEW_BAD * len(variants):
        check_unique(
            source, "variant ids", named, "Rename them, for example with plink2 --set-all-var-ids @:#:$r:$a."
        )
    told = f"{gone:,} of {len(variants):,} variants were dropped, whose {int((counts > 1).sum()):,} ids stand"
    return found.take(keep), keep, (f"{told} twice or more.",)


def check_unique(source: str, what: str, ids: Text, fix: str) -> None:
    """Refuse names that stand for two, without printing one."""
    values, counts = np.unique(ids, return_counts=True)
    repeated = int(np.count_nonzero(counts > 1))
    if repeated:
        raise InputError(
            source,
            f"must have {what} that are all different",
            f"{repeated:,} of {values.size:,} repeated",
            fix,
        )
