"""Files of allele frequencies: PLINK's ``.frq``, plink2's ``.afreq``, any table with id, allele, frequency.

The same as Parquet, whose columns are never turned into lines. How columns are found: `printed_columns`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.atomic_write import write_files
from dalenius.errors import InputError
from dalenius.genomes.printed_columns import read_printed
from dalenius.genomes.variants import FEW_BAD, TEXT, UNNAMED, Text, Variants, name_variants
from dalenius.matrices.answers import Vector
from dalenius.people.traits.traits import Which


@dataclass(frozen=True, eq=False)
class Frequencies:
    """How frequent the counted allele of each variant is; of how many alleles, where the file says so.

    ``notes`` say what reading left out.
    """

    variants: Variants
    frequency: Vector
    observations: NDArray[np.int64] | None = None
    notes: tuple[str, ...] = ()

    def take(self, which: Which, flip: NDArray[np.bool_] | None = None) -> Frequencies:
        """Keep these variants, in this order; ``flip`` gives the frequency of the other allele."""
        kept = self.variants.take(which)
        frequency = self.frequency[which]
        if flip is not None:
            frequency = np.where(flip, 1 - frequency, frequency)
            counted, other = (
                np.where(flip, kept.other, kept.counted),
                np.where(flip, kept.counted, kept.other),
            )
            kept = Variants(kept.ids, kept.chromosomes, kept.places, counted, other)
        seen = None if self.observations is None else self.observations[which]
        return Frequencies(kept, frequency, seen, self.notes)


def read_frequencies(path: str | Path, *, noisy: bool = False) -> Frequencies:
    """Read a file of frequencies: text, plain or compressed with gzip, or Parquet.

    Parameters
    ----------
    path
        The file.
    noisy
        Noise is said to have been added: frequencies may lie outside 0 .. 1.

    Raises
    ------
    InputError
        If there is no frequency, one is not a number in 0 .. 1, or an id stands twice.
    """
    path = Path(path)
    printed = read_printed(path)

    def text(key: str) -> Text:
        values = printed.column(key)
        if values.dtype != TEXT:  # chromosomes of Parquet may be numbers
            values = np.where(np.isnan(values), 0, values).astype(np.int64).astype(TEXT)
        return np.where(np.isin(values, UNNAMED), "", values)

    places = _whole(path, "place", printed.column("place"))
    alleles = np.char.upper(text("counted")), np.char.upper(text("other"))
    counts = (
        _whole(path, "observations", printed.column("observations")) if "observations" in printed else None
    )
    frequency = _fractions(path, printed.column("frequency"), noisy)
    ids = printed.column("id").astype(TEXT)
    whole = Frequencies(Variants(ids, text("chromosome"), places, *alleles), frequency, counts)
    known = np.flatnonzero(~np.isnan(frequency))
    left = whole.take(known)
    variants, kept, notes = name_variants(str(path), left.variants)
    if known.size < frequency.size:
        gone = frequency.size - known.size
        notes = (f"{gone:,} of {frequency.size:,} variants were dropped, that have no frequency.", *notes)
    found = left if kept is None else left.take(kept)
    return replace(found, variants=variants, notes=notes)


def write_frequencies(path: str | Path, frequencies: Frequencies) -> None:
    """Write a table with tabs between columns, whole or not at all; `read_frequencies` reads it.

    Examples
    --------
    >>> import tempfile
    >>> variants = Variants(*(np.array([x]) for x in ("rs1", "1", 100, "A", "G")))
    >>> with tempfile.TemporaryDirectory() as place:
    ...     write_frequencies(Path(place, "f.tsv"), Frequencies(variants, np.array([0.25])))
    ...     print(read_frequencies(Path(place, "f.tsv")).frequency)
    [0.25]
    """
    path, variants = Path(path), frequencies.variants
    counted = frequencies.observations is not None
    head = ["CHROM", "POS", "ID", "COUNTED", "OTHER", "FREQ", *(["OBS_CT"] if counted else [])]
    columns = [variants.chromosomes, variants.places, variants.ids, variants.counted, variants.other]
    lines = ["\t".join(head)]
    for j in range(len(variants)):
        cells = [str(column[j]) or "." for column in columns] + [repr(float(frequencies.frequency[j]))]
        if frequencies.observations is not None:
            cells.append(str(frequencies.observations[j]))
        lines.append("\t".join(cells))
    write_files(path.parent, {path.name: "\n".join(lines) + "\n"})


def _whole(path: Path, name: str, values: NDArray[Any]) -> NDArray[np.int64]:
    try:
        if values.dtype == TEXT:
            values = np.where(np.isin(values, UNNAMED), "0", values)
        found = values.astype(np.float64)
        found = np.where(np.isnan(found), 0.0, found) if values.dtype != TEXT else found
        if not (np.abs(found) < 2**53).all():
            raise ValueError
        return found.astype(np.int64)
    except ValueError:
        raise InputError(str(path), f"must have whole numbers in the column of {name}", "text") from None


def _fractions(path: Path, values: NDArray[Any], noisy: bool) -> Vector:
    found = _parsed(path, values) if values.dtype == TEXT else values.astype(np.float64)
    unknown = int(np.count_nonzero(np.isnan(found)))
    if unknown > FEW_BAD * found.size:
        first = int(np.flatnonzero(np.isnan(found))[0]) + 1
        raise InputError(
            str(path),
            "must have a frequency for every variant",
            f"{unknown:,} without, first variant {first}",
            "Leave those variants out.",
        )
    outside = (found < 0) | (found > 1)
    if outside.any():
        unit = _other_unit(found)
        if unit or not noisy:
            raise InputError(
                str(path),
                "must have frequencies in 0 .. 1",
                f"{int(outside.sum()):,} outside, such as {found[outside][0]:g}",
                unit or "State the mechanism if noise was added.",
            )
    return found


def _other_unit(found: Vector) -> str | None:
    """Say what numbers beyond 1 are that no noise made; a percentage without digits looks like a count."""
    known = found[~np.isnan(found)]
    if known.min() < 0:
        return None
    if (known == np.round(known)).all():
        return "Whole numbers: divide counts by how many alleles were counted, percent by 100."
    if 2 < known.max() <= 100 and np.median(known) > 1:
        return "They look like percent: divide by 100."
    return None


def _parsed(path: Path, values: Text) -> Vector:
    """Read frequencies that are written as text."""
    several = int(np.count_nonzero(np.strings.find(values, ",") >= 0))
    if several:
        raise InputError(
            str(path),
            "must have one frequency per line",
            f"{several:,} lines with several alleles",
            "Split them first, for example with bcftools norm -m-.",
        )
    # "0" is how files write an unknown allele, but a frequency of 0 is one
    known = np.where(np.isin(values, UNNAMED[:2] + UNNAMED[3:]), "nan", values)
    try:
        return np.asarray(known.astype(np.float64))
    except ValueError:
        bad = next(i for i, v in enumerate(values) if not _is_number(v))
        raise InputError(
            str(path),
            "must have numbers in the column of frequencies",
            f"text for variant {bad + 1}",
            value=str(values[bad]),
        ) from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text in UNNAMED
    return True
