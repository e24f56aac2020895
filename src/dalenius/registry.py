"""Registries: what can be asked for by name, and where it is; loaded when it is asked for.

A registry names modules of its own room alone. Between rooms stand import statements, which the contracts
read, so that nothing beyond the wall can be reached by a name. Only the faces of the package, which list its
public names, say where these are in all rooms.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """Names, and what they stand for.

    Parameters
    ----------
    room
        The package whose modules are named: always ``__package__`` of the module that makes the registry.
    homes
        For each name the module, from the room on, and what to take of it, as ``stages.topcode:Topcode``.

    Examples
    --------
    >>> from dalenius.theory.privacy.conversions import rho_from_mu
    >>> Registry[object]("dalenius.theory", {"rho": "privacy.conversions:rho_from_mu"})["rho"] is rho_from_mu
    True
    """

    def __init__(self, room: str | None, homes: Mapping[str, str]) -> None:
        self.room, self.homes = room, dict(homes)

    def __getitem__(self, name: str) -> T:
        module, what = self.homes[name].split(":")
        found: T = attrgetter(what)(importlib.import_module(f"{self.room}.{module}"))
        return found

    def __contains__(self, name: object) -> bool:
        return name in self.homes

    def __iter__(self) -> Iterator[str]:
        return iter(self.homes)

    def __len__(self) -> int:
        return len(self.homes)


def face(
    package: str, homes: Mapping[str, str], rooms: Sequence[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package whose public names are defined elsewhere.

    Parameters
    ----------
    package
        Its name.
    homes
        For each public name the module that defines it.
    rooms
        Packages inside it that are public as well.
    """

    def load(name: str) -> Any:
        """Load a public name when it is first asked for: nothing is imported before it is needed."""
        if name in rooms:
            return importlib.import_module(f"{package}.{name}")
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(homes[name]), name)

    def names() -> list[str]:
        own = (name for name in vars(sys.modules[package]) if name.startswith("__"))
        return sorted({*own, *homes, *rooms})

    return load, names
