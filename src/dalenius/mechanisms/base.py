"""One stage of a mechanism, what it promises, and what is known about a number while it is walked back.

A mechanism is a chain of stages. Forwards, each stage turns the numbers it gets into the numbers it
hands on. Backwards, each stage turns what is known about its output into what is known about its
input; from the published numbers the walk ends at the true counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from dalenius.matrices.answers import Sensitivity
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


Floats = NDArray[np.float64]

SLACK = 1e-6
"""Counts are whole, so an interval may give way by this much to absorb the rounding of its ends."""


@dataclass(frozen=True)
class Reading:
    """What is known about each number at one place of the chain.

    Parameters
    ----------
    low, high
        The number lies in ``low .. high`` for sure. An empty interval (``low`` above ``high``) at a number
        that is not hidden means that it cannot have been published by this chain; at a hidden number,
        that no stage met so far could have hidden it.
    centre
        The best single number, not a number where hidden.
    variance
        Of all the errors met so far.
    hidden
        Where nothing was published.
    shape
        ``none`` until the walk meets random noise, then the shape of that noise.
    """

    low: Floats
    high: Floats
    centre: Floats
    variance: Floats
    hidden: NDArray[np.bool_]
    shape: str

    @staticmethod
    def of(published: Floats, least: Floats | None = None, most: Floats | None = None) -> Reading:
        """Start the walk at the published numbers, printed so that they lie in ``least .. most``."""
        hidden = np.isnan(published)
        least = published if least is None else least
        most = published if most is None else most
        width = np.where(hidden, 0.0, most - least)
        return Reading(
            low=np.where(hidden, np.inf, least),
            high=np.where(hidden, -np.inf, most),
            centre=published,
            variance=width * width / 12,
            hidden=hidden,
            shape="none",
        )

    def within(self, low: Floats, high: Floats) -> Reading:
        """Replace the interval, leaving empty what was empty."""
        empty = self.low > self.high + SLACK
        return replace(self, low=np.where(empty, np.inf, low), high=np.where(empty, -np.inf, high))

    def whole(self) -> tuple[Floats, Floats]:
        """Return the first and the last count in each interval."""
        return np.maximum(np.ceil(self.low - SLACK), 0.0), np.floor(self.high + SLACK)

    def middle(self) -> Floats:
        """Return the middle of the counts in each interval, or the centre where it has none."""
        low, high = self.whole()
        inside = np.isfinite(low) & np.isfinite(high) & (low <= high) & ~self.hidden
        # halves first: an absurd number must not become infinite, and halves of counts are exact
        return np.where(inside, np.where(inside, low, 0.0) / 2 + np.where(inside, high, 0.0) / 2, self.centre)

    def noisy(self, variance: float | Floats, shape: str) -> Reading:
        """Add random noise: nothing stays sure, and two noises together look Gaussian."""
        everything = np.full_like(self.low, np.inf)
        shapes = {self.shape, shape} - {"none"}
        mixed = "unknown" if "unknown" in shapes else "gaussian"
        return replace(
            self.within(-everything, everything),
            variance=self.variance + variance,
            shape=shape if len(shapes) == 1 else mixed,
        )


class Stage:
    """One stage; the defaults are those of a stage that changes nothing and promises nothing."""

    gives_counts: ClassVar[bool] = True
    """Whether counts (whole numbers, not negative) stay counts."""

    before_noise: ClassVar[bool] = True
    """Whether noise that comes later keeps its promise: not after anything that depends on the counts."""

    hides: ClassVar[bool] = False
    """Whether it leaves numbers out."""

    @property
    def makes_whole(self) -> bool:
        """Whether whole numbers come out of it whatever goes in."""
        return False

    first_because: ClassVar[str] = ""
    """Why it must come first, if it must."""

    alone: ClassVar[bool] = False
    """Whether it must stand alone: it says something of the numbers as a whole."""

    @property
    def promised(self) -> bool:
        """Whether it is given by what it promises, and not by its size."""
        return False

    @property
    def draws(self) -> bool:
        """Whether it draws anything at random; those that do not say so."""
        return True

    @property
    def moves(self) -> tuple[float, float]:
        """How far down and up one number goes at most, where it stays visible."""
        return 0.0, 0.0

    def applied(self) -> Self:
        """Say what is done where the text leaves it open: a publisher states all of it."""
        return self

    def resolve(self, sensitivity: Sensitivity) -> Stage:
        """Replace a promise by the scale of noise that keeps it."""
        return self

    def promise(self, sensitivity: Sensitivity) -> Promise | None:
        """Say what this stage promises if one person moves its input by this much."""
        return None

    def sample_rows(self, n: int, *, rng: np.random.Generator) -> NDArray[np.bool_] | None:
        """Say which of ``n`` people are counted, or None if all are."""
        return None

    def protect(self, values: Floats, table: NDArray[np.int64], *, rng: np.random.Generator) -> Floats:
        """Turn the numbers this stage gets into those it hands on."""
        return values

    def read(self, reading: Reading, *, counts: bool) -> Reading:
        """Turn what is known about the output into what is known about the input.

        ``counts`` says that the input consists of counts, by what the stages before this one do.
        """
        return reading


def plain(value: float) -> str:
    """Write a number as briefly as reads back to it.

    Examples
    --------
    >>> plain(4.0), plain(0.25)
    ('4', '0.25')
    """
    return repr(float(value)).removesuffix(".0")


def rows_of_tables(table: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the rows of each table.

    Examples
    --------
    >>> [rows.tolist() for rows in rows_of_tables(np.array([0, 1, 0]))]
    [[0, 2], [1]]
    """
    order = np.argsort(table, kind="stable")
    starts = np.flatnonzero(np.diff(table[order])) + 1
    return [rows for rows in np.split(order, starts) if rows.size]
