"""Files that are there whole or not at all: whatever interrupts the writing, a half-written one never is."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from dalenius.errors import InputError
from dalenius.scratch import Scratch

WRITING = ".writing-"


def write_files(folder: Path, files: Mapping[str, str | Iterable[str]]) -> None:
    """Write text files into a folder, all of them or none; the folder is made if it is missing.

    Parameters
    ----------
    folder
        Where to; other files in it stay.
    files
        The text of each file by name, or its parts, which are written one after the other.

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
        for name, text in files.items():
            with (scratch / name).open("w", encoding="utf-8", newline="\n") as file:
                file.writelines([text] if isinstance(text, str) else text)
        for name in files:
            (scratch / name).replace(folder / name)


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


@contextlib.contextmanager
def _explained(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            str(folder),
            "must be a folder that can be written",
            (error.strerror or str(error)).lower(),
            "Choose another place with --out.",
        ) from None
