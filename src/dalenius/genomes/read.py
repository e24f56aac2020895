"""Genotypes from any file: PLINK 1 is mapped as it is, everything else is converted to it once.

The converted files lie in a folder beside the source, or in one that is given, with a note of the source's
size and time; a source that changed is converted again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dalenius.atomic_write import writing_folder
from dalenius.errors import InputError
from dalenius.genomes.converted.calls import Several
from dalenius.genomes.converted.convert import convert
from dalenius.genomes.plink import ENDINGS, read_plink
from dalenius.genomes.several import Place, are_several, files_of, found_files, is_pattern, read_several
from dalenius.genomes.variants import Genotypes
from dalenius.people.files.addresses import as_local, shown, size_of
from dalenius.people.files.reading import check_exists
from dalenius.progress import Progress, silent
from dalenius.spread.digest import digest_of

VCF = (".vcf", ".vcf.gz", ".vcf.bgz", ".bcf")
PGEN = (".pgen",)
ZARR = (".zarr", ".vcz")
KINDS = ((".bed",), PGEN, VCF, ZARR)
"""Endings of files that are read as one, where a folder or a pattern holds several kinds the first."""

VERSION = 1
"""Raised when the converted files change."""


def read_genotypes(
    source: Place | Sequence[Place],
    *,
    cache: str | Path | None = None,
    several: Several = "split",
    progress: Progress = silent,
) -> Genotypes:
    """Open genotypes without loading them.

    Parameters
    ----------
    source
        A PLINK 1 ``.bed`` file or its prefix, a PLINK 2 ``.pgen`` file, a VCF or BCF file, or a VCF-Zarr
        store. A list of such files, a folder or a pattern such as ``chr*.bed`` is read as one. PLINK 1
        files may be anywhere that fsspec reaches, as ``s3://bucket/chr*.bed``.
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

    def packed(place: Place) -> tuple[Place, tuple[str, ...]]:
        return _packed(as_local(place), cache, several, progress)

    if are_several(source) and not str(source).endswith(ZARR):
        return read_several(files_of(source, KINDS), packed)
    assert isinstance(source, str | Path)  # noqa: S101  (a list stands for several)
    place, notes = packed(source)
    found = read_plink(place, source=None if place == as_local(source) else str(source))
    return Genotypes(found.traits, found.variants, (*notes, *found.notes))


def holds_genotypes(source: object) -> bool:
    """Whether a source is of genotypes, by its ending, or because a folder, pattern or prefix has such files.

    Examples
    --------
    >>> holds_genotypes("s3://bucket/chr*.bed"), holds_genotypes("postgres://host/clinic#patients")
    (True, False)
    """
    if isinstance(source, list | tuple):
        return True
    if not isinstance(source, str | os.PathLike):
        return False
    place = as_local(source if isinstance(source, str) else Path(source))
    known = (*ENDINGS, *PGEN, *VCF, *ZARR)
    if isinstance(place, str):
        return place.endswith((*known, "/")) or (is_pattern(place) and "#" not in place)
    if place.name.endswith(known) or place.with_name(place.name + ".bed").is_file():
        return True
    if place.suffix and not place.is_dir():
        return False
    return are_several(place) and bool(found_files(place, KINDS))


def stamp_of(source: Place | Sequence[Place]) -> str:
    """Digest where the files of a source are, their sizes and times: what changes when they do."""
    several = are_several(source) and not str(source).endswith(ZARR)
    places = files_of(source, KINDS) if several else [as_local(source)]  # type: ignore[arg-type]
    return digest_of(*(str(_file_stamp(place)) for place in places))


def _file_stamp(place: Place) -> tuple[str, int, int]:
    if isinstance(place, str):
        return place, size_of(place), 0
    path = place if place.exists() else place.with_name(place.name + ".bed")
    found = _stamp(path)
    return str(path.absolute()), found["bytes"], found["changed"]


def _packed(
    place: Place, cache: str | Path | None, several: Several, progress: Progress
) -> tuple[Place, tuple[str, ...]]:
    """Return the PLINK 1 files of a source, after it was converted if need be, and what that left out."""
    if isinstance(place, str):
        if not place.endswith(ENDINGS):
            raise InputError(
                shown(place),
                "must be PLINK 1 files, to be read by address",
                "another file",
                "Copy it to this machine, or convert it, for example with plink2 --make-bed.",
            )
        return place, ()
    if place.name.endswith(ZARR):
        if not place.is_dir():
            raise InputError(str(place), "must be a folder of Zarr", "no such folder", "Check the path.")
        return _converted(place, cache, several, progress)
    if place.name.endswith(VCF + PGEN):
        check_exists(place)
        return _converted(place, cache, several, progress)
    if place.suffix in ENDINGS or place.with_name(place.name + ".bed").is_file():
        return place, ()
    check_exists(place)
    raise InputError(
        str(place),
        "must be a file of genotypes",
        f"the ending {place.suffix!r}",
        "Give .bed, .pgen, .vcf, .vcf.gz, .bcf or .zarr.",
    )


def _converted(
    path: Path, cache: str | Path | None, several: Several, progress: Progress
) -> tuple[Path, tuple[str, ...]]:
    folder = (path.parent if cache is None else Path(cache)) / f"{path.name}.packed"
    source = {**_stamp(path), "several": several, "version": VERSION}
    notes = _notes(folder, source)
    if notes is None:
        with writing_folder(folder) as scratch:
            notes = convert(path, scratch, several, progress)
            (scratch / "source.json").write_text(json.dumps({"source": source, "notes": notes}))
    return folder / "genotypes", notes


def _stamp(path: Path) -> dict[str, int]:
    """What changes when the source does; of a store, its list of arrays."""
    beside = [path.with_suffix(end) for end in (".pvar", ".psam")] if path.suffix in PGEN else []
    every = [path, *beside] if path.is_file() else sorted(path.rglob("*"))
    files = [each for each in every if each.is_file()]
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
