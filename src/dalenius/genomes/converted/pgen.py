"""PLINK 2 files: genotypes in ``.pgen``, variants in ``.pvar``, people in ``.psam``; read by pgenlib.

Hard calls only: dosages are left alone. What is compressed (``.pvar.zst``) is for plink2 to unpack.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from dalenius.errors import InputError
from dalenius.genomes.converted.calls import UNKNOWN, Site
from dalenius.genomes.plink_text import header_fields, read_fields
from dalenius.genomes.variants import Text, check_unique
from dalenius.people.files.reading import check_exists, refusing

MAGIC = b"\x6c\x1b"
"""How every PLINK file of genotypes begins."""

BED = "Convert it with: plink2 --pfile OLD --make-bed --out NEW."


def open_pgen(path: Path) -> tuple[Text, Iterator[Site]]:
    """Return the people of a PLINK 2 file set, and its sites."""
    with path.open("rb") as file:
        if file.read(2) != MAGIC:
            raise InputError(str(path), "must be a PLINK 2 .pgen file", "another file")
    for end in (".pvar", ".psam"):
        if path.with_suffix(f"{end}.zst").is_file() and not path.with_suffix(end).is_file():
            raise InputError(str(path.with_suffix(end)), "must be unpacked", "a .zst file", BED)
        check_exists(path.with_suffix(end))
    ids = _people(path.with_suffix(".psam"))
    return ids, _sites(path, ids.size)


def _people(path: Path) -> Text:
    header = header_fields(path)
    at = header.index("IID") if "IID" in header else 1 if not header else None
    if at is None:
        raise InputError(str(path), "must have a column IID", "none")
    # without a header the file is a .fam
    found = read_fields(path, len(header) or 6, {at: pa.string()}, "the same fields in every line", skip="#")
    ids = np.array(found.column(0).to_pylist(), np.str_)
    check_unique(str(path), "sample ids", ids, "Give every person an id of their own.")
    return ids


def _sites(path: Path, people: int) -> Iterator[Site]:
    import pgenlib

    variants = path.with_suffix(".pvar")
    header = header_fields(variants) or ["CHROM", "ID", "CM", "POS", "ALT", "REF"]  # a .bim
    needed = ("CHROM", "POS", "ID", "REF", "ALT")
    missing = [name for name in needed if name not in header]
    if missing:
        raise InputError(str(variants), f"must have a column {missing[0]}", "none")
    kinds = {header.index(name): pa.int64() if name == "POS" else pa.string() for name in needed}
    lines = read_fields(variants, len(header), kinds, f"{len(header)} fields a variant", skip="#")
    columns = {name: lines.column(sorted(kinds).index(header.index(name))) for name in needed}
    alleles = 1 + np.array([text.count(",") + 1 for text in columns["ALT"].to_pylist()])
    offsets = np.concatenate([[0], np.cumsum(alleles)]).astype(np.uintp)
    with refusing(path, "a whole PLINK 2 .pgen file", BED):
        reader = pgenlib.PgenReader(
            bytes(path), raw_sample_ct=people, variant_ct=len(lines), allele_idx_offsets=offsets
        )
    calls = np.empty(2 * people, np.int32)
    for j in range(len(lines)):
        with refusing(path, "a whole PLINK 2 .pgen file", BED):
            reader.read_alleles(j, calls)
        own = {name: column[j].as_py() for name, column in columns.items()}
        others = () if own["ALT"] == "." else tuple(own["ALT"].split(","))
        called = np.where(calls < 0, UNKNOWN, calls).reshape(people, 2)
        yield Site(own["CHROM"], own["POS"], own["ID"], own["REF"], others, called)
