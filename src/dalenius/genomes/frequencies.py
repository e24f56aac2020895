"""Files of allele frequencies: PLINK's ``.frq``, plink2's ``.afreq``, any table with id, allele, frequency.

Columns are found by the names that tools in use give them. Without a header that is known, the first three
columns are taken as id, counted allele and frequency.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dalenius.atomic_write import write_files
from dalenius.errors import InputError
from dalenius.genomes.variants import FEW_BAD, UNNAMED, Text, Variants, name_variants
from dalenius.matrices.answers import Vector
from dalenius.people.files.reading import read_text
from dalenius.people.traits.traits import Which

NAMES = {
    "id": "snp id rsid rs snpid variant variantid marker markername name rsids",
    "chromosome": "chr chrom chromosome",
    "place": "pos bp position basepair basepairlocation",
    "counted": "a1 alt counted countedallele effectallele ea allele allele1 minor testedallele",
    "other": "a2 ref other otherallele noneffectallele nea allele2 allele0 major reference",
    "frequency": "maf altfreqs altfreq freq frequency af eaf a1freq effectallelefrequency frq freq1",
    "observations": "nchrobs obsct an nchr observations alleles",
}
"""What headers call each column, in small letters and digits alone."""

ALLELES = frozenset("ACGTN0123456789.-*<>:ID")
"""Letters of which alleles are written, those of insertions and deletions included."""


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
    """Read a file of frequencies, plain or compressed with gzip.

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
    where, body = _layout(path, rows_of(path))

    def text(key: str) -> Text:
        values = [row[where[key]] for row in body] if key in where else [""] * len(body)
        return np.array(["" if v in UNNAMED else v for v in values], np.str_)

    ids = np.array([row[where["id"]] for row in body], np.str_)
    places = _whole(path, "place", text("place")) if "place" in where else np.zeros(len(body), np.int64)
    alleles = np.char.upper(text("counted")), np.char.upper(text("other"))
    counts = _whole(path, "observations", text("observations")) if "observations" in where else None
    # "0" is how files write an unknown allele, but a frequency of 0 is one
    raw = np.array([row[where["frequency"]] for row in body], np.str_)
    frequency = _fractions(path, raw, noisy)
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


def rows_of(path: Path) -> list[list[str]]:
    """Split lines at commas, tabs or spaces, whichever the first line has."""
    text = read_text(path)
    lines = [
        line for line in text.replace('"', "").splitlines() if line.strip() and not line.startswith("##")
    ]
    if not lines:
        raise InputError(str(path), "must have at least one variant", "an empty file")
    mark = next((c for c in "\t,;" if c in lines[0]), None)
    rows = [line.split(mark) for line in lines]
    if mark is not None and " " in text:
        rows = [[cell.strip() for cell in row] for row in rows]
    bad = next((i for i, row in enumerate(rows) if len(row) != len(rows[0])), None)
    if bad is not None:
        raise InputError(
            str(path),
            f"must have {len(rows[0])} fields in every line as in the first",
            f"{len(rows[bad])} in line {bad + 1} that is not empty",
        )
    return rows


def _layout(path: Path, rows: list[list[str]]) -> tuple[dict[str, int], list[list[str]]]:
    """Say where each column is, and which rows are not the header."""
    where = _columns(rows[0])
    if where is None:
        if len(rows[0]) < 3:
            raise InputError(
                str(path), "must have columns of id, counted allele and frequency", f"{len(rows[0])} columns"
            )
        if not set(rows[0][1].upper()) <= ALLELES:  # names of columns, but not of these
            raise InputError(
                str(path),
                "must have columns of id, counted allele and frequency",
                f"{len(rows[0]):,} columns of other names",
                "Call them ID, COUNTED and FREQ.",
                value=", ".join(rows[0][:5]),
            )
        return {"id": 0, "counted": 1, "frequency": 2}, rows
    for needed in ("id", "frequency"):
        if needed not in where:
            raise InputError(
                str(path),
                f"must have a column of {needed}",
                f"{len(rows[0]):,} columns of other names",
                f"Call it {NAMES[needed].split()[0]}.",
                value=", ".join(rows[0]),
            )
    if len(rows) == 1:
        raise InputError(str(path), "must have at least one variant", "none")
    return where, rows[1:]


def _columns(header: list[str]) -> dict[str, int] | None:
    """Find the columns by their names; nothing if no name is known."""
    plain = ["".join(c for c in cell.lower() if c.isalnum()) for cell in header]
    found = {}
    for key, names in NAMES.items():
        known = [plain.index(name) for name in names.split() if name in plain]
        if known:
            found[key] = known[0]
    # a line "rs1 A 0.3" has none of the names; "ID ALT x" has some, and is a header
    return found or None


def _whole(path: Path, name: str, values: Text) -> NDArray[np.int64]:
    try:
        found = np.array([float(v or 0) for v in values])
        if not (np.abs(found) < 2**53).all():
            raise ValueError
        return found.astype(np.int64)
    except ValueError:
        raise InputError(str(path), f"must have whole numbers in the column of {name}", "text") from None


def _fractions(path: Path, values: Text, noisy: bool) -> Vector:
    several = sum("," in v for v in values)
    if several:
        raise InputError(
            str(path),
            "must have one frequency per line",
            f"{several:,} lines with several alleles",
            "Split them first, for example with bcftools norm -m-.",
        )
    try:
        found = np.array([float(v) if v not in UNNAMED[:2] + UNNAMED[3:] else np.nan for v in values])
    except ValueError:
        bad = next(i for i, v in enumerate(values) if not _is_number(v))
        raise InputError(
            str(path),
            "must have numbers in the column of frequencies",
            f"text for variant {bad + 1}",
            value=str(values[bad]),
        ) from None
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
    if outside.any() and not noisy:
        percent = np.nanmin(found) >= 0 and 2 < np.nanmax(found) <= 100 and np.nanmedian(found) > 1
        fix = (
            "They look like percent: divide by 100." if percent else "State the mechanism if noise was added."
        )
        raise InputError(
            str(path),
            "must have frequencies in 0 .. 1",
            f"{int(outside.sum()):,} outside, such as {found[outside][0]:g}",
            fix,
        )
    return found


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text in UNNAMED
    return True
