"""The object that every decoder reads: linear equations about unknown sums of secrets.

``A s`` is about ``centre``, with what is known about the error of each row. People whom no question tells
apart are one unknown, the sum of their secrets: nothing published can say more about them
(Kasiviswanathan et al. 2013, section 2; identical columns).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import gammaln, logit

from dalenius.matrices.answers import Vector
from dalenius.matrices.operators import HadamardRows, Operator, SparseRows, take_people

Whole = NDArray[np.int64]

LEAST_SD = 0.5**0.5
"""Standard deviation at which even an exact count enters a Gaussian calculation.

For an equation whose coefficients are not 1, in units of their root mean square.

A count is a whole number, and a Gaussian that took it as exact would deny every secret vector but
one. Below about this width expectation propagation grows overconfident on real tables.
"""


TRIM_LIMIT = 10_000_000
"""Matrix entries up to which rows are looked at one by one before decoding."""


EDGE = 1e-9
"""Probabilities closer to 0 or 1 are taken as this far from it, where a logarithm is asked for."""


@dataclass(frozen=True)
class RowReading:
    """What each row says by itself, where it was pooled with what the rows of the other values leave.

    ``sd`` is infinite where a row says nothing by itself.
    """

    centre: Vector
    sd: Vector


@dataclass(frozen=True)
class LinearSystem:
    """Equations ``A s = centre + error`` about sums of secrets ``least <= s <= most``.

    Parameters
    ----------
    A
        Whom each row counts: one row per published answer, one column per unknown.
    centre
        The published answers as counts of people with the secret.
    low, high
        The true count lies in this interval for sure.
    sd
        Standard deviation of random noise; 0 where there is none, not a number where it is not known.
    shape
        What the noise looks like: ``none``, ``gaussian``, ``laplace`` or ``unknown``.
    sizes
        How many people each unknown sums over.
    least, most
        What is already known about each sum.
    prior
        For each unknown, the probability that one of its people has the secret, without the release.
    counting
        Which rows count people: there the coefficients are 0 or 1 and the true value is a whole number.
    label
        Names a row, for messages.
    usual
        How wrong each row usually is, as one standard deviation, where its interval does not say it;
        infinite, or ``None`` for all, where it does.
    own
        What each row says without the other values of the secret; ``None`` if it is what stands here.
    """

    A: Operator
    centre: Vector
    low: Vector
    high: Vector
    sd: Vector
    shape: str
    sizes: Whole
    least: Whole
    most: Whole
    prior: Vector
    counting: NDArray[np.bool_]
    label: Callable[[int], str] = str
    usual: Vector | None = None
    own: RowReading | None = None

    @property
    def unknowns(self) -> int:
        """How many unknowns there are."""
        return int(self.sizes.size)

    @property
    def sharp(self) -> bool:
        """Whether every row is free of random noise: only intervals, and they hold for sure."""
        return self.shape == "none"

    @property
    def spread(self) -> Vector:
        """How wrong each row can be, as one standard deviation: noise, or anything in its interval."""
        width = self.high - self.low + self.counting
        anywhere = np.sqrt((width * width - self.counting) / 12)
        if self.usual is not None:
            anywhere = np.where(np.isfinite(self.usual), self.usual, anywhere)
        return np.where(self.sd > 0, self.sd, anywhere)

    @property
    def start(self) -> Vector:
        """The sums to expect without the release."""
        return np.clip(self.prior * self.sizes, self.least, self.most)

    def tightened(self, least: Whole, most: Whole) -> LinearSystem:
        """The same system with more known about the sums."""
        return replace(self, least=least, most=most)

    def free(self) -> tuple[LinearSystem, NDArray[np.intp]]:
        """Leave out the sums that are known: they move to the other side of the equations.

        Returns
        -------
        LinearSystem
            The system of the sums that are still open; where the matrix is written out, without rows that
            say nothing about them.
        NDArray
            Which unknowns those are.
        """
        open_ = np.flatnonzero(self.least < self.most)
        if open_.size == self.unknowns:
            return self, open_
        known = np.where(self.least < self.most, 0, self.least).astype(np.float64)
        offset = self.A.apply(known)
        A, rows = _without_empty(take_people(self.A, open_))
        reduced = LinearSystem(
            A,
            (self.centre - offset)[rows],
            (self.low - offset)[rows],
            (self.high - offset)[rows],
            self.sd[rows],
            self.shape,
            self.sizes[open_],
            self.least[open_],
            self.most[open_],
            self.prior[open_],
            self.counting[rows],
            lambda row: self.label(int(rows[row])),
            None if self.usual is None else self.usual[rows],
            None if self.own is None else RowReading((self.own.centre - offset)[rows], self.own.sd[rows]),
        )
        return reduced, open_

    def by_itself(self) -> LinearSystem:
        """The system to decode together with those of the other values: every noisy answer counts once.

        Everybody has exactly one value, so an answer about one of them tells of the others through that.
        Pooled beforehand as well, it would be counted in every system: of six values under Gaussian noise
        people held at 0.927 were right in 0.869.
        """
        if self.own is None:
            return self
        said = np.isfinite(self.own.sd)
        once = replace(self, centre=self.own.centre, sd=self.own.sd, own=None)
        return once if said.all() or not said.any() else _only(once, np.flatnonzero(said))


def trimmed(system: LinearSystem, counted: NDArray[np.bool_]) -> LinearSystem:
    """A system as its decoder should read it: sharp rows with no more than what is left to say.

    An interval that is wider than what the sums can reach at all is cut to that, and with it its middle; a
    row that then excludes nothing is left out, since its middle would say what nobody published. Where all
    solutions were ``counted``, the sums are nobody's business any more.
    """
    known = system.tightened(system.least, np.where(counted, system.least, system.most))
    sharp = system.counting & (system.sd == 0)
    if not sharp.any() or isinstance(system.A, HadamardRows) or system.A.entries > TRIM_LIMIT:
        return known
    matrix = sparse.csr_array(system.A.explicit())
    up, down = matrix.maximum(0), matrix.minimum(0)
    smallest = np.asarray(up @ system.least + down @ system.most, np.float64)
    largest = np.asarray(up @ system.most + down @ system.least, np.float64)
    low = np.where(sharp, np.maximum(system.low, smallest), system.low)
    high = np.where(sharp, np.minimum(system.high, largest), system.high)
    rows = np.flatnonzero(~sharp | (system.low > smallest) | (system.high < largest))
    if rows.size == 0:  # decoders want a row: the one that says least
        rows = np.array([np.argmax(high - low)])
    middle = (low + high) / 2
    own = system.own and replace(system.own, centre=np.where(sharp, middle, system.own.centre))
    centre = np.where(sharp, middle, system.centre)
    cut = replace(known, A=SparseRows(sparse.csr_array(matrix)), centre=centre, low=low, high=high, own=own)
    return _only(cut, rows)


def _only(system: LinearSystem, rows: NDArray[np.intp]) -> LinearSystem:
    """Some rows of a system."""
    return replace(
        system,
        A=SparseRows(sparse.csr_array(system.A.explicit()[rows])),
        centre=system.centre[rows],
        low=system.low[rows],
        high=system.high[rows],
        sd=system.sd[rows],
        counting=system.counting[rows],
        label=lambda row: system.label(int(rows[row])),
        usual=None if system.usual is None else system.usual[rows],
        own=None if system.own is None else RowReading(system.own.centre[rows], system.own.sd[rows]),
    )


def _without_empty(A: Operator) -> tuple[Operator, NDArray[np.intp]]:
    """A matrix without rows that count nobody, where it is written out; and which rows are left."""
    if not isinstance(A, SparseRows):
        return A, np.arange(A.shape[0])
    rows = np.flatnonzero(np.diff(A.matrix.indptr))
    return SparseRows(sparse.csr_array(A.matrix[rows])), rows


CHAINS_NOTE = "Markov chains over all secrets"
"""What the notes of a decoding hold where chains had a say in it."""


@dataclass(frozen=True)
class Decoding:
    """What a decoder found about the unknowns of a system.

    Parameters
    ----------
    share
        For each unknown, the expected share of its people who have the secret: for one person, the
        probability.
    notes
        What a reader should know about how it was found.
    """

    share: Vector
    notes: tuple[str, ...] = ()


def log2_vectors(system: LinearSystem) -> float:
    """How many vectors of sums there are, as a power of two."""
    return float(np.log2(system.most - system.least + 1).sum())


def log_prior(system: LinearSystem, unknowns: NDArray[np.intp] | None = None) -> NDArray[np.float64]:
    """Logarithm of the prior of each possible sum: binomial, up to one constant per row.

    Parameters
    ----------
    system
        The unknowns.
    unknowns
        Some of them, in order: a sum over many people has as many possible values, so that those of all
        unknowns together are as many numbers as there are people.
    """
    own = slice(None) if unknowns is None else unknowns
    least, most, sizes = system.least[own], system.most[own], system.sizes[own][:, None]
    sums = least[:, None] + np.arange(int((most - least).max(initial=0)) + 1)[None, :]
    inside = sums <= most[:, None]
    rest = np.where(inside, sizes - sums, 0)
    log_odds = logit(np.clip(system.prior[own], EDGE, 1 - EDGE))[:, None]
    value = gammaln(sizes + 1) - gammaln(sums + 1) - gammaln(rest + 1) + sums * log_odds
    return np.where(inside, value, -np.inf)
