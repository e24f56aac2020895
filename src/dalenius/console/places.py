"""Where people are, as an option: a file, or the address of a database."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dalenius.errors import InputError

Place = Any
"""A path, or the address of a database as text; a table of a database follows after ``#``."""


def place(text: str) -> Path | str:
    """Take a text for a path, unless it is the address of a database, which a path would shorten.

    Examples
    --------
    >>> place("people.csv").name, place("postgres://host/clinic#patients")
    ('people.csv', 'postgres://host/clinic#patients')
    """
    return text if "://" in text else Path(text)


def named_files(texts: Sequence[str]) -> dict[str, Path]:
    """Read ``name=file`` texts.

    Examples
    --------
    >>> {name: path.name for name, path in named_files(["relatives=kin.bed"]).items()}
    {'relatives': 'kin.bed'}
    """
    found: dict[str, Path] = {}
    for text in texts:
        name, sign, path = text.partition("=")
        if not (name and sign and path) or name in found:
            raise InputError("group", "must be NAME=FILE, each name once", repr(text))
        found[name] = Path(path)
    return found
