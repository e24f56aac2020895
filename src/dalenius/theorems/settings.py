"""What can be set in an experiment, and what was set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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

    def check(self, value: float) -> float:
        """Return the value, or refuse it."""
        if self.beyond and value > self.most:
            rule = f"must be at most {self._plain(self.most)} to finish in a minute or two"
            raise TooLargeError(self.name, rule, self._plain(value), self.beyond)
        if not self.least <= value <= self.most:
            rule = f"must lie between {self._plain(self.least)} and {self._plain(self.most)}"
            raise InputError(self.name, rule, repr(value), f"It is the {self.meaning}.")
        if self.whole and value != int(value):
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

    def whole(self, name: str) -> int:
        """Return a whole number."""
        return int(self.values[name])
