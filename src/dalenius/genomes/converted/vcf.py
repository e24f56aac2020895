"""VCF and BCF files, plain or compressed with bgzip: one site after the other, in bounded memory.

cyvcf2 reads them where it is installed; without it plain text and bgzip are read here, and BCF is refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from dalenius.errors import InputError
from dalenius.genomes.converted.calls import ABSENT, UNKNOWN, Site
from dalenius.genomes.variants import Text, check_unique
from dalenius.people.files.reading import open_plain, refusing

END = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")
"""The empty block with which a file of bgzip ends."""

FIXED = 9
"""Columns of a VCF before the first person."""

MOST_HEADER = 1 << 28
"""Bytes of a header, or of one line: ten million people are named in fewer."""


def open_vcf(path: Path) -> tuple[Text, Iterator[Site]]:
    """Return the people of a VCF or BCF file, and its sites, read by cyvcf2.

    The header is read here in any case: whom it names is checked before another reader sees it.
    """
    import cyvcf2

    check_compression(path)
    ids = _people(path)
    with refusing(path, "a VCF or BCF file"):
        opened = cyvcf2.VCF(str(path))
        if len(opened.samples) != ids.size:
            raise InputError(str(path), "must have a header that names everybody once", "another one")
    return ids, _sites(path, opened)


def open_text(path: Path) -> tuple[Text, Iterator[Site]]:
    """Return the same of a VCF file, plain or bgzip, without another reader."""
    check_compression(path)
    ids = _people(path)
    return ids, _text_sites(path, ids.size)


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


def _sites(path: Path, opened: Any) -> Iterator[Site]:
    read = 0
    lines = iter(opened)
    while True:
        # everything that the reader says about a damaged site, as the bare Exception for the most part
        try:
            line = next(lines)
            calls = np.asarray(line.genotype.array())[:, :-1]
            alternatives = tuple(line.ALT)
            site = Site(line.CHROM, int(line.POS), line.ID or ".", line.REF, alternatives, calls)
        except StopIteration:
            return
        except Exception:
            raise InputError(
                str(path),
                "must have a place, alleles and a genotype (GT) of everybody in each site",
                f"something else in site {read + 1:,}",
                "Check the file, for example with bcftools view.",
            ) from None
        read += 1
        yield site


def _people(path: Path) -> Text:
    """Return the names of people, from the last line of the header."""
    with refusing(path, "a VCF or BCF file"), open_plain(path) as file:
        for line in _header(file, binary=path.suffix == ".bcf"):
            if line.startswith(b"#CHROM"):
                ids = np.array(line.decode().rstrip("\r\n").split("\t")[FIXED:], np.str_)
                if not ids.size:
                    raise InputError(str(path), "must hold genotypes of people", "a file of sites alone")
                if (np.char.str_len(ids) == 0).any() or np.char.isspace(ids).any():
                    raise InputError(str(path), "must name everybody in its header", "an empty name")
                check_unique(str(path), "sample ids", ids, "Rename them, for example with bcftools reheader.")
                return ids
            if not line.startswith(b"##"):
                break
    raise InputError(str(path), "must be a VCF or BCF file", "no header that names people")


def _header(file: IO[bytes], *, binary: bool) -> Iterator[bytes]:
    """Go through the lines of a header, as far as one may be long."""
    if binary:
        # the marks of BCF, how long the header is, and the header as text
        length = int.from_bytes(file.read(9)[5:], "little")
        yield from file.read(min(length, MOST_HEADER)).rstrip(b"\0").splitlines()
        return
    left = MOST_HEADER
    while left > 0 and (line := file.readline(left)):
        left -= len(line)
        yield line


def _text_sites(path: Path, people: int) -> Iterator[Site]:
    known: dict[str, tuple[int, int]] = {}
    number = 0
    with refusing(path, "a VCF file"), open_plain(path) as file:
        while raw := file.readline(MOST_HEADER):
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
            if cells[8].split(":", 1)[0] != "GT" or not (place.isdecimal() and len(place) < 12):
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
    if len(parts) > 2 or not all(part == "." or (part.isdecimal() and len(part) < 5) for part in parts):
        raise InputError(
            str(path), "must have calls such as 0/1 of one or two alleles", f"another in site {number}"
        )
    alleles = [UNKNOWN if part == "." else int(part) for part in parts]
    return alleles[0], alleles[1] if len(alleles) == 2 else ABSENT
