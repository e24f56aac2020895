"""The command that is being run, as it can be typed again: without outputs, folders and passwords."""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from pathlib import PurePath

_asked: ContextVar[tuple[str, ...]] = ContextVar("asked", default=())

WRITES = ("--out", "--junit", "--summary")
"""Options that say where results go, each with a value: the findings are the same wherever they are."""

SHOWS = ("--quiet", "--show-people")
"""Options that change what is shown, and nothing that is found."""

_PASSWORD = re.compile(r"(?<=://)[^/@]*@")


def remember(words: Sequence[str]) -> None:
    """Keep the words of the command that is being run."""
    _asked.set(tuple(words))


def asked() -> tuple[str, ...]:
    """The words as they were typed."""
    return _asked.get()


def typed_again() -> str | None:
    """The command that makes the same findings of the same files; nothing where no command was typed."""
    return command_text(asked()) if asked() else None


def command_text(words: Sequence[str]) -> str:
    """Write a command in one line.

    Examples
    --------
    >>> command_text(["audit", "plans/audit.toml", "--out", "found", "--quiet"])
    'dalenius audit audit.toml'
    >>> command_text(["trace", "plan", "--n=500"])
    'dalenius trace plan --n=500'
    >>> print(command_text(["init", "postgres://anna:word@host/clinic#patients"]))
    dalenius init 'postgres://host/clinic#patients'
    """
    return shlex.join(["dalenius", *_kept(words)])


def option(words: Sequence[str], name: str) -> str | None:
    """The value of an option among words, the last one if it is given twice.

    Examples
    --------
    >>> option(["audit", "--junit=a.xml"], "--junit"), option(["--junit", "b.xml"], "--junit")
    ('a.xml', 'b.xml')
    """
    given = [word.removeprefix(f"{name}=") for word in words if word.startswith(f"{name}=")]
    given += [after for word, after in itertools.pairwise(words) if word == name]
    return given[-1] if given else None


def _kept(words: Sequence[str]) -> Iterator[str]:
    skip = False
    for word in words:
        name = word.partition("=")[0]
        if skip or name in WRITES or word in SHOWS:
            skip = not skip and word in WRITES
            continue
        yield _named(word)


def _named(word: str) -> str:
    """A file without its folders: these are of one machine."""
    if "://" in word:
        return _PASSWORD.sub("", word)
    before, sign, path = word.rpartition("=")
    return f"{before}{sign}{PurePath(path).name}" if "/" in path or "\\" in path else word
