"""Several files as one: the chromosomes of a genome, of the same people, in their natural order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from dalenius.errors import InputError
from dalenius.genomes.builds import ORDER, possible_builds
from dalenius.genomes.match import plain_chromosome
from dalenius.genomes.plink import PlinkSet, open_set, variants_of
from dalenius.genomes.variants import Genotypes, Text, Variants, name_variants
from dalenius.people.files.addresses import as_local, find, shown
from dalenius.people.traits.packed_files import PackedFiles
from dalenius.people.traits.traits import CodedTraits

Place = str | Path
Spans = Mapping[str, tuple[int, int]]
"""The first and the last place on each chromosome."""

_ONE_BUILD = "Lift all files to one genome build first."


def are_several(place: Place | Sequence[Place]) -> bool:
    """Whether a place stands for several files: a list, a folder, a pattern that no file has for its name."""
    if isinstance(place, list | tuple):
        return True
    local = as_local(place)  # type: ignore[arg-type]
    if isinstance(local, str):
        return local.endswith("/") or is_pattern(local)
    return local.is_dir() or (is_pattern(str(local)) and not local.is_file())


def is_pattern(text: str) -> bool:
    """Whether a text stands for whatever is called like it.

    Examples
    --------
    >>> is_pattern("chr*.bed"), is_pattern("s3://bucket/chr1.bed")
    (True, False)
    """
    return bool(set("*?[") & set(text))


def files_of(place: Place | Sequence[Place], kinds: Sequence[tuple[str, ...]]) -> list[Place]:
    """Return the files that a list, a folder or a pattern stands for: of the first kind that is there.

    Raises
    ------
    InputError
        If there is none.
    """
    if isinstance(place, list | tuple):
        if not place:
            raise InputError("files of genotypes", "must be at least one", "an empty list")
        return [as_local(each) for each in place]
    local = as_local(place)  # type: ignore[arg-type]
    if found := found_files(local, kinds):
        return found
    endings = ", ".join(end for kind in kinds for end in kind)
    raise InputError(
        shown(local), "must stand for files of genotypes", "none", f"Their names end in {endings}."
    )


def found_files(local: Place, kinds: Sequence[tuple[str, ...]]) -> list[Place]:
    """The files of a folder or a pattern, of the first kind that is there; none if there are none."""
    for endings in kinds:
        if isinstance(local, str):
            found: list[Place] = list(find(local, endings))
        else:
            found = [each for each in sorted(_matches(local)) if each.name.endswith(endings)]
        if found:
            return found
    return []


def _matches(local: Path) -> Iterator[Path]:
    if local.is_dir():
        return local.iterdir()
    parts = local.parts
    fixed = next((at for at, part in enumerate(parts) if is_pattern(part)), len(parts) - 1)
    return Path(*parts[:fixed]).glob(str(Path(*parts[fixed:])))


def read_several(
    sources: Sequence[Place], packed: Callable[[Place], tuple[Place, tuple[str, ...]]]
) -> Genotypes:
    """Open files of the same people as one.

    Parameters
    ----------
    sources
        In any order: they are put in that of their chromosomes, 1 to 22, X, Y, and of places.
    packed
        Gives the PLINK 1 file set of a source, which a VCF is converted to, and what that left out.

    Raises
    ------
    InputError
        If people differ, a chromosome stands in two files, or places are of two genome builds.
    """
    opened, told = [], []
    for source in sources:
        name, (place, said) = Path(shown(source)).name, packed(source)
        opened.append((name, *open_set(place)))
        told += [f"{name}: {note}" for note in said]
    opened.sort(key=lambda each: _rank(each[1]))
    sets, lines = [each[:2] for each in opened], [each[2] for each in opened]
    del opened
    _check_people(sets)
    found = variants_of(lines)
    _check_places([name for name, _ in sets], _spans(found, [each.file.rows for _, each in sets]))
    variants, kept, notes = name_variants(f"{sets[0][0]} and the others", found)
    files = PackedFiles(tuple(each.file for _, each in sets))
    traits = CodedTraits("IID", sets[0][1].ids, variants.ids, "genotype", files, columns=kept)
    return Genotypes(traits, variants, (f"{len(sets):,} files were read as one.", *told, *notes))


def _rank(one: PlinkSet) -> tuple[int, str, int]:
    name, place = one.first
    plain = plain_chromosome(name)
    return (ORDER.index(plain) if plain in ORDER else len(ORDER)), plain, place


def _check_people(sets: Sequence[tuple[str, PlinkSet]]) -> None:
    first, ids = sets[0][0], sets[0][1].ids
    for name, one in sets[1:]:
        if np.array_equal(one.ids, ids):
            continue
        rule = f"must hold the people of {first}, in their order"
        strange = one.ids.size - np.intersect1d(one.ids, ids).size
        if strange or one.ids.size != ids.size:
            got = f"{one.ids.size:,} people, {strange:,} of them others"
            raise InputError(name, rule, got, "Keep the same people in all files, with plink2 --keep.")
        fix = "Sort them alike, for example with plink2 --indiv-sort."
        raise InputError(name, rule, "the same people in another order", fix)


def _spans(variants: Variants, sizes: Sequence[int]) -> list[Spans]:
    """For each file the chromosomes in it, and how far its places reach on them."""
    found: list[Spans] = []
    low = 0
    for size in sizes:
        here: Text = variants.chromosomes[low : low + size]
        places = variants.places[low : low + size]
        own = {}
        for name in np.unique(here):
            at = places[here == name]
            own[plain_chromosome(str(name))] = int(at.min()), int(at.max())
        own.pop("0", None)  # how PLINK writes that it is not known
        found.append(own)
        low += size
    return found


def _check_places(names: Sequence[str], spans: Sequence[Spans]) -> None:
    """Refuse a chromosome in two files unless these are parts of it, and places of two builds."""
    seen: dict[str, list[tuple[int, int, str]]] = {}
    for name, own in zip(names, spans, strict=True):
        for chromosome, (low, high) in own.items():
            for first, last, other in seen.setdefault(chromosome, []):
                if low <= last and first <= high:
                    raise InputError(
                        f"{other} and {name}",
                        "must not hold the same part of a chromosome",
                        f"chromosome {chromosome} in both",
                        "Give each of them once.",
                    )
            seen[chromosome].append((low, high, name))
    builds = [possible_builds({name: last for name, (_, last) in own.items()}) for own in spans]
    if all(builds) and not frozenset.intersection(*builds):
        apart = {build: names[builds.index(frozenset({build}))] for build in ("GRCh37", "GRCh38")}
        got = " and ".join(f"{name}, which fits {build} alone" for build, name in apart.items())
        raise InputError("files of genotypes", "must be of one genome build", got, _ONE_BUILD)
