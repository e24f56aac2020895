"""Passes over packed values in blocks of attributes, which processes or a cluster may share.

How attributes are cut depends on sizes alone, and so does the order in which sums of blocks are added: the
bits are the same whoever does them. A block travels as where its rows are and the numbers that are looked up:
values stay in the files, and names of people and attributes stay here. Few people are scored here, on all
cores: to send the numbers would take as long as to use them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from dalenius.people.traits.packed_files import PackedFiles
from dalenius.people.traits.scores import STRIP, Stored, count, look_up
from dalenius.spread.blocks import fold_blocks
from dalenius.spread.digest import digest_of
from dalenius.spread.parts import Arrays, current_parts
from dalenius.spread.places import current_workers, is_shared, spread_out
from dalenius.spread.tree import SumOfTree

Tables = Callable[[slice], NDArray[Any]]
"""What codes add to each sum, ``(sums, width, 4)``, for some attributes."""

LOOKUPS = 6_000_000_000
"""Lookups of a block: about a second of a core."""

WIDEST = 32 * STRIP
"""Attributes of a block at most: their numbers are made at once."""

MOST_BLOCKS = 256
"""Blocks of a pass, about: each result is one number per person and sum."""

FEW = 4096
"""People from which sending four numbers an attribute costs less than a twentieth of looking them up."""

SHARED = 20_000_000_000
"""Lookups of a pass from which it is shared: some seconds of a core."""

LONG = 1_000_000_000_000
"""Lookups of a pass from which its blocks are kept until all is done: some minutes of a core."""

COUNTED = 10
"""How many values are counted in the time of one lookup."""


@dataclass(frozen=True)
class StripRows:
    """Attributes of one block: the first row and how many, or each of them; and which are turned."""

    first: int
    size: int
    each: NDArray[np.int64] | None
    flip: NDArray[np.bool_] | None

    @staticmethod
    def of(stored: Stored, part: slice) -> StripRows:
        """Write down a part of the attributes."""
        rows, flip = stored.rows[part], stored.flip[part]
        first = int(rows[0]) if rows.size else 0
        follow = np.array_equal(rows, np.arange(first, first + rows.size))
        return StripRows(first, rows.size, None if follow else rows, flip if flip.any() else None)

    def stored(self, packed: Any, people: NDArray[np.int64]) -> Stored:
        """Where their values lie."""
        rows = np.arange(self.first, self.first + self.size) if self.each is None else self.each
        return Stored(packed, people, rows, np.zeros(self.size, np.bool_) if self.flip is None else self.flip)


@dataclass(frozen=True)
class ScoreBlock:
    """All that travels of one block.

    Parameters
    ----------
    files
        Where the values are.
    people
        Positions of people in a row; of the first so many of them their number.
    rows
        Its attributes.
    tables
        What codes add; ``None`` if people are counted.
    """

    files: PackedFiles
    people: int | NDArray[np.int64]
    rows: StripRows
    tables: NDArray[Any] | None

    @property
    def nbytes(self) -> int:
        """How much of it travels, about: large blocks are sent otherwise than small ones."""
        return 0 if self.tables is None else self.tables.nbytes


def do_block(block: ScoreBlock) -> Arrays:
    """Add up one block, or count it; in one thread, as others do other blocks."""
    people = np.arange(block.people) if isinstance(block.people, int) else block.people
    stored = block.rows.stored(block.files, people)
    if block.tables is None:
        return {"counts": count(stored, threads=1)}
    return {"sums": look_up(stored, block.tables, threads=1)}


@dataclass(frozen=True)
class _Blocks(Sequence[ScoreBlock]):
    """Blocks whose numbers are made when they are asked for, so that few are held at a time."""

    stored: Stored
    parts: Sequence[slice]
    tables: Tables | None

    def __len__(self) -> int:
        return len(self.parts)

    @overload
    def __getitem__(self, at: int) -> ScoreBlock: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[ScoreBlock]: ...
    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return _Blocks(self.stored, self.parts[at], self.tables)
        part = self.parts[at]
        # in one piece, which is sent as it lies; a part of something larger is copied at every stop
        tables = None if self.tables is None else np.ascontiguousarray(self.tables(part))
        return ScoreBlock(self.files, self.people, StripRows.of(self.stored, part), tables)

    @property
    def files(self) -> PackedFiles:
        """Where the values are: only those in files are shared."""
        assert isinstance(self.stored.packed, PackedFiles)  # noqa: S101
        return self.stored.packed

    @cached_property
    def people(self) -> int | NDArray[np.int64]:
        """Positions of people, or how many of the first."""
        own = self.stored.people
        return own.size if np.array_equal(own, np.arange(own.size)) else own


def add_up(stored: Stored, tables: Tables, sums: int) -> NDArray[np.float64]:
    """Add up what tables say about each person's codes: ``(people, sums)``.

    Parameters
    ----------
    stored
        The values.
    tables
        Gives what codes add, for some attributes.
    sums
        How many sums there are.
    """
    people, attributes = stored.people.size, stored.rows.size
    parts = list(cut(attributes, people * sums))
    if not parts:
        return np.zeros((people, sums))
    lookups = people * attributes * sums
    if not _is_worth_it(stored, lookups):
        return _here(stored, parts, tables)
    blocks = _Blocks(stored, parts, tables)
    work = _name(blocks) if current_parts() is not None and lookups >= LONG else None
    return fold_blocks(do_block, add_sums, blocks, work=work)["sums"]


def _here(stored: Stored, parts: Sequence[slice], tables: Tables) -> NDArray[np.float64]:
    """Add up on all cores of this process, in the order in which others would."""
    total = SumOfTree[NDArray[np.float64]](np.add)
    for part in parts:
        total.take(look_up(StripRows.of(stored, part).stored(stored.packed, stored.people), tables(part)))
    return total.whole()


def add_sums(some: Arrays, more: Arrays) -> Arrays:
    """The sums of two runs of blocks."""
    return {"sums": some["sums"] + more["sums"]}


def cut(attributes: int, each: int) -> Iterator[slice]:
    """Cut attributes into blocks of about a second, where each of them takes so many lookups.

    Examples
    --------
    >>> [part.stop - part.start for part in cut(10_000, 2_000_000)]
    [4096, 4096, 1808]
    """
    width = max(LOOKUPS // max(each, 1), attributes // MOST_BLOCKS)
    width = min(max(width // STRIP, 1) * STRIP, WIDEST)
    for start in range(0, attributes, width):
        yield slice(start, min(start + width, attributes))


def _is_worth_it(stored: Stored, lookups: int) -> bool:
    """Whether others share a pass, or its blocks are kept."""
    if not isinstance(stored.packed, PackedFiles):
        return False
    kept = current_parts() is not None and lookups >= LONG
    return kept or (is_shared() and stored.people.size >= FEW and lookups >= SHARED)


def _name(blocks: _Blocks) -> str:
    """The same only for the same files, people and numbers."""
    files = tuple((part.address, part.rows, part.width) for part in blocks.files.parts)
    found = digest_of(str(files), blocks.stored.people, blocks.stored.rows, blocks.stored.flip)
    for block in blocks:
        found = digest_of(found, block.tables)
    return f"scores-{found[:16]}"


def count_all(stored: Stored) -> NDArray[np.int64]:
    """Count people by code: one row per attribute, one column per code."""
    people, attributes = stored.people.size, stored.rows.size
    if not _is_worth_it(stored, people * attributes // COUNTED):
        return count(stored)
    blocks = _Blocks(stored, list(cut(attributes, max(people // COUNTED, 1))), None)
    with closing(spread_out(do_block, blocks, workers=current_workers())) as results:
        return np.concatenate([each["counts"] for each in results])
