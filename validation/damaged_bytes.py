"""Ways to damage any file, from a flipped bit to another kind of file.

A way takes the bytes of a valid file and gives those of a damaged one, or None where it does not apply;
`MISSING` means that the file is taken away. New words that stand for a person's value are `VALUE`.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable

import numpy as np

MISSING = b"\0missing\0"
VALUE = "ZQ999x"
"""What is written in place of a person's value; like the names of people it may never be seen again."""

Rng = np.random.Generator
Way = Callable[[bytes, Rng], bytes | None]

ABSURD = ("1e308", "-1e308", "1e400", "inf", "-inf", "nan", "-0", "1" + "0" * 400, "1e-320", "0x10", "١٢", "")
HUGE_CELL = 140_000
DEEP = 50_000


def truncate(raw: bytes, rng: Rng) -> bytes | None:
    """Cut the end off."""
    return raw[: int(rng.integers(1, len(raw)))] if len(raw) > 1 else None


def flip(raw: bytes, rng: Rng) -> bytes | None:
    """Flip a few bits."""
    return _change(raw, rng, lambda byte: byte ^ (1 << int(rng.integers(8))), int(rng.integers(1, 9)))


def scramble(raw: bytes, rng: Rng) -> bytes | None:
    """Replace a few bytes by any others."""
    return _change(raw, rng, lambda _: int(rng.integers(256)), int(rng.integers(1, 33)))


def extremes(raw: bytes, rng: Rng) -> bytes | None:
    """Replace four bytes in a row by those of the largest numbers."""
    if len(raw) < 8:
        return None
    at = int(rng.integers(len(raw) - 4))
    return raw[:at] + bytes([int(rng.choice([0, 127, 255]))] * 4) + raw[at + 4 :]


def _change(raw: bytes, rng: Rng, change: Callable[[int], int], times: int) -> bytes | None:
    if not raw:
        return None
    changed = bytearray(raw)
    for at in rng.integers(0, len(raw), times):
        changed[at] = change(changed[at])
    return bytes(changed)


def cut_out(raw: bytes, rng: Rng) -> bytes | None:
    """Leave out a piece in the middle."""
    if len(raw) < 4:
        return None
    start, end = sorted(int(x) for x in rng.integers(0, len(raw), 2))
    return raw[:start] + raw[end:]


def zeros(raw: bytes, rng: Rng) -> bytes | None:
    """Overwrite a piece with zeros, as a disk does that lost a block."""
    if len(raw) < 4:
        return None
    start, end = sorted(int(x) for x in rng.integers(0, len(raw), 2))
    return raw[:start] + bytes(end - start) + raw[end:]


def empty(raw: bytes, rng: Rng) -> bytes | None:
    """Nothing."""
    return b""


def missing(raw: bytes, rng: Rng) -> bytes | None:
    """No file."""
    return MISSING


def noise(raw: bytes, rng: Rng) -> bytes | None:
    """Random bytes."""
    return rng.bytes(200)


def bomb(raw: bytes, rng: Rng) -> bytes | None:
    """A small gzip file that grows to 150 MB."""
    return _bomb()


def packed(raw: bytes, rng: Rng) -> bytes | None:
    """The file itself, compressed."""
    return gzip.compress(raw, mtime=0)


def twice(raw: bytes, rng: Rng) -> bytes | None:
    """The file, and the file again."""
    return raw + raw


def other_container(raw: bytes, rng: Rng) -> bytes | None:
    """The beginning of another kind of file, then this one."""
    heads = (
        b"PAR1",
        b"PK\x03\x04",
        b"\x1f\x8b\x08\0",
        b"SQLite format 3\0",
        b"ARROW1\0\0",
        b"\x6c\x1b\x01",
        b"BCF\2\2",
    )
    return heads[int(rng.integers(len(heads)))] + raw


_BOMB: list[bytes] = []


def _bomb() -> bytes:
    if not _BOMB:
        out = io.BytesIO()
        with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=9, mtime=0) as file:
            for _ in range(150):
                file.write(b"0,0,0,0\n" * (1 << 17))
        _BOMB.append(out.getvalue())
    return _BOMB[0]


BYTES: tuple[Way, ...] = (
    truncate,
    flip,
    flip,
    scramble,
    extremes,
    cut_out,
    zeros,
    empty,
    missing,
    noise,
    packed,
    twice,
    other_container,
)
