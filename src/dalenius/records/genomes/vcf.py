"""VCF and BCF files, plain or compressed with bgzip: one site after the other, in bounded memory.

cyvcf2 reads them where it is installed; without it plain text and bgzip are read here, and BCF is refused.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from dalenius.errors import InputError, MissingExtraError
from dalenius.records.genomes.calls import ABSENT, UNKNOWN, Site
from dalenius.records.genomes.variants import Text, check_unique

END = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")
"""The empty block with which a file of bgzip ends."""

FIXED = 9
"""Columns of a VCF before the first person."""


def open_vcf(path: Path) -> tuple[Text, Iterator[Site]]:
    """Return the people of a VCF or BCF file, and its sites.

    The header is read here in any case: whom it names is checked before another reader sees it.
    """
    check_compression(path)
    ids = _people(path)
    try:
        import cyvcf2
    except ImportError:
        if path.suffix == ".bcf":
            raise MissingExtraError("reading BCF", "cyvcf2", "genomics") from None
        return ids, _text_sites(path, ids.size)
    return ids, _sites(path, cyvcf2.VCF(str(path)))


def check_compression(path: Path) -> None:
    """Refuse gzip that is not bgzip, and bgzip that is cut short."""
    with path.open("rb") as file:
        head = file.read(18)
        if not head.startswith(b"\x1f\x8b"):
            return
        file.seek(max(0, path.stat().st_size - len(END)), os.SEEK_SET)
        tail = file.read()
    if not (head[3] & 4 and head[12:14] == b"BC"):
        raise InputError(
            str(path),
            "must be compressed with bgzip",
            "plain gzip, which tools of genetics cannot index",
            "Compress it again: gunzip -c OLD.vcf.gz | bgzip > NEW.vcf.gz.",
        )
    if tail != END:
        raise InputError(
            str(path), "must end with the last block of bgzip", "a file that is cut short", "Copy it again."
        )


class _Refusing:
    """Says in words that the reader gave up on a site: it raises the bare ``Exception``, nothing narrower."""

    def __init__(self, path: Path) -> None:
        self._path, self.read = path, 0

    def __enter__(self) -> _Refusing:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is Exception:
            raise InputError(
                str(self._path),
                "must have a place, alleles and a genotype (GT) of everybody in each site",
                f"something else in site {self.read + 1:,}",
                "Check the file, for example with bcftools view.",
            ) from None


def _sites(path: Path, opened: Any) -> Iterator[Site]:
    with _Refusing(path) as told:
        for line in opened:
            calls = np.asarray(line.genotype.array())[:, :-1]
            told.read += 1
            yield Site(line.CHROM, line.POS, line.ID or ".", line.REF, tuple(line.ALT), calls)


def _people(path: Path) -> Text:
    """Return the names of people, from the last line of the header."""
    with _open(path) as file:
        if path.suffix == ".bcf":
            # the marks of BCF, how long the header is, and the header as text
            length = int.from_bytes(file.read(9)[5:], "little")
            lines = iter(file.read(length).rstrip(b"\0").splitlines())
        else:
            lines = (line for line in file)
        for line in lines:
            if line.startswith(b"#CHROM"):
                ids = np.array(line.decode().rstrip("\r\n").split("\t")[FIXED:], np.str_)
                if not ids.size:
                    raise InputError(str(path), "must hold genotypes of people", "a file of sites alone")
                check_unique(str(path), "sample ids", ids, "Rename them, for example with bcftools reheader.")
                return ids
            if not line.startswith(b"##"):
                break
    raise InputError(str(path), "must be a VCF or BCF file", "no header that names people")


def _open(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return cast(IO[bytes], gzip.open(path, "rb")) if packed else path.open("rb")


def _text_sites(path: Path, people: int) -> Iterator[Site]:
    known: dict[str, tuple[int, int]] = {}
    number = 0
    with _open(path) as file:
        for raw in file:
            if raw.startswith(b"#"):
                continue
            number += 1
            cells = raw.decode().rstrip("\r\n").split("\t")
            if len(cells) != FIXED + people:
                raise InputError(
                    str(path),
                    f"must have {FIXED + people} fields a site",
                    f"{len(cells)} fields in site {number}",
                )
            chromosome, place, name, reference, alternatives = cells[:5]
            if cells[8].split(":", 1)[0] != "GT" or not place.isdigit():
                raise InputError(
                    str(path), "must have a place and, first, genotypes (GT)", f"others in site {number}"
                )
            called = [cell.split(":", 1)[0] for cell in cells[FIXED:]]
            for text in set(called) - known.keys():
                known[text] = _call(path, text, number)
            others = () if alternatives == "." else tuple(alternatives.split(","))
            calls = np.array([known[text] for text in called])
            yield Site(chromosome, int(place), name, reference, others, calls)


def _call(path: Path, text: str, number: int) -> tuple[int, int]:
    """Read ``0/1``, ``1|0``, ``./.`` or the haploid ``1``."""
    parts = text.replace("|", "/").split("/")
    if len(parts) > 2 or not all(part == "." or part.isdigit() for part in parts):
        raise InputError(
            str(path), "must have calls such as 0/1 of one or two alleles", f"another in site {number}"
        )
    alleles = [UNKNOWN if part == "." else int(part) for part in parts]
    return alleles[0], alleles[1] if len(alleles) == 2 else ABSENT
