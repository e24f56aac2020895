"""What is known of a span of pieces as plain arrays, and back: the form in which it is kept.

Arrays of all pieces stand one after the other, and beside them how long each is.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from dalenius.records.attack.certain.partial import Key
from dalenius.records.attack.certain.pieces import Piece
from dalenius.records.attack.certain.settle import BegunSystem, SettledPiece
from dalenius.records.attack.radius import RadiusBounds
from dalenius.records.attack.ranked.gibbs import DrawnPiece
from dalenius.records.attack.spans import AttackedPieces
from dalenius.spread.parts import Arrays

Array = np.ndarray[Any, Any]

UNIQUE = {None: -1, False: 0, True: 1}
"""Whether one data set alone fits, as a number."""

FREE = -1
"""Stands for a free column of a partial record."""


def to_arrays(found: AttackedPieces, begun: BegunSystem, pieces: Sequence[Piece]) -> dict[str, Array]:
    """Write down what is known of a span, and the ends of the records of its ``pieces``."""
    records = np.concatenate([piece.records for piece in pieces])
    return {
        "span_lo": begun.lo[records],
        "span_hi": begun.hi[records],
        "by_word": np.array(found.by_word),
        **_pieces_to_arrays(found.settled),
        **_drawn_to_arrays(found.drawn),
        "radii": _radii_to_array(found),
        "excess": _excess_to_array(found, begun.system.records.shape[1]),
    }


def from_arrays(arrays: Arrays) -> AttackedPieces:
    """What is known of a span."""
    settled = _pieces_of(arrays)
    radii: list[dict[int, RadiusBounds]] = [{} for _ in settled]
    for at, unit, low, high in arrays["radii"].tolist():
        radii[at][unit] = RadiusBounds(low, high, None)
    excess: dict[Key, Counter[Key]] = {}
    for *levels, more in arrays["excess"].tolist():
        kept = tuple(at for at, code in enumerate(levels) if code != FREE)
        excess.setdefault(kept, Counter())[tuple(levels[at] for at in kept)] = more
    return AttackedPieces(settled, int(arrays["by_word"]), _drawn_of(arrays, settled), tuple(radii), excess)


def _pieces_to_arrays(settled: Sequence[SettledPiece]) -> dict[str, Array]:
    pieces = [each.piece for each in settled]
    by_piece = {
        "records": [piece.records for piece in pieces],
        "rows": [piece.rows for piece in pieces],
        "starts": [piece.A.indptr.astype(np.int64) for piece in pieces],
        "members": [piece.A.indices.astype(np.int64) for piece in pieces],
        "adds": [piece.A.data for piece in pieces],
        "low": [piece.low for piece in pieces],
        "high": [piece.high for piece in pieces],
        "lo": [piece.lo for piece in pieces],
        "hi": [piece.hi for piece in pieces],
        "points": [each.points.ravel() for each in settled],
        "low_decided": [each.low_decided for each in settled],
        "high_decided": [each.high_decided for each in settled],
    }
    flags = [(each.complete, UNIQUE[each.unique], each.wider) for each in settled]
    packed = {name: part for field, parts in by_piece.items() for name, part in _packed(field, parts)}
    return {**packed, "flags": np.array(flags, np.int64).reshape(-1, 3)}


def _packed(name: str, parts: Sequence[Array]) -> list[tuple[str, Array]]:
    flat = np.concatenate(parts) if parts else np.zeros(0, np.int64)
    return [(name, flat), (f"{name}_ends", np.cumsum([0, *(part.size for part in parts)]))]


def _parts(arrays: Arrays, name: str) -> list[Array]:
    flat, ends = arrays[name], arrays[f"{name}_ends"]
    return [flat[first:last].copy() for first, last in itertools.pairwise(ends)]


def _pieces_of(arrays: Arrays) -> tuple[SettledPiece, ...]:
    fields = ("records", "rows", "starts", "members", "adds", "low", "high", "lo", "hi")
    make: Any = sparse.csr_array  # its types know no whole numbers
    found = []
    for at, (records, rows, starts, members, adds, *ends) in enumerate(
        zip(*(_parts(arrays, name) for name in fields), strict=True)
    ):
        A = make((adds, members.astype(np.int32), starts.astype(np.int32)), shape=(rows.size, records.size))
        found.append((Piece(records, rows, A, *ends), arrays["flags"][at]))
    beside = zip(*(_parts(arrays, name) for name in ("points", "low_decided", "high_decided")), strict=True)
    words = {number: word for word, number in UNIQUE.items()}
    return tuple(
        SettledPiece(
            piece,
            points.reshape(-1, piece.size),
            bool(flags[0]),
            words[int(flags[1])],
            low.astype(np.bool_),
            high.astype(np.bool_),
            bool(flags[2]),
        )
        for (piece, flags), (points, low, high) in zip(found, beside, strict=True)
    )


def _drawn_to_arrays(drawn: Sequence[DrawnPiece | None]) -> dict[str, Array]:
    none = np.zeros(0)
    above = [none if each is None else np.concatenate([none, *each.above]) for each in drawn]
    modes = [np.zeros(0, np.int64) if each is None else each.mode for each in drawn]
    apart = [-1.0 if each is None else each.apart for each in drawn]
    return {**dict(_packed("above", above)), **dict(_packed("modes", modes)), "apart": np.array(apart)}


def _drawn_of(arrays: Arrays, settled: Sequence[SettledPiece]) -> tuple[DrawnPiece | None, ...]:
    found: list[DrawnPiece | None] = []
    kept = zip(settled, _parts(arrays, "above"), _parts(arrays, "modes"), arrays["apart"], strict=True)
    for each, above, mode, apart in kept:
        if apart < 0:
            found.append(None)
            continue
        ends = np.cumsum(each.piece.hi - each.piece.lo)[:-1]
        found.append(DrawnPiece(tuple(np.split(above, ends)), mode, float(apart)))
    return tuple(found)


def _radii_to_array(found: AttackedPieces) -> Array:
    rows = [
        (at, unit, bounds.low, bounds.high)
        for at, radii in enumerate(found.radii)
        for unit, bounds in radii.items()
    ]
    return np.array(rows, np.int64).reshape(-1, 4)


def _excess_to_array(found: AttackedPieces, columns: int) -> Array:
    rows = []
    for kept, more in found.excess.items():
        for key, count in more.items():
            levels = dict(zip(kept, key, strict=True))
            rows.append([*(levels.get(at, FREE) for at in range(columns)), count])
    return np.array(rows, np.int64).reshape(-1, columns + 1)
