"""Files that are there whole or not at all, whatever interrupts the writing; and folders for work under way.

Folders for work under way: gone when it ends, however it ends.

A folder is locked by the process that made it. A process that is killed outright cannot clean up, but its
lock goes with it: whoever makes the next folder in the same place removes those that nobody holds.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import shutil
import stat
import sys
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Self

from dalenius.errors import InputError

if sys.platform != "win32":
    import fcntl


class Scratch:
    """A folder that only this user can read; it goes with `close`, with this object, or with the process.

    Parameters
    ----------
    prefix
        How its name starts; folders of this prefix that were made here and abandoned are removed.
    place
        Where; the system's folder for such things if not given.

    Examples
    --------
    >>> with Scratch("dalenius-example-") as scratch:
    ...     scratch.path.is_dir()
    True
    >>> scratch.path.exists()
    False
    """

    def __init__(self, prefix: str, place: Path | None = None) -> None:
        place = Path(tempfile.gettempdir()) if place is None else place
        _remove_abandoned(prefix, place)
        self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=place))
        self._remove = weakref.finalize(self, _remove, self.path, _lock(self.path), os.getpid())

    def close(self) -> None:
        """Remove the folder and all that is in it."""
        self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _lock(folder: Path) -> int | None:
    """Hold a folder until the process ends; nothing if it cannot be held, or is held by another process."""
    if sys.platform == "win32":
        return None
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
        else:
            return descriptor
    return None


def hold_folder(folder: Path) -> int | None:
    """Hold a folder until `release_folder` or the end of the process; ``None`` if another process does."""
    if sys.platform == "win32":  # folders cannot be held there
        return os.open(os.devnull, os.O_RDONLY)
    return _lock(folder)


def release_folder(held: int) -> None:
    """Let another process hold a folder."""
    os.close(held)


def _remove(folder: Path, lock: int | None, maker: int) -> None:
    if os.getpid() != maker:  # a copy of the process, which ends while the first still works in the folder
        return
    shutil.rmtree(folder, ignore_errors=True)
    if lock is not None:
        os.close(lock)


def _remove_abandoned(prefix: str, place: Path) -> None:
    for folder in place.glob(f"{prefix}*"):
        if _is_scratch(folder, prefix) and (lock := _lock(folder)) is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def _is_scratch(folder: Path, prefix: str) -> bool:
    """Whether `Scratch` made a folder: it has a drawn name, and nobody else may read it.

    A folder whose name only starts alike, such as ``dalenius-report``, is somebody's work.
    """
    drawn = re.fullmatch(r"[a-z0-9_]{8}", folder.name.removeprefix(prefix)) is not None
    with contextlib.suppress(OSError):
        found = folder.lstat()
        return drawn and stat.S_ISDIR(found.st_mode) and (os.name == "nt" or not found.st_mode & 0o077)
    return False


WRITING = ".writing-"


MANIFEST = ".dalenius-files.json"
"""Which files of a folder of results dalenius wrote, and what was in them, so that it can take them away."""


def write_files(folder: Path, files: Mapping[str, str | bytes | Iterable[str]]) -> None:
    """Write files into a folder, all of them or none; the folder is made if it is missing.

    Parameters
    ----------
    folder
        Where to; other files in it stay.
    files
        The text of each file by name, or its parts, which are written one after the other; or its bytes.

    Raises
    ------
    InputError
        If the folder cannot be written to.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     write_files(Path(place, "out"), {"a.txt": "one", "b.txt": iter(["t", "wo"])})
    ...     sorted(path.name for path in Path(place, "out").iterdir())
    ['a.txt', 'b.txt']
    """
    with _explained(folder), contextlib.ExitStack() as undo:
        for made in _make(folder):
            undo.callback(_remove_empty, made)
        scratch = undo.enter_context(Scratch(WRITING, folder)).path
        _fill(scratch, files)
        for name in files:
            (scratch / name).replace(folder / name)


def write_results(folder: Path, files: Mapping[str, str | bytes | Iterable[str]]) -> list[str]:
    """Write the files of one run, and take away what an earlier run left there: all of it, or none.

    Only what dalenius wrote is taken away, and only as long as it is as it was written: claims about people
    must not lie beside findings of another run. Which files these are is kept in the folder, in `MANIFEST`.

    Returns
    -------
    list of str
        Files of an earlier run that were changed since, and so were left where they are.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     _ = write_results(Path(place), {"report.json": "1", "claims.csv": "about people"})
    ...     _ = write_results(Path(place), {"report.json": "2"})
    ...     sorted(path.name for path in Path(place).iterdir())
    ['.dalenius-files.json', 'report.json']
    """
    with _explained(folder), contextlib.ExitStack() as undo:
        for made in _make(folder):
            undo.callback(_remove_empty, made)
        scratch = undo.enter_context(Scratch(WRITING, folder)).path
        new, old = scratch / "new", scratch / "old"
        new.mkdir()
        old.mkdir()
        _fill(new, files)
        before = _manifest(folder)
        stale = [name for name in before if name not in files and (folder / name).is_file()]
        kept = [name for name in stale if _digest(folder / name) not in before[name]]
        # both what was and what will be there: whatever interrupts this, the next run knows its own files
        known = {name: before[name] for name in kept}
        known |= {name: [*dict.fromkeys([*before.get(name, [])[-1:], _digest(new / name)])] for name in files}
        (new / MANIFEST).write_text(json.dumps({"files": known}, indent=2, sort_keys=True) + "\n", "utf-8")
        with _put_back(old, folder):
            for name in stale:
                if name not in kept:
                    (folder / name).replace(old / name)
            for name in (MANIFEST, *files):
                (new / name).replace(folder / name)
        return kept


def _fill(scratch: Path, files: Mapping[str, str | bytes | Iterable[str]]) -> None:
    for name, text in files.items():
        if isinstance(text, bytes):
            (scratch / name).write_bytes(text)
            continue
        with (scratch / name).open("w", encoding="utf-8", newline="\n") as file:
            file.writelines([text] if isinstance(text, str) else text)


@contextlib.contextmanager
def _put_back(old: Path, folder: Path) -> Iterator[None]:
    """Bring back what was taken away, unless the block ends well."""
    try:
        yield
    except BaseException:
        for path in old.iterdir():
            path.replace(folder / path.name)
        raise


def _manifest(folder: Path) -> dict[str, list[str]]:
    """Which files of a folder dalenius wrote; none where that is not known, so that nothing is taken away."""
    try:
        files = json.loads((folder / MANIFEST).read_text("utf-8"))["files"]
        # a name that leads out of the folder was not written by us
        return {
            name: [str(digest) for digest in digests]
            for name, digests in files.items()
            if Path(name).name == name
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def append_text(path: Path, text: str) -> None:
    """Add text to a file, after what is there; its folder is made if it is missing."""
    with _explained(path, "a file", "--summary"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(text)


def refuse_unwritable(folder: Path) -> None:
    """Refuse a folder that could not be written to, before the work; nothing is left there.

    Raises
    ------
    InputError
        If it could not be made, or no file could be made in it.
    """
    with _explained(folder):
        there = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
        with tempfile.TemporaryDirectory(prefix=WRITING, dir=there):
            pass


def refuse_unwritable_file(path: Path, option: str) -> None:
    """Refuse a file that could not be written, before the work; ``option`` named it."""
    with _explained(path, "a file", option):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "a folder")
        if path.exists() and not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, "permission denied")
        if not path.exists():
            there = next(folder for folder in path.absolute().parents if folder.exists())
            with tempfile.TemporaryDirectory(prefix=WRITING, dir=there):
                pass


@contextlib.contextmanager
def writing_folder(folder: Path) -> Iterator[Path]:
    """Fill a scratch folder; it takes the place of ``folder`` only when the block ends well.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     with writing_folder(Path(place, "out")) as scratch:
    ...         _ = (scratch / "a.txt").write_text("one")
    ...     Path(place, "out", "a.txt").read_text()
    'one'
    """
    folder = folder.absolute()
    with _explained(folder), contextlib.ExitStack() as undo:
        for made in _make(folder.parent):
            undo.callback(_remove_empty, made)
        scratch = undo.enter_context(Scratch(WRITING, folder.parent)).path
        new, old = scratch / "new", scratch / "old"
        new.mkdir()
        yield new
        try:
            if folder.exists():
                folder.replace(old)
            new.replace(folder)
        except BaseException:
            if old.exists() and not folder.exists():
                old.replace(folder)
            raise


def _make(folder: Path) -> list[Path]:
    """Make a folder and those above it; return the ones that were not there, outermost first."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing[::-1]


def _remove_empty(folder: Path) -> None:
    """Undo the making of a folder that got no file."""
    with contextlib.suppress(OSError):
        folder.rmdir()


def was_address(place: Path) -> bool:
    """Whether a path was made of an address, whose one slash it lacks now.

    Examples
    --------
    >>> was_address(Path("s3://bucket/run")), was_address(Path("C:/run")), was_address(Path("run"))
    (True, False, False)
    """
    return re.match("[a-zA-Z][a-zA-Z0-9+.-]+:/", str(place)) is not None


@contextlib.contextmanager
def _explained(place: Path, kind: str = "a folder", option: str = "--out") -> Iterator[None]:
    if was_address(place):
        fix = f"Choose another with {option}, and copy it there."
        raise InputError(str(place), f"must be {kind} of this machine", "an address", fix)
    try:
        yield
    except OSError as error:
        raise InputError(
            str(place),
            f"must be {kind} that can be written",
            (error.strerror or str(error)).lower(),
            f"Choose another place with {option}.",
        ) from None
