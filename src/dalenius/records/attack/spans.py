"""The attack in spans of pieces: a piece shares no row with another, so each span is attacked for itself.

How pieces are cut into spans depends on their sizes alone, and each span draws from a generator of its own:
the same tables give the same claims, in one go or in several.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.progress import Progress, silent, within
from dalenius.records.attack.certain.partial import Key, add_excess, excess_of
from dalenius.records.attack.certain.pieces import Piece
from dalenius.records.attack.certain.settle import (
    BegunSystem,
    Effort,
    SettledPiece,
    begin,
    settle_pieces,
    unsettled,
)
from dalenius.records.attack.radius import RadiusBounds
from dalenius.records.attack.ranked.copies import draw_open
from dalenius.records.attack.ranked.gibbs import DrawnPiece
from dalenius.records.attack.system import CellSystem
from dalenius.records.attack.units import guess_piece, radii_by_unit, units_of
from dalenius.records.cells.grid import Whole
from dalenius.spread.blocks import map_blocks, refuse_all_lost
from dalenius.spread.digest import digest_of
from dalenius.spread.parts import Arrays
from dalenius.spread.places import is_shared

MOST_OPEN, MOST_PIECES = 1_500, 100
"""Open records and pieces of a span, about: what a kill can cost is a second or two."""

SETTLING = 0.5
"""The share of a span's work that settling its pieces is, about."""


@dataclass(frozen=True)
class AttackedPieces:
    """What is known of pieces: settled, drawn, how far from a guess, and who must be there besides.

    One entry per piece in ``settled``, ``drawn`` and ``radii``; ``excess`` is over all of them. ``lost`` is
    how many records are in spans that were not attacked, because whoever did it was lost again and again.
    """

    settled: tuple[SettledPiece, ...]
    by_word: int
    drawn: tuple[DrawnPiece | None, ...]
    radii: tuple[Mapping[int, RadiusBounds], ...]
    excess: Mapping[Key, Counter[Key]]
    lost: int = 0


@dataclass(frozen=True)
class SpanAttack:
    """What the attack on every span needs; ``key`` is where its randomness comes from.

    ``progress`` hears where each of ``count`` spans stands, and is silent where other processes do them.
    """

    begun: BegunSystem
    effort: Effort
    log_shares: NDArray[np.float64]
    unit: int | None
    key: int
    count: int = 1
    progress: Progress = silent

    def attack(self, span: tuple[int, Sequence[Piece]]) -> AttackedPieces:
        """Attack a span by its number."""
        number, pieces = span
        rng = np.random.default_rng([self.key, number])
        told = within(self.progress, number / self.count, (number + 1) / self.count)
        settled, by_word = settle_pieces(
            self.begun, pieces, self.effort, progress=within(told, 0.0, SETTLING)
        )
        records = self.begun.system.records
        drawn, radii, excess = [], [], []
        for at, each in enumerate(settled):
            told(SETTLING + (1.0 - SETTLING) * at / len(settled), "ranking records")
            own = each.piece.records
            walked = draw_open(each, self.begun.system, self.log_shares, rng)
            guess = guess_piece(each, None if walked is None else walked.mode)
            drawn.append(walked)
            radii.append(radii_by_unit(each, guess, units_of(records[own], self.unit)))
            excess.append(excess_of(each, records, self.unit))
        return AttackedPieces(settled, by_word, tuple(drawn), tuple(radii), add_excess(excess))

    def arrays(self, span: tuple[int, Sequence[Piece]]) -> Arrays:
        """The same as plain arrays, which can be kept and sent."""
        from dalenius.records.attack.span_arrays import to_arrays

        return to_arrays(self.attack(span), self.begun, span[1])

    def name(self) -> str:
        """The same for the same work on the same numbers alone."""
        system = self.begun.system
        rows = system.rows.indptr, system.rows.indices, system.rows.data
        numbers = *rows, system.low, system.high, system.records, self.log_shares
        return f"records-{digest_of(*numbers, self.unit, self.key, astuple(self.effort))[:16]}"


def cut(pieces: Sequence[Piece]) -> list[tuple[int, Sequence[Piece]]]:
    """Cut pieces into numbered spans.

    Examples
    --------
    >>> from types import SimpleNamespace as Some
    >>> [len(span) for _, span in cut([Some(size=size) for size in (1, 2, 2000, 1, 1)])]
    [3, 2]
    """
    spans: list[list[Piece]] = [[]]
    open_ = 0
    for piece in pieces:
        if open_ >= MOST_OPEN or len(spans[-1]) >= MOST_PIECES:
            spans.append([])
            open_ = 0
        spans[-1].append(piece)
        open_ += piece.size
    return [(number, span) for number, span in enumerate(spans) if span]


def attack_pieces(
    system: CellSystem,
    effort: Effort,
    log_shares: NDArray[np.float64],
    unit: int | None,
    *,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> tuple[BegunSystem, AttackedPieces]:
    """Attack all that propagation leaves open; spans that an earlier run has done are not done again."""
    from dalenius.records.attack.span_arrays import from_arrays

    begun = begin(system, effort)
    key = int(rng.integers(1 << 62))
    blocks = cut(begun.pieces)
    here = len(blocks) <= 1 or not is_shared()
    spans = SpanAttack(begun, effort, log_shares, unit, key, len(blocks), progress if here else silent)
    found = []
    kept = map_blocks(
        spans.arrays,
        blocks,
        work=spans.name(),
        progress=progress,
        doing="settling and ranking records",
        spare=True,
    )
    for (_, pieces), arrays in zip(blocks, kept, strict=True):
        if arrays is None:
            found.append(unattacked(begun, pieces, unit))
            continue
        write_ends(begun, pieces, arrays["span_lo"], arrays["span_hi"])
        found.append(from_arrays(arrays))
    refuse_all_lost(len(blocks), sum(span.lost > 0 for span in found))
    return begun, _joined(found)


def unattacked(begun: BegunSystem, pieces: Sequence[Piece], unit: int | None) -> AttackedPieces:
    """What is known of a span that could not be attacked: what propagation says, and nothing is guessed."""
    settled = unsettled(begun, pieces)
    radii = []
    for each in settled:
        of, room = units_of(begun.system.records[each.piece.records], unit), each.piece.hi - each.piece.lo
        radii.append({int(at): RadiusBounds(0, int(room[of == at].sum()), None) for at in np.unique(of)})
    lost = sum(each.piece.size for each in settled)
    return AttackedPieces(settled, 0, (None,) * len(settled), tuple(radii), {}, lost)


def write_ends(begun: BegunSystem, pieces: Sequence[Piece], lo: Whole, hi: Whole) -> None:
    """Write the ends of a span's records to the whole, which a span that was kept has not done."""
    records = np.concatenate([piece.records for piece in pieces])
    begun.lo[records], begun.hi[records] = lo, hi


def _joined(found: Sequence[AttackedPieces]) -> AttackedPieces:
    return AttackedPieces(
        tuple(each for span in found for each in span.settled),
        sum(span.by_word for span in found),
        tuple(each for span in found for each in span.drawn),
        tuple(each for span in found for each in span.radii),
        add_excess(span.excess for span in found),
        sum(span.lost for span in found),
    )
