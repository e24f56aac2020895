"""PLINK 1 files: genotypes in ``.bed``, variants in ``.bim``, people in ``.fam``.

The ``.bed`` file is mapped or read by address, never loaded: its layout is the one that `traits` computes on.
The first allele of the ``.bim`` file is the one that is counted, as in PLINK's own frequency files.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from dalenius.atomic_write import WRITING, Scratch
from dalenius.errors import InputError
from dalenius.genomes.plink_text import read_fields, texts
from dalenius.genomes.variants import UNNAMED, Genotypes, Text, Variants, check_unique, name_variants
from dalenius.people.files.addresses import as_local, is_there, read_range, shown, size_of
from dalenius.people.files.reading import check_exists
from dalenius.people.traits.packed_files import PackedFile, PackedFiles
from dalenius.people.traits.traits import CodedTraits
from dalenius.people.traits.two_bits import Codes, pack

MAGIC = b"\x6c\x1b\x01"
"""How a variant-major ``.bed`` file begins."""

ENDINGS = (".bed", ".bim", ".fam")

PGEN = "Call it .pgen, or convert it with: plink2 --pfile OLD --make-bed --out NEW."

STRIP = 8_000_000
"""Genotypes written at a time."""

_LABEL = pa.dictionary(pa.int32(), pa.string())
"""Texts of which there are few different ones."""

_BIM = {0: _LABEL, 1: pa.string(), 3: pa.int64(), 4: _LABEL, 5: _LABEL}
"""Chromosome, id, place, counted and other allele."""


@dataclass(frozen=True, eq=False)
class PlinkSet:
    """One ``.bed`` with its people, and where its first variant is: chromosome and place."""

    name: str
    ids: Text
    file: PackedFile
    first: tuple[str, int]


def read_plink(place: str | Path, *, source: str | None = None) -> Genotypes:
    """Open a PLINK 1 file set without loading its genotypes.

    Parameters
    ----------
    place
        The ``.bed`` file, or what the three files have in common; a path, or an address.
    source
        What it was converted from, to be named where ids stand twice.

    Raises
    ------
    InputError
        If a file is missing, cut short, of another format, or does not fit the others.
    """
    found, *lines = open_set(place)
    variants, kept, notes = name_variants(source or found.name, variants_of(lines))
    packed = PackedFiles((found.file,))
    traits = CodedTraits("IID", found.ids, variants.ids, "genotype", packed, columns=kept)
    return Genotypes(traits, variants, notes)


def open_set(place: str | Path) -> tuple[PlinkSet, pa.Table]:
    """Read what stands beside the genotypes of a file set, and check that the three fit together.

    The variants are a table of their own, as they stand in the ``.bim``, to be let go once they are read.
    """
    bed, bim, fam = (_beside(as_local(place), end) for end in ENDINGS)
    for each in (bed, bim, fam):
        _check_there(each)
    ids = _read_people(fam)
    lines = read_fields(bim, 6, _BIM, "6 fields a variant")
    width = -(-ids.size // 4)
    sizes = f"{len(lines):,} variants x {ids.size:,} people"
    _check_size(bed, 3 + len(lines) * width, sizes)
    address = bed if isinstance(bed, str) else str(bed.absolute())
    first = str(lines.column(0)[0].as_py()), int(lines.column(2)[0].as_py())
    return PlinkSet(shown(bim), ids, PackedFile(address, 3, len(lines), width), first), lines


def variants_of(lines: list[pa.Table]) -> Variants:
    """What is known about the variants of file sets, one after the other; the list is emptied on the way."""
    columns = pa.concat_tables(lines).columns[::-1]
    lines.clear()  # so that each column goes when it has become an array
    chromosomes, ids = texts(columns.pop()), texts(columns.pop())
    places = columns.pop().to_numpy()
    counted, other = texts(columns.pop(), _allele), texts(columns.pop(), _allele)
    pa.default_memory_pool().release_unused()
    return Variants(ids, chromosomes, places, counted, other)


def write_plink(prefix: str | Path, genotypes: Genotypes) -> None:
    """Write ``.bed``, ``.bim`` and ``.fam``, whole or not at all; the allele that is counted comes first."""
    prefix = Path(prefix)
    prefix = prefix.with_suffix("") if prefix.suffix in ENDINGS else prefix
    traits, variants = genotypes.traits, genotypes.variants
    width = max(1, STRIP // max(1, traits.n))
    with Scratch(WRITING, prefix.parent) as scratch:
        place = scratch.path / "new"
        with BedWriter(place, traits.ids) as out:
            for start in range(0, traits.d, width):
                part = np.arange(start, min(start + width, traits.d))
                out.add(traits.codes(part), variants.take(part))
        for end in (".bim", ".fam", ".bed"):
            place.with_name(place.name + end).replace(prefix.with_name(prefix.name + end))


class BedWriter:
    """Write a PLINK 1 file set variant by variant, in bounded memory."""

    def __init__(self, prefix: Path, ids: Text) -> None:
        self._prefix, self._ids = prefix, ids
        self.written = 0

    def __enter__(self) -> BedWriter:
        with self._file(".fam").open("w", encoding="utf-8", newline="\n") as fam:
            fam.writelines(f"0\t{each}\t0\t0\t0\t-9\n" for each in self._ids)
        self._bed: BinaryIO = self._file(".bed").open("wb")
        self._bim = self._file(".bim").open("w", encoding="utf-8", newline="\n")
        self._bed.write(MAGIC)
        return self

    def add(self, codes: Codes, variants: Variants) -> None:
        """Write some variants: their codes, one row per variant, and what is known about them."""
        self._bed.write(pack(codes).tobytes())
        columns = (variants.chromosomes, variants.ids, variants.places, variants.counted, variants.other)
        for chromosome, name, place, counted, other in zip(*columns, strict=True):
            self._bim.write(f"{chromosome or 0}\t{name}\t0\t{place}\t{counted or 0}\t{other or 0}\n")
        self.written += len(variants)

    def __exit__(self, *error: object) -> None:
        self._bed.close()
        self._bim.close()

    def _file(self, end: str) -> Path:
        return self._prefix.with_name(self._prefix.name + end)


def _beside(place: str | Path, end: str) -> str | Path:
    """Another file of the same set."""
    if isinstance(place, Path):
        prefix = place.with_suffix("") if place.suffix in ENDINGS else place
        return prefix.with_name(prefix.name + end)
    return (place[:-4] if place.endswith(ENDINGS) else place) + end


def _check_there(place: str | Path) -> None:
    if isinstance(place, Path):
        check_exists(place)
    elif not is_there(place):
        raise InputError(shown(place), "must be a file", "no such file", "Check the address.")


def _read_people(place: str | Path) -> Text:
    found = read_fields(place, 6, {0: pa.string(), 1: pa.string()}, "one line of 6 fields per person")
    families, names = (column.to_pylist() for column in found.columns)
    if len(set(names)) < len(names):
        names = [f"{family}_{name}" for family, name in zip(families, names, strict=True)]
    ids = np.array(names, np.str_)
    check_unique(shown(place), "sample ids", ids, "Give every person a family and own id of their own.")
    return ids


def _allele(text: str) -> str:
    return "" if text in UNNAMED else text.upper()


def _check_size(place: str | Path, expected: int, sizes: str) -> None:
    if isinstance(place, Path):
        with place.open("rb") as file:
            magic = file.read(3)
        size = place.stat().st_size
    else:
        magic, size = read_range(place, 0, 3), size_of(place)
    if magic == MAGIC[:2] + b"\x00":
        raise InputError(
            shown(place),
            "must be variant-major",
            "a sample-major file",
            "Convert it with: plink1.9 --bfile OLD --make-bed --out NEW.",
        )
    if magic != MAGIC:
        kind = (
            "a gzip file"
            if magic[:2] == b"\x1f\x8b"
            else "a plink2 .pgen file"
            if len(magic) == 3 and magic[:2] == MAGIC[:2]
            else ""
        )
        fix = (
            "Call it .pgen, or convert it with: plink2 --pfile OLD --make-bed --out NEW."
            if "pgen" in kind
            else ""
        )
        got = kind or (f"a file that begins with {magic.hex(' ')}" if magic else "an empty file")
        raise InputError(
            shown(place), f"must begin with the bytes {MAGIC.hex(' ')} of a PLINK 1 .bed file", got, fix
        )
    if size != expected:
        kind = "The file is cut short, or" if size < expected else "The file is too long, or"
        raise InputError(
            shown(place),
            f"must have {expected:,} bytes for {sizes}",
            f"{size:,} bytes",
            f"{kind} the .bim or .fam file belongs to another one.",
        )
