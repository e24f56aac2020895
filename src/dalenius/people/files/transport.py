"""Transport files of SAS (``.xpt``): what the library that reads them does not look at.

Such a file is a list of records of 80 bytes: headers, then rows laid end to end and filled up with blanks. It
does not say how many rows it has, so one that was cut short may look like a shorter one, and it may hold
several tables, of which the library would read the others' headers as people.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dalenius.errors import InputError
from dalenius.people.files.other_programs import AGAIN

RECORD = 80
"""Bytes of a record."""

_HEADER = b"HEADER RECORD*******"
_TOGETHER = 1 << 14


def check_transport(path: Path) -> None:
    """Refuse what is no transport file, ends within a record, or holds several tables.

    Raises
    ------
    InputError
        With what to do about it.
    """
    where, rule = f"file {path.name!r}", "must be a whole transport file of SAS"
    with path.open("rb") as file:
        start = file.read(RECORD)
    if start.startswith(b"**COMPRESSED**"):
        fix = "Write it with a LIBNAME statement and its engine XPORT, or as CSV."
        raise InputError(where, rule, "one that PROC CPORT wrote", fix)
    if not start.startswith(_HEADER + b"LIB"):
        raise InputError(where, rule, "something else", AGAIN)
    if path.stat().st_size % RECORD:
        raise InputError(where, rule, "one cut short", AGAIN)
    tables = sum(kind.startswith(b"MEM") for _, kind in _headers(path))
    if tables > 1:
        fix = "Write each into a file of its own."
        raise InputError(where, "must hold one table", f"{tables}", fix)


def check_rows(path: Path, rows: int, width: int) -> None:
    """Refuse a file whose last row is torn: after whole rows there may only be blanks.

    Parameters
    ----------
    path
        A file that `check_transport` lets through.
    rows, width
        How many rows were read of it, and the bytes of each.
    """
    first = max(((at for at, kind in _headers(path) if kind.startswith(b"OBS"))), default=None)
    if first is None or not width:
        return
    with path.open("rb") as file:
        file.seek(first + RECORD + rows * width)
        rest = file.read(max(width, RECORD))
    if rest.strip(b" "):
        raise InputError(f"file {path.name!r}", "must hold whole rows", "one cut short", AGAIN)


def _headers(path: Path) -> Iterator[tuple[int, bytes]]:
    """Where header records stand, and the first letters of what each begins."""
    with path.open("rb") as file:
        at = 0
        while piece := file.read(RECORD * _TOGETHER):
            found = piece.find(_HEADER)
            while found >= 0:
                if found % RECORD == 0:
                    yield at + found, piece[found + len(_HEADER) :][:8]
                found = piece.find(_HEADER, found + 1)
            at += len(piece)
