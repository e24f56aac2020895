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

MOST_TRIES, FEWEST_TRIES, MOST_DRAWN = 999, 99, 5_000_000
"""How often noise is drawn anew; fewer times for many numbers."""

MOST_COLUMNS = 100
"""Columns of numbers whose noise is compared, each with each."""

CLOSE = 1e-9

HALF = 0.5


@dataclass(frozen=True)
class AnswersKnown:
    """Published numbers beside the true ones: one row per question, one column per value of the secret.

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
class RankScore:
    """Minus the logarithms of the ranks of errors, and the mean and the variance of such, drawn anew."""

    of: Floats
    mean: Floats
    variance: Floats

    def chance(self, group: NDArray[np.bool_]) -> float:
        """How likely as large a sum is in a group of numbers: the tail of the gamma law of its moments.

        Ranks that may be anything between 0 and 1 have the moments 1 and 1, and this is Fisher's tail. Where
        print is coarse, or noise whole, small ranks do not occur, and less is needed to be beyond chance.
        """
        mean, variance = float(self.mean[group].sum()), float(self.variance[group].sum())
        if variance <= CLOSE:  # the same error always, as at the ends of a bound
            return 1.0
        return float(gammaincc(mean**2 / variance, float(self.of[group].sum()) * mean / variance))


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
        By how often an error drawn anew is no larger, and no smaller.
    exact
        How often there is no error, as far as print tells, if it is drawn anew.
    again
        How often two errors drawn anew are the same, as far as print tells.
    """

    known: AnswersKnown
    error: Floats
    nearer: RankScore
    farther: RankScore
    exact: Floats
    again: Floats


def independent(chain: Mechanism) -> bool:
    """Whether every number gets an error of its own, of a stated size, and nothing else is drawn."""
    noisy = [stage for stage in chain.stages if isinstance(stage, Noise | Bounded)]
    others = [stage for stage in chain.stages if not isinstance(stage, Noise | Bounded)]
    sized = not any(stage.promised for stage in chain.stages)
    return bool(noisy) and sized and not any(stage.draws for stage in others)


def rank(
    known: AnswersKnown, chain: Mechanism, questions: NDArray[np.int64], *, rng: np.random.Generator
) -> Ranked:
    """Draw the noise of numbers anew; where none of them is negative, as one who cuts at 0 would.

    Examples
    --------
    >>> from dalenius.mechanisms.parse import parse_mechanism
    >>> true, nothing = np.full((4, 1), 20.0), np.zeros((4, 1))
    >>> exact = AnswersKnown(true, true, nothing, np.zeros(4, np.int64), np.arange(4.0))
    >>> chain = parse_mechanism("gaussian:sigma=5")
    >>> found = rank(exact, chain, np.arange(4), rng=np.random.default_rng(1))
    >>> unlike_stated(found).all()
    np.True_
    """
    chain = chain.applied()
    centre = _without_noise(known, chain, questions, rng)
    tries = int(np.clip(MOST_DRAWN // max(centre.size, 1), FEWEST_TRIES, MOST_TRIES))
    counts = Counts(known.true, questions, Sensitivity(0.0, 0.0))
    made = np.stack([chain.protect(counts, rng=rng) for _ in range(tries)])
    made = _as_printed(made, known.slack)
    if not (known.answers < 0).any():
        made = np.maximum(made, 0.0)
    alike = np.abs(made[1:] - made[:-1]) <= 2 * known.slack + CLOSE
    off, moved = np.abs(known.answers - centre), np.abs(made - centre)
    again = (alike.sum(axis=0) + 1) / tries
    exact = ((moved <= known.slack + CLOSE).sum(axis=0) + 1) / (tries + 1)
    return Ranked(known, known.answers - centre, *_scores(off, moved, known.slack + CLOSE), exact, again)


def _as_printed(made: Floats, slack: Floats) -> Floats:
    """Numbers with as few digits as print may be off by: 0.5 or 0.75 for whole ones."""
    unit = 10.0 ** np.ceil(np.log10(np.maximum(slack, CLOSE)))
    return np.where(slack > CLOSE, np.round(made / unit) * unit, made)


def _scores(off: Floats, moved: Floats, slack: Floats) -> tuple[RankScore, RankScore]:
    """Rank every error, and those drawn anew, among those drawn anew; hidden ones are none of them."""
    found = np.ones((2, 3, *off.shape))
    for at in np.ndindex(*off.shape):
        drawn = np.sort(moved[:, *at])
        drawn = drawn[: np.count_nonzero(~np.isnan(drawn))]
        errors = np.concatenate([[np.nan_to_num(off[at])], drawn])
        nearer = np.searchsorted(drawn, errors + slack[at], "right")
        farther = drawn.size - np.searchsorted(drawn, errors - slack[at], "left")
        if not drawn.size:
            continue
        for way, hits in enumerate((nearer, farther)):
            drawn_anew = -np.log(hits[1:] / drawn.size)  # each of them is among those that it is ranked with
            own = -np.log((hits[0] + 1) / (drawn.size + 1))
            found[way, :, *at] = own, drawn_anew.mean(), drawn_anew.var()
    return RankScore(*found[0]), RankScore(*found[1])


def _without_noise(
    known: AnswersKnown, chain: Mechanism, questions: NDArray[np.int64], rng: np.random.Generator
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
    """How likely so small errors are, so large ones, or so many numbers without any."""
    if not group.any():
        return 1.0
    without = int((np.abs(ranked.error) <= ranked.known.slack + CLOSE)[group].sum())
    numbers, chance = int(group.sum()), float(ranked.exact[group].mean())
    # chances differ; above the mean by one or more the binomial's tail is the larger one (Hoeffding 1956)
    many = float(bdtrc(without - 1, numbers, chance)) if without >= numbers * chance + 1 else 1.0
    return 3 * min(ranked.nearer.chance(group), ranked.farther.chance(group), many)


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
