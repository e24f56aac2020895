"""How probable each copy of a record is, people being independent draws and the tables given.

Where every data set of a piece is known they are weighed: ``prod p^x / x!``. Where they are too many, walks
draw from the same law. Certain copies have probability 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from dalenius.records.attack.certain.settle import RecordBounds, SettledPiece
from dalenius.records.attack.ranked.gibbs import DrawnPiece, draw_piece
from dalenius.records.attack.system import CellSystem
from dalenius.records.cells.grid import Whole

Floats = NDArray[np.float64]

MOST_WALKED = 20
"""Open records from which on it is looked at whether walks can move."""


@dataclass(frozen=True)
class RankedCopies:
    """At least ``copy`` people have the record numbered ``record``, with this probability; likeliest first.

    ``open_records`` is how many records have no probability because no data set is known, or they are
    too many; ``drawn_records`` how many have one by drawing, and ``apart`` how far two walks differ at most.
    ``modes`` are the most probable data sets of pieces that were drawn, by number. Where a domain was too
    wide, ``searches`` tried to fit the tables, and the best of them ``missed`` them by so much. ``lost``
    walks or searches were not made, because whoever made them was lost again and again.
    """

    record: Whole
    copy: Whole
    probability: Floats
    open_records: int
    drawn_records: int = 0
    apart: float = 0.0
    modes: Mapping[int, Whole] = field(default_factory=dict)
    missed: int = 0
    searches: int = 0
    lost: int = 0


def log_shares_of(size: int, prior: Floats | None) -> Floats:
    """The logarithm of each record's share among other people, flat where nothing is known of them.

    Raises
    ------
    ValueError
        If a record has no positive share: other people are no constraint.
    """
    shares = np.ones(size) if prior is None else prior
    if shares.shape != (size,) or not (shares > 0).all():
        raise ValueError("every record must have a positive share")
    logs: Floats = np.log(shares)
    return logs


def draw_open(
    settled: SettledPiece, system: CellSystem, log_shares: Floats, rng: np.random.Generator
) -> DrawnPiece | None:
    """Draw data sets of a piece that are too many to be known; nothing where that is no use.

    Walks draw them; where walks cannot move searches do, or corners beside walks where no search fits.
    ``log_shares`` are those of all records.
    """
    if settled.complete or settled.wider:
        return None
    drawn, large = None, settled.piece.size >= MOST_WALKED
    if large:
        from dalenius.records.attack.ranked.searched import draw_searched

        drawn = draw_searched(settled, system, log_shares)
    if drawn is None:
        own = log_shares[settled.piece.records]
        drawn = draw_piece(settled, own, rng=rng)
        if drawn is not None and large:
            from dalenius.records.attack.ranked.corners import with_corners

            drawn = with_corners(drawn, settled, own, rng=rng)
    return drawn if drawn is not None and settled.piece.fits(drawn.mode) else None


def rank_copies(
    bounds: RecordBounds, prior: Floats | None = None, *, rng: np.random.Generator
) -> RankedCopies:
    """Rank copies of records; ``prior`` gives each record's share among other people, flat if left out."""
    logs = log_shares_of(len(bounds.lo), prior)
    system = bounds.system
    drawn = [draw_open(each, system, logs, rng) for each in bounds.pieces]
    return rank_drawn(bounds, logs, drawn)


def rank_drawn(bounds: RecordBounds, log_shares: Floats, drawn: Sequence[DrawnPiece | None]) -> RankedCopies:
    """Rank copies of records, where the data sets of some pieces were drawn already."""
    size = len(bounds.lo)
    parts = [_certain(np.arange(size), bounds.lo)]
    left, count, apart = 0, 0, 0.0
    modes: dict[int, Whole] = {}
    for at, (settled, walked) in enumerate(zip(bounds.pieces, drawn, strict=True)):
        if settled.complete:
            parts.append(_weighed(settled, log_shares[settled.piece.records]))
        elif walked is None:
            left += settled.piece.size
        else:
            parts.append(_drawn(settled, walked))
            count, apart = count + settled.piece.size, max(apart, walked.apart)
            modes[at] = walked.mode
    record, copy, probability = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((copy, record, -probability))
    return RankedCopies(record[order], copy[order], probability[order], left, count, apart, modes)


def _certain(records: Whole, lo: Whole) -> tuple[Whole, Whole, Floats]:
    record = np.repeat(records, lo)
    copy = np.arange(record.size) - np.repeat(np.cumsum(lo) - lo, lo) + 1
    return record, copy, np.ones(record.size)


def weights_of(points: Whole, log_shares: Floats) -> Floats:
    """The probabilities of data sets, one row each, that are all there are.

    Examples
    --------
    >>> weights_of(np.array([[2, 0], [1, 1]]), np.zeros(2)).round(3).tolist()
    [0.333, 0.667]
    """
    logs = points @ log_shares - gammaln(points + 1.0).sum(axis=1)
    found: Floats = np.exp(logs - logsumexp(logs))
    return found


def _weighed(settled: SettledPiece, log_shares: Floats) -> tuple[Whole, Whole, Floats]:
    piece, points = settled.piece, settled.points
    weights = weights_of(points, log_shares)
    record, copy, probability = [], [], []
    for at in range(piece.size):
        for count in range(int(piece.lo[at]) + 1, int(piece.hi[at]) + 1):
            record.append(piece.records[at])
            copy.append(count)
            probability.append(float(weights[points[:, at] >= count].sum()))
    return np.array(record, np.int64), np.array(copy, np.int64), np.array(probability)


def _drawn(settled: SettledPiece, drawn: DrawnPiece) -> tuple[Whole, Whole, Floats]:
    """Copies that some walk saw; what none saw has no line, as what cannot be has none."""
    piece = settled.piece
    record = np.repeat(piece.records, piece.hi - piece.lo)
    copy = np.concatenate([np.arange(lo, hi) + 1 for lo, hi in zip(piece.lo, piece.hi, strict=True)])
    probability = np.concatenate(drawn.above)
    seen = probability > 0
    return record[seen], copy[seen], probability[seen]
