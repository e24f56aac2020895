"""Open what somebody who traces people holds: published means, targets and a reference, brought in line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.genomes.associations.read import read_groups, read_population
from dalenius.genomes.associations.sizes import EVERYBODY, StudySizes
from dalenius.genomes.duplicates import find_overlap
from dalenius.genomes.frequencies import Frequencies
from dalenius.genomes.match import check_alike, check_counted
from dalenius.genomes.orient import orient
from dalenius.genomes.read import holds_genotypes
from dalenius.genomes.variants import Genotypes
from dalenius.knowledge.tracing import KnownMeans, Reference, ReferenceMeans, TracingView
from dalenius.matrices.answers import Vector
from dalenius.people.files.read_file import Source
from dalenius.people.opening import is_address, open_sheet, place_name
from dalenius.people.traits.averaged import Averaged, traits_of
from dalenius.people.traits.traits import CodedTraits, Traits, sums
from dalenius.random import stream
from dalenius.release.means import from_fractions, to_fractions
from dalenius.release.means_files import means_of_frequencies, read_means
from dalenius.tracing.files.opening import Opening, known_fractions, say_related
from dalenius.tracing.referee.deal import find_duplicates

RARE = 1e-6
"""Pairs of people with the same answers that are to be expected by chance, above which they are let be."""


def open_view(
    release: Path,
    targets: Source,
    reference: Source | None,
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
        Genotypes; or a file, frame or table of a database, see `dalenius.people.opening.open_sheet`.
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
        If nothing matches, the frequencies are of the other alleles, the reference holds a target, or the
        release is of cases and controls: `open_views` opens those.
    """
    said = StudySizes(people=n)
    views, notes = open_views(release, targets, reference, opening, said, mechanism=mechanism, known=known)
    if len(views) > 1:
        raise InputError(
            str(release), "must be of one group of people", " and ".join(views), "Use open_views."
        )
    return next(iter(views.values())), notes


def open_views(
    release: Path,
    targets: Source,
    reference: Source | None,
    opening: Opening,
    said: StudySizes,
    *,
    mechanism: str = "unknown",
    known: bool = False,
) -> tuple[dict[str, TracingView], tuple[str, ...]]:
    """Open the same where the release may be summary statistics: one view of each group it is of.

    ``said`` is what is known about the study beside its file; the other parameters are those of `open_view`.
    """
    if known and (reference is None or not holds_genotypes(targets) or holds_genotypes(reference)):
        raise InputError(
            "--reference-is-population",
            "must come with a reference that is a file of allele frequencies",
            "nothing" if reference is None else place_name(reference),
            "People are a sample of their population: leave the word out.",
        )
    if holds_genotypes(targets):
        if is_address(reference) and not holds_genotypes(reference):
            raise InputError(
                "reference", "must be a file of genotypes or frequencies, as the targets are genotypes",
                place_name(reference),
            )  # fmt: skip
        views, notes = _genotype_views(release, targets, reference, opening, said, mechanism, known)
    else:
        if said.cases is not None or said.controls is not None:
            raise InputError(
                "--cases and --controls", "must come with targets that are genotypes", place_name(targets)
            )
        view, notes = _table_view(release, targets, reference, opening, said.people, mechanism)
        views = {EVERYBODY: view}
    _refuse_overlap(next(iter(views.values())))
    if known:
        views = {group: _as_population(view) for group, view in views.items()}
    return views, notes


def _as_population(view: TracingView) -> TracingView:
    if not isinstance(view.reference, ReferenceMeans):
        return view
    return replace(view, reference=KnownMeans(view.reference.means))


def _genotype_views(
    release: Path,
    targets: Source,
    reference: Source | None,
    opening: Opening,
    said: StudySizes,
    mechanism: str,
    population: bool,
) -> tuple[dict[str, TracingView], tuple[str, ...]]:
    noisy = mechanism not in ("unknown", "exact")
    groups, people = read_groups(release, said, noisy=noisy), opening.genotypes(targets)
    first = next(iter(groups.values()))  # every group has the same variants
    found = opening.match(first.variants, people.variants, release, targets)
    notes = [*first.notes, *people.notes, f"Release and targets: {found.report}"]
    named = (first.variants.counted[found.first] != "") & (people.variants.counted[found.second] != "")
    groups = {name: each.take(found.first) for name, each in groups.items()}
    people = people.select(found.second, found.flip)
    held: Genotypes | Frequencies | None = None
    if reference is not None:
        held = (
            opening.genotypes(reference) if holds_genotypes(reference) else read_population(Path(reference))
        )
        matched = opening.match(first.take(found.first).variants, held.variants, release, reference)
        notes += [*held.notes, f"Release and reference: {matched.report}"]
        groups = {name: each.take(matched.first) for name, each in groups.items()}
        people = people.select(matched.first)
        named = named[matched.first] & (held.variants.counted[matched.second] != "")
        if isinstance(held, Genotypes):
            held = held.select(matched.second, matched.flip)
        else:
            if population:
                _refuse_sample(Path(reference), held)
            held = held.take(matched.second, matched.flip)
        groups, people, held, told = _oriented(release, groups, people, held, named)
        notes += told
    first = next(iter(groups.values()))
    traits = replace(people.traits, names=first.variants.ids)
    known = _reference(held, traits)
    if isinstance(known, CodedTraits):
        notes += say_related(traits, known, people.variants)
    size = said.people if len(groups) == 1 else None
    views = {}
    for name, each in groups.items():
        called = release.name if len(groups) == 1 else f"{release.name}, {name}"
        made = means_of_frequencies(each, name=called, people=size, mechanism=mechanism)
        views[name] = TracingView(made, traits, known)
    return views, tuple(notes)


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
    groups: Mapping[str, Frequencies],
    people: Genotypes,
    held: Genotypes | Frequencies,
    named: NDArray[np.bool_],
) -> tuple[dict[str, Frequencies], Genotypes, Genotypes | Frequencies, tuple[str, ...]]:
    """Turn frequencies that are of the other allele, and drop variants that fit none, by the reference.

    Where a release is of several groups, they count the same alleles: those of the largest decide.
    """
    theirs = held.frequency if isinstance(held, Frequencies) else known_fractions(held.traits)
    largest = max(groups.values(), key=_alleles)
    if named.all():
        check_counted(str(release), largest.frequency, theirs)
    if len(groups) > 1:
        check_alike(str(release), largest.frequency, theirs)
    found = orient(largest.frequency, theirs, named)
    kept = np.flatnonzero(found.keep)
    if not kept.size:
        raise InputError(
            str(release), "must have variants that fit the reference", "none", "Check that alleles are named."
        )
    turned = {
        name: replace(each, frequency=np.where(found.turn, 1 - each.frequency, each.frequency)).take(kept)
        for name, each in groups.items()
    }
    held = held.take(kept) if isinstance(held, Frequencies) else held.select(kept)
    return turned, people.select(kept), held, found.notes


def _alleles(frequencies: Frequencies) -> int:
    seen = frequencies.observations
    return 0 if seen is None else int(seen.max(initial=0))


def _reference(held: Genotypes | Frequencies | None, targets: CodedTraits) -> Reference | None:
    if held is None:
        return None
    if isinstance(held, Genotypes):
        return replace(held.traits, names=targets.names)
    return ReferenceMeans(from_fractions(held.frequency), _people(held))


def _people(frequencies: Frequencies) -> int | None:
    """Of how many people frequencies are, where the file counts alleles: two per person."""
    seen = frequencies.observations
    return None if seen is None or not seen.size else int(np.median(seen)) // 2 or None


def _table_view(
    release: Path,
    targets: Source,
    reference: Source | None,
    opening: Opening,
    n: int | None,
    mechanism: str,
) -> tuple[TracingView, tuple[str, ...]]:
    made = read_means(release, "real", name=release.name, people=n, mechanism=mechanism)
    if any("=" in str(name) for name in made.names):
        made = read_means(release, "binary", name=release.name, people=n, mechanism=mechanism)
        _check_fractions(release, made.fractions)
    averaged = _averaged(made.names)
    people = _attributes(targets, averaged, opening.id)
    order = {str(name): j for j, name in enumerate(people.names)}
    columns = np.array([order[str(name)] for name in made.names], np.intp)
    known: Reference | None = None
    if reference is not None:
        known = _attributes(reference, averaged, opening.id).select(columns)
        if opening.id is None:  # rows have no names: equal numbers are not the same person
            known = replace(known, ids=np.char.add("reference ", known.ids))
    return TracingView(made, people.select(columns), known), ()


def _attributes(source: Source, averaged: list[Averaged], id: str | None) -> Traits:
    """People with the release's attributes; what they lack is said by number: it may be somebody's name."""
    sheet = open_sheet(source, id=id)
    lacking = [number for number, each in enumerate(averaged, 1) if each.column not in sheet]
    if lacking:
        raise InputError(
            sheet.name,
            "must have a column for every attribute of the release",
            f"none for {len(lacking):,} of {len(averaged):,}, the first of them number {lacking[0]:,}",
            "An attribute is called as its column, or column=value.",
        )
    return traits_of(sheet, averaged, id)


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


def _check_fractions(path: Path, means: Vector) -> None:
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
    total, seen = sums(people)
    share = to_fractions(total / np.maximum(seen, 1))
    return float(np.prod(share**2 + (1 - share) ** 2))
