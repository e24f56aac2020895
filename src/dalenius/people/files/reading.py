"""Files that others made, and that may be damaged or hostile: opened so that nothing but an answer comes out.

Every reader of files goes through here. Whatever the library that reads a format says about a damaged
file becomes one `InputError`: which file, what it must be, and never a piece of what stands in it. What is
read is bounded, so that a small file cannot grow to fill the memory.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import math
import re
import tomllib
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from dalenius.errors import DaleniusError, InputError, TooLargeError, nearest

MOST_BYTES = 1 << 30
"""Text that is held in memory whole: a table of a hundred million cells is not meant for this way."""

PIECE = 1 << 24
"""Bytes that are asked for at a time."""

MOST_CELL = 131_072
"""Characters in one cell, as in Python's own reader of CSV: what is longer is no value of a person."""

FREE_BYTES = 100 << 20
MOST_RATIO = 200
"""A compressed file may grow to ``FREE_BYTES``, beyond that to so many times its size; text of real tables
grows three to fifty times, a file made to fill memories up to a thousand."""

MOST_LINE = 2_000_000
"""Bytes in one line of a table, about what engines read."""

MOST_PARTS = 100
"""Parts of one key of TOML, between dots."""

_MISTAKES = (ArithmeticError, AssertionError, AttributeError, LookupError, NameError, TypeError)
"""What a wrong program raises, as far as a damaged file does not."""

_DEEP = "nesting that is too deep"
_AGAIN = "Write it again."


def check_exists(path: Path) -> None:
    """Refuse a path that does not exist, naming the one that was probably meant."""
    hint, got = "", "no such file"
    with contextlib.suppress(OSError):  # a name too long, a folder that must not be looked into
        if path.is_file():
            return
        got = "a folder" if path.is_dir() else got
        beside = [p.name for p in path.parent.iterdir() if p.is_file()] if path.parent.is_dir() else []
        hint = nearest(path.name, beside)
    raise InputError(str(path), "must be a file", got, hint if hint.startswith("Did") else "Check the path.")


def are_several(path: Path) -> bool:
    """Whether a path stands for several files: a folder, or a pattern that no file has for its name.

    Examples
    --------
    >>> are_several(Path("people.csv")), are_several(Path("people-*.parquet"))
    (False, True)
    """
    with contextlib.suppress(OSError):  # a name too long, a folder that must not be looked into
        return path.is_dir() or (bool(set("*?[") & set(path.name)) and not path.is_file())
    return False


@contextlib.contextmanager
def refusing(path: str | Path, form: str, fix: str = _AGAIN) -> Iterator[None]:
    r"""Turn whatever goes wrong while a library reads a file into an `InputError` that quotes nothing of it.

    A mistake of our own is let through: one of the kinds that wrong programs raise, in our own code.

    Parameters
    ----------
    path
        The file.
    form
        What it must be, as in ``"a Parquet file"``.
    fix
        What to do.

    Examples
    --------
    >>> with refusing("people.parquet", "a Parquet file"):
    ...     raise OSError("cannot read row b'Ann,1971'")
    Traceback (most recent call last):
    ...
    dalenius.errors.InputError: people.parquet must be a Parquet file; got a damaged one (OSError). ...
    """
    try:
        yield
    except DaleniusError:
        raise
    except MemoryError:
        raise TooLargeError(str(path), "must fit into memory", "a file that says it needs more") from None
    except RecursionError:
        raise InputError(str(path), f"must be {form}", _DEEP) from None
    except UnicodeDecodeError:
        raise not_text(path) from None
    # Each library has a tree of errors of its own, and falls over damaged files in ways it has no name for.
    except Exception as error:
        if _is_ours(error):
            raise
        raise InputError(
            str(path), f"must be {form}", f"a damaged one ({type(error).__name__})", fix
        ) from None


def _is_ours(error: Exception) -> bool:
    """Whether it was raised in our own code and not in the library, and is no error of input or numbers."""
    *_, (innermost, _) = traceback.walk_tb(error.__traceback__)
    is_mistake = isinstance(error, _MISTAKES) and type(error).__module__ == "builtins"
    return is_mistake and innermost.f_globals.get("__name__", "").startswith("dalenius.")


def read_text(path: str | Path, *, most: int = MOST_BYTES) -> str:
    r"""Read a text file whole, plain or compressed with gzip.

    Raises
    ------
    InputError
        If it is no file, is not UTF-8, or holds the character NUL.
    TooLargeError
        If it is larger than ``most`` bytes, or a compressed file grows out of all proportion.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     _ = Path(place, "a.csv").write_bytes(b"\xef\xbb\xbfid\n1\n")
    ...     read_text(Path(place, "a.csv"))
    'id\n1\n'
    """
    return decode(path, read_bytes(path, most=most))


def read_bytes(path: str | Path, *, most: int = MOST_BYTES) -> bytes:
    """Read a file whole, unpacked if it is gzip, but no more than ``most`` bytes."""
    path = Path(path)
    check_exists(path)
    parts, left = [], most + 1
    with refusing(path, "a file that can be read"), open_plain(path) as file:
        # piece by piece: Python makes room for all that is asked for before it reads
        while left > 0 and (part := file.read(min(left, PIECE))):
            parts.append(part)
            left -= len(part)
        raw = b"".join(parts)
    if len(raw) > most:
        raise TooLargeError(str(path), f"must have at most {most:,} bytes of text", "more")
    return raw


def decode(path: str | Path, raw: bytes) -> str:
    """Read bytes as UTF-8 text without the character NUL, or name the line that is not."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise not_text(path, raw.count(b"\n", 0, error.start) + 1) from None
    if (at := text.find("\0")) >= 0:
        raise not_text(path, text.count("\n", 0, at) + 1)
    return text


def is_gzip(path: Path) -> bool:
    """Whether a file is compressed with gzip, whatever it is called."""
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def open_plain(path: Path) -> IO[bytes]:
    """Open a file as bytes, unpacked if it is gzip, which stops where it grows out of all proportion."""
    file = path.open("rb")
    return io.BufferedReader(_Unpacked(path, file), 1 << 16) if is_gzip(path) else file


def open_text(path: Path) -> IO[str]:
    """Open a text file to be read line by line: UTF-8, without NUL and without lines that never end."""
    checked = io.BufferedReader(_Checked(path, open_plain(path)), 1 << 20)
    return io.TextIOWrapper(checked, encoding="utf-8-sig", newline="")


class _Checked(io.RawIOBase):
    """A file of lines, looked at piece by piece before it is read."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self._path = path
        self._file = file
        self._line = 1
        self._since = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._file.read(len(buffer))
        if (at := piece.find(b"\0")) >= 0:
            raise not_text(self._path, self._line + piece.count(b"\n", 0, at))
        last = max(piece.rfind(b"\n"), piece.rfind(b"\r"))
        self._since = len(piece) - 1 - last + (self._since if last < 0 else 0)
        self._line += piece.count(b"\n")
        if self._since > MOST_LINE:
            where = f"{self._path}, line {self._line},"
            raise InputError(where, f"must have at most {MOST_LINE:,} bytes", "more")
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self._file.close()
        super().close()


class _Unpacked(io.RawIOBase):
    """A gzip file, unpacked as it is read and no further than its size lets expect."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self._path = path
        self._file = file
        self._unpacked = gzip.GzipFile(fileobj=file)
        self._left = max(FREE_BYTES, MOST_RATIO * path.stat().st_size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with refusing(self._path, "a whole gzip file"):
            size = self._unpacked.readinto(buffer)
        self._left -= size
        if self._left < 0:
            raise TooLargeError(
                str(self._path),
                f"must unpack to at most {MOST_RATIO} times its size",
                "more",
                "Give it unpacked, if it is meant.",
            )
        return size

    def close(self) -> None:
        self._file.close()
        super().close()


def read_json(path: str | Path) -> Any:
    """Read a JSON file: no NaN or infinity, no number that is none to a computer, no nesting without end."""
    return parse_json(path, read_text(path))


def parse_json(path: str | Path, text: str) -> Any:
    """Read JSON that was in a file, see `read_json`."""
    with refusing(path, "JSON"):
        try:
            return json.loads(text, parse_constant=_no_constant, parse_float=_finite, parse_int=_whole)
        except json.JSONDecodeError as error:
            got = f"something else in line {error.lineno}, column {error.colno}"
            raise InputError(str(path), "must be JSON", got) from None
        except _BadNumberError as error:
            raise InputError(str(path), "must hold finite numbers", str(error)) from None


def read_toml(path: str | Path) -> dict[str, Any]:
    """Read a TOML file."""
    text = read_text(path)
    # for each part of a key Python's reader keeps all parts before it: fifty thousand fill ten gigabytes
    if any(piece.count(".") > MOST_PARTS for piece in re.split(r"[][,=#{}\n]", text)):
        raise InputError(str(path), "must be TOML", _DEEP)
    with refusing(path, "TOML"):
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InputError(str(path), "must be TOML", str(error)) from None


def split_rows(path: str | Path, text: str, delimiter: str = ",") -> list[list[str]]:
    r"""Split the text of a CSV file into rows of cells, strictly.

    Raises
    ------
    InputError
        For a quote that stays open and for a cell of more than 131,072 characters; with the line.

    Examples
    --------
    >>> split_rows("a.csv", 'a,b\n1,"2 ""or"" 3"\n')
    [['a', 'b'], ['1', '2 "or" 3']]
    """
    csv.field_size_limit(MOST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows = []
    while True:
        line = reader.line_num + 1
        try:
            rows.append(next(reader))
        except StopIteration:
            return rows
        except csv.Error as error:
            raise bad_csv(path, line, error) from None


def bad_csv(path: str | Path, line: int, error: csv.Error) -> InputError:
    """Say what Python's reader of CSV stopped at, without what stands there."""
    where = f"{path}, from line {line},"
    if "field larger" in str(error):
        return InputError(where, f"must have at most {MOST_CELL:,} characters in a cell", "more")
    return InputError(
        where,
        "must close every quote",
        "a quote that stays open or stands inside a field",
        'Put quotes around whole fields and double those inside, as in "a ""word""".',
    )


def read_parquet(path: str | Path) -> Any:
    """Read a Parquet file whole, as an Arrow table that is checked to the last value."""
    from pyarrow import parquet

    check_exists(Path(path))
    with refusing(path, "a whole Parquet file"):
        table = parquet.ParquetFile(path).read()
        table.validate(full=True)
    return table


def not_text(path: str | Path, line: int | None = None) -> InputError:
    """Say that a file is not text, and from which line on."""
    where = f"{path}, line {line}," if line else str(path)
    fix = "Save it again as UTF-8, or convert it, for example: iconv -f latin1 -t utf-8."
    return InputError(where, "must be UTF-8 text", "bytes that are not", fix)


class _BadNumberError(ValueError):
    """A number that no computer holds."""


def _no_constant(text: str) -> float:
    raise _BadNumberError(text)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _BadNumberError("one beyond 1e308")
    return value


def _whole(text: str) -> int:
    if len(text) > 20:  # more than 64 bits, which every array of numbers would refuse later
        raise _BadNumberError(f"one of {len(text):,} digits")
    return int(text)
