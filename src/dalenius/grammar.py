"""The one grammar for anything with parameters: ``name:key=value,key=value``.

``rounding:base=5``, ``gaussian:rho=0.5``, ``tables:k=3,attributes=age+sex``. Several in a row are joined
by `` | `` and read from left to right, as in a shell.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from dalenius.errors import InputError, nearest

LARGEST = 1e15
SMALLEST = 1e-100
"""No count of people is larger, and their squares and inverses are still numbers to a computer."""


@dataclass(frozen=True)
class Options:
    """A name and its parameters, still as text; the getters read and check them."""

    name: str
    values: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        pairs = ",".join(f"{key}={value}" for key, value in self.values.items())
        return f"{self.name}:{pairs}" if pairs else self.name

    def only(self, *known: str) -> Options:
        """Refuse parameters other than these."""
        for key in self.values:
            if key not in known:
                raise InputError(
                    f"{self.name}: option {key!r}",
                    "must be one it knows",
                    str(self),
                    nearest(key, known) if known else f"{self.name} takes no options.",
                )
        return self

    def text(self, key: str, default: str | None = None) -> str:
        """Return a parameter as text."""
        value = self.values.get(key, default)
        if value is None:
            raise InputError(
                f"{self.name}: {key}", "must be given", str(self), f"Write {self.name}:{key}=..."
            )
        return value

    def words(self, key: str) -> tuple[str, ...]:
        """Return a parameter as a list of words joined by ``+``; nothing given is an empty list."""
        value = self.values.get(key, "")
        return tuple(value.split("+")) if value else ()

    def number(
        self,
        key: str,
        default: float | None = None,
        *,
        above: float = -math.inf,
        least: float = -math.inf,
        most: float = math.inf,
    ) -> float:
        """Return a parameter as a finite number within its limits."""
        text = self.text(key, None if default is None else repr(default))
        what = f"{self.name}: {key}"
        try:
            value = float(text)
        except ValueError:
            raise InputError(what, "must be a number", repr(text), f"Write {self.name}:{key}=1.") from None
        if not math.isfinite(value):
            raise InputError(what, "must be finite", text)
        if abs(value) > LARGEST or 0 < abs(value) < SMALLEST:
            raise InputError(what, f"must be 0 or between {SMALLEST:g} and {LARGEST:g} in size", text)
        if value <= above:
            raise InputError(what, f"must be above {above:g}", text)
        if value < least:
            raise InputError(what, f"must be at least {least:g}", text)
        if value > most:
            raise InputError(what, f"must be at most {most:g}", text)
        return value

    def whole(self, key: str, default: int | None = None, *, least: int, most: float = math.inf) -> int:
        """Return a parameter as a whole number within its limits."""
        value = self.number(key, default, least=least, most=most)
        if value != int(value):
            raise InputError(f"{self.name}: {key}", "must be a whole number", f"{value:g}")
        return int(value)

    def choice(self, key: str, known: Iterable[str], default: str) -> str:
        """Return a parameter that must be one of a few words."""
        value = self.text(key, default)
        known = tuple(known)
        if value not in known:
            raise InputError(
                f"{self.name}: {key}", "must be one it knows", repr(value), nearest(value, known)
            )
        return value


def parse_options(text: str) -> Options:
    """Read one ``name:key=value,key=value``.

    Examples
    --------
    >>> parse_options("tables:k=2,attributes=age+sex")
    Options(name='tables', values={'k': '2', 'attributes': 'age+sex'})
    """
    name, colon, rest = text.strip().partition(":")
    if not name or (colon and not rest):
        raise InputError("option", "must look like name:key=value,key=value", repr(text))
    values: dict[str, str] = {}
    for pair in rest.split(",") if rest else ():
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not (key and equals and value):
            raise InputError(f"{name}: {pair.strip()!r}", "must look like key=value", repr(text))
        if key in values:
            raise InputError(f"{name}: {key}", "must be given once", repr(text))
        values[key] = value
    return Options(name, values)


def parse_chain(text: str) -> tuple[Options, ...]:
    """Read several, joined by ``|``.

    Examples
    --------
    >>> [str(o) for o in parse_chain("suppression:below=10 | rounding:base=5")]
    ['suppression:below=10', 'rounding:base=5']
    """
    return tuple(parse_options(part) for part in text.split("|"))
