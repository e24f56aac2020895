"""Passes over packed values: sums of table lookups, counts, decoding; for some people and some attributes.

Linear scores, likelihood ratios, missing values: everything that adds up over the attributes of a person is a
table of four numbers per attribute. One pass serves any number of tables. Threads share spans of attributes
whose sums are added in their order, so that they have the same bits with any number of threads. A
file is read once, in its own order, whatever order was asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dalenius.accelerate import cores, has_avx2, in_order, share_out
from dalenius.matrices.fast_products import Real
from dalenius.people.traits.packed_files import PackedFiles
from dalenius.people.traits.two_bits import FLIPPED, OF_STORED, Packed

ALONE = 100_000_000
"""Lookups below which one thread works alone: about 5 ms, where waking a second one may cost more."""

STRIP = 4096
"""Attributes whose tables are arranged at a time."""

SPAN = 8 * STRIP
"""Attributes that are added up by themselves, whatever number of threads there is."""

GATHER = 16
"""How many lookups it costs to pick out one value of one person."""


@dataclass(frozen=True, eq=False)
class Stored:
    """Where values lie: packed rows, and which people and attributes of them are meant.

    Parameters
    ----------
    packed
        Two bits per value, one row per attribute; in memory, or in files.
    people
        Positions of people in a row.
    rows
        The packed row of each attribute.
    flip
        Whether the meaning of a row is turned around.
    """

    packed: Packed | PackedFiles
    people: NDArray[np.int64]
    rows: NDArray[np.int64]
    flip: NDArray[np.bool_]

    @cached_property
    def fixed(self) -> Packed:
        """Packed values in memory for kernels, which are compiled for arrays that nobody writes to."""
        view = np.ascontiguousarray(self.packed).view()
        view.flags.writeable = False
        return view

    def held(self, rows: NDArray[np.int64]) -> tuple[Packed, NDArray[np.int64]]:
        """Return packed values that hold these rows, which ascend, and where in them each row is."""
        return self.packed.held(rows) if isinstance(self.packed, PackedFiles) else (self.fixed, rows)

    @property
    def step(self) -> int:
        """How many attributes are worked on at a time."""
        return self.packed.step(STRIP) if isinstance(self.packed, PackedFiles) else STRIP

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The attributes in the order of their rows."""
        return np.argsort(self.rows, kind="stable")

    def strips(self, start: int, stop: int) -> Iterator[NDArray[np.int64]]:
        """Go through attributes in the order of their rows, those of a strip in one file together."""
        for low in range(start, stop, self.step):
            chosen = self.order[low : min(low + self.step, stop)]
            if isinstance(self.packed, PackedFiles):
                yield from np.split(chosen, self.packed.borders(self.rows[chosen]))
            else:
                yield chosen

    def room(self) -> int:
        """How many people a row has place for."""
        return 4 * int(self.packed.shape[1])


def look_up(stored: Stored, tables: Real, *, threads: int | None = None) -> NDArray[np.float64]:
    """Add up what tables say about each person's codes.

    Parameters
    ----------
    stored
        The values.
    tables
        ``(K, attributes, 4)`` by code; their precision is that of the tables inside, sums are double.
    threads
        How many threads share the attributes; not given, all cores for much work and one for little.

    Returns
    -------
    NDArray
        ``(people, K)``.

    Examples
    --------
    >>> from dalenius.people.traits.two_bits import pack
    >>> packed = pack(np.array([[0, 2, 3]], np.uint8))
    >>> stored = Stored(packed, np.arange(3), np.arange(1), np.zeros(1, np.bool_))
    >>> look_up(stored, np.array([[[10.0, 20.0, 30.0, 40.0]]]))
    array([[10.],
           [30.],
           [40.]])
    """
    from dalenius.people.traits._score_kernels import arrange

    K, people = tables.shape[0], stored.people.size
    total, contiguous = np.zeros((K, people)), np.ascontiguousarray(tables)
    if not total.size or not stored.rows.size:
        return total.T
    few = (GATHER + K) * people < K * stored.room()

    def part(start: int, stop: int) -> NDArray[np.float64]:
        width = -(-people // 4) if few else stored.packed.shape[1]
        sums, arranged = _sums(K, width, tables.dtype), np.zeros((K, 0, 4), tables.dtype)
        for chosen, packed, rows in _strips(stored, start, stop, few):
            padded = -(-chosen.size // sums.group) * sums.group
            if arranged.shape[1] != padded:  # else that of the strip before: memory is not asked for again
                arranged = np.zeros((K, padded, 4), tables.dtype)
            arranged[:, chosen.size :] = 0
            arrange(arranged, contiguous, chosen, stored.flip)
            sums.add(packed, np.pad(rows, (0, padded - rows.size), mode="edge"), arranged)
        return sums.total()[:, :people] if few else sums.total()[:, stored.people]

    used = _threads(threads, K * people * stored.rows.size)
    for own in in_order(part, stored.rows.size, span=SPAN, threads=used):
        total += own
    return total.T


def count(stored: Stored, *, threads: int | None = None) -> NDArray[np.int64]:
    """Count people by code: one row per attribute, one column per code.

    Examples
    --------
    >>> from dalenius.people.traits.two_bits import pack
    >>> packed = pack(np.array([[0, 2, 3, 2]], np.uint8))
    >>> stored = Stored(packed, np.arange(4), np.arange(1), np.zeros(1, np.bool_))
    >>> count(stored)
    array([[1, 0, 2, 1]])
    """
    from dalenius.people.traits._score_kernels import count_stored

    people = stored.people
    few = GATHER * people.size < stored.room() or np.unique(people).size < people.size
    keep = _mask(np.arange(people.size), people.size) if few else _mask(people, stored.room())
    found = np.empty((stored.rows.size, 4), np.int64)

    def part(start: int, stop: int) -> None:
        for chosen, packed, rows in _strips(stored, start, stop, few):
            own = np.empty((chosen.size, 4), np.int64)
            count_stored(own, packed, rows, keep)
            found[chosen] = own

    share_out(part, stored.rows.size, threads=_threads(threads, people.size * stored.rows.size))
    by_code = np.empty_like(found)
    by_code[:, OF_STORED] = found
    by_code[stored.flip] = by_code[stored.flip][:, FLIPPED]
    return by_code


def decode(stored: Stored, meaning: NDArray[Any]) -> NDArray[Any]:
    """Unpack: one row per attribute, one column per person, ``meaning[code]`` in it."""
    from dalenius.people.traits import _score_kernels

    rows = np.stack((meaning[OF_STORED], meaning[FLIPPED[OF_STORED]]))[stored.flip.astype(np.intp)]
    out = np.empty((stored.rows.size, stored.people.size), meaning.dtype)
    for low in range(0, stored.rows.size, stored.step):
        chosen = stored.order[low : low + stored.step]
        packed, places = stored.held(stored.rows[chosen])
        own = np.empty((chosen.size, stored.people.size), meaning.dtype)
        _score_kernels.decode(own, packed, places, stored.people, rows[chosen])
        out[chosen] = own
    return out


class _Sums(Protocol):
    """Sums of lookups for every person of a packed block, in an order of their own."""

    group: int

    def add(self, packed: Packed, rows: NDArray[np.int64], tables: NDArray[Any]) -> None: ...

    def total(self) -> NDArray[np.float64]: ...


class _AnySums:
    """Sums on any machine, in either precision."""

    def __init__(self, K: int, width: int) -> None:
        from dalenius.people.traits import _score_kernels

        self._kernel, self.group = _score_kernels.add_lookups, _score_kernels.GROUP
        self._out = np.zeros((K, 4, width))

    def add(self, packed: Packed, rows: NDArray[np.int64], tables: NDArray[Any]) -> None:
        self._kernel(self._out, packed, rows, tables)

    def total(self) -> NDArray[np.float64]:
        return self._out.transpose(0, 2, 1).reshape(self._out.shape[0], -1)


class _VectorSums:
    """Sums with the instructions of AVX, in single precision, for rows of at least one block."""

    def __init__(self, K: int, width: int) -> None:
        from dalenius.people.traits import _score_vector

        self._kernel, self.group = _score_vector.add_lookups, _score_vector.GROUP
        self._width, self._bytes = width, _score_vector.BYTES
        self._out = np.zeros((K, -(-width // _score_vector.BYTES), _score_vector.PEOPLE))

    def add(self, packed: Packed, rows: NDArray[np.int64], tables: NDArray[Any]) -> None:
        self._kernel(self._out, packed, rows, tables)

    def total(self) -> NDArray[np.float64]:
        K, blocks, people = self._out.shape
        in_order = self._out.reshape(K, blocks, 16, 8).swapaxes(2, 3).reshape(K, blocks * people)
        found = in_order[:, : 4 * self._width].copy()
        found[:, -people:] = in_order[:, -people:]
        return found


def _sums(K: int, width: int, precision: Any) -> _Sums:
    if precision == np.float32 and has_avx2() and width >= 32:
        return _VectorSums(K, width)
    return _AnySums(K, width)


def _strips(
    stored: Stored, start: int, stop: int, few: bool
) -> Iterator[tuple[NDArray[np.int64], Packed, NDArray[np.int64]]]:
    """Go through attributes in the order of their rows: which they are, packed values, their rows in these.

    If only a few people are meant, their values are packed anew first.
    """
    from dalenius.people.traits._score_kernels import gather

    for chosen in stored.strips(start, stop):
        packed, rows = stored.held(stored.rows[chosen])
        if not few:
            yield chosen, packed, rows
            continue
        own = np.empty((rows.size, -(-stored.people.size // 4)), np.uint8)
        gather(own, packed, rows, stored.people)
        own.flags.writeable = False
        yield chosen, own, np.arange(rows.size)


def _mask(people: NDArray[np.int64], room: int) -> Packed:
    """Set the lower bit of the place of each of these people in a packed row."""
    wanted = np.zeros((-(-room // 4), 4), np.uint8)
    wanted.reshape(-1)[people] = 1
    return np.asarray(wanted @ np.array([1, 4, 16, 64], np.uint8))


def _threads(asked: int | None, work: int) -> int:
    return asked if asked is not None else 1 if work < ALONE else cores()
