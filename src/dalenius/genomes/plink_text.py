"""The text files of PLINK, read as columns: variants and people, one line each, fields between blanks.

Lines go through Arrow a piece at a time and never become lists of Python: ten million variants take about a
gigabyte. A text of up to fifteen letters takes sixteen bytes, and only longer ones more, so that one long
insertion does not make every allele as wide.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from dalenius.errors import InputError, TooLargeError
from dalenius.genomes.variants import TEXT, Text
from dalenius.people.files.addresses import is_remote, open_address, shown
from dalenius.people.files.reading import check_exists, not_text, open_plain, open_text, refusing

MOST_TEXT = 1 << 33
"""Bytes of a file: a hundred million lines."""

PIECE = 1 << 24
"""Bytes that are read at a time."""

MOST_LINE = 1 << 21
"""Bytes of one line."""

_BLANKS = re.compile(rb"[ \t]+")
_ENDS = re.compile(rb"\t*\r?\n\t*")


def read_fields(
    place: str | Path, fields: int, kinds: Mapping[int, pa.DataType], rule: str, *, skip: str = ""
) -> pa.Table:
    """Read some fields of every line.

    Parameters
    ----------
    place
        A path, plain or gzip, or an address.
    fields
        How many a line must have.
    kinds
        Which are wanted, from 0 on, and as what.
    rule
        What the file must have, in words.
    skip
        What lines at the beginning begin with that are none of them; fields are then between tabs.

    Raises
    ------
    InputError
        If it is not text, is empty, or a line has another number of fields.
    """
    place = place if is_remote(place) else Path(place)
    names = [str(j) for j in range(fields)]
    bad: list[Any] = []

    def refuse(row: Any) -> str:
        bad.append(row)
        return "error"

    types = {names[j]: kind for j, kind in kinds.items()}
    with _open(place) as file, refusing(shown(place), "a file that can be read"):
        try:
            reader = pyarrow.csv.open_csv(
                io.BufferedReader(_Blanks(place, file, skip.encode()), PIECE),
                pyarrow.csv.ReadOptions(use_threads=False, block_size=PIECE, column_names=names),
                pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False, invalid_row_handler=refuse),
                pyarrow.csv.ConvertOptions(
                    column_types=types, include_columns=list(types), null_values=[], check_utf8=True
                ),
            )
            return pa.Table.from_batches(list(reader), pa.schema(list(types.items())))
        except pa.ArrowInvalid as error:
            if bad:
                where = f" in line {bad[0].number}" if bad[0].number else ""
                got = f"{bad[0].actual_columns} fields{where}"
                raise InputError(shown(place), f"must have {rule}", got) from None
            raise _said(place, str(error), rule) from None


def header_fields(place: Path) -> list[str]:
    """Return the names of columns of a PLINK 2 text file, from its last line that begins with ``#``."""
    found: list[str] = []
    with refusing(place, "a text file"), open_text(place) as file:
        for line in file:
            if not line.startswith("#"):
                break
            found = line.lstrip("#").rstrip("\r\n").split("\t")
    return found


def texts(column: pa.ChunkedArray, clean: Callable[[str], str] = str) -> Text:
    """Return a column as texts; of one whose texts repeat, each that is different is cleaned once."""
    found = np.empty(len(column), TEXT)
    low = 0
    for chunk in column.chunks:
        here = slice(low, low + len(chunk))
        if pa.types.is_dictionary(chunk.type):
            levels = np.array([clean(each) for each in chunk.dictionary.to_pylist()], TEXT)
            found[here] = levels[chunk.indices.to_numpy()]
        else:
            found[here] = chunk.to_numpy(zero_copy_only=False)
        low += len(chunk)
    return found


def _open(place: str | Path) -> IO[bytes]:
    if isinstance(place, str):
        return open_address(place)
    check_exists(place)
    return open_plain(place)


def _said(place: str | Path, error: str, rule: str) -> InputError:
    """What Arrow found, in our words: it quotes what stands in the file, so only its kind is used."""
    if "UTF8" in error:
        return not_text(shown(place))
    if "Empty CSV" in error:
        return InputError(shown(place), f"must have {rule}", "an empty file")
    if "conversion error to int64" in error:
        return InputError(shown(place), "must have a whole number in its fourth field", "something else")
    return InputError(shown(place), f"must have {rule}", "something else")


def _is_utf8(lines: bytes) -> bool:
    if lines.isascii():
        return True
    try:
        lines.decode("utf-8-sig")
    except UnicodeDecodeError:
        return False
    return True


class _Blanks(io.RawIOBase):
    """A file whose fields are between blanks of any number, as one whose fields are between single tabs."""

    def __init__(self, place: str | Path, file: IO[bytes], skip: bytes = b"") -> None:
        self._place, self._file, self._skip = place, file, skip
        self._rest, self._ready, self._begun = b"", b"", False
        self._left = MOST_TEXT

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            piece = self._file.read(PIECE)
            if not piece and not self._rest:
                return 0
            self._take(piece)
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _take(self, piece: bytes) -> None:
        """Make whole lines ready, and keep what has no end yet."""
        self._left -= len(piece)
        if self._left < 0:
            raise TooLargeError(shown(self._place), f"must have at most {MOST_TEXT:,} bytes of text", "more")
        text = self._rest + piece
        if b"\0" in piece:
            raise not_text(shown(self._place))
        end = text.rfind(b"\n") + 1 if piece else len(text)
        lines, self._rest = text[:end], text[end:]
        if not _is_utf8(lines):  # Arrow would print what it cannot read of a line that it refuses
            raise not_text(shown(self._place))
        if len(self._rest) > MOST_LINE:
            raise InputError(shown(self._place), f"must have lines of at most {MOST_LINE:,} bytes", "more")
        if not self._begun:
            lines, self._begun = lines.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n"), bool(lines)
        while self._skip and lines.startswith(self._skip):
            lines = lines[lines.find(b"\n") + 1 :]
        if self._skip:
            pass  # between tabs, and what stands between may have blanks
        elif b" " in lines or b"\t\t" in lines or b"\t\n" in lines or b"\n\t" in lines:
            lines = _ENDS.sub(b"\n", _BLANKS.sub(b"\t", lines))
        self._ready = lines
