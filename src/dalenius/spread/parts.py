"""Results of blocks of work, kept beside what will be written until all of it is done.

A part is written whole or not at all, as plain arrays: none can run code when it is read. The folder is
this user's alone, held by one process at a time, and good for the inputs that are written in it: parts
of other inputs are never mixed in. It goes when the work ends, and stays when the work is stopped.
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np

from dalenius.atomic_write import hold_folder, release_folder
from dalenius.errors import InputError, LostWorkersError
from dalenius.progress import Announce, unsaid
from dalenius.shown import several

PARTS = ".dalenius-parts"
"""The folder of parts, inside that of the results."""

PLAN = "plan.json"

Arrays = Mapping[str, np.ndarray[Any, Any]]

_current: ContextVar[KeptParts | None] = ContextVar("parts", default=None)


class KeptParts:
    """The parts of one run.

    Parameters
    ----------
    folder
        Where; made when the first part is kept.
    plan
        What the run is about, by name: digests of its inputs, options and version.

    Raises
    ------
    InputError
        If the folder holds parts of a run about something else, or another process works there.
    """

    def __init__(self, folder: Path, plan: Mapping[str, str]) -> None:
        self.folder, self.plan = folder, dict(plan)
        self._made: list[Path] = []
        self._held: int | None = None
        self.lost = 0
        self.found = len(self)
        if folder.is_dir():
            self._hold()
            if self.found:
                self._refuse_others()
            else:  # stopped before the first part
                self._write_plan()

    def has(self, work: str, block: int) -> bool:
        """Whether there is a part of a block, whole or damaged."""
        return self._path(work, block).is_file()

    def read(self, work: str, block: int) -> Arrays | None:
        """The result of a block, if it was kept; a damaged part was not."""
        path = self._path(work, block)
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as part:
                return {name: part[name] for name in part.files}
        except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile):
            return None

    def keep(self, work: str, block: int, result: Arrays) -> None:
        """Write the result of a block."""
        path = self._path(work, block)
        text: Any = io.BytesIO()
        np.savez(text, allow_pickle=False, **dict(result))
        writing = path.with_suffix(".writing")
        try:
            self._make(path.parent)
            writing.write_bytes(text.getvalue())
            writing.replace(path)
        except OSError as error:
            with contextlib.suppress(OSError):  # half a part takes room that others lack
                writing.unlink()
            why = (error.strerror or str(error)).lower()
            fix = "What is done so far is kept: the same command goes on once there is room."
            raise StoppedError(str(self.folder), "must have room for results", why, fix) from None

    def lose(self) -> None:
        """Remember that a block could not be done: the others stay, for a run that tries it again."""
        self.lost += 1

    def remove(self) -> None:
        """Take everything away, and folders that were made for it alone."""
        if self.folder.is_dir() and self._held is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
        for folder in reversed(self._made):
            with contextlib.suppress(OSError):
                folder.rmdir()
        self.close()

    def close(self) -> None:
        """Let another process in."""
        if self._held is not None:
            release_folder(self._held)
            self._held = None

    def __len__(self) -> int:
        return sum(1 for _ in self.folder.glob("*/*.npz"))

    @property
    def said(self) -> str:
        """How many there are, and where."""
        return f"{several(len(self), 'part')} in {self.folder}"

    def _path(self, work: str, block: int) -> Path:
        return self.folder / work / f"part-{block:06}.npz"

    def _make(self, place: Path) -> None:
        if not self.folder.is_dir():
            self._made = [path for path in reversed(self.folder.parents) if not path.exists()]
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            self.folder.mkdir(mode=0o700, exist_ok=True)
            self._hold()
            self._write_plan()
        place.mkdir(mode=0o700, exist_ok=True)

    def _write_plan(self) -> None:
        (self.folder / PLAN).write_text(json.dumps(self.plan, indent=1, sort_keys=True), "utf-8")

    def _hold(self) -> None:
        self._held = hold_folder(self.folder)
        if self._held is None:
            rule = "must be used by one run at a time"
            raise StoppedError(str(self.folder), rule, "another run works there", OTHER_PLACE)

    def _refuse_others(self) -> None:
        try:
            there = json.loads((self.folder / PLAN).read_text("utf-8"))
            differs = [name for name in {**there, **self.plan} if there.get(name) != self.plan.get(name)]
        except (OSError, ValueError, AttributeError):
            differs = [PLAN]
        if differs:
            self.close()
            raise StoppedError(
                str(self.folder),
                "must hold parts of the same run",
                f"parts of a run that was stopped, with another {' and another '.join(sorted(differs))}",
                f"Finish that run with its own command, or remove the folder. {OTHER_PLACE}",
            )


OTHER_PLACE = "Choose another place with --out."


class StoppedError(InputError):
    """Work that cannot go on where it is; what was done stays."""


@contextlib.contextmanager
def keeping(folder: Path, plan: Mapping[str, str], *, announce: Announce = unsaid) -> Iterator[KeptParts]:
    """Keep what `map_blocks` does within the block, and go on after what an earlier run kept.

    Parts go when the block ends well, and when its input is refused; they stay when it is stopped, and when
    some of the work was lost.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     with keeping(Path(place, "out"), {"tables": "1"}) as parts:
    ...         parts.keep("work", 0, {"found": np.arange(3)})
    ...         kept = parts.read("work", 0)["found"].tolist()
    ...     kept, Path(place, "out").exists()
    ([0, 1, 2], False)
    """
    parts = KeptParts(folder / PARTS, plan)
    if parts.found:
        announce(f"Goes on after {several(parts.found, 'part')} of a run that was stopped.")
    before = _current.set(parts)
    try:
        yield parts
    except StoppedError:
        parts.close()
        raise
    except LostWorkersError:
        if len(parts):
            announce(f"Kept {parts.said}: the same command goes on from there.")
        parts.close()
        raise
    except InputError:
        parts.remove()
        raise
    except BaseException as stopped:
        if len(parts) and isinstance(stopped, KeyboardInterrupt):
            announce(f"Kept {parts.said}: the same command goes on from there.")
        parts.close()
        raise
    else:
        if parts.lost and len(parts):
            announce(
                f"Kept {parts.said}, since others were lost: the same command tries only those again; "
                "else remove the folder."
            )
            parts.close()
        else:
            parts.remove()
    finally:
        _current.reset(before)


def current_parts() -> KeptParts | None:
    """Where results are kept now; ``None`` where nobody asked for it."""
    return _current.get()
