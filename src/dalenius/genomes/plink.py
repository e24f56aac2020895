"""PLINK 1 files: genotypes in ``.bed``, variants in ``.bim``, people in ``.fam``.

The ``.bed`` file is mapped, never loaded: its layout is the one that `traits` computes on. The first allele
of the ``.bim`` file is the one that is counted, as in PLINK's own frequency files.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import numpy as np

from dalenius.atomic_write import WRITING, Scratch
from dalenius.errors import InputError
from dalenius.genomes.variants import UNNAMED, Genotypes, Text, Variants, check_unique, name_variants
from dalenius.people.files.reading import check_exists, read_text
from dalenius.people.traits.traits import CodedTraits
from dalenius.people.traits.two_bits import Codes, pack

MAGIC = b"\x6c\x1b\x01"
"""How a variant-major ``.bed`` file begins."""

MOST_TEXT = 1 << 33
"""Bytes of a ``.bim`` or ``.fam`` file: a hundred million lines."""

STRIP = 8_000_000
"""Genotypes written at a time."""


def read_plink(path: str | Path, *, source: str | None = None) -> Genotypes:
    """Map a PLINK 1 file set.

    Parameters
    ----------
    path
        The ``.bed`` file, or what the three files have in common.
    source
        What it was converted from, to be named where ids stand twice.

    Raises
    ------
    InputError
        If a file is missing, cut short, of another format, or does not fit the others.
    """
    prefix = _prefix(Path(path))
    bed, bim, fam = (prefix.with_name(prefix.name + end) for end in (".bed", ".bim", ".fam"))
    for each in (bed, bim, fam):
        check_exists(each)
    ids = _read_people(fam)
    stored = _read_variants(bim)
    width = -(-ids.size // 4)
    _check_size(bed, 3 + len(stored) * width, f"{len(stored):,} variants x {ids.size:,} people")
    variants, kept, notes = name_variants(source or str(bim), stored)
    packed = np.memmap(bed, np.uint8, "r", offset=3, shape=(len(stored), width))
    return Genotypes(CodedTraits("IID", ids, variants.ids, "genotype", packed, columns=kept), variants, notes)


def write_plink(prefix: str | Path, genotypes: Genotypes) -> None:
    """Write ``.bed``, ``.bim`` and ``.fam``, whole or not at all; the allele that is counted comes first."""
    prefix = _prefix(Path(prefix))
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


def _prefix(path: Path) -> Path:
    return path.with_suffix("") if path.suffix in (".bed", ".bim", ".fam") else path


def _read_people(path: Path) -> Text:
    families, names = _columns(path, (0, 1), "one line of 6 fields per person")
    if len(set(names)) < len(names):
        names = [f"{family}_{name}" for family, name in zip(families, names, strict=True)]
    ids = np.array(names, np.str_)
    check_unique(str(path), "sample ids", ids, "Give every person a family and own id of their own.")
    return ids


def _read_variants(path: Path) -> Variants:
    chromosomes, names, places, counted, other = _columns(path, (0, 1, 3, 4, 5), "6 fields a variant")
    try:
        where = np.array(places, np.int64)
    except (ValueError, OverflowError):
        raise InputError(
            str(path), "must have a whole number in its fourth field", "something else"
        ) from None
    return Variants(np.array(names), np.array(chromosomes), where, _alleles(counted), _alleles(other))


def _alleles(texts: Iterable[str]) -> Text:
    return np.array(["" if each in UNNAMED else each.upper() for each in texts], np.str_)


def _columns(path: Path, wanted: tuple[int, ...], rule: str) -> list[list[str]]:
    rows = [line.split() for line in read_text(path, most=MOST_TEXT).split("\n") if line.strip()]
    if not rows:
        raise InputError(str(path), f"must have {rule}", "an empty file")
    bad = next((i for i, row in enumerate(rows) if len(row) != 6), None)
    if bad is not None:
        raise InputError(str(path), f"must have {rule}", f"{len(rows[bad])} fields in line {bad + 1}")
    return [[row[k] for row in rows] for k in wanted]


def _check_size(path: Path, expected: int, sizes: str) -> None:
    with path.open("rb") as file:
        magic = file.read(3)
    if magic == MAGIC[:2] + b"\x00":
        raise InputError(
            str(path),
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
        fix = "Convert it with: plink2 --pfile OLD --make-bed --out NEW." if "pgen" in kind else ""
        got = kind or (f"a file that begins with {magic.hex(' ')}" if magic else "an empty file")
        raise InputError(
            str(path), f"must begin with the bytes {MAGIC.hex(' ')} of a PLINK 1 .bed file", got, fix
        )
    size = path.stat().st_size
    if size != expected:
        kind = "The file is cut short, or" if size < expected else "The file is too long, or"
        raise InputError(
            str(path),
            f"must have {expected:,} bytes for {sizes}",
            f"{size:,} bytes",
            f"{kind} the .bim or .fam file belongs to another one.",
        )
