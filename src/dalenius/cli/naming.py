"""People in messages: named only where ``--show-people`` asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dalenius.errors import InputError


@contextmanager
def naming(show_people: bool) -> Iterator[None]:
    """Add people to messages that keep them apart, if they are to be shown."""
    try:
        yield
    except InputError as error:
        named = getattr(error, "named", None)
        if show_people and named is not None:
            raise named() from None
        raise
