"""Open members, references and others for an audit by the publisher: files brought in line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from dalenius.errors import InputError
from dalenius.genomes.orient import orient
from dalenius.genomes.read import holds_genotypes
from dalenius.genomes.variants import Genotypes
from dalenius.people.files.read_file import Source
from dalenius.people.opening import open_sheet, place_name
from dalenius.people.sealed import SealedTraits
from dalenius.people.traits.averaged import find_averaged, is_constant, moved_by_one, traits_of
from dalenius.people.traits.traits import CodedTraits, Traits
from dalenius.random import stream
from dalenius.tracing.files.opening import Opening, known_fractions

APART = 4
"""One in so many people is kept out of a release, where no others are given."""

FEWEST_ORIENTED = 20
"""People whose frequencies tell which allele is counted."""


@dataclass(frozen=True)
class TraitGroups:
    """Members, reference people and others with the same attributes, and what matching them left out.

    ``moved`` is how many of the means one person can move; None for all.
    """

    members: Traits | SealedTraits
    reference: Traits
    others: Mapping[str, Traits] = field(default_factory=dict)
    moved: int | None = None
    notes: tuple[str, ...] = ()


def open_groups(
    members: Source, reference: Source, opening: Opening, *, others: Mapping[str, Source] | None = None
) -> TraitGroups:
    """Open the members of a release, a reference and further people, for an audit by the publisher.

    Parameters
    ----------
    members, reference, others
        Files of genotypes; or files, frames or tables of databases, see `dalenius.people.opening.open_sheet`.
    opening
        How to open and match them.

    Raises
    ------
    InputError
        If files are of different kinds, or have no attribute in common.
    """
    files = {"reference": reference, **(others or {})}
    strange = [path for path in files.values() if holds_genotypes(path) != holds_genotypes(members)]
    if strange:
        raise InputError(
            "files of people", "must all be genotypes or all be tables", _several(members, strange[0])
        )
    if holds_genotypes(members):
        return _genotypes(members, files, opening)
    return _tables(members, files, opening)


def open_beacon(
    members: Source,
    reference: Source | None,
    opening: Opening,
    *,
    others: Mapping[str, Source] | None = None,
    seed: int = 1,
) -> TraitGroups:
    """Open the people of a beacon and others; without a reference some people are kept out of it.

    Raises
    ------
    InputError
        If a file is not one of genotypes, files have no variant in common, or there are too few people.
    """
    for source in (members, *([] if reference is None else [reference]), *(others or {}).values()):
        if not holds_genotypes(source):
            raise InputError(place_name(source), "must be a file of genotypes", "another")
    if reference is not None:
        return open_groups(members, reference, opening, others=others)
    if others:
        raise InputError("--group", "must come with --reference", "none")
    people = opening.genotypes(members)
    groups = set_apart(people.traits, seed)
    return replace(groups, notes=(*people.notes, *groups.notes))


def set_apart(people: CodedTraits, seed: int) -> TraitGroups:
    """Keep some people out of a release, to be those who are not in it."""
    order = stream(seed, "apart").permutation(people.n)
    count = max(people.n // APART, FEWEST_ORIENTED)
    if people.n - count < FEWEST_ORIENTED:
        raise InputError(
            "members",
            f"must be at least {2 * FEWEST_ORIENTED} where no reference is given",
            f"{people.n:,}",
            "Give --reference: other people of the same population.",
        )
    note = f"{count:,} of {people.n:,} people were kept out of the beacon, to be those who are not in it."
    return TraitGroups(people.take(order[count:]), people.take(order[:count]), notes=(note,))


def _several(*sources: Source) -> str:
    return ", ".join(map(place_name, sources))


def _genotypes(members: Source, files: Mapping[str, Source], opening: Opening) -> TraitGroups:
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
    return TraitGroups(people, pool, lined, None, (*notes, *told))


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
        found = orient(known_fractions(theirs), known_fractions(ours.traits), named)
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


def _tables(members: Source, files: Mapping[str, Source], opening: Opening) -> TraitGroups:
    ours = open_sheet(members, id=opening.id)
    tables = {name: open_sheet(source, id=opening.id) for name, source in files.items()}
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
    return TraitGroups(traits_of(ours, averaged, opening.id), pool, lined, moved_by_one(averaged), notes)


def _left_out(which: str, columns: Sequence[str]) -> tuple[str, ...]:
    if not columns:
        return ()
    more = f" and {len(columns) - 10:,} more" if len(columns) > 10 else ""
    return (f"Columns {which} were left out: {', '.join(columns[:10])}{more}.",)
