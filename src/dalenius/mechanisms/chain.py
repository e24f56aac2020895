"""A mechanism: one or more stages, applied from left to right."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.matrices.answers import AnswerError, Counts, Sensitivity
from dalenius.mechanisms.base import Floats, Promise, Reading, Stage


@dataclass(frozen=True)
class Mechanism:
    """A chain of stages; made by `parse_mechanism`, written back by ``str``.

    Examples
    --------
    >>> from dalenius.mechanisms.parse import parse_mechanism
    >>> mechanism = parse_mechanism("suppression:below=10 | rounding:base=5")
    >>> error = mechanism.error(np.array([[np.nan, 15.0]]), np.array([30.0]))
    >>> error.low, error.high
    (array([[ 1., 13.]]), array([[ 9., 17.]]))
    """

    stages: tuple[Stage, ...]

    def __str__(self) -> str:
        return " | ".join(str(stage) for stage in self.stages)

    @property
    def draws(self) -> bool:
        """Whether anything in it is drawn at random."""
        return any(stage.draws for stage in self.stages)

    @property
    def whole(self) -> bool:
        """Whether whole numbers come out of it."""
        return all(stage.gives_counts for stage in self.stages)

    @property
    def prints_whole(self) -> bool:
        """Whether whole numbers come out of it, negative ones too: as noise that is rounded gives them.

        Examples
        --------
        >>> from dalenius.mechanisms.parse import parse_mechanism
        >>> chain = parse_mechanism("gaussian:sigma=4 | rounding:digits=0")
        >>> chain.whole, chain.prints_whole
        (False, True)
        """
        return reduce(
            lambda kept, stage: stage.makes_whole or (kept and stage.gives_counts), self.stages, True
        )

    @property
    def hides(self) -> bool:
        """Whether it leaves numbers out."""
        return any(stage.hides for stage in self.stages)

    @property
    def moves(self) -> tuple[float, float]:
        """How far down and up one number goes at most, where it stays visible."""
        return sum(stage.moves[0] for stage in self.stages), sum(stage.moves[1] for stage in self.stages)

    @property
    def noise(self) -> tuple[str, float]:
        """The shape of its random errors, ``none`` if there are none, and their standard deviation."""
        reading = Reading.of(np.zeros((1, 1)))
        for stage in reversed(self.stages):
            reading = stage.read(reading, counts=False)
        return reading.shape, float(np.sqrt(reading.variance.item()))

    def applied(self) -> Mechanism:
        """Say what is done where the text leaves it open: what a publisher states.

        Examples
        --------
        >>> from dalenius.mechanisms.parse import parse_mechanism
        >>> str(parse_mechanism("rounding:base=10").applied())
        'rounding:base=10,ties=up'
        """
        return Mechanism(tuple(stage.applied() for stage in self.stages))

    def resolve(self, sensitivity: Sensitivity) -> Mechanism:
        """Replace each promise by the scale that keeps it: what an attacker may be told.

        Examples
        --------
        >>> from dalenius.mechanisms.parse import parse_mechanism
        >>> str(parse_mechanism("gaussian:rho=0.5").resolve(Sensitivity(l1=112, l2_squared=112)))
        'gaussian:sigma=10.58300525'
        """
        return Mechanism(tuple(stage.resolve(sensitivity) for stage in self.stages))

    def promise(self, sensitivity: Sensitivity) -> Promise | None:
        """Say what the mechanism promises to one person, or None if it promises nothing.

        What comes after noise is post-processing and takes nothing away. What comes before it and depends
        on the counts (rounding, suppression) changes how far one person moves them: no promise then.
        With several noises each promise holds; the smallest of each kind is stated.
        """
        if math.isinf(sensitivity.l1):
            return None
        kept: list[Promise] = []
        for stage in self.stages:
            promise = stage.promise(sensitivity)
            if promise is not None:
                kept.append(promise)
            if not stage.before_noise:
                break
        return reduce(_both, kept) if kept else None

    def sample_rows(self, n: int, *, rng: np.random.Generator) -> NDArray[np.bool_] | None:
        """Say which of ``n`` people are counted, or None if all are."""
        return self.stages[0].sample_rows(n, rng=rng)

    @property
    def of_sample(self) -> Mechanism | None:
        """What is done to the counts of a random sample; ``None`` if everybody is counted.

        Examples
        --------
        >>> from dalenius.mechanisms.parse import parse_mechanism
        >>> str(parse_mechanism("subsample:rate=0.5").of_sample)
        'exact'
        """
        from dalenius.mechanisms.stages.exact import Exact  # stages are loaded where they are met

        return Mechanism(self.stages[1:] or (Exact(),)) if self.samples else None

    @property
    def samples(self) -> bool:
        """Whether only some of the people are counted, drawn at random."""
        return self.sample_rows(1, rng=np.random.default_rng(0)) is not None

    def protect(self, counts: Counts, *, rng: np.random.Generator) -> Floats:
        """Return what is published in place of the counts; not a number where suppressed.

        A subsample has no effect here: the counts must be those of the people `sample_rows` chose.

        Raises
        ------
        InputError
            If noise is given by its promise and was not resolved.
        UnsupportedError
            If the mechanism is unknown.
        """
        values = counts.values.astype(np.float64)
        for stage in self.stages:
            values = stage.protect(values, counts.table, rng=rng)
        return values

    def error(
        self,
        published: Floats,
        totals: Floats | None = None,
        *,
        labels: Callable[[], Iterable[str]] | None = None,
        counts: bool = True,
        least: Floats | None = None,
        most: Floats | None = None,
    ) -> AnswerError:
        """Read published numbers as an attacker who was told the mechanism.

        Parameters
        ----------
        published
            One row per question, one column per value of the secret; not a number where nothing is published.
        totals
            How many people each question is about, if that is public.
        labels
            Names the questions, for messages.
        counts
            Whether the true answers are counts: whole numbers that are not negative.
        least, most
            Between which numbers the published ones lie, where they are printed with few digits.

        Raises
        ------
        InputError
            If a number cannot have been published by this mechanism, or exceeds its total; or if noise
            is given by its promise and was not resolved.
        """
        reading = Reading.of(np.asarray(published, dtype=np.float64), least, most)
        for at in range(len(self.stages) - 1, -1, -1):
            whole = counts and all(stage.gives_counts for stage in self.stages[:at])
            reading = self.stages[at].read(reading, counts=whole)
        people = np.inf if totals is None else np.asarray(totals, dtype=np.float64)[:, None]
        settled = self._settle(reading, people) if counts else self._settle_numbers(reading)
        among = " for a count between 0 and the public total" if counts else ""
        self._check(settled, labels, among)
        return settled

    def _settle(self, reading: Reading, most: float | Floats) -> AnswerError:
        low, high = reading.whole()
        unexplained = reading.hidden & (reading.low > reading.high)
        low, high = np.where(unexplained, 0.0, low), np.where(unexplained, np.inf, high)
        high = np.minimum(high, most)
        # a mark where nobody is says nothing: programs leave such cells empty, whatever they hide
        low = np.where(reading.hidden & (np.asarray(most) == 0), 0.0, low)
        settled = Reading(low, high, reading.centre, reading.variance, reading.hidden, reading.shape)
        noiseless = reading.shape == "none"
        return AnswerError(
            low=low,
            high=high,
            centre=settled.middle() if noiseless else reading.centre,
            sd=np.where(noiseless | reading.hidden, 0.0, np.sqrt(reading.variance)),
            shape=reading.shape,
        )

    def _settle_numbers(self, reading: Reading) -> AnswerError:
        """The same for answers that may be any number."""
        if reading.hidden.any():
            raise InputError("published numbers", "must all be given", "a missing one", "Leave the row out.")
        noiseless = reading.shape == "none"
        middle = reading.centre
        if noiseless:
            # the others are refused by name afterwards, or have no limits that this chain knows
            possible = (reading.low <= reading.high) & np.isfinite(reading.low) & np.isfinite(reading.high)
            ends = [np.where(possible, end, reading.centre) for end in (reading.low, reading.high)]
            middle = (ends[0] + ends[1]) / 2
        sd = np.zeros_like(middle) if noiseless else np.sqrt(reading.variance)
        return AnswerError(reading.low, reading.high, middle, sd, reading.shape)

    def _check(self, settled: AnswerError, labels: Callable[[], Iterable[str]] | None, among: str) -> None:
        wrong = np.argwhere(settled.low > settled.high)
        if wrong.size:
            row, column = (int(at) for at in wrong[0])
            place = f"row {row}" if labels is None else repr(next(islice(labels(), row, None)))
            raise InputError(
                f"published number in {place}, column {column}",
                f"must be one that {self} can publish{among}",
                f"{settled.centre[row, column]:g}",
                "Check the mechanism and the totals, or write the mechanism as unknown.",
            )


def _both(first: Promise, second: Promise) -> Promise:
    epsilon = min((p.epsilon for p in (first, second) if p.epsilon is not None), default=None)
    rho = min((p.rho for p in (first, second) if p.rho is not None), default=None)
    return Promise(epsilon, rho, f"{first.text}; {second.text}")
