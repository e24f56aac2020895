"""Which variants of two files are the same, and whether they count the same allele of the same strand.

Variants match by id, or by chromosome and place. Alleles then say whether both files count the same one:
``A/G`` against ``G/A`` is flipped; ``A/G`` against ``T/C`` is read from the other strand; ``A/T`` and ``C/G``
look alike from both strands, so they are dropped unless the strands are known to agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.genomes.variants import TEXT, Text, Variants, joined_texts
from dalenius.matrices.answers import Vector

CHROMOSOMES = {"23": "X", "24": "Y", "25": "XY", "26": "MT", "M": "MT"}
"""Numbers of PLINK and other names of the same chromosomes."""

OPPOSITE = -0.3
"""A correlation of frequencies below this says that one file counts the other alleles."""

ALIKE = 0.3
"""A correlation of frequencies nearer to 0 than this says that the variants are not the same."""

ENOUGH = 30
"""Variants needed before a correlation says anything."""

_COMPLEMENT = str.maketrans("ACGT", "TGCA")


@dataclass(frozen=True)
class MatchReport:
    """How many variants matched, and what happened to the others."""

    by: Literal["id", "place"]
    first: int
    second: int
    common: int
    matched: int
    flipped: int
    strand: int
    ambiguous: int
    different: int
    repeated: int

    def __str__(self) -> str:
        """Say it in a sentence, leaving out what did not happen."""
        parts = [
            (self.flipped, "count the other allele and were turned"),
            (self.strand, "were read from the other strand"),
            (self.ambiguous, "dropped because A/T and C/G do not tell the strand"),
            (self.different, "dropped because the alleles differ"),
            (self.repeated, "dropped because their place is not unique"),
        ]
        told = "; ".join(f"{count:,} {what}" for count, what in parts if count)
        head = f"{self.matched:,} variants matched by {self.by} of {self.first:,} and {self.second:,}"
        return f"{head}: {told}." if told else f"{head}."


@dataclass(frozen=True, eq=False)
class Matching:
    """Index arrays that bring two files in line.

    ``first[i]`` and ``second[i]`` are the same variant; where ``flip[i]``, the second file is to be turned,
    to count what the first one counts.
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    flip: NDArray[np.bool_]
    report: MatchReport


def match_variants(
    first: Variants,
    second: Variants,
    *,
    by: Literal["auto", "id", "place"] = "auto",
    strands_agree: bool = False,
    names: tuple[str, str] = ("one file", "the other"),
) -> Matching:
    """Match two lists of variants, in the order of the first.

    Parameters
    ----------
    first, second
        What is known about the variants of each file.
    by
        What makes two variants the same; ``auto`` takes ids if half of the smaller file has one in common,
        and otherwise what finds more.
    strands_agree
        Both files are known to read the same strand: keep ``A/T`` and ``C/G``, and read no other strand.
    names
        What the two are called where they do not match.

    Raises
    ------
    InputError
        If no variant is left.

    Examples
    --------
    >>> one = Variants(*map(np.array, (["rs1", "rs2"], ["1", "1"], [5, 9], ["A", "C"], ["G", "T"])))
    >>> two = Variants(*map(np.array, (["rs2", "rs1"], ["1", "1"], [9, 5], ["T", "A"], ["C", "G"])))
    >>> found = match_variants(one, two)
    >>> found.second, found.flip
    (array([1, 0]), array([False,  True]))
    >>> print(found.report)
    2 variants matched by id of 2 and 2: 1 count the other allele and were turned.
    """
    both = " and ".join(names)
    options: dict[Literal["id", "place"], tuple[NDArray[np.intp], NDArray[np.intp], int]] = {}
    if by in ("auto", "id"):
        options["id"] = (*_common(first.ids, second.ids), 0)
    enough = min(len(first), len(second)) / 2
    if by == "place" or (by == "auto" and options["id"][0].size < enough):
        options["place"] = _common_places(first, second)
    used: Literal["id", "place"] = max(options, key=lambda key: options[key][0].size)
    one, two, repeated = options[used]
    if not one.size:
        raise InputError(both, "must have variants in common", "none", _hint(first, second))
    same, flip, strand, ambiguous = _compare(first.take(one), second.take(two), strands_agree)
    report = MatchReport(
        used,
        len(first),
        len(second),
        one.size,
        int(same.sum()),
        int(flip[same].sum()),
        int(strand[same].sum()),
        int(ambiguous.sum()),
        int((~same & ~ambiguous).sum()),
        repeated,
    )
    if not same.any():
        raise InputError(
            both,
            "must have variants in common with the same alleles",
            f"{one.size:,} in common, {report.ambiguous:,} ambiguous, {report.different:,} of other alleles",
            "Check that both count alleles of the same strand and genome build.",
        )
    return Matching(one[same], two[same], flip[same], report)


def check_counted(name: str, frequency: Vector, reference: Vector) -> None:
    """Refuse frequencies that count the other allele: those fall where a reference's frequencies rise.

    Both are of the same variants, supposedly of the same alleles.
    """
    use = np.isfinite(frequency) & np.isfinite(reference)
    a, b = frequency[use], reference[use]
    if a.size < ENOUGH or a.std() == 0 or b.std() == 0:
        return
    correlation = float(np.corrcoef(a, b)[0, 1])
    if correlation < OPPOSITE:
        raise InputError(
            name,
            "must hold frequencies of the counted allele",
            f"a correlation of {correlation:.2f} with the reference: those of the other allele",
            "Use 1 - frequency, or name the other allele as the counted one.",
        )


def check_alike(name: str, frequency: Vector, reference: Vector) -> None:
    """Refuse frequencies of a study that have nothing to do with a reference's: places of another build."""
    use = np.isfinite(frequency) & np.isfinite(reference)
    a, b = frequency[use], reference[use]
    if a.size < ENOUGH or a.std() == 0 or b.std() == 0:
        return
    correlation = float(np.corrcoef(a, b)[0, 1])
    if abs(correlation) < ALIKE:
        raise InputError(
            name,
            "must have frequencies like those of the reference",
            f"a correlation of {correlation:.2f} on {a.size:,} variants",
            "Check the genome build (GRCh37 or GRCh38) and which alleles are counted.",
        )


def _common(one: Text, two: Text) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find equal entries of lists without repeats, in the order of the first."""
    _, i, j = np.intersect1d(one, two, assume_unique=True, return_indices=True)
    order = np.argsort(i)
    return i[order], j[order]


def _common_places(one: Variants, two: Variants) -> tuple[NDArray[np.intp], NDArray[np.intp], int]:
    """Find equal places; a place that a file has twice counts only where the alleles tell the two apart."""
    told = bool((one.other != "").all() and (two.other != "").all())
    kept, repeated = [], 0
    for variants in (one, two):
        keys = _place_keys(variants, told)
        _, back, counts = np.unique(keys, return_inverse=True, return_counts=True)
        single = np.flatnonzero((counts[back] == 1) & (variants.places > 0))
        repeated += int(np.count_nonzero((counts[back] > 1) & (variants.places > 0)))
        kept.append((keys, single))
    (keys_one, single_one), (keys_two, single_two) = kept
    i, j = _common(keys_one[single_one], keys_two[single_two])
    return single_one[i], single_two[j], repeated


def _place_keys(variants: Variants, told: bool) -> Text:
    """One text a variant that says where it is, and if ``told`` which alleles, of either strand."""
    names, back = np.unique(variants.chromosomes, return_inverse=True)
    plain = np.array([plain_chromosome(str(name)) for name in names], TEXT)[back] if names.size else names
    keys = joined_texts(":", plain, variants.places)
    if not told:
        return keys
    pairs, back = np.unique(joined_texts("/", variants.counted, variants.other), return_inverse=True)
    sets = []
    for pair in pairs:
        own = sorted(str(pair).split("/"))
        sets.append(min("/".join(own), "/".join(sorted(map(_turned, own)))))
    return joined_texts(":", keys, np.array(sets, TEXT)[back]) if sets else keys


def plain_chromosome(name: str) -> str:
    """Write a chromosome without ``chr``, zeros and PLINK's numbers.

    Examples
    --------
    >>> plain_chromosome("chr07"), plain_chromosome("23")
    ('7', 'X')
    """
    plain = name.upper().removeprefix("CHR")
    return CHROMOSOMES.get(plain, plain.lstrip("0") or plain)


def _turned(allele: str) -> str:
    """Read an allele from the other strand: complements, backwards.

    Examples
    --------
    >>> _turned("AC")
    'GT'
    """
    return allele.translate(_COMPLEMENT)[::-1]


def _all_turned(alleles: Text) -> Text:
    values, back = np.unique(alleles, return_inverse=True)
    return np.array([_turned(str(each)) for each in values], TEXT)[back] if values.size else alleles


def _compare(
    one: Variants, two: Variants, strands_agree: bool
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Say of each pair: whether it is the same, flipped, from the other strand, or ambiguous."""
    counted, other = _all_turned(two.counted), _all_turned(two.other)
    straight = _agree(one.counted, two.counted) & _agree(one.other, two.other)
    swapped = _agree(one.counted, two.other) & _agree(one.other, two.counted)
    # a file that names no allele at all is taken to count what the other counts
    swapped &= ~straight
    if strands_agree:
        never = np.zeros(len(one), np.bool_)
        return straight | swapped, swapped, never, never
    ambiguous = (one.counted != "") & (two.counted != "") & (straight | swapped)
    ambiguous &= _palindrome(one) | _palindrome(two)
    turned = _agree(one.counted, counted) & _agree(one.other, other) & ~straight & ~swapped
    turned_swapped = _agree(one.counted, other) & _agree(one.other, counted) & ~straight & ~swapped & ~turned
    strand = turned | turned_swapped
    same = (straight | swapped | strand) & ~ambiguous
    return same, swapped | turned_swapped, strand, ambiguous


def _agree(one: Text, two: Text) -> NDArray[np.bool_]:
    """Whether alleles are equal, or one is not known."""
    return np.asarray((one == two) | (one == "") | (two == ""))


def _palindrome(variants: Variants) -> NDArray[np.bool_]:
    known = (variants.counted != "") & (variants.other != "")
    return np.asarray(known & (_all_turned(variants.counted) == variants.other))


def _hint(one: Variants, two: Variants) -> str:
    """Guess why nothing matched."""
    styles = {_style(one.ids), _style(two.ids)}
    if (one.places > 0).any() and (two.places > 0).any():
        return "Ids and places differ: check the genome build (GRCh37 or GRCh38) and the chromosomes."
    if len(styles) == 2:
        return f"Ids are {' in one file and '.join(sorted(styles))} in the other, and one file has no places."
    return "Check that the ids are of the same kind, and give both files chromosome and place."


def _style(ids: Text) -> str:
    first = ids[:1000]
    if np.mean(np.char.startswith(first, "rs")) > 0.5:
        return "rs numbers"
    return "places" if np.mean(np.char.find(first, ":") > 0) > 0.5 else "names of another kind"
