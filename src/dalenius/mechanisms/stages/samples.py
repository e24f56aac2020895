"""Answers about a random part of the people.

Whom a mean is taken over: a sample of the people, one sample per column, or nobody at all.

Such a stage comes first in a chain and decides where its numbers come from; what follows distorts them. Of
one shared sample exactly the people in it can be traced; of fresh samples for every column, everybody.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.grammar import Options
from dalenius.mechanisms.base import Floats, Reading, Stage, plain


@dataclass(frozen=True)
class Subsample(Stage):
    """Count each person with probability ``rate``, independently of everything; publish the raw counts.

    No smaller epsilon is claimed for the secrecy of the sample: the promise stays that of the noise.
    """

    rate: float

    first_because: ClassVar[str] = "It chooses people, before anything is counted."

    @staticmethod
    def parse(options: Options) -> Subsample:
        """Read ``subsample:rate=0.5``."""
        options.only("rate")
        return Subsample(options.number("rate", above=0, most=1))

    def __str__(self) -> str:
        return f"subsample:rate={plain(self.rate)}"

    def sample_rows(self, n: int, *, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Say which of ``n`` people are counted."""
        return rng.random(n) < self.rate

    def read(self, reading: Reading, *, counts: bool) -> Reading:
        """Scale the counts up. Those in the sample are there for sure; how many are not is unknown.

        Given C people, the sample holds Binomial(C, rate) of them: the count over the rate is unbiased,
        with variance ``C (1 - rate) / rate``, for which ``count (1 - rate) / rate^2`` is the estimate.
        """
        if self.rate == 1:
            return reading
        if reading.shape == "none":
            reading = replace(reading, centre=reading.middle())
        count = np.maximum(reading.centre, 1.0)
        variance = (reading.variance + count * (1 - self.rate)) / self.rate**2
        noisy = replace(reading, variance=np.zeros_like(variance)).noisy(variance, "gaussian")
        return replace(
            noisy.within(reading.low, np.full_like(reading.high, np.inf)), centre=reading.centre / self.rate
        )


Whole = NDArray[np.int64]

FIRST = "It says where the means come from."


@dataclass(frozen=True)
class SharedSample(Stage):
    """Average over one random set of ``size`` people, the same for every column."""

    size: int

    first_because: ClassVar[str] = FIRST

    def __str__(self) -> str:
        return f"subsample:size={self.size}"

    def sample_rows(self, n: int, *, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Say which of ``n`` people are averaged."""
        _check_size(self.size, n)
        chosen = np.zeros(n, np.bool_)
        chosen[rng.choice(n, self.size, replace=False)] = True
        return chosen


@dataclass(frozen=True)
class ColumnSamples(Stage):
    """Average every column over ``size`` people of its own."""

    size: int

    first_because: ClassVar[str] = FIRST

    def __str__(self) -> str:
        return f"subsample:size={self.size},per=column"

    def thin(self, counts: Whole, *, rng: np.random.Generator) -> Whole:
        """Draw for every column how many of its sample have each value.

        Parameters
        ----------
        counts
            One row per column: how many people have each value; the last entry counts missing ones.

        Returns
        -------
        Whole
            The same for people drawn without replacement. Whom they are need not be known: the counts of
            a sample are hypergeometric, value by value.
        """
        _check_size(self.size, int(counts.sum(axis=1).min()))
        left = np.full(counts.shape[0], self.size, np.int64)
        rest = counts.sum(axis=1)
        drawn = np.zeros_like(counts)
        for value in range(counts.shape[1]):
            rest = rest - counts[:, value]
            drawn[:, value] = rng.hypergeometric(counts[:, value], rest, left)
            left = left - drawn[:, value]
        return drawn

    def choose(self, people: int, columns: int, *, rng: np.random.Generator) -> NDArray[np.intp]:
        """Draw the people of each column themselves: rows are places in the sample, columns the columns."""
        _check_size(self.size, people)
        return np.argsort(rng.random((people, columns)), axis=0)[: self.size]


@dataclass(frozen=True)
class Population(Stage):
    """Publish the means of the population the people come from: nothing about these people is in them."""

    first_because: ClassVar[str] = FIRST

    @staticmethod
    def parse(options: Options) -> Population:
        """Read ``population``."""
        options.only()
        return Population()

    def __str__(self) -> str:
        return "population"


@dataclass(frozen=True)
class Constant(Stage):
    """Publish one number in place of every mean, such as the middle of the interval all of them lie in."""

    value: float

    first_because: ClassVar[str] = FIRST

    @staticmethod
    def parse(options: Options) -> Constant:
        """Read ``constant:value=0.5``."""
        options.only("value")
        return Constant(options.number("value"))

    def __str__(self) -> str:
        return f"constant:value={self.value:g}"

    def protect(self, values: Floats, table: Whole, *, rng: np.random.Generator) -> Floats:
        """Return the constant; what is suppressed stays suppressed."""
        return np.where(np.isnan(values), np.nan, self.value)


Source = Subsample | SharedSample | ColumnSamples | Population | Constant
"""Stages that come first."""


def parse_sample(options: Options) -> Stage:
    """Read ``subsample:size=50[,per=release|column]``.

    Examples
    --------
    >>> str(parse_sample(Options("subsample", {"size": "50", "per": "column"})))
    'subsample:size=50,per=column'
    """
    options.only("size", "per")
    size = options.whole("size", least=1)
    return (
        ColumnSamples(size)
        if options.choice("per", ("release", "column"), "release") == "column"
        else SharedSample(size)
    )


def _check_size(size: int, people: int) -> None:
    if size > people:
        raise InputError(
            "subsample: size", f"must be at most the number of people, {people:,}", f"{size:,}", "Lower it."
        )
