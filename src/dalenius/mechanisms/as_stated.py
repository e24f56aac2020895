"""Whether numbers look as if the noise that is stated of them was drawn, to whoever has the true ones.

An attack reads numbers with the noise that is stated. If less was drawn, on one table of many say, or the
same for several numbers, more follows from them than the attack sees, and a pass would mean nothing. So the
noise is drawn anew many times: each error has a rank among those drawn, and the ranks of a table are put
together (Fisher 1925, Statistical Methods for Research Workers, section 21.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, gammaincc

from dalenius.matrices.answers import Counts, Sensitivity
from dalenius.mechanisms.chain import Mechanism
from dalenius.mechanisms.stages.noise import Bounded, Noise

Floats = NDArray[np.float64]

CHANCE = 1e-3
"""How often numbers that were made as stated are said not to be, all tables of a release together."""

MOST_TRIES, FEWEST_TRIES, MOST_DRAWN = 999, 99, 20_000_000
"""How often noise is drawn anew; fewer times for many numbers."""

MOST_COLUMNS = 100
"""Columns of numbers whose noise is compared, each with each."""

CLOSE = 1e-9

HALF = 0.5


@dataclass(frozen=True)
class Known:
    """Published numbers beside the true ones: one row a question, one column a value of the secret.

    Parameters
    ----------
    answers, true
        Not a number where nothing is published.
    slack
        How far print may be from what was published.
    tables
        Which table every row is printed in.
    whom
        A number for the people whom a row is about: the same for the same people.
    """

    answers: Floats
    true: Floats
    slack: Floats
    tables: NDArray[np.int64]
    whom: Floats


@dataclass(frozen=True)
class Ranked:
    """How the errors of numbers stand among errors drawn anew.

    Parameters
    ----------
    known
        The numbers.
    error
        How far they are from what the mechanism would publish without its noise.
    nearer, farther
        How often an error drawn anew is no larger, and no smaller.
    again
        How often two errors drawn anew are the same, as far as print tells.
    """

    known: Known
    error: Floats
    nearer: Floats
    farther: Floats
    again: Floats


def independent(chain: Mechanism) -> bool:
    """Whether every number gets an error of its own, of a stated size, and nothing else is drawn."""
    noisy = [stage for stage in chain.stages if isinstance(stage, Noise | Bounded)]
    others = [stage for stage in chain.stages if not isinstance(stage, Noise | Bounded)]
    sized = not any(stage.promised for stage in chain.stages)
    return bool(noisy) and sized and not any(stage.draws for stage in others)


def rank(known: Known, chain: Mechanism, questions: NDArray[np.int64], *, rng: np.random.Generator) -> Ranked:
    """Draw the noise of numbers anew; where none of them is negative, as one who cuts at 0 would.

    Examples
    --------
    >>> from dalenius.mechanisms.parse import parse_mechanism
    >>> true, nothing = np.full((4, 1), 20.0), np.zeros((4, 1))
    >>> exact = Known(true, true, nothing, np.zeros(4, np.int64), np.arange(4.0))
    >>> chain = parse_mechanism("gaussian:sigma=5")
    >>> found = rank(exact, chain, np.arange(4), rng=np.random.default_rng(1))
    >>> unlike_stated(found).all()
    np.True_
    """
    chain = chain.applied()
    centre = _without_noise(known, chain, questions, rng)
    off = np.abs(known.answers - centre)
    cut = not (known.answers < 0).any()
    seen, nearer, farther, again = (np.zeros(off.shape, np.int64) for _ in range(4))
    before = np.full(off.shape, np.nan)
    for _ in range(int(np.clip(MOST_DRAWN // max(off.size, 1), FEWEST_TRIES, MOST_TRIES))):
        made = chain.protect(Counts(known.true, questions, Sensitivity(0.0, 0.0)), rng=rng)
        made = np.maximum(made, 0.0) if cut else made
        moved = np.abs(made - centre)
        seen += ~np.isnan(made)
        nearer += moved <= off + known.slack + CLOSE
        farther += moved >= off - known.slack - CLOSE
        again += np.abs(made - before) <= 2 * known.slack + CLOSE
        before = made
    shares = [(hits + 1) / (seen + 1) for hits in (nearer, farther, again)]
    return Ranked(known, known.answers - centre, shares[0], shares[1], shares[2])


def _without_noise(
    known: Known, chain: Mechanism, questions: NDArray[np.int64], rng: np.random.Generator
) -> Floats:
    """What the other stages of a chain make of the true counts; these where nothing would be published."""
    stages = tuple(stage for stage in chain.stages if not isinstance(stage, Noise | Bounded))
    if not stages:
        return known.true
    counts = Counts(known.true, questions, Sensitivity(0.0, 0.0))
    made = Mechanism(stages).protect(counts, rng=rng)
    return np.where(np.isnan(made), known.true, made)


def unlike_stated(ranked: Ranked) -> NDArray[np.bool_]:
    """Mark tables, or all empty cells, whose numbers are nearer the truth than chance, or farther.

    Where no table is so by itself all numbers together may be, and are marked then.
    """
    known = ranked.known
    told = ~np.isnan(known.answers)
    groups = [(known.tables == table)[:, None] & told for table in np.unique(known.tables)]
    groups.append(told & (known.true == 0))
    level = CHANCE / (len(groups) + 1)
    marked = np.zeros(told.shape, np.bool_)
    for group in groups:
        if _by_luck(ranked, group) < level:
            marked |= group
    return told if not marked.any() and _by_luck(ranked, told) < level else marked


def _by_luck(ranked: Ranked, group: NDArray[np.bool_]) -> float:
    """How likely so small errors are, or so large ones: by all together, or by the largest of small ones."""
    if not group.any():
        return 1.0
    nearer, farther = ranked.nearer[group], ranked.farther[group]
    small, large = (float(gammaincc(ranks.size, -np.log(ranks).sum())) for ranks in (nearer, farther))
    return 3 * min(small, large, float(nearer.max() ** nearer.size))


@dataclass(frozen=True)
class _Column:
    """The errors of one column of one table, from top to bottom."""

    error: Floats
    slack: Floats
    again: Floats
    whom: Floats

    def upper(self, rows: int) -> _Column:
        return _Column(self.error[:rows], self.slack[:rows], self.again[:rows], self.whom[:rows])


def drawn_once(several: Sequence[Ranked]) -> bool:
    """Whether columns of numbers about different people have the same errors, row by row.

    Then whoever subtracts them takes the noise off. Numbers about the same people may share theirs.
    """
    columns = [column for ranked in several for column in _columns(ranked)][:MOST_COLUMNS]
    pairs = list(combinations(columns, 2))
    return any(_same_noise(first, second) < CHANCE / len(pairs) for first, second in pairs)


def _columns(ranked: Ranked) -> Iterator[_Column]:
    known = ranked.known
    for table in np.unique(known.tables):
        at = known.tables == table
        for value in range(known.answers.shape[1]):
            # of the same people another value is another question
            whom = (1 + value) * known.whom[at]
            yield _Column(ranked.error[at, value], known.slack[at, value], ranked.again[at, value], whom)


def _same_noise(first: _Column, second: _Column) -> float:
    """How likely as many equal errors are, if those about other people are equal too."""
    rows = min(first.error.size, second.error.size)
    one, other = first.upper(rows), second.upper(rows)
    equal = np.abs(one.error - other.error) <= one.slack + other.slack + CLOSE
    apart = (np.abs(one.whom - other.whom) > CLOSE) & ~np.isnan(one.error - other.error)
    if not apart.any() or equal[apart].mean() <= HALF:
        return 1.0
    return float(bdtrc(int(equal.sum()) - 1, rows, float(np.maximum(one.again, other.again).mean())))
