"""Open what somebody who traces people holds: published means, targets and a reference, brought in line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dalenius.audit.tracing.relatives import say_related
from dalenius.errors import InputError
from dalenius.knowledge.tracing import KnownMeans, Reference, ReferenceMeans, TracingView
from dalenius.progress import Progress, silent
from dalenius.random import stream
from dalenius.records.files import read_plain
from dalenius.records.genomes.duplicates import find_overlap
from dalenius.records.genomes.frequencies import Frequencies, read_frequencies
from dalenius.records.genomes.match import Matching, check_counted, match_variants
from dalenius.records.genomes.orient import orient
from dalenius.records.genomes.read import VCF, ZARR, read_genotypes
from dalenius.records.genomes.variants import Genotypes, Variants
from dalenius.records.traits import CodedTraits, Traits, sums
from dalenius.referee.tracing_deal import find_duplicates
from dalenius.release.means import from_fractions, to_fractions
from dalenius.release.means_files import means_of_frequencies, read_means
from dalenius.statistics.means import Averaged, find_averaged, is_constant, moved_by_one, traits_of

By = Literal["auto", "id", "place"]
Floats = NDArray[np.float64]

FEWEST_ORIENTED = 20
"""People whose frequencies tell which allele is counted."""

RARE = 1e-6
"""Pairs of people with the same answers that are to be expected by chance, above which they are let be."""


@dataclass(frozen=True)
class Opening:
    """How files of genotypes are opened and matched.

    Parameters
    ----------
    id
        Of tables, the column that names people; without it rows are numbered.
    by
        What makes two variants the same: their id, or chromosome and place.
    strands_agree
        All files read the same strand, so variants ``A/T`` and ``C/G`` are kept.
    cache
        Where converted VCF and Zarr files are kept; beside them if not given.
    progress
        Told how far a conversion is.
    """

    id: str | None = None
    by: By = "auto"
    strands_agree: bool = False
    cache: Path | None = None
    progress: Progress = silent

    def genotypes(self, path: Path) -> Genotypes:
        """Open a file of genotypes."""
        return read_genotypes(path, cache=self.cache, progress=self.progress)

    def match(self, first: Variants, second: Variants, *files: Path) -> Matching:
        """Find the variants that two files share."""
        names = str(files[0]), str(files[1])
        return match_variants(first, second, by=self.by, strands_agree=self.strands_agree, names=names)


@dataclass(frozen=True)
class Groups:
    """Members, reference people and others with the same attributes, and what matching them left out.

    ``moved`` is how many of the means one person can move; None for all.
    """

    members: Traits
    reference: Traits
    others: Mapping[str, Traits]
    moved: int | None
    notes: tuple[str, ...]


def is_genotypes(path: Path) -> bool:
    """Whether a path names a file of genotypes, by its ending or because its ``.bed`` is there."""
    known = path.name.endswith((*VCF, *ZARR)) or path.suffix in (".bed", ".bim", ".fam")
    return known or path.with_name(path.name + ".bed").is_file()


def named_files(texts: Sequence[str]) -> dict[str, Path]:
    """Read ``name=file`` texts.

    Examples
    --------
    >>> {name: path.name for name, path in named_files(["relatives=kin.bed"]).items()}
    {'relatives': 'kin.bed'}
    """
    found: dict[str, Path] = {}
    for text in texts:
        name, sign, path = text.partition("=")
        if not (name and sign and path) or name in found:
            raise InputError("group", "must be NAME=FILE, each name once", repr(text))
        found[name] = Path(path)
    return found


def open_groups(
    members: Path, reference: Path, opening: Opening, *, others: Mapping[str, Path] | None = None
) -> Groups:
    """Open the members of a release, a reference and further people, for an audit by the publisher.

    Raises
    ------
    InputError
        If files are of different kinds, or have no attribute in common.
    """
    files = {"reference": reference, **(others or {})}
    strange = [path for path in files.values() if is_genotypes(path) != is_genotypes(members)]
    if strange:
        raise InputError(
            "files of people", "must all be genotypes or all be tables", f"{members}, {strange[0]}"
        )
    return _genotypes(members, files, opening) if is_genotypes(members) else _tables(members, files, opening)


def _genotypes(members: Path, files: Mapping[str, Path], opening: Opening) -> Groups:
    ours = opening.genotypes(members)
    opened = {name: opening.genotypes(path) for name, path in files.items()}
    notes = list(ours.notes)
    for name, theirs in opened.items():  # keep what all files have, then bring each in line with that
        found = opening.match(ours.variants, theirs.variants, members, files[name])
        ours = ours.select(found.first)
        notes += [*theirs.notes, f"Members and {name}: {found.report}"]
    lined = {}
    for name, theirs in opened.items():
        found = opening.match(ours.variants, theirs.variants, members, files[name])
        lined[name] = replace(theirs.traits.select(found.second, found.flip), names=ours.traits.names)
    people, lined, told = _same_alleles(ours, lined)
    pool = lined.pop("reference")
    return Groups(people, pool, lined, None, (*notes, *told))


def _same_alleles(
    ours: Genotypes, lined: dict[str, CodedTraits]
) -> tuple[CodedTraits, dict[str, CodedTraits], list[str]]:
    """Turn what counts the other allele than the members' file, by the frequencies, variant by variant.

    References that count another allele would make every member look like a stranger.
    """
    keep, turns, notes = np.ones(ours.traits.d, np.bool_), {}, []
    for name, theirs in lined.items():
        if theirs.n < FEWEST_ORIENTED:
            continue
        named = ours.variants.counted != ""
        found = orient(_known_fractions(theirs), _known_fractions(ours.traits), named)
        keep &= found.keep
        turns[name] = found.turn
        if found.turn.any():
            notes.append(
                f"{int(found.turn.sum()):,} variants of {name} count the other allele, by their frequencies: "
                "they were turned."
            )
    if not keep.all():
        notes.append(
            f"{int((~keep).sum()):,} variants were dropped, whose frequencies differ beyond sampling."
        )
    kept = np.flatnonzero(keep)
    turned = {
        name: people.select(kept, turns[name][kept] if name in turns else None)
        for name, people in lined.items()
    }
    return ours.traits.select(kept), turned, notes


def _tables(members: Path, files: Mapping[str, Path], opening: Opening) -> Groups:
    ours = read_plain(members)
    tables = {name: read_plain(path) for name, path in files.items()}
    shared = [name for name in ours.names if all(name in table.names for table in tables.values())]
    if opening.id is not None and opening.id not in shared:
        raise InputError("--id", "must name a column that all files have", opening.id)
    columns = [name for name in shared if name != opening.id]
    if not columns:
        raise InputError("files of people", "must have columns in common", "none")
    everybody = [ours, *tables.values()]
    constant = [name for name in columns if is_constant(everybody, name)]
    columns = [name for name in columns if name not in set(constant)]
    averaged = find_averaged(everybody, columns)
    lined = {name: traits_of(table, averaged, opening.id) for name, table in tables.items()}
    strange = {name for table in everybody for name in table.names} - set(shared)
    notes = _left_out("that not all files have", sorted(strange))
    notes += _left_out("with the same value for everybody", constant)
    pool = lined.pop("reference")
    return Groups(traits_of(ours, averaged, opening.id), pool, lined, moved_by_one(averaged), notes)


def _left_out(which: str, columns: Sequence[str]) -> tuple[str, ...]:
    if not columns:
        return ()
    more = f" and {len(columns) - 10:,} more" if len(columns) > 10 else ""
    return (f"Columns {which} were left out: {', '.join(columns[:10])}{more}.",)


def open_view(
    release: Path,
    targets: Path,
    reference: Path | None,
    opening: Opening,
    *,
    n: int | None = None,
    mechanism: str = "unknown",
    known: bool = False,
) -> tuple[TracingView, tuple[str, ...]]:
    """Open published means, the people asked about, and a reference, for an attack.

    Parameters
    ----------
    release
        Frequencies (``.frq``, ``.afreq`` or any table with SNP id, counted allele and frequency); for tables
        of people ``attribute,mean``, where an attribute is a column of numbers or ``column=value``.
    targets
        Genotypes or a table.
    reference
        Other people of the same population, or their frequencies; nobody of the targets.
    opening
        How to match.
    n
        How many people the release is about; not given, what the file says, if it does.
    mechanism
        What is said to have been done to the means.
    known
        The reference is a file of frequencies that are the population's own, without error.

    Returns
    -------
    tuple
        The view, and what matching left out.

    Raises
    ------
    InputError
        If nothing matches, the frequencies are of the other alleles, or the reference holds a target.
    """
    if known and (reference is None or not is_genotypes(targets) or is_genotypes(reference)):
        raise InputError(
            "--reference-is-population",
            "must come with a reference that is a file of allele frequencies",
            str(reference),
            "People are a sample of their population: leave the word out.",
        )
    if is_genotypes(targets):
        view, notes = _genotype_view(release, targets, reference, opening, n, mechanism, known)
    else:
        view, notes = _table_view(release, targets, reference, opening, n, mechanism)
    _refuse_overlap(view)
    if known and isinstance(view.reference, ReferenceMeans):
        view = replace(view, reference=KnownMeans(view.reference.means))
    return view, notes


def _genotype_view(
    release: Path,
    targets: Path,
    reference: Path | None,
    opening: Opening,
    n: int | None,
    mechanism: str,
    population: bool,
) -> tuple[TracingView, tuple[str, ...]]:
    noisy = mechanism not in ("unknown", "exact")
    published, people = read_frequencies(release, noisy=noisy), opening.genotypes(targets)
    found = opening.match(published.variants, people.variants, release, targets)
    notes = [*published.notes, *people.notes, f"Release and targets: {found.report}"]
    named = (published.variants.counted[found.first] != "") & (people.variants.counted[found.second] != "")
    published, people = published.take(found.first), people.select(found.second, found.flip)
    held: Genotypes | Frequencies | None = None
    if reference is not None:
        held = opening.genotypes(reference) if is_genotypes(reference) else read_frequencies(reference)
        matched = opening.match(published.variants, held.variants, release, reference)
        notes += [*held.notes, f"Release and reference: {matched.report}"]
        published, people = published.take(matched.first), people.select(matched.first)
        named = named[matched.first] & (held.variants.counted[matched.second] != "")
        if isinstance(held, Genotypes):
            held = held.select(matched.second, matched.flip)
        else:
            if population:
                _refuse_sample(reference, held)
            held = held.take(matched.second, matched.flip)
        published, people, held, told = _oriented(release, published, people, held, named)
        notes += told
    traits = replace(people.traits, names=published.variants.ids)
    known = _reference(held, traits)
    if isinstance(known, CodedTraits):
        notes += say_related(traits, known, people.variants)
    made = means_of_frequencies(published, name=release.name, people=n, mechanism=mechanism)
    return TracingView(made, traits, known), tuple(notes)


def _refuse_sample(path: Path, frequencies: Frequencies) -> None:
    """Refuse to take the frequencies of so many alleles for those of the population itself."""
    seen = frequencies.observations
    if seen is not None and seen.max(initial=0) > 0:
        raise InputError(
            str(path),
            "must not be a sample, for --reference-is-population",
            f"a file that counts {int(seen.max()):,} alleles",
            "Leave --reference-is-population out.",
        )


def _oriented(
    release: Path,
    published: Frequencies,
    people: Genotypes,
    held: Genotypes | Frequencies,
    named: NDArray[np.bool_],
) -> tuple[Frequencies, Genotypes, Genotypes | Frequencies, tuple[str, ...]]:
    """Turn frequencies that are of the other allele, and drop variants that fit none, by the reference."""
    theirs = held.frequency if isinstance(held, Frequencies) else _known_fractions(held.traits)
    if named.all():
        check_counted(str(release), published.frequency, theirs)
    found = orient(published.frequency, theirs, named)
    turned = np.where(found.turn, 1 - published.frequency, published.frequency)
    kept = np.flatnonzero(found.keep)
    if not kept.size:
        raise InputError(
            str(release), "must have variants that fit the reference", "none", "Check that alleles are named."
        )
    published = replace(published, frequency=turned).take(kept)
    held = held.take(kept) if isinstance(held, Frequencies) else held.select(kept)
    return published, people.select(kept), held, found.notes


def _known_fractions(people: CodedTraits) -> Floats:
    """Frequencies among people; not a number where nobody has a value."""
    total, seen = sums(people)
    return to_fractions(np.divide(total, seen, out=np.full(total.shape, np.nan), where=seen > 0))


def _reference(held: Genotypes | Frequencies | None, targets: CodedTraits) -> Reference | None:
    if held is None:
        return None
    if isinstance(held, Genotypes):
        return replace(held.traits, names=targets.names)
    return ReferenceMeans(from_fractions(held.frequency), _people(held))


def _people(frequencies: Frequencies) -> int | None:
    """Of how many people frequencies are, where the file counts alleles: two a person."""
    seen = frequencies.observations
    return None if seen is None or not seen.size else int(np.median(seen)) // 2 or None


def _fractions_of(reference: Reference) -> Floats:
    if isinstance(reference, ReferenceMeans | KnownMeans):
        return to_fractions(reference.means)
    total, seen = sums(reference)
    return to_fractions(total / np.maximum(seen, 1))


def _table_view(
    release: Path, targets: Path, reference: Path | None, opening: Opening, n: int | None, mechanism: str
) -> tuple[TracingView, tuple[str, ...]]:
    made = read_means(release, "real", name=release.name, people=n, mechanism=mechanism)
    if any("=" in str(name) for name in made.names):
        made = read_means(release, "binary", name=release.name, people=n, mechanism=mechanism)
        _check_fractions(release, made.fractions)
    averaged = _averaged(made.names)
    people = traits_of(read_plain(targets), averaged, opening.id)
    order = {str(name): j for j, name in enumerate(people.names)}
    columns = np.array([order[str(name)] for name in made.names], np.intp)
    known: Reference | None = None
    if reference is not None:
        known = traits_of(read_plain(reference), averaged, opening.id).select(columns)
        if opening.id is None:  # rows have no names: equal numbers are not the same person
            known = replace(known, ids=np.char.add("reference ", known.ids))
    return TracingView(made, people.select(columns), known), ()


def _averaged(names: NDArray[np.str_]) -> list[Averaged]:
    """The columns behind attributes such as ``smokes=yes``; without ``=`` a column of numbers."""
    levels: dict[str, list[str]] = {}
    for name in names:
        column, sign, level = str(name).partition("=")
        levels.setdefault(column, []).extend([level] if sign else [])
    return [
        Averaged(column, ("", *values) if len(values) == 1 else tuple(values))
        for column, values in levels.items()
    ]


def _check_fractions(path: Path, means: Floats) -> None:
    outside = np.flatnonzero((means < -1) | (means > 2))
    if outside.size:
        raise InputError(
            str(path),
            "must hold shares between 0 and 1, a little more where noise was added",
            f"{means[outside[0]]:g}",
            "Divide percentages by 100.",
        )


def _refuse_overlap(view: TracingView) -> None:
    """A pool that contains the targets would compare them with themselves."""
    targets, pool = view.targets, view.reference
    if pool is None or isinstance(pool, ReferenceMeans | KnownMeans):
        return
    if targets.kind == "genotype" and isinstance(targets, CodedTraits) and isinstance(pool, CodedTraits):
        same = len(find_overlap(targets, pool, rng=stream(1, "overlap")).same_genotypes)
        found = f"{same:,} pairs of target and reference with the same genotypes"
    else:
        same = int(find_duplicates(targets, pool, rng=stream(1, "overlap")).sum())
        found = f"{same:,} people with exactly the record of a target"
        # different people may well give the same answers, where nearly everybody gives them
        same *= targets.n * pool.n * _alike_by_chance(pool) < RARE
    if same:
        raise InputError(
            "reference",
            "must not hold a target",
            found,
            "Take these people out of the reference: they would be compared with themselves.",
        )


def _alike_by_chance(people: Traits) -> float:
    """How likely two people have the same record, if attributes are independent; 0 for real values."""
    if not isinstance(people, CodedTraits):
        return 0.0
    share = _fractions_of(people)
    return float(np.prod(share**2 + (1 - share) ** 2))
