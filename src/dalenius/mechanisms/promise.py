"""What a mechanism promises to each person, as a number of differential privacy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from dalenius.people.schema import Column

SEEDED = "the noise here is seeded, and the promise is that of noise that nobody can draw again"
"""What a promise is worth while its noise can be drawn again by whoever has the seed and the data."""


@dataclass(frozen=True)
class Promise:
    """The promise to one person whose record is replaced by any other.

    Parameters
    ----------
    epsilon
        Pure differential privacy, or None where there is none.
    rho
        Zero-concentrated differential privacy of Gaussian noise, or None where there is none.
    text
        The promise in words.
    given
        What it rests on.
    """

    epsilon: float | None
    rho: float | None
    text: str
    given: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """The promise with what it rests on."""
        return "; ".join([self.text, *self.given])

    def resting_on(self, *given: str) -> Promise:
        """Add what the promise rests on.

        Examples
        --------
        >>> Promise(1.0, None, "differential privacy with epsilon = 1").resting_on("if nobody looks").said
        'differential privacy with epsilon = 1; if nobody looks'
        """
        return replace(self, given=tuple(dict.fromkeys(self.given + given)))


def open_levels(columns: Iterable[Column]) -> tuple[str, ...]:
    """What a promise rests on where levels came from the data: they show who is there, noise or not.

    Examples
    --------
    >>> from dalenius.people.schema import Kind, Role
    >>> town = Column("town", Role.PUBLIC, Kind.CATEGORICAL, ("Bern", "Zug"))
    >>> open_levels([town])
    ("given that the list of levels is public: that of 'town' was taken from the data",)
    """
    names = list(dict.fromkeys(column.name for column in columns if not column.stated))
    if not names:
        return ()
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return (f"given that the list of levels is public: that of {names[0]!r}{more} was taken from the data",)
