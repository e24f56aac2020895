"""Cut a view by a public column into bundles of blocks that share no number of the release.

A table that is counted by the column has a part for each block, and says nothing about anybody elsewhere. A
table that is not counted by it adds up over all blocks and joins them: where people are few all is one
bundle, else it is left out, and whoever reads the findings is told. Where counts are exact, what is a sum of
published ones says nothing new. How blocks are gathered depends on their sizes alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.knowledge.view import Knowledge, View
from dalenius.people.schema import CodedColumns, Column, Roster
from dalenius.release.release import Block, Release
from dalenius.statistics.tables import Tables

BUNDLE = 2_000
"""People of a bundle, about: a second or two under noise or rounding, and what a kill can cost."""

JOINED = 10_000
"""People up to whom tables that join blocks are attacked together with all of them."""

Index = NDArray[np.intp]


@dataclass(frozen=True)
class Bundles(Sequence[tuple[int, View]]):
    """The bundles of a view, each made when it is asked for, with its number; nobody in it has a name.

    Parameters
    ----------
    view, column
        What is cut, and by which public column.
    order, starts
        Everybody by bundle, and where each bundle begins in that order; the end stands last.
    places
        The code that each statistic of the release gives to every block.
    joining
        Whether there is one bundle, because tables join all blocks.
    """

    view: View
    column: Column
    order: Index
    starts: Index
    places: Sequence[Index]
    joining: bool

    def __len__(self) -> int:
        return self.starts.size - 1

    def people(self, number: int) -> Index:
        """Where the people of a bundle stand on the roster."""
        return self.order[self.starts[number] : self.starts[number + 1]]

    def __getitem__(self, number: int) -> tuple[int, View]:  # type: ignore[override]
        if not 0 <= number < len(self):
            raise IndexError(number)
        if self.joining:
            return number, self.view
        whole, which = self.view.knowledge, self.people(number)
        roster = whole.roster
        at = roster.attributes.position(self.column.name)
        own, codes = np.unique(roster.attributes.codes[which, at], return_inverse=True)
        column = replace(self.column, levels=tuple(self.column.levels[code] for code in own))
        table = roster.attributes.codes[which].copy()
        table[:, at] = codes
        columns = (*roster.attributes.columns[:at], column, *roster.attributes.columns[at + 1 :])
        numbers = {name: values[which] for name, values in roster.numbers.items()}
        some = Roster("row", np.arange(which.size).astype(np.str_), CodedColumns(columns, table), numbers)
        prior = None if whole.prior is None else whole.prior[which]
        return number, View(_part(self.view.release, column, own, self.places), Knowledge(some, prior))


def cut_view(view: View, split: str) -> Bundles:
    """Cut a view by a column of its roster.

    Raises
    ------
    InputError
        If a statistic is no table, or a block is not in the release.
    """
    attributes = view.knowledge.roster.attributes
    at = attributes.position(split)
    blocks = attributes.codes[:, at]
    order = np.argsort(blocks, kind="stable")
    check_splittable(view.release)
    joining = bool(joining_tables(view.release, split)) and order.size <= JOINED
    sizes = np.bincount(blocks, minlength=len(attributes.columns[at].levels))
    starts = np.array([0, order.size]) if joining else _starts(sizes[sizes > 0])
    places = _places(view.release, attributes.columns[at])
    absent = sum(int((own[sizes > 0] < 0).sum()) for own in places)
    if absent:
        fix = "Spell blocks as the release does."
        raise InputError(
            f"column {split!r}", "must have only blocks of the release", f"{absent:,} others", fix
        )
    return Bundles(view, attributes.columns[at], order, starts, places, joining)


def _starts(sizes: Index) -> Index:
    """Where bundles of whole blocks begin; a block that is larger than a bundle is one for itself.

    Examples
    --------
    >>> _starts(np.array([1500, 400, 300, 5000, 10]))
    array([   0, 1900, 2200, 7200, 7210])
    """
    starts, people = [0], 0
    for size in sizes:
        if people and people + size > BUNDLE:
            starts.append(starts[-1] + people)
            people = 0
        people += int(size)
    return np.array([*starts, starts[-1] + people], np.intp)


def check_splittable(release: Release) -> None:
    """Refuse a release that is not made of tables: other questions are about people of several blocks."""
    for block in release.blocks:
        if not isinstance(block.statistic, Tables):
            raise InputError(
                f"release {release.name!r}",
                "must be made of tables, which can be attacked block by block",
                f"{block.statistic.kind}",
                "Leave schema.split out, or audit that release in a plan of its own.",
            )


def joining_tables(release: Release, split: str) -> tuple[str, ...]:
    """Name the tables that are not counted by a column, and say something that those counted by it do not.

    Examples
    --------
    >>> from dalenius.people.schema import Kind, Role
    >>> columns = tuple(Column(c, Role.PUBLIC, Kind.BINARY, ("0", "1")) for c in ("block", "sex", "age"))
    >>> asked = Tables(columns, (("block", "sex"), ("sex",), ("age", "sex"), ()))
    >>> secret = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))
    >>> made = Release("r", secret, (Block(asked, ("no", "yes"), np.zeros((11, 2))),), "exact")
    >>> joining_tables(made, "block")
    ('age*sex',)
    """
    exact = [
        {*names}
        for block in release.blocks
        for names in _sets(block)
        if split in names and release.mechanism_of(block) == "exact" and not np.isnan(block.answers).any()
    ]
    return tuple(
        "*".join(names) or "everybody"
        for block in release.blocks
        for names in _sets(block)
        if split not in names and not any({*names} < published for published in exact)
    )


def _sets(block: Block) -> tuple[tuple[str, ...], ...]:
    return block.statistic.sets if isinstance(block.statistic, Tables) else ()


def _part(release: Release, column: Column, own: Index, places: Sequence[Index]) -> Release:
    """What a release says about some blocks: of each table the cells of these, and no table without them."""
    parts = [_part_of(block, column, at[own]) for block, at in zip(release.blocks, places, strict=True)]
    return replace(release, blocks=tuple(part for part in parts if part is not None))


def _part_of(block: Block, column: Column, own: Index) -> Block | None:
    asked = block.statistic
    if not isinstance(asked, Tables):
        raise TypeError("only tables are cut")
    sets = tuple(names for names in asked.sets if column.name in names)
    if not sets:
        return None
    rows = np.concatenate([*_rows(asked, column.name, own)])
    used = {name for names in sets for name in names}
    columns = tuple(column if c.name == column.name else c for c in asked.columns if c.name in used)

    def own_of(values: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
        return None if values is None else values[rows]

    return replace(
        block,
        statistic=Tables(columns, sets),
        answers=block.answers[rows],
        low=own_of(block.low),
        high=own_of(block.high),
        least=own_of(block.least),
        most=own_of(block.most),
    )


def _rows(asked: Tables, split: str, own: Index) -> Iterator[Index]:
    """The rows of each table that are about some blocks, in the order in which a table of them has them.

    Examples
    --------
    >>> from dalenius.people.schema import Kind, Role
    >>> size = {"block": 3, "sex": 2}
    >>> columns = tuple(Column(c, Role.PUBLIC, Kind.CATEGORICAL, tuple("abc"[:n])) for c, n in size.items())
    >>> asked = Tables(columns, (("sex",), ("sex", "block")))
    >>> [rows.tolist() for rows in _rows(asked, "block", np.array([0, 2]))]
    [[2, 4, 5, 7]]
    """
    start = 0
    for names, shape in zip(asked.sets, asked.shapes, strict=True):
        if split in names:
            rows = np.zeros((), np.intp)
            for name, levels in zip(names, shape, strict=True):
                rows = rows[..., None] * levels + (own if name == split else np.arange(levels))
            yield start + rows.ravel()
        start += math.prod(shape)


def _places(release: Release, column: Column) -> list[Index]:
    """For each statistic of a release, the code it gives to every block; -1 for one it does not have."""
    found = []
    for block in release.blocks:
        theirs = next((c for c in getattr(block.statistic, "columns", ()) if c.name == column.name), column)
        if theirs.levels == column.levels:
            found.append(np.arange(len(column.levels)))
            continue
        code = {level: at for at, level in enumerate(theirs.levels)}
        found.append(np.array([code.get(level, -1) for level in column.levels], np.intp))
    return found
