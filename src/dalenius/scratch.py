"""Folders for work under way: gone when it ends, however it ends.

A folder is locked by the process that made it. A process that is killed outright cannot clean up, but its
lock goes with it: whoever makes the next folder in the same place removes those that nobody holds.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import weakref
from pathlib import Path
from typing import Self

if sys.platform != "win32":
    import fcntl


class Scratch:
    """A folder that only this user can read; it goes with `close`, with this object, or with the process.

    Parameters
    ----------
    prefix
        How its name starts; abandoned folders of this prefix in the same place are removed.
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


def _remove(folder: Path, lock: int | None, maker: int) -> None:
    if os.getpid() != maker:  # a copy of the process, which ends while the first still works in the folder
        return
    shutil.rmtree(folder, ignore_errors=True)
    if lock is not None:
        os.close(lock)


def _remove_abandoned(prefix: str, place: Path) -> None:
    for folder in place.glob(f"{prefix}*"):
        if (lock := _lock(folder)) is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)
