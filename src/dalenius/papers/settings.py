"""What can be set in an experiment, and what was set."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dalenius.errors import InputError, TooLargeError
from dalenius.progress import Progress, silent


@dataclass(frozen=True)
class Parameter:
    """A size that can be set.

    Parameters
    ----------
    name
        Its word on the command line.
    meaning
        What it is.
    default
        The value when none is given; times the number of people if ``per_person``.
    least, most
        The smallest and the largest value allowed.
    beyond
        What to do about a value above ``most``, where only the work forbids it.
    whole
        Whether it must be a whole number.
    """

    name: str
    meaning: str
    default: float
    least: float
    most: float
    beyond: str = ""
    whole: bool = False
    per_person: bool = False

    @property
    def default_in_words(self) -> str:
        """The default, for example ``4 n``."""
        return f"{self.default:g}{' n' if self.per_person else ''}"

    @property
    def range_in_words(self) -> str:
        """The smallest and the largest value allowed, and of which kind."""
        kind = "whole, " if self.whole else ""
        until = f"to {self._plain(self.most)}" if math.isfinite(self.most) else "or more"
        return f"{kind}{self._plain(self.least)} {until}"

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "name": self.name,
            "type": "whole number" if self.whole else "number",
            "default": self.default,
            "default_per_person": self.per_person,
            "least": self.least,
            "most": self.most if math.isfinite(self.most) else None,
            "meaning": self.meaning,
        }

    def read(self, text: str) -> float:
        """Read a value that was given as text."""
        try:
            value = float(text)
            # digits are read as they stand: a float would round a long seed
            exact = self.whole and math.isfinite(value) and text.strip().lstrip("+-").isdigit()
            return int(text) if exact else value
        except ValueError:
            rule = f"must be a {'whole ' if self.whole else ''}number"
            raise InputError(f"--{self.name}", rule, repr(text), f"It is the {self.meaning}.") from None

    def check(self, value: float) -> float:
        """Return the value, or refuse it."""
        if self.beyond and value > self.most:
            rule = f"must be at most {self._plain(self.most)} to finish in a minute or two"
            raise TooLargeError(self.name, rule, self._plain(value), self.beyond)
        if not self.least <= value <= self.most:
            rule = f"must lie between {self._plain(self.least)} and {self._plain(self.most)}"
            if self.most == math.inf:
                rule = f"must be at least {self._plain(self.least)}"
            raise InputError(self.name, rule, repr(value), f"It is the {self.meaning}.")
        if self.whole and not (isinstance(value, int) or value.is_integer()):
            raise InputError(self.name, "must be a whole number", repr(value), f"It is the {self.meaning}.")
        return value

    def _plain(self, value: float) -> str:
        return f"{value:,.0f}" if self.whole else f"{value:,g}"


@dataclass(frozen=True)
class Settings:
    """The values of every parameter, checked.

    Parameters
    ----------
    id
        The statement; part of the name of every random stream.
    values
        One number a parameter.
    runs, seed
        How often each simulation is repeated, and from which seed.
    progress
        Told how far the work is.
    """

    id: str
    values: Mapping[str, float]
    runs: int
    seed: int
    progress: Progress = field(default=silent, compare=False)

    def __getitem__(self, name: str) -> float:
        return self.values[name]

    def __reduce__(self) -> tuple[Any, ...]:
        """Other processes are told all but whom to tell how far the work is."""
        return Settings, (self.id, dict(self.values), self.runs, self.seed)

    def whole(self, name: str) -> int:
        """Return a whole number."""
        return int(self.values[name])
