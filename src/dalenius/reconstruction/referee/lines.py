"""People told by record: lines of people who share record, secret and fold, and how many each is.

What a referee does to single people is done to numbers of them: folds are dealt, a control group is chosen
and its secrets are drawn anew by the laws that would follow from dealing, choosing and drawing person by
person.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dalenius.auditing.decide import SAMPLE_SHARE
from dalenius.knowledge.view import Reference
from dalenius.people.schema import CodedColumns
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.attack.population_prior import MOST_PEOPLE, predict_population
from dalenius.reconstruction.referee.baseline import FOLDS, SHARE, start_from
from dalenius.shown import hides_people

Counts = NDArray[np.int64]
Table = NDArray[np.float64]


@hides_people()
@dataclass(frozen=True)
class Lines:
    """People by record, secret and fold.

    Parameters
    ----------
    record, secret, people
        For each line which record it is of, the code of the secret, and how many people.
    usual
        For each line and value, its probability without the release.
    """

    record: NDArray[np.intp]
    secret: NDArray[np.int32]
    people: Counts
    usual: Table

    def counts(self, records: int) -> Counts:
        """How many people of each record have each value."""
        values = self.usual.shape[1]
        at = self.record * values + self.secret
        return np.bincount(at, self.people, records * values).reshape(records, values).astype(np.int64)

    def start(self, records: int) -> Table:
        """What an attacker starts from, by record: the mean over its people."""
        return mean_of(start_from(self.usual, self.secret, self.people), self.record, self.people, records)

    def sampled(self, rng: np.random.Generator) -> Lines:
        """Some of the people, drawn as a sample of single ones is."""
        drawn = choose(self.people, max(1, round(SAMPLE_SHARE * int(self.people.sum()))), rng)
        kept = drawn > 0
        return Lines(self.record[kept], self.secret[kept], drawn[kept], self.usual[kept])


def mean_of(values: Table, record: NDArray[np.intp], people: Counts, records: int) -> Table:
    """The mean of lines by record.

    Examples
    --------
    >>> mean_of(np.array([[0.2], [0.8], [0.5]]), np.array([0, 0, 1]), np.array([3, 1, 9]), 2).ravel()
    array([0.35, 0.5 ])
    """
    sums = [np.bincount(record, column * people, records) for column in values.T]
    return np.asarray(np.stack(sums, axis=1) / np.bincount(record, people, records)[:, None], np.float64)


def choose(people: Counts, some: int, rng: np.random.Generator) -> Counts:
    """How many of each line are among so many people chosen at random, nobody twice.

    Examples
    --------
    >>> choose(np.array([5, 0, 5]), 10, np.random.default_rng(1))
    array([5, 0, 5])
    """
    return np.asarray(rng.multivariate_hypergeometric(people, some, method="marginals"), np.int64)


def fold_lines(
    records: CodedColumns, counts: Counts, levels: tuple[str, ...], *, rng: np.random.Generator
) -> Lines:
    """Deal people into folds, and predict each fold by a model fitted on the others.

    Parameters
    ----------
    records
        Public columns of the different records.
    counts
        How many people of each record have each value of the secret.
    levels
        Those values.
    """
    record, secret = np.nonzero(counts)
    people = counts[record, secret]
    dealt = rng.multinomial(people, np.full(FOLDS, 1 / FOLDS))
    found = []
    for k in range(FOLDS):
        others = _drawn(people - dealt[:, k], rng)
        rows = np.repeat(np.arange(record.size), others)
        codes = records.codes[record[rows]]
        known = Reference(CodedColumns(records.columns, codes), secret[rows].astype(np.int32))
        usual = predict_population(known, records, levels, rng=rng)
        inside = np.flatnonzero(dealt[:, k])
        found.append((record[inside], secret[inside], dealt[inside, k], usual[record[inside]]))
    columns = [np.concatenate(column) for column in zip(*found, strict=True)]
    return Lines(columns[0], columns[1].astype(np.int32), columns[2].astype(np.int64), columns[3])


def _drawn(people: Counts, rng: np.random.Generator) -> Counts:
    """So many people as a model is fitted to: more would be thinned out there."""
    return people if people.sum() <= MOST_PEOPLE else choose(people, MOST_PEOPLE, rng)


def redraw(lines: Lines, records: int, rng: np.random.Generator) -> tuple[Counts, Counts]:
    """Choose people at random and draw their secrets anew: how many of each line, and what all then have."""
    chosen = choose(lines.people, max(1, round(SHARE * int(lines.people.sum()))), rng)
    chance = lines.usual / lines.usual.sum(axis=1, keepdims=True)
    drawn = rng.multinomial(chosen, chance)
    counts = lines.counts(records)
    np.subtract.at(counts, (lines.record, lines.secret), chosen)
    np.add.at(counts, lines.record, drawn)
    return chosen, counts


def told_by_line(claims: Guesses, record: NDArray[np.intp]) -> Guesses:
    """The same claims about lines of people, each of which is of one of the records they are about."""
    if claims.to_insiders is None:
        return claims
    claim, of, code = claims.to_insiders.T
    order = np.argsort(record, kind="stable")
    start = np.searchsorted(record[order], np.arange(len(claims.certain) + 1))
    many = (start[1:] - start[:-1])[of]
    within = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
    line = order[np.repeat(start[of], many) + within]
    told = np.stack([np.repeat(claim, many), line, np.repeat(code, many)], axis=1)
    return replace(claims, to_insiders=told)
