"""What is known about the variants (SNPs) of a file: where they are, and which allele is counted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.people.traits.traits import CodedTraits, Which, positions
from dalenius.shown import hides_people

Text = NDArray[np.str_]

TEXT: Any = np.dtypes.StringDType()
"""How columns of texts are held: sixteen bytes each, and more only for those of more than fifteen letters."""

UNNAMED = (".", "", "0", "NA")
"""How files write that a variant has no id, or that an allele is not known."""


PIECE = 1 << 18
"""Texts that become texts of Python at a time."""

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
    found = variants
    if unnamed.size:
        own = variants.take(unnamed)
        ids = variants.ids.astype(TEXT)
        ids[unnamed] = joined_texts(":", own.chromosomes, own.places, own.other, own.counted)
        found = replace(variants, ids=ids)
    repeated = find_repeated(found.ids)
    gone = int(repeated.sum())
    if not gone:
        return found, None, ()
    names = np.unique(found.ids[repeated]).size
    if gone > FEW_BAD * len(variants):
        raise _repeated(
            source,
            "variant ids",
            (names, len(variants) - gone + names),
            "Rename them, for example with plink2 --set-all-var-ids @:#:$r:$a.",
        )
    keep = np.flatnonzero(~repeated)
    told = f"{gone:,} of {len(variants):,} variants were dropped, whose {names:,} ids stand"
    return found.take(keep), keep, (f"{told} twice or more.",)


def joined_texts(sign: str, *columns: NDArray[Any]) -> Text:
    """Join what stands beside each other, with a sign in between.

    Examples
    --------
    >>> joined_texts(":", np.array(["1"]), np.array([100])).tolist()
    ['1:100']
    """
    found = columns[0].astype(TEXT)
    for column in columns[1:]:
        found = np.strings.add(np.strings.add(found, sign), column.astype(TEXT))
    return np.asarray(found)


def find_repeated(texts: Text) -> NDArray[np.bool_]:
    """Say which texts stand more than once.

    Examples
    --------
    >>> find_repeated(np.array(["a", "b", "a"])).tolist()
    [True, False, True]
    """
    hashes = np.empty(texts.size, np.int64)
    for low in range(0, texts.size, PIECE):  # a piece at a time: texts of Python take ten times the room
        here = slice(low, low + PIECE)
        hashes[here] = np.fromiter(map(hash, texts[here].tolist()), np.int64)
    in_order = np.sort(hashes)
    twice = np.unique(in_order[1:][in_order[1:] == in_order[:-1]])
    del in_order
    alike = np.flatnonzero(np.isin(hashes, twice)) if twice.size else np.zeros(0, np.intp)
    # or texts whose hashes happen to be the same
    _, back, counts = np.unique(texts[alike], return_inverse=True, return_counts=True)
    found = np.zeros(texts.size, np.bool_)
    found[alike] = counts[back] > 1
    return found


def check_unique(source: str, what: str, ids: Text, fix: str) -> None:
    """Refuse names that stand for two, without printing one."""
    repeated = find_repeated(ids)
    if repeated.any():
        names = np.unique(ids[repeated]).size
        raise _repeated(source, what, (names, ids.size - int(repeated.sum()) + names), fix)


def _repeated(source: str, what: str, counts: tuple[int, int], fix: str) -> InputError:
    rule = f"must have {what} that are all different"
    return InputError(source, rule, f"{counts[0]:,} of {counts[1]:,} repeated", fix)
