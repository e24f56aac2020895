"""How things are shown: numbers of things in words, and objects that hold people by their sizes."""

from __future__ import annotations

from collections.abc import Callable, Sized
from dataclasses import fields
from enum import Enum
from typing import Any, TypeVar


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


T = TypeVar("T")


def hides_people(*shown: str) -> Callable[[type[T]], type[T]]:
    """Give a dataclass a repr of sizes: what its fields hold is seen only by asking for it.

    Parameters
    ----------
    shown
        Fields of text that say nothing about anybody, such as the name of a method.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @hides_people("method")
    ... @dataclass
    ... class Claims:
    ...     ids: tuple[str, ...]
    ...     method: str
    >>> Claims(("anna", "ben"), "guessing")
    Claims(ids: 2, method: guessing)
    """

    def hide(cls: type[T]) -> type[T]:
        def sizes(self: Any) -> str:
            parts = {each.name: getattr(self, each.name) for each in fields(self) if each.repr}
            said = {name: _size(part, name in shown) for name, part in parts.items()}
            inside = ", ".join(f"{name}: {size}" for name, size in said.items() if size)
            return f"{type(self).__name__}({inside})"

        cls.__repr__ = sizes  # type: ignore[method-assign]  # a decorator is the one place that knows the class
        return cls

    return hide


def _size(part: Any, shown: bool) -> str:
    if shown or part is None or isinstance(part, bool | int | Enum):
        return str(part)
    if isinstance(part, str | bytes):
        return ""
    if isinstance(
        shape := getattr(part, "shape", None), tuple
    ):  # a table of a database may have such a column
        return " x ".join(f"{n:,}" for n in shape)
    try:
        return f"{len(part):,}" if isinstance(part, Sized) else ""
    except TypeError:  # it would have to be counted first
        return ""
