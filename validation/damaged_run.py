"""Run a command on damaged files in a process of its own, and say how it ended.

One process imports everything once and runs every valid case; a copy of it (fork) then runs each damaged
one, with limits on memory and time, its own folder and its own place for temporary files. Whatever reaches
the last line of defence of the command line counts as a traceback here.
"""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from validation.damaged_bytes import MISSING
from validation.damaged_cases import Case, read_by
from validation.damaged_make import CANARY
from validation.damaged_more import ENDS

SECONDS = 20
"""CPU time of one run; a valid case takes about one."""

STARVED = 20
"""Times the patience that a run which would work may wait for a core."""

MEMORY = 4 << 30
"""Address space that a run may take beside what the first process has."""

FELL = 70
"""The exit code of a copy in which an exception came through."""

PERSON = re.compile(rf"{CANARY}|(?i:{CANARY}[a-z]{{0,3}}\d{{3}})|\d{f'{ENDS:,}'.replace(',', ',?')}(?![\d,])")
"""A name, job or amount of somebody, in small letters too, and with commas for thousands."""

PROGRESS = re.compile(r"\A(\d{1,3}% .*\n)+")
"""What a command that takes longer than two seconds, as on a busy machine, says before anything else."""

SHOWN = ("findings*.json", "remedy.json", "*.html", "*.md")
"""Files that name nobody. Claims about people are in others, which are for who asks for them."""

OUTCOMES = ("read", "refused", "traceback", "crash", "hang", "leak", "left behind", "written", "noisy", "odd")
GOOD = ("read", "refused")


@dataclass(frozen=True)
class Ended:
    """How a run ended: what it was, the exit code, and what was printed."""

    outcome: str
    code: int
    said: str
    seconds: float
    detail: str = ""


def run_damaged(
    case: Case, valid: Path, damage: dict[str, bytes], run: Callable[[], None] | None = None
) -> Ended:
    """Run a case with some of its files replaced.

    Parameters
    ----------
    case
        The command.
    valid
        The folder of valid files.
    damage
        New bytes by path; `MISSING` takes the file away.
    run
        Called in place of the command; a test plants faults with it.
    """
    place = Path(tempfile.mkdtemp(prefix="damaged-"))
    try:
        return _run_in(place, case, valid, damage, run or (lambda: _command(case.words)))
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _run_in(place: Path, case: Case, valid: Path, damage: dict[str, bytes], run: Callable[[], None]) -> Ended:
    work, scratch = place / "work", place / "tmp"
    scratch.mkdir()
    for name in read_by(case, valid):
        target = work / name
        target.parent.mkdir(parents=True, exist_ok=True)
        content = damage.get(name)
        if content is None:
            shutil.copyfile(valid / name, target)
        elif content != MISSING:
            target.write_bytes(content)
    work.mkdir(exist_ok=True)
    before = _listing(work)
    said = place / "said"
    started = time.monotonic()
    pid = os.fork()
    if pid == 0:
        _in_copy(work, scratch, said, run)
    status = _wait(pid, 10 * SECONDS)
    text = said.read_text(errors="replace") if said.exists() else ""
    ended = _judge(status, text, work, scratch, before, case.names_people)
    return Ended(ended[0], status[0], text, time.monotonic() - started, ended[1])


def _command(words: tuple[str, ...]) -> None:
    from dalenius.cli.main import app

    app(list(words), prog_name="dalenius")


def _in_copy(work: Path, scratch: Path, said: Path, run: Callable[[], None]) -> None:
    """Run in the copy, and end it the way a process ends: with everything that was to be done at its end."""
    code = FELL
    for end in list(weakref.finalize._registry):
        end.atexit = False  # those are for the first process to do
    try:
        os.chdir(work)
        os.environ["TMPDIR"] = str(scratch)
        os.environ["DALENIUS_RAISE"] = "1"
        tempfile.tempdir = None
        handle = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(handle, 1)
        os.dup2(handle, 2)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="strict", closefd=False)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
        faulthandler.disable()  # a test runner would write where it fell all over its own screen
        _show_warnings()
        room = _address_space() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (room, room))
        resource.setrlimit(resource.RLIMIT_CPU, (_cpu() + SECONDS, _cpu() + SECONDS + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        try:
            run()
            code = 0
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 1
        except BaseException:
            traceback.print_exc()
        with contextlib.suppress(Exception):
            atexit._run_exitfuncs()
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
    finally:
        os._exit(code)


def _show_warnings() -> None:
    """Show warnings as a command does that nobody else runs: here they may be caught or made errors."""

    def show(message: Warning | str, category: type[Warning], *rest: object) -> None:
        sys.stderr.write(f"{category.__name__}: {message}\n")

    warnings.showwarning = show
    warnings.resetwarnings()
    for unseen in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
        warnings.simplefilter("ignore", unseen)


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _cpu() -> int:
    return int(time.process_time()) + 1


def _wait(pid: int, most: float) -> tuple[int, bool]:
    """The exit code, negative for a signal, and whether the patience ended first.

    On a busy machine a run at low priority waits for a core longer than any patience: whoever would work if
    there were one is not stuck, and ends by its limit of CPU time.
    """
    until, last = time.monotonic() + most, time.monotonic() + STARVED * most
    pause = 0.002
    while time.monotonic() < until or (time.monotonic() < last and _would_work(pid)):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status), False
        time.sleep(pause)
        pause = min(0.05, pause * 1.5)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return -signal.SIGKILL, True


def _would_work(pid: int) -> bool:
    """Whether a thread of a process runs, or would if a core were free."""
    found = (place.read_text() for place in Path(f"/proc/{pid}/task").glob("*/stat"))
    return any(line.rpartition(")")[2].split()[0] == "R" for line in found)


def _judge(
    ended: tuple[int, bool], said: str, work: Path, scratch: Path, before: set[str], names_people: bool
) -> tuple[str, str]:
    """Say what a run was, the worst first."""
    code, waited = ended
    if waited or code == -signal.SIGXCPU:
        return "hang", ""
    if code < 0:
        return "crash", signal.Signals(-code).name
    if code == FELL or "Traceback (most recent" in said:
        return "traceback", _last_places(said)
    if names_people and (seen := _seen(said, work, before)):
        return "leak", seen
    new = sorted(_listing(work) - before)
    if left := [str(p.relative_to(scratch)) for p in scratch.rglob("*")] + [
        n for n in new if ".writing-" in n
    ]:
        return "left behind", left[0]
    if code == 2:
        made = [name for name in new if not _is_conversion(name)]
        if made:
            return "written", made[0]
        told = PROGRESS.sub("", said)
        return ("refused", "") if told.startswith(("error: ", "Usage: ")) else ("noisy", said[:200])
    if code in (0, 1):
        return ("noisy", said[:200]) if re.search(r"\w+Warning:|^\[[WE]::", said, re.M) else ("read", "")
    return "odd", f"exit code {code}"


def _last_places(said: str) -> str:
    ours = [line.strip() for line in said.splitlines() if 'File "' in line and "dalenius" in line]
    place = ours[-1].split("dalenius/")[-1] if ours else "?"
    return f"{place} {said.strip().splitlines()[-1][:150]}"


def _seen(said: str, work: Path, before: set[str]) -> str:
    """Where a name or value of a person is seen that must not be."""
    texts = {"screen": said}
    for path in (found for pattern in SHOWN for found in work.rglob(pattern)):
        if str(path.relative_to(work)) not in before:
            texts[path.name] = path.read_text(errors="replace")
    for place, text in texts.items():
        if found := PERSON.search(text):
            at = found.start()
            return f"{place}: ...{text[max(0, at - 80) : at + 40]!r}"
        if place.endswith(".json") and any(word in text for word in (": NaN", ": Infinity", ": -Infinity")):
            return f"{place}: NaN or infinity"
    return ""


def _listing(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def _is_conversion(name: str) -> bool:
    """Genotypes that were read well are kept in packed form beside their file."""
    return ".packed" in name
