"""Registries: what can be asked for by name, and where it is; loaded when it is asked for.

A registry names modules of its own room alone. Between rooms stand import statements, which the contracts
read, so that nothing beyond the wall can be reached by a name.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Generic, TypeVar

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
