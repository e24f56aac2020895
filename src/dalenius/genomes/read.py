"""Genotypes from any file: PLINK 1 is mapped as it is, everything else is converted to it once.

The converted files lie in a folder beside the source, or in one that is given, with a note of the source's
size and time; a source that changed is converted again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dalenius.atomic_write import writing_folder
from dalenius.errors import InputError
from dalenius.genomes.calls import Several
from dalenius.genomes.convert import convert
from dalenius.genomes.plink import read_plink
from dalenius.genomes.variants import Genotypes
from dalenius.people.files.reading import check_exists
from dalenius.progress import Progress, silent

VCF = (".vcf", ".vcf.gz", ".vcf.bgz", ".bcf")
ZARR = (".zarr", ".vcz")

VERSION = 1
"""Raised when the converted files change."""


def read_genotypes(
    path: str | Path,
    *,
    cache: str | Path | None = None,
    several: Several = "split",
    progress: Progress = silent,
) -> Genotypes:
    """Open genotypes without loading them.

    Parameters
    ----------
    path
        A PLINK 1 ``.bed`` file or its prefix, a VCF or BCF file, or a VCF-Zarr store.
    cache
        Where to keep what a VCF, BCF or Zarr is converted to; not given, beside it.
    several
        Whether a site with several alternative alleles is split into one variant for each, or dropped.
    progress
        Told how far a conversion is.

    Returns
    -------
    Genotypes
        Packed traits and their variants; ``notes`` say what was dropped.
    """
    path = Path(path)
    if path.name.endswith(ZARR):
        if not path.is_dir():
            raise InputError(str(path), "must be a folder of Zarr", "no such folder", "Check the path.")
        return _converted(path, cache, several, progress)
    if path.name.endswith(VCF):
        check_exists(path)
        return _converted(path, cache, several, progress)
    if path.suffix in (".bed", ".bim", ".fam") or path.with_name(path.name + ".bed").is_file():
        return read_plink(path)
    check_exists(path)
    raise InputError(
        str(path),
        "must be a file of genotypes",
        f"the ending {path.suffix!r}",
        "Give .bed, .vcf, .vcf.gz, .bcf or .zarr.",
    )


def _converted(path: Path, cache: str | Path | None, several: Several, progress: Progress) -> Genotypes:
    folder = (path.parent if cache is None else Path(cache)) / f"{path.name}.packed"
    source = {**_stamp(path), "several": several, "version": VERSION}
    notes = _notes(folder, source)
    if notes is None:
        with writing_folder(folder) as scratch:
            notes = convert(path, scratch, several, progress)
            (scratch / "source.json").write_text(json.dumps({"source": source, "notes": notes}))
    found = read_plink(folder / "genotypes", source=str(path))
    return Genotypes(found.traits, found.variants, (*notes, *found.notes))


def _stamp(path: Path) -> dict[str, int]:
    """What changes when the source does; of a store, its list of arrays."""
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    stats = [file.stat() for file in files]
    return {"bytes": sum(s.st_size for s in stats), "changed": max((s.st_mtime_ns for s in stats), default=0)}


def _notes(folder: Path, source: dict[str, Any]) -> tuple[str, ...] | None:
    """Return the notes of an earlier conversion of the same source, if there is one."""
    try:
        found = json.loads((folder / "source.json").read_text())
    except (OSError, ValueError):
        return None
    if not isinstance(found, dict) or found.get("source") != source:
        return None
    notes = found.get("notes")
    return tuple(map(str, notes)) if isinstance(notes, list) else None
