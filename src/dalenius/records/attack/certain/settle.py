"""What must be in every data set that fits: propagation first, then piece by piece with all that it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from dalenius.errors import SolveError
from dalenius.progress import Progress, silent, within
from dalenius.records.attack.certain._kernels import first_ends
from dalenius.records.attack.certain.conflict import contradiction, refuse_totals, refuse_unbounded
from dalenius.records.attack.certain.fits import MOST_FITS, MOST_STEPS, all_fits
from dalenius.records.attack.certain.pieces import Piece, entries_of, propagate, row_limits, split
from dalenius.records.attack.certain.ranges import PROGRAMMED, tighten_by_programs
from dalenius.records.attack.certain.whole import NODES, WORK, another_fit, any_fit
from dalenius.records.attack.system import CellSystem
from dalenius.records.cells.cell import NO_LIMIT
from dalenius.records.cells.grid import Whole

ENDS = 4
"""Questions about ends of single records get this part of the work at a time."""


@dataclass(frozen=True)
class Effort:
    """How far each way of deciding goes before the next is tried, or the question stays open.

    ``fits`` and ``steps`` limit the data sets that are written down, ``nodes`` and ``questions`` the integer
    programs, ``work`` all questions about one piece together, ``rounds`` the linear programs that begin
    again, ``programmed`` all of them about one piece;
    up to ``others`` data sets are asked for one after the other. Pieces of ``asked_first`` records and more
    are asked whether one data set alone fits before anything else, those of more than ``most`` are asked
    nothing; people are searched for who fit pieces of ``searched`` records and more.
    """

    fits: int = MOST_FITS
    steps: int = MOST_STEPS
    nodes: int = NODES
    questions: int = 200
    work: int = 2 * WORK
    rounds: int = 20
    programmed: int = PROGRAMMED
    others: int = 12
    asked_first: int = 600
    most: int = 6_000
    searched: int = 100


@dataclass(frozen=True)
class SettledPiece:
    """A piece with what is known about it.

    ``points`` are data sets that fit, all of them where ``complete``; ``unique`` says whether there is one
    alone, ``None`` where that is open. ``decided`` says of each record whether its bounds are attained,
    Where a piece is ``wider`` its rows allow more than fits.
    """

    piece: Piece
    points: Whole
    complete: bool
    unique: bool | None
    low_decided: np.ndarray[tuple[int], np.dtype[np.bool_]]
    high_decided: np.ndarray[tuple[int], np.dtype[np.bool_]]
    wider: bool = False


@dataclass(frozen=True)
class RecordBounds:
    """At least ``lo`` and at most ``hi`` people have each record of a system, in every data set that fits.

    ``by_word`` is how many answers are a solver's word, not proven again in whole numbers.
    """

    system: CellSystem
    lo: Whole
    hi: Whole
    pieces: tuple[SettledPiece, ...]
    by_word: int = 0

    @property
    def certain(self) -> int:
        """How many people's whole records are known to exist."""
        return int(self.lo.sum())

    @property
    def data_sets(self) -> int | None:
        """How many data sets fit; ``None`` if that was not counted to the end."""
        if not all(each.complete for each in self.pieces):
            return None
        count = 1
        for each in self.pieces:
            count *= len(each.points)
        return count


def settle(system: CellSystem, effort: Effort | None = None, *, progress: Progress = silent) -> RecordBounds:
    """Find the least and the most of every record.

    Raises
    ------
    InputError
        If no data set fits, with the tables that contradict each other; or if some number of people
        is not limited by any table.

    Examples
    --------
    >>> from dalenius.records.attack.system import make_system
    >>> from dalenius.records.cells.cell import cell
    >>> from dalenius.records.cells.columns import RecordColumns
    >>> from dalenius.records.cells.grid import grids_of
    >>> columns = RecordColumns.of({"a": ["0", "1"], "b": ["0", "1"]})
    >>> counts = [("a", "0", 3), ("a", "1", 2), ("b", "0", 2), ("b", "1", 3)]
    >>> cells = [cell(columns, {name: [level]}, n, n, name) for name, level, n in counts]
    >>> found = settle(make_system(columns, grids_of(columns, cells)))
    >>> found.lo.tolist(), found.hi.tolist(), found.data_sets
    ([0, 1, 0, 0], [2, 3, 2, 2], 3)
    """
    effort = effort or Effort()
    begun = begin(system, effort)
    pieces, by_word = settle_pieces(begun, begun.pieces, effort, progress=progress)
    return begun.bounds(pieces, by_word)


@dataclass(frozen=True)
class BegunSystem:
    """A system after propagation: the ends of every record, which later work narrows, and what is open."""

    system: CellSystem
    lo: Whole
    hi: Whole
    pieces: tuple[Piece, ...]

    def bounds(self, settled: Sequence[SettledPiece], by_word: int) -> RecordBounds:
        """What is known once every piece is settled."""
        count = len(self.system.records)
        return RecordBounds(self.system, self.lo[:count], self.hi[:count], tuple(settled), by_word)


def begin(system: CellSystem, effort: Effort) -> BegunSystem:
    """Propagate over all rows, and cut what is left into pieces that share none."""
    refuse_totals(system)
    A = system.rows
    lo, hi = np.zeros(A.shape[1], np.int64), system.most(NO_LIMIT)
    first_ends(*entries_of(A), system.high, hi)
    refuse_unbounded(system, hi)
    if propagate(A, system.low, system.high, lo, hi) >= 0:
        raise contradiction(system, effort.nodes)
    return BegunSystem(system, lo, hi, tuple(split(A, system.low, system.high, lo, hi)))


def settle_pieces(
    begun: BegunSystem, pieces: Sequence[Piece], effort: Effort, *, progress: Progress = silent
) -> tuple[tuple[SettledPiece, ...], int]:
    """Settle some of the pieces; what follows for their records is written to the whole."""
    settling = _Settling(begun.system, effort, begun.lo, begun.hi)
    for at, piece in enumerate(pieces):
        settling.progress = within(progress, at / len(pieces), (at + 1) / len(pieces))
        settling.tell(0.0, "settling records")
        settling.rounds = settling.work = settling.programmed = 0
        settling.settle(piece)
    count = len(begun.system.records)
    found = [own for each in settling.done if (own := _of_people(each, count)) is not None]
    return tuple(found), settling.by_word


def unsettled(begun: BegunSystem, pieces: Sequence[Piece]) -> tuple[SettledPiece, ...]:
    """Pieces of which nothing is known but what propagation says: no data set, and no end is attained."""
    count = len(begun.system.records)
    found = []
    for piece in pieces:
        open_ = np.zeros(piece.size, np.bool_)
        none = np.zeros((0, piece.size), np.int64)
        own = _of_people(SettledPiece(piece, none, False, None, open_, open_.copy()), count)
        found += [] if own is None else [own]
    return tuple(found)


def _of_people(settled: SettledPiece, count: int) -> SettledPiece | None:
    """A piece without its choices: what they add to a row may then be anything that they could add."""
    piece = settled.piece
    own = piece.records < count
    if own.all():
        return settled
    if not own.any():
        return None
    least, most = row_limits(piece.A[:, ~own], piece.lo[~own], piece.hi[~own])
    narrow = Piece(
        piece.records[own],
        piece.rows,
        piece.A[:, own],
        piece.low - most,
        piece.high - least,
        piece.lo[own],
        piece.hi[own],
    )
    return replace(
        settled,
        piece=narrow,
        points=settled.points[:, own],
        low_decided=settled.low_decided[own],
        high_decided=settled.high_decided[own],
        wider=not settled.complete,
    )


@dataclass
class _Settling:
    """Pieces that are still to be settled, and the bounds of the whole that they write to."""

    system: CellSystem
    effort: Effort
    lo: Whole
    hi: Whole
    done: list[SettledPiece] = field(default_factory=list)
    rounds: int = 0
    work: int = 0
    programmed: int = 0
    by_word: int = 0
    progress: Progress = silent
    searched: Whole | None = None

    def tell(self, share: float, doing: str) -> None:
        """Say where the piece at hand stands."""
        self.progress(share, doing)

    def settle(self, piece: Piece, seen: Sequence[Whole] = ()) -> None:
        """Write down all data sets if they are few; else programs, propagation, and the parts that result."""
        points = all_fits(piece, self.effort.fits, self.effort.steps)
        if points is not None:
            if not len(points):
                raise contradiction(self.system, self.effort.nodes)
            self._complete(piece, points)
        elif piece.size > self.effort.most:
            self._keep(piece, np.zeros((0, piece.size), np.int64), complete=False, unique=None)
        else:
            known: list[Whole] | None = [point for point in seen if piece.fits(point)]
            if piece.size >= self.effort.asked_first and not known:
                known = self._asked(piece, [])
            if known is not None:
                self._programs(piece, known)

    def _searchable(self, piece: Piece) -> bool:
        """Whether people are searched for where a solver sees nothing at once."""
        most = 2 * piece.size >= len(self.system.records)
        return most and piece.size >= self.effort.searched and not (self.system.choices or self.system.sums)

    def _searched(self, piece: Piece) -> list[Whole]:
        """Data sets of a piece that is most of the system, by searches for people who fit all tables."""
        if not self._searchable(piece):
            return []
        if self.searched is None:
            from dalenius.records.attack.wide.fits import searched_fits

            self.tell(0.0, "searching people who fit")
            self.searched = searched_fits(self.system)
        return [point for point in self.searched[:, piece.records] if piece.fits(point)]

    def _programs(self, piece: Piece, known: list[Whole]) -> None:
        """Narrow bounds by linear programs; begin again if they moved, else ask what is left."""
        before = piece.lo.copy(), piece.hi.copy()
        try:
            seen, took = tighten_by_programs(piece, known, self.effort.programmed - self.programmed)
            self.programmed += took
        except SolveError:
            if any_fit(piece, nodes=self.effort.nodes).said == "no":
                raise contradiction(self.system, self.effort.nodes) from None
            seen = known
        if (piece.lo > piece.hi).any() or piece.tightened() >= 0:
            raise contradiction(self.system, self.effort.nodes)
        moved = (before[0] != piece.lo).any() or (before[1] != piece.hi).any()
        self.rounds += 1
        if moved and self.rounds <= self.effort.rounds and self.programmed < self.effort.programmed:
            self._again(piece, seen)
        else:
            self._ask(piece, seen)

    def _again(self, piece: Piece, seen: Sequence[Whole]) -> None:
        """Settle what is still open of a piece, in its parts; data sets seen are such of the parts, too."""
        self._write(piece)
        for part in split(piece.A, piece.low, piece.high, piece.lo, piece.hi):
            own = Piece(
                piece.records[part.records],
                piece.rows[part.rows],
                part.A,
                part.low,
                part.high,
                part.lo,
                part.hi,
            )
            self.settle(own, [point[part.records] for point in seen])

    def _asked(self, piece: Piece, seen: list[Whole]) -> list[Whole] | None:
        """Ask for a data set, and for others one by one where few are known; ``None`` once all are known."""
        points = [point for point in seen if piece.fits(point)] or self._first(piece)
        found = np.unique(np.array(points).reshape(-1, piece.size), axis=0)
        few = self.system.choices or len(seen) in (1, 2)  # corners that many programs found are many
        most = self.effort.others if few else 1
        while 0 < len(found) <= most and self.work < self.effort.work:
            self.tell(0.0, "asking whether another data set fits")
            other = another_fit(piece, found, 0 if self._searchable(piece) else self.effort.nodes)
            if other.said == "open" and self._searchable(piece):
                found = np.unique([*found, *self._searched(piece)], axis=0)
                if len(found) > most:
                    break
                other = another_fit(piece, found, self.effort.nodes)
            self.work += other.work
            if other.said == "no":
                self.by_word += not other.proven
                self._complete(piece, found)
                return None
            if other.point is None:
                break
            found = np.concatenate([found, other.point[None]])
        return list(found)

    def _first(self, piece: Piece) -> list[Whole]:
        """A data set that a solver sees at once, else those that are searched for, else by its branches."""
        self.tell(0.0, "asking for a data set")
        quick = self._searchable(piece)
        answer = any_fit(piece, nodes=0 if quick else self.effort.nodes)
        self.work += answer.work
        if answer.said == "open" and quick:
            if points := self._searched(piece):
                return points
            if self.work < self.effort.work:
                answer = any_fit(piece, nodes=self.effort.nodes)
                self.work += answer.work
        if answer.said == "no":
            raise contradiction(self.system, self.effort.nodes)
        return [] if answer.point is None else [answer.point]

    def _ask(self, piece: Piece, seen: list[Whole]) -> None:
        """Ask whether there is another data set, and for each record whether there can be fewer or more."""
        from dalenius.records.attack.certain.verify import AskedEnds, verify_ends

        known = self._asked(piece, seen)
        if known is None:
            return
        found = np.array([*known, *self._searched(piece)]).reshape(-1, piece.size)
        if not len(found):
            self._keep(piece, found, complete=False, unique=None)
            return
        unique = False if len(found) > 1 else None
        work = min(self.effort.work - self.work, self.effort.work // ENDS)
        allowed = AskedEnds(self.effort.questions, self.effort.nodes, work)
        verified = verify_ends(piece, found, allowed, lambda share: self.tell(share, "proving records"))
        self.by_word += verified.by_word
        self.work += verified.work
        if verified.moved:
            if piece.tightened() >= 0:
                raise contradiction(self.system, self.effort.nodes)
            self.rounds = 0
            self._again(piece, list(verified.points))
            return
        self._keep(piece, verified.points, complete=False, unique=unique)

    def _complete(self, piece: Piece, points: Whole) -> None:
        """Keep a piece of which all data sets are known."""
        piece.lo[:], piece.hi[:] = points.min(axis=0), points.max(axis=0)
        self._keep(piece, points, complete=True, unique=len(points) == 1)

    def _keep(self, piece: Piece, points: Whole, *, complete: bool, unique: bool | None) -> None:
        self._write(piece)
        least = points.min(axis=0) if len(points) else np.full(piece.size, NO_LIMIT)
        most = points.max(axis=0) if len(points) else np.full(piece.size, -1)
        self.done.append(SettledPiece(piece, points, complete, unique, least == piece.lo, most == piece.hi))

    def _write(self, piece: Piece) -> None:
        self.lo[piece.records], self.hi[piece.records] = piece.lo, piece.hi
