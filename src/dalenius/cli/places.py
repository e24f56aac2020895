"""Where people are, as an option: a file, or the address of a database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
