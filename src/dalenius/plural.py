"""Numbers of things in words: one of them is not several."""

from __future__ import annotations


def several(count: int, one: str, more: str = "") -> str:
    """So many of something, by its own name if it is one.

    Examples
    --------
    >>> several(1, "edge"), several(2000, "edge"), several(3, "person", "people")
    ('1 edge', '2,000 edges', '3 people')
    """
    return f"1 {one}" if count == 1 else f"{count:,} {more or f'{one}s'}"


def people(count: int) -> str:
    """Write a number of people.

    Examples
    --------
    >>> people(1), people(6366)
    ('1 person', '6,366 people')
    """
    return several(count, "person", "people")
