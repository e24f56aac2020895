"""Several releases about the same people, or about lists that overlap, as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dalenius.errors import InputError, UnsupportedError
from dalenius.people.schema import CodedColumns, Column, Roster
from dalenius.release.release import Block, Release
from dalenius.statistics.statistic import Among, Counting


@dataclass(frozen=True)
class DatedRelease:
    """One release, the people who were counted in it, and what stands before the names of its questions.

    ``date`` tells releases apart that are of different times; it is compared, never understood.
    """

    name: str
    release: Release
    people: Roster
    prefix: str
    date: str = ""


def join(sources: Sequence[DatedRelease], *, unchanged: bool = False) -> tuple[Release, Roster]:
    """Put releases together: each keeps its mechanism and its people.

    Between releases of different dates somebody's secret may have changed, so what is asked about is the
    secret as it was in the last of them. What the others count is near it, and nobody knows how near: they
    are read as numbers with an unknown error, from which nothing follows for certain.

    Parameters
    ----------
    sources
        The releases, the last one last.
    unchanged
        Whether nobody's secret has changed between them, such as a trait that people are born with.

    Returns
    -------
    Release
        All blocks, each with what was done to it and asked among its own people.
    Roster
        Everybody who is on any of the lists.

    Raises
    ------
    InputError
        If the releases do not count the same secret.
    """
    first = sources[0].release.secret
    for source in sources[1:]:
        if set(source.release.secret.levels) != set(first.levels):
            raise InputError(
                f"{source.name}: secret",
                f"must have the {len(first.levels)} values of {sources[0].name}",
                "others",
                "Releases are attacked together only about one secret, spelled alike.",
                value=", ".join(source.release.secret.levels),
                hint=f"{sources[0].name} has {', '.join(first.levels)}.",
            )
    everybody = union([source.people for source in sources])
    last = sources[-1].date
    blocks = tuple(
        block
        for source in sources
        for block in _blocks(source, everybody, sure=unchanged or source.date == last)
    )
    release = Release(" + ".join(source.name for source in sources), first, blocks)
    return replace(release, mechanism=release.said), everybody


def dates_of(sources: Sequence[DatedRelease]) -> tuple[str, ...]:
    """The dates that occur, each once, in their order."""
    return tuple(dict.fromkeys(source.date for source in sources))


def _blocks(source: DatedRelease, everybody: Roster, *, sure: bool) -> list[Block]:
    blocks = []
    for block in source.release.blocks:
        statistic = block.statistic
        if isinstance(statistic, Counting):
            statistic = Among(statistic, source.people, source.prefix)
        elif not np.array_equal(source.people.ids, everybody.ids):
            raise UnsupportedError(
                f"{source.name}: {statistic.kind} about some of the people is not supported"
            )
        if sure:
            mechanism = source.release.mechanism_of(block)
            blocks.append(replace(block, statistic=statistic, mechanism=mechanism))
        elif (older := block.of_another_time()) is not None:
            blocks.append(replace(older, statistic=statistic))
    return blocks


def union(rosters: Sequence[Roster]) -> Roster:
    """List everybody once, with the columns that all lists have; a person's first list counts.

    Examples
    --------
    >>> lists = [Roster.of_names("id", np.array(names)) for names in (["a", "b"], ["b", "c"])]
    >>> union(lists).ids.tolist()
    ['a', 'b', 'c']
    """
    first = rosters[0]
    if all(np.array_equal(first.ids, other.ids) for other in rosters[1:]):
        return first
    names = [
        column.name
        for column in first.attributes.columns
        if all(column.name in {c.name for c in other.attributes.columns} for other in rosters)
    ]
    columns = [_merge([r.attributes.columns[r.attributes.position(name)] for r in rosters]) for name in names]
    ids: list[str] = []
    codes: list[np.ndarray] = []
    seen: set[str] = set()
    for roster in rosters:
        theirs = roster.attributes.select(tuple(names))
        new = np.array([j for j, person in enumerate(roster.ids) if person not in seen], np.intp)
        ids += roster.ids[new].tolist()
        seen.update(roster.ids[new].tolist())
        codes.append(_recoded(theirs, columns)[new])
    return Roster(first.id_name, np.array(ids), CodedColumns(tuple(columns), np.concatenate(codes)))


def _merge(columns: list[Column]) -> Column:
    levels = tuple(dict.fromkeys(level for column in columns for level in column.levels))
    return replace(columns[0], levels=levels)


def _recoded(theirs: CodedColumns, columns: list[Column]) -> np.ndarray:
    codes = np.zeros_like(theirs.codes)
    for j, column in enumerate(columns):
        place = {level: code for code, level in enumerate(column.levels)}
        codes[:, j] = np.array([place[level] for level in theirs.columns[j].levels], np.int32)[
            theirs.codes[:, j]
        ]
    return codes
