"""VCF-Zarr stores, as vcf2zarr writes them: read chunk by chunk along the variants."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from dalenius.errors import InputError
from dalenius.genomes.converted.calls import Site
from dalenius.genomes.variants import Text, check_unique
from dalenius.people.files.reading import refusing

NEEDED = ("call_genotype", "contig_id", "sample_id", "variant_allele", "variant_contig", "variant_position")
"""Arrays that a store must have."""


def open_vcf_zarr(path: Path) -> tuple[Text, Iterator[Site]]:
    """Return the people of a VCF-Zarr store, and its sites."""
    import zarr

    with refusing(path, "a Zarr store"):
        store: Any = zarr.open_group(str(path), mode="r")
        names = set(store.array_keys())
    missing = [name for name in NEEDED if name not in names]
    if missing:
        raise InputError(
            str(path),
            "must be a VCF-Zarr store",
            f"no array {missing[0]!r}",
            "Make one with vcf2zarr convert.",
        )
    with refusing(path, "a whole VCF-Zarr store"):
        arrays = {name: store[name] for name in (*NEEDED, "variant_id") if name in names}
        _check_shapes(path, arrays)
        ids, contigs = _text(arrays["sample_id"][:]), _text(arrays["contig_id"][:])
    check_unique(str(path), "sample ids", ids, "Rename them.")
    return ids, _sites(path, arrays, contigs)


def _check_shapes(path: Path, arrays: dict[str, Any]) -> None:
    """Refuse arrays that do not fit together, before one of them is believed how large it is."""
    calls, places = arrays["call_genotype"], arrays["variant_position"]
    dimensions = {"call_genotype": 3, "variant_allele": 2}
    for name, array in arrays.items():
        if array.ndim != dimensions.get(name, 1):
            raise InputError(
                f"{path}: {name}", f"must have {dimensions.get(name, 1)} dimensions", f"{array.ndim}"
            )
    sites = places.shape[0]
    for name in arrays.keys() - {"sample_id", "contig_id"}:
        if arrays[name].shape[0] != sites:
            raise InputError(f"{path}: {name}", f"must have {sites:,} sites", f"{arrays[name].shape[0]:,}")
    if calls.shape[1] != arrays["sample_id"].shape[0] or not calls.shape[2] >= 1:
        people = f"{arrays['sample_id'].shape[0]:,} people"
        raise InputError(f"{path}: call_genotype", f"must be about {people}", f"shape {calls.shape}")
    # places are never 0, so none of their chunks may be left out: a store cannot claim sites that it lacks
    if places.nchunks_initialized < places.nchunks:
        raise InputError(
            f"{path}: variant_position", "must be there for every site", "chunks that are missing"
        )


def _sites(path: Path, arrays: dict[str, Any], contigs: Text) -> Iterator[Site]:
    calls = arrays["call_genotype"]
    for start in range(0, calls.shape[0], calls.chunks[0]):
        part = slice(start, start + calls.chunks[0])
        with refusing(path, "a whole VCF-Zarr store"):
            chunk, places = (
                np.asarray(calls[part]),
                np.asarray(arrays["variant_position"][part]).astype(np.int64),
            )
            alleles = _text(arrays["variant_allele"][part])
            numbers = np.asarray(arrays["variant_contig"][part]).astype(np.int64)
            if (
                numbers.min(initial=0) < 0
                or numbers.max(initial=0) >= contigs.size
                or places.min(initial=1) < 1
            ):
                raise InputError(
                    str(path), "must have a contig and a place for every site", "others among them"
                )
            where = contigs[numbers]
            named = "variant_id" in arrays
            names = _text(arrays["variant_id"][part]) if named else np.full(len(places), ".")
        for j in range(len(places)):
            others = tuple(str(a) for a in alleles[j, 1:] if a)
            yield Site(str(where[j]), int(places[j]), str(names[j]), str(alleles[j, 0]), others, chunk[j])


def _text(values: Any) -> Text:
    """Text of any of the kinds that Zarr has, as NumPy's own."""
    return np.asarray(values, object).astype(np.str_)
