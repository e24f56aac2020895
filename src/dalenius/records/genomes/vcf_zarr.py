"""VCF-Zarr stores, as vcf2zarr writes them: read chunk by chunk along the variants."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from dalenius.errors import InputError, MissingExtraError
from dalenius.records.genomes.calls import Site
from dalenius.records.genomes.variants import Text, check_unique

NEEDED = ("call_genotype", "contig_id", "sample_id", "variant_allele", "variant_contig", "variant_position")
"""Arrays that a store must have."""


def open_vcf_zarr(path: Path) -> tuple[Text, Iterator[Site]]:
    """Return the people of a VCF-Zarr store, and its sites."""
    try:
        import zarr
    except ImportError:
        raise MissingExtraError("reading VCF-Zarr", "zarr", "genomics") from None
    try:
        store: Any = zarr.open_group(str(path), mode="r")
    except (FileNotFoundError, KeyError, ValueError):
        raise InputError(str(path), "must be a Zarr store", "something else") from None
    missing = [name for name in NEEDED if name not in store]
    if missing:
        raise InputError(
            str(path),
            "must be a VCF-Zarr store",
            f"no array {missing[0]!r}",
            "Make one with vcf2zarr convert.",
        )
    ids = _text(store["sample_id"][:])
    check_unique(str(path), "sample ids", ids, "Rename them.")
    return ids, _sites(store)


def _sites(store: Any) -> Iterator[Site]:
    contigs = _text(store["contig_id"][:])
    calls = store["call_genotype"]
    for start in range(0, calls.shape[0], calls.chunks[0]):
        part = slice(start, start + calls.chunks[0])
        chunk, places = np.asarray(calls[part]), store["variant_position"][part]
        alleles = _text(store["variant_allele"][part])
        where = contigs[store["variant_contig"][part]]
        names = _text(store["variant_id"][part]) if "variant_id" in store else np.full(len(places), ".")
        for j in range(len(places)):
            others = tuple(str(a) for a in alleles[j, 1:] if a)
            yield Site(str(where[j]), int(places[j]), str(names[j]), str(alleles[j, 0]), others, chunk[j])


def _text(values: Any) -> Text:
    """Text of any of the kinds that Zarr has, as NumPy's own."""
    return np.asarray(values, object).astype(np.str_)
