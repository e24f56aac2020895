"""The referee's room where people are told by record: claims about records meet numbers of secrets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dalenius.findings.tally import Comparison
from dalenius.people.dataset import Dataset
from dalenius.people.schema import CodedColumns, Roster, distinct
from dalenius.people.truth import line_people, other_counts, secret_codes
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.referee.baseline import Redraw, start_from
from dalenius.reconstruction.referee.court import AtRisk, ControlGroup, Court, find_at_risk, told_by_each
from dalenius.reconstruction.referee.judge import Judgement, Thresholds, judge, judge_control
from dalenius.reconstruction.referee.lines import Lines, fold_lines, redraw, told_by_line


class RecordCourt(Court):
    """Holds how many people of every record have which secret, and judges claims about records.

    Parameters
    ----------
    people
        The dataset, told by record.
    roster
        The different records as the attacker knows them.
    rng
        Deals the folds.
    lines
        What is known of these people, where it was learnt before.
    """

    def __init__(
        self, people: Dataset, roster: Roster, *, rng: np.random.Generator, lines: Lines | None = None
    ) -> None:
        self.people, self.roster, self.split = people, roster, None
        self.source = "k-fold"
        levels = people.schema.secret.levels
        if lines is None:
            counts = _counts(people, roster.attributes)
            lines = fold_lines(roster.attributes, counts, levels, rng=rng)
        self._lines = lines
        self._start = start_from(lines.usual, lines.secret, lines.people)
        self.prior = lines.start(len(roster))

    def deal(self, *, rng: np.random.Generator) -> ControlGroup:
        """Redraw the secrets of a control group, as numbers of people."""
        records, levels = self.roster.attributes, self.people.schema.secret.levels
        chosen, counts = redraw(self._lines, len(self.roster), rng)
        learnt = fold_lines(records, counts, levels, rng=rng)
        made = _dataset(self.people, records, counts)
        return ControlGroup(made, Redraw(chosen, self._lines.secret), learnt.start(len(self.roster)))

    @contextmanager
    def sample(self, *, rng: np.random.Generator) -> Iterator[Court]:
        """Open a court about a random part of the people; what is usual for them is not learnt anew."""
        lines = self._lines.sampled(rng)
        people = np.bincount(lines.record, lines.people, len(self.roster)).astype(np.int64)
        kept = np.flatnonzero(people)
        at = np.full(len(self.roster), -1, np.intp)
        at[kept] = np.arange(kept.size)
        lines = replace(lines, record=at[lines.record])
        roster = replace(self.roster.take(kept), people=people[kept])
        with _dataset(self.people, roster.attributes, lines.counts(kept.size)) as made:
            yield RecordCourt(made, roster, rng=rng, lines=lines)

    def judge_control(self, claims: Guesses, control: ControlGroup) -> Comparison:
        """Score claims from a release of redrawn secrets against the real ones."""
        told, lines = self._told(claims), self._lines
        return judge_control(told, control.redraw, lines.secret, lines.usual, truth_ids=told.ids)

    def judge(
        self, claims: Guesses, control: Comparison | None, thresholds: Thresholds | None = None
    ) -> Judgement:
        """Score claims beside the baselines, person by person."""
        told, lines = self._told(claims), self._lines
        return judge(
            told,
            told.ids,
            lines.secret,
            population=lines.usual,
            control=control,
            start=self._start,
            thresholds=thresholds,
        )

    def at_risk(self, claims: Guesses, thresholds: Thresholds) -> AtRisk:
        """Find who is certain or as good as known, of the values that may be named if there are some."""
        told, lines = self._told(claims), self._lines
        found = find_at_risk(
            told, lines.secret, self._start, known_at=thresholds.known, only=thresholds.named
        )
        return AtRisk(found.whom, lines.people, lines.record)

    def told_by_columns(self) -> list[tuple[str, float, float]]:
        """Public columns that tell much of the secret by themselves, counting people."""
        records, lines = self.roster.attributes, self._lines
        own = CodedColumns(records.columns, records.codes[lines.record])
        return list(told_by_each(own, lines.secret, lines.people))

    def _told(self, claims: Guesses) -> Guesses:
        """What is claimed about each line: what is claimed about its record."""
        lines = self._lines
        return replace(
            told_by_line(claims, lines.record),
            ids=np.arange(lines.record.size).astype(np.str_),
            probability=claims.probability[lines.record],
            certain=claims.certain[lines.record],
            people=lines.people,
        )


def _counts(people: Dataset, records: CodedColumns) -> NDArray[np.int64]:
    """How many people of each record have each value; records stand in the order of different rows."""
    own = people.attributes().select(tuple(column.name for column in records.columns))
    _, group = distinct(own.codes)
    values = len(people.schema.secret.levels)
    at = group * values + secret_codes(people)
    return np.bincount(at, line_people(people), len(records) * values).reshape(-1, values).astype(np.int64)


def _dataset(people: Dataset, records: CodedColumns, counts: NDArray[np.int64]) -> Dataset:
    """The same records with these numbers of people."""
    record, secret = np.nonzero(counts)
    lines = CodedColumns(records.columns, records.codes[record])
    return other_counts(people, lines, secret.astype(np.int32), counts[record, secret])
