"""Files by address: ``s3://``, ``gs://``, ``https://`` and whatever else fsspec reaches.

Nothing is reached unless somebody names such an address, and only the bytes that are asked for are read.
Whatever a store says when it does not let us in becomes one `InputError`, without names and passwords.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote, urlsplit

from dalenius.errors import DaleniusError, InputError, MissingExtraError

_HERE = "file://"
_KEY = re.compile(r"(?<=://)[^/@]*@")
_RIGHTS = "Check the address, your rights there, and the network."


def is_remote(place: str | Path) -> bool:
    """Whether a place is an address of anything but a file of this machine.

    Examples
    --------
    >>> is_remote("s3://bucket/chr1.bed"), is_remote("file:///data/chr1.bed"), is_remote("chr1.bed")
    (True, False, False)
    """
    return isinstance(place, str) and "://" in place and not place.startswith(_HERE)


def as_local(place: str | Path) -> str | Path:
    """Take ``file://`` and plain texts for paths; leave other addresses as they are.

    Examples
    --------
    >>> as_local("file:///data/chr1.bed").name, as_local("s3://bucket/chr1.bed")
    ('chr1.bed', 's3://bucket/chr1.bed')
    """
    if is_remote(place):
        return place
    text = str(place)
    return Path(unquote(urlsplit(text).path)) if text.startswith(_HERE) else Path(place)


def shown(place: str | Path) -> str:
    """Write a place as messages may: no user, no password.

    Examples
    --------
    >>> shown("https://anna:word@host/chr1.bed")
    'https://host/chr1.bed'
    """
    return _KEY.sub("", str(place))


def find(pattern: str, endings: Sequence[str]) -> list[str]:
    """Return the addresses that a pattern or a folder stands for; of a folder, files with these endings."""
    with reaching(pattern):
        store, path = store_of(pattern)
        if not set("*?[") & set(path):
            path = f"{path.rstrip('/')}/*"
        found = [name for name in store.glob(path) if name.endswith(tuple(endings))]
        return [store.unstrip_protocol(name) for name in sorted(found)]


def is_there(address: str) -> bool:
    """Whether there is a file; whoever is not let in is told so."""
    with reaching(address):
        store, path = store_of(address)
        try:
            return bool(store.info(path)["type"] == "file")  # isfile() says no to whatever goes wrong
        except FileNotFoundError:
            return False


def size_of(address: str) -> int:
    """How many bytes a file has."""
    with reaching(address):
        store, path = store_of(address)
        return int(store.size(path))


def open_address(address: str) -> IO[bytes]:
    """Open a file to be read from its beginning."""
    with reaching(address):
        store, path = store_of(address)
        return io.BufferedReader(_Reached(store.open(path, "rb"), address))


class _Reached(io.RawIOBase):
    """A file of a store: what goes wrong while it is read is no damage to it."""

    def __init__(self, opened: IO[bytes], address: str) -> None:
        self._opened, self._address = opened, address

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with reaching(self._address):
            data = self._opened.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        with reaching(self._address):
            return self._opened.seek(offset, whence)

    def tell(self) -> int:
        return self._opened.tell()

    def close(self) -> None:
        self._opened.close()
        super().close()


def read_range(address: str, start: int, stop: int) -> bytes:
    """Read some bytes of a file."""
    with reaching(address):
        store, path = store_of(address)
        found: bytes = store.cat_file(path, start=start, end=stop)
        return found


@contextlib.contextmanager
def reaching(address: str) -> Iterator[None]:
    """Turn what goes wrong on the way to a store into an error that says what to do, and quotes no secret.

    Examples
    --------
    >>> with reaching("s3://bucket/chr1.bed"):
    ...     raise PermissionError("key AKIA... is not allowed")
    Traceback (most recent call last):
    ...
    dalenius.errors.InputError: s3://bucket/chr1.bed must let us read it; got PermissionError. ...
    """
    try:
        yield
    except DaleniusError:
        raise
    except FileNotFoundError:
        raise InputError(shown(address), "must be a file", "no such file", "Check the address.") from None
    except ImportError as error:
        if error.name == "fsspec":
            raise MissingExtraError("reading files by address", "fsspec", "remote") from None
        scheme = address.partition("://")[0]
        raise InputError(
            shown(address),
            "must be of a store whose package is installed",
            f"{scheme}:// without it",
            "Install it, for example s3fs for s3://, gcsfs for gs://, aiohttp for https://.",
        ) from None
    except Exception as error:  # each store has a tree of errors of its own, and they may quote keys
        raise InputError(shown(address), "must let us read it", type(error).__name__, _RIGHTS) from None


def store_of(address: str) -> tuple[Any, str]:
    """The store of an address, and the path in it; to be asked for within `reaching`."""
    import fsspec.core

    if _KEY.search(address):
        rule, fix = "must hold no name or password", "Set them where the store's own tools look for them."
        raise InputError(shown(address), rule, "one", fix)
    scheme = address.partition("://")[0]
    if scheme not in fsspec.available_protocols() and "::" not in scheme:
        rule = "must be of a store that fsspec speaks"
        raise InputError(shown(address), rule, f"{scheme}://", "Use for example s3://, gs:// or https://.")
    store, path = fsspec.core.url_to_fs(address)
    return store, path
