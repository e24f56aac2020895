"""Packed values that lie in files, by address: several files as one, and nothing of them travels.

A file of this machine is mapped; of any other the bytes that are needed are read, a strip of rows at a time.
Whoever sends such an object to another process sends addresses alone: values are read where they are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.people.files.addresses import as_local, is_remote, read_range, shown, size_of
from dalenius.people.traits.two_bits import Packed

STEP_BYTES = 64_000_000
"""Bytes of a file on another machine that are read at a time."""

GAP_BYTES = 1_000_000
"""Bytes that nobody asked for between two rows, up to which they are read rather than asked around."""

CHUNK = 256
"""Rows that are added up together by every kernel: strips are cut between them, so that no sum changes."""


@dataclass(frozen=True)
class PackedFile:
    """Rows of one file.

    Parameters
    ----------
    address
        A path of this machine or an address.
    start
        The byte at which the first row begins; the file ends with its last row.
    rows, width
        How many rows, and bytes in each.
    """

    address: str
    start: int
    rows: int
    width: int

    @property
    def remote(self) -> bool:
        """Whether its bytes are read by address."""
        return is_remote(self.address)

    def check(self) -> None:
        """Refuse a file that is not the one that was opened: another machine may have another one there."""
        expected = self.start + self.rows * self.width
        try:
            size = size_of(self.address) if self.remote else Path(as_local(self.address)).stat().st_size
        except OSError:
            size = -1
        if size != expected:
            raise InputError(
                shown(self.address),
                f"must be a file of {expected:,} bytes wherever work is done",
                "none" if size < 0 else f"{size:,} bytes",
                "Use a folder that all machines see, or an address.",
            )

    def map(self) -> Packed:
        """Map the rows of a file of this machine."""
        self.check()
        found = np.memmap(
            as_local(self.address), np.uint8, "r", offset=self.start, shape=(self.rows, self.width)
        )
        view = np.asarray(found).view()
        view.flags.writeable = False
        return view

    def read(self, first: int, count: int) -> Packed:
        """Read some rows by address."""
        low, high = (self.start + row * self.width for row in (first, first + count))
        data = read_range(self.address, low, high)
        if len(data) != high - low:
            raise InputError(shown(self.address), "must be a whole file", "one that is cut short")
        return np.frombuffer(data, np.uint8).reshape(count, self.width)


@dataclass(frozen=True, eq=False)
class PackedFiles:
    """The rows of several files, one after the other, all of the same people."""

    parts: tuple[PackedFile, ...]

    def __post_init__(self) -> None:
        if len({part.width for part in self.parts}) != 1:
            raise InputError("packed files", "must be at least one, all of the same people", "others")

    def __getstate__(self) -> dict[str, Any]:
        return {"parts": self.parts}  # never what is mapped

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows, and bytes in each."""
        return int(self.edges[-1]), self.parts[0].width

    @property
    def remote(self) -> bool:
        """Whether any of it is read by address."""
        return any(part.remote for part in self.parts)

    @cached_property
    def edges(self) -> NDArray[np.int64]:
        """Where each file begins, and the end of the last."""
        return np.cumsum([0, *(part.rows for part in self.parts)])

    @cached_property
    def _mapped(self) -> dict[int, Packed]:
        return {}

    def step(self, most: int) -> int:
        """Rows of a strip, at most so many: fewer where they have to be read."""
        if not self.remote:
            return most
        return min(most, max(1, STEP_BYTES // self.shape[1] // CHUNK) * CHUNK)

    def borders(self, rows: NDArray[np.int64]) -> list[int]:
        """Where to cut rows, which ascend, so that few of them are copied from two files to be one array.

        Only the `CHUNK` in which a mapped file ends is held by itself; what is read is copied anyway.

        Examples
        --------
        >>> files = PackedFiles((PackedFile("a.bed", 3, 1000, 1), PackedFile("b.bed", 3, 1000, 1)))
        >>> files.borders(np.arange(2000)), files.borders(np.arange(1000))
        ([768, 1024], [])
        """
        if self.remote:
            return []
        ends = np.searchsorted(rows, self.edges)
        inside = ends[(ends > 0) & (ends < rows.size)]
        cuts = {int(at) for end in inside for at in (end // CHUNK * CHUNK, -(-end // CHUNK) * CHUNK)}
        return sorted(cuts - {0} - {at for at in cuts if at >= rows.size})

    def held(self, rows: NDArray[np.int64]) -> tuple[Packed, NDArray[np.int64]]:
        """Return an array that holds these rows, which ascend, and where in it each of them is."""
        which = np.searchsorted(self.edges, rows, side="right") - 1
        if rows.size and which[0] == which[-1] and not self.parts[which[0]].remote:
            return self._map(int(which[0])), rows - self.edges[which[0]]
        found = np.empty((rows.size, self.shape[1]), np.uint8)
        for part in np.unique(which):
            here = np.flatnonzero(which == part)
            own = rows[here] - self.edges[part]
            if self.parts[part].remote:
                _read_rows(self.parts[part], own, found[here[0] : here[-1] + 1])
            else:
                found[here] = self._map(int(part))[own]
        found.flags.writeable = False
        return found, np.arange(rows.size)

    def _map(self, part: int) -> Packed:
        if part not in self._mapped:
            self._mapped[part] = self.parts[part].map()
        return self._mapped[part]


def _read_rows(file: PackedFile, rows: NDArray[np.int64], out: Packed) -> None:
    """Read rows that ascend, those that are near to each other at once."""
    far = np.diff(rows) * file.width > GAP_BYTES + file.width
    much = np.diff(rows * file.width // STEP_BYTES) > 0
    for run in np.split(np.arange(rows.size), np.flatnonzero(far | much) + 1):
        first, last = int(rows[run[0]]), int(rows[run[-1]])
        out[run] = file.read(first, last - first + 1)[rows[run] - first]


def joined(files: Sequence[PackedFiles]) -> PackedFiles:
    """Put files one after the other."""
    return PackedFiles(tuple(part for each in files for part in each.parts))
