"""From VCF, BCF, VCF-Zarr and PLINK 2 to packed files, in a process of its own where others' code reads.

The libraries that read these formats are compiled, and a damaged file may end the process that reads it. So
they run apart, with a limit of memory, and say what they found as one line of JSON; whatever happens to
that process, the one that asked only sees that nothing was said. ``python -m`` this module is that process.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from traceback import walk_tb
from typing import Any

from dalenius.errors import InputError, MissingExtraError, TooLargeError
from dalenius.genomes.converted.calls import Several, Site, SitesTally, variants_of
from dalenius.genomes.converted.pgen import open_pgen
from dalenius.genomes.converted.vcf import open_text, open_vcf
from dalenius.genomes.converted.vcf_zarr import open_vcf_zarr
from dalenius.genomes.plink import BedWriter, read_plink
from dalenius.genomes.variants import Text
from dalenius.progress import Progress, silent

MOST_MEMORY = 8 << 30
"""Bytes of addresses that the process apart may use: sites are read one by one, so it needs far fewer."""

TELL = 10_000
"""Variants after which it is said how far it is."""

Opened = tuple[Text, Iterator[Site]]


def convert(path: Path, folder: Path, several: Several, progress: Progress = silent) -> tuple[str, ...]:
    """Convert a file into a folder and return what is to be said about it.

    Raises
    ------
    InputError
        If it is damaged, has no variant, or most ids stand twice.
    MissingExtraError
        If the package that reads the format is not installed.
    """
    if path.is_dir():
        _needs("reading VCF-Zarr", "zarr", "genomics")
    elif path.suffix == ".pgen":
        _needs("reading PLINK 2 files", "pgenlib", "plink2")
    elif not _has("cyvcf2"):
        if path.suffix == ".bcf":
            raise MissingExtraError("reading BCF", "cyvcf2", "genomics")
        return _write(path, lambda: open_text(path), folder, several, progress)
    return _apart(path, folder, several, progress)


def _write(
    path: Path, opened: Callable[[], Opened], folder: Path, several: Several, progress: Progress
) -> tuple[str, ...]:
    ids, sites = opened()
    tally = SitesTally()
    with BedWriter(folder / "genotypes", ids) as out:
        for codes, variants in variants_of(str(path), sites, several, tally):
            out.add(codes, variants)
            if out.written % TELL == 0:
                progress(0.0, f"converting {path.name}: {out.written:,} variants")
    if not out.written:
        raise InputError(
            str(path),
            "must have at least one variant with two alleles",
            f"{tally.sites:,} sites, none of them",
        )
    read_plink(folder / "genotypes", source=str(path))  # refuses what could not be read back
    return tally.notes(several)


def _apart(path: Path, folder: Path, several: Several, progress: Progress) -> tuple[str, ...]:
    """Run this module as a process of its own, and pass on what it says."""
    words = [sys.executable, "-m", __name__, str(path.absolute()), str(folder), several, str(path)]
    quiet = subprocess.DEVNULL
    said: dict[str, Any] = {}
    with subprocess.Popen(words, stdin=quiet, stdout=subprocess.PIPE, stderr=quiet, text=True) as apart:  # noqa: S603
        try:
            assert apart.stdout is not None  # noqa: S101  (asked for)
            for line in apart.stdout:
                with contextlib.suppress(ValueError):
                    said = json.loads(line)
                if "at" in said:
                    progress(0.0, said["at"])
        except BaseException:
            apart.kill()
            raise
    if "notes" in said and apart.returncode == 0:
        return tuple(said["notes"])
    kind = {"large": TooLargeError, "extra": MissingExtraError}.get(said.get("kind", ""), InputError)
    if "refused" in said:
        raise kind(*said["refused"])
    if "mistake" in said:
        raise RuntimeError(said["mistake"])
    raise InputError(
        str(path),
        "must be a whole file of genotypes",
        "one that cannot be read to its end",
        "Check it, for example with bcftools view, or write it again.",
    )


def _has(package: str) -> bool:
    try:
        __import__(package)
    except ImportError:
        return False
    return True


def _needs(what: str, package: str, extra: str) -> None:
    if not _has(package):
        raise MissingExtraError(what, package, extra)


def main() -> int:
    """Convert the file that the arguments name; print progress and the result as lines of JSON."""
    source, folder, several, shown = sys.argv[1:]
    _limit()
    path = Path(source)

    def tell(done: float, what: str) -> None:
        print(json.dumps({"at": what}), flush=True)

    def opened() -> Opened:
        if path.is_dir():
            return open_vcf_zarr(path)
        return open_pgen(path) if path.suffix == ".pgen" else open_vcf(path)

    said: dict[str, Any]
    try:
        said = {"notes": _write(path, opened, Path(folder), "drop" if several == "drop" else "split", tell)}
    except InputError as error:
        kind = "large" if isinstance(error, TooLargeError) else ""
        words = [error.name.replace(source, shown), error.rule, error.got, error.fix]
        said = {"refused": words, "kind": kind}
    except MemoryError:
        words = [shown, "must fit into memory", "a file that needs more", ""]
        said = {"refused": words, "kind": "large"}
    except Exception as error:  # not of the file: what a library says about it has become an InputError
        frames = [f"{f.f_globals.get('__name__')}, line {n}" for f, n in walk_tb(error.__traceback__)]
        said = {"mistake": f"{type(error).__name__} in {frames[-1]}"}
    print(json.dumps(said), flush=True)
    return 0


def _limit() -> None:
    """Bound the memory, where the system can."""
    if sys.platform == "win32":
        return
    import resource

    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = MOST_MEMORY if hard == resource.RLIM_INFINITY else min(MOST_MEMORY, hard)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


if __name__ == "__main__":
    sys.exit(main())
