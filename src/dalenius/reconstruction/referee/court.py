"""The referee's room in an audit: where claims and secrets meet, and who is at risk is kept.

At risk are people who are certain, or as good as known because of the release (`known`), rightly so.
Others get counts of all, and of groups of many. An audit gets judgements, a reference of other people and a
dataset with redrawn secrets out of it, never the truth itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from dalenius.auditing.decide import draw_sample
from dalenius.errors import InputError
from dalenius.findings.explanation import Group, groups_of
from dalenius.findings.tally import Comparison, told_alone, total
from dalenius.knowledge.view import Reference
from dalenius.people.dataset import Dataset
from dalenius.people.schema import MISSING, CodedColumns, Column, Kind, Roster
from dalenius.people.truth import replace_secrets, secret_codes, some_people
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.attack.population_prior import number_of, predict_population
from dalenius.reconstruction.referee.baseline import (
    Redraw,
    check_people,
    deal_redraw,
    fold_population,
    majority,
    start_from,
)
from dalenius.reconstruction.referee.judge import Judgement, Thresholds, judge, judge_control
from dalenius.reconstruction.referee.known import held_to_have, held_to_have_any, values_to_name
from dalenius.shown import hides_people
from dalenius.statistics.tables import recode

if TYPE_CHECKING:
    from dalenius.reconstruction.referee.by_block import BlockCounts

Whom = NDArray[np.bool_]

MOST_COLUMNS = 40
"""Columns shown."""


@hides_people()
@dataclass(frozen=True)
class AtRisk:
    """People at risk: whom, for the referee alone.

    Where people are told by record, ``lines`` are several ``people`` each, of a ``record``.
    """

    whom: Whom = field(repr=False)
    people: NDArray[np.int64] | None = field(default=None, repr=False)
    record: NDArray[np.intp] | None = field(default=None, repr=False)

    @property
    def count(self) -> int:
        """How many they are."""
        return total(self.whom, self.people)

    def still(self, other: AtRisk) -> AtRisk:
        """Those of them who are at risk there too."""
        return replace(self, whom=self.whom & other.whom)

    def groups(self, attributes: CodedColumns, split: str | None = None) -> tuple[Group, ...]:
        """How many people of every group of many are at risk, by every column but that of blocks."""
        if not self.count:
            return ()
        codes = attributes.codes if self.record is None else attributes.codes[self.record]
        shown = [(j, c) for j, c in enumerate(attributes.columns) if c.name != split][:MOST_COLUMNS]
        return tuple(
            group
            for j, column in shown
            for group in groups_of(column.name, column.levels, codes[:, j], self.whom, self.people)
        )


def find_at_risk(
    claims: Guesses,
    truth: NDArray[np.int32],
    prior: NDArray[np.float64],
    *,
    known_at: float,
    only: tuple[str, ...] = (),
) -> AtRisk:
    """Say who is at risk.

    Parameters
    ----------
    claims, truth, prior, known_at
        As of `count_known`.
    only
        Values that matter; all if none is named.

    Examples
    --------
    >>> claims = Guesses("id", np.array(["a", "b", "c"]), ("no", "yes"),
    ...                  np.array([[0.0, 1.0], [0.002, 0.998], [0.5, 0.5]]), np.array([True, False, False]),
    ...                  "lp")
    >>> find_at_risk(claims, np.array([1, 1, 0], np.int32), np.full((3, 2), 0.5), known_at=0.99).count
    2
    """
    known = np.zeros(truth.size, np.bool_)
    for _, values in values_to_name(claims.levels, truth, only, claims.people):
        known |= held_to_have(values, claims, truth, prior, known_at)[0]
    whom = (known | claims.certain) & (claims.guess == truth)
    if 1 < len(only) < len(claims.levels):
        whom |= held_to_have_any(only, claims, truth, prior, known_at)[0]
    if only:
        whom &= np.isin(truth, [claims.levels.index(value) for value in only])
    return AtRisk(whom)


@hides_people()
@dataclass(frozen=True)
class ControlGroup:
    """The same people with some secrets redrawn, to be published and attacked once more.

    Parameters
    ----------
    people
        The dataset with the redrawn secrets; close it after use.
    redraw
        Whose secrets were redrawn.
    prior
        What the attacker starts from, as learnt without the real secrets of those people.
    """

    people: Dataset
    redraw: Redraw
    prior: NDArray[np.float64]


class Court:
    """Holds the truth about the people of one dataset and judges claims about them.

    Parameters
    ----------
    people
        The dataset.
    roster
        The same people as the attacker knows them.
    reference
        Other people, from whom the population baseline is learnt; without any it is learnt from the members
        themselves, fold by fold.
    rng
        Deals the folds.
    population
        What is known about these people without the release, where it was learnt before.
    split
        The public column by which people are split into blocks, if they are.
    """

    def __init__(
        self,
        people: Dataset,
        roster: Roster,
        reference: Reference | None,
        *,
        rng: np.random.Generator,
        population: NDArray[np.float64] | None = None,
        split: str | None = None,
    ) -> None:
        self.people = people
        self.roster = roster
        self.split = split
        self._truth = secret_codes(people)
        levels = people.schema.secret.levels
        self._reference = reference
        self.source: Literal["reference", "k-fold"] = "k-fold" if reference is None else "reference"
        if population is not None:
            self._population = population
        elif reference is None:
            self._population = self._learn(self._truth, rng)
        else:
            attributes = CodedColumns(reference.attributes.columns, _in_levels(roster.attributes, reference))
            if split is None:
                self._population = predict_population(reference, attributes, levels, rng=rng)
            else:
                from dalenius.reconstruction.referee.usual_by_block import predict_by_block

                self._population = predict_by_block(
                    reference, attributes, split, self._truth, levels, rng=rng
                )
        self.prior = start_from(self._population, self._truth)

    def _learn(self, secrets: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.float64]:
        """Learn what is usual from the members themselves, fold by fold."""
        attributes, levels = self.roster.attributes, self.people.schema.secret.levels
        if self.split is None:
            return fold_population(attributes, secrets, levels, rng=rng)
        from dalenius.reconstruction.referee.usual_by_block import fold_by_block

        return fold_by_block(attributes, self.split, secrets, levels, rng=rng)

    def deal(self, *, rng: np.random.Generator) -> ControlGroup:
        """Redraw the secrets of a control group.

        What the attacker starts from is learnt once more where it came from the members: it must not have
        seen the real secrets of the chosen people.
        """
        redraw = deal_redraw(self._truth, self._population, rng=rng)
        population = self._population
        if self._reference is None:
            population = self._learn(redraw.codes, rng)
        prior = start_from(population, redraw.codes)
        return ControlGroup(replace_secrets(self.people, redraw.codes), redraw, prior)

    @contextmanager
    def sample(self, *, rng: np.random.Generator) -> Iterator[Court]:
        """Open a court about a random part of the people; what is usual for them is not learnt anew."""
        which = draw_sample(self._truth.size, rng)
        with some_people(self.people, which) as people:
            roster = self.roster.take(which)
            usual = self._population[which]
            yield Court(people, roster, self._reference, rng=rng, population=usual, split=self.split)

    def judge_control(self, claims: Guesses, control: ControlGroup) -> Comparison:
        """Score claims from a release of redrawn secrets against the real ones."""
        return judge_control(claims, control.redraw, self._truth, self._population, truth_ids=self.roster.ids)

    def judge(
        self, claims: Guesses, control: Comparison | None, thresholds: Thresholds | None = None
    ) -> Judgement:
        """Score claims beside the baselines."""
        return judge(
            claims,
            self.roster.ids,
            self._truth,
            population=self._population,
            control=control,
            start=self.prior,
            thresholds=thresholds,
        )

    def by_block(self, claims: Guesses, judgement: Judgement, at_risk: AtRisk) -> BlockCounts:
        """Count by the column that people are split by, beside the baseline that is better over all."""
        if self.split is None:
            raise InputError("split", "must be a column", "none")
        from dalenius.reconstruction.referee.by_block import count_by_block

        attributes, nobody = self.roster.attributes, np.zeros(self._truth.size, np.bool_)
        at = attributes.position(self.split)
        if judgement.best_baseline == "majority":
            usual = self._truth == majority(self._truth)
        else:
            usual = replace(claims, probability=self._population).guess == self._truth
        flags = claims.certain, at_risk.whom, nobody if claims.missed is None else claims.missed
        names, codes = attributes.columns[at].levels, attributes.codes[:, at]
        return count_by_block(self.split, names, codes, (claims.guess == self._truth, usual), flags)

    def at_risk(self, claims: Guesses, thresholds: Thresholds) -> AtRisk:
        """Find who is certain or as good as known, of the values that may be named if there are some."""
        check_people(claims, self.roster.ids, self._truth)
        return find_at_risk(claims, self._truth, self.prior, known_at=thresholds.known, only=thresholds.named)

    def told_by_columns(self) -> list[tuple[str, float, float]]:
        """Public columns that tell much of the secret by themselves: how much, and what guessing gets."""
        return list(told_by_each(self.roster.attributes, self._truth, apart=self.split))

    def gain(self, claims: Guesses) -> int:
        """How many more people the claims are right about than the better guess without the release."""
        counted = self.judge(claims, None).advantage
        return counted.only_attack - counted.only_baseline


def told_by_each(
    attributes: CodedColumns,
    truth: NDArray[np.int32],
    people: NDArray[np.int64] | None = None,
    *,
    apart: str | None = None,
) -> Iterator[tuple[str, float, float]]:
    """Public columns that tell much of the secret by themselves, with how much, and what guessing gets.

    Parameters
    ----------
    attributes, truth, people
        Public columns, secrets, and how many people each line stands for.
    apart
        A column that is left out.
    """
    values = int(truth.max(initial=0)) + 1
    for j, column in enumerate(attributes.columns):
        if column.name != apart:
            at, cells = attributes.codes[:, j] * np.int64(values) + truth, len(column.levels) * values
            told = told_alone(np.bincount(at, people, cells).astype(np.int64).reshape(-1, values))
            if told is not None:
                yield (column.name, *told)


def reference_of(others: Dataset, people: Dataset, roster: Roster) -> tuple[Reference, int]:
    """Read other people, and say how many were left out because no member has their secret.

    Levels of public columns that no member has stay: they teach what is usual for everybody else.

    Parameters
    ----------
    others
        Their dataset.
    people
        The people under attack.
    roster
        The same as the attacker knows them.

    Raises
    ------
    InputError
        If a column is missing there, nobody there has a secret of theirs, or members are among them.
    """
    columns, secret = roster.attributes.columns, people.schema.secret
    theirs = others.attributes().select(tuple(column.name for column in columns))
    both = tuple(_all_levels(column, their) for column, their in zip(columns, theirs.columns, strict=True))
    codes = [recode(theirs.codes[:, j], theirs.columns[j], column) for j, column in enumerate(both)]
    table = np.stack(codes, axis=1) if codes else theirs.codes
    if others.schema.secret.name != secret.name:
        raise InputError("reference", f"must have the secret {secret.name!r}", others.schema.secret.name)
    place = {level: code for code, level in enumerate(secret.levels)}
    translate = np.array([place.get(level, -1) for level in others.schema.secret.levels], np.int32)
    secrets: NDArray[np.int32] = translate[secret_codes(others)]
    kept = secrets >= 0
    if not kept.any():
        raise InputError("reference", f"must have values of {secret.name!r} that members have", "only others")
    reference = Reference(CodedColumns(both, table[kept]), secrets[kept])
    from dalenius.reconstruction.referee.overlap import refuse_members

    refuse_members(
        _in_levels(roster.attributes, reference),
        secret_codes(people),
        people.ids() if people.schema.id else None,
        reference,
        others.ids()[kept] if others.schema.id else None,
    )
    return reference, int((~kept).sum())


def _all_levels(ours: Column, theirs: Column) -> Column:
    """A column with the levels of both; numbers from small to large, others after the known ones."""
    own = {*ours.levels}
    extra = [level for level in theirs.levels if level not in own]
    if not extra:
        return ours
    levels = (*ours.levels, *extra)
    numbers = sorted((level for level in levels if level != MISSING), key=number_of)
    if all(np.isfinite(number_of(level)) for level in numbers):
        levels = (*numbers, *[level for level in levels if level == MISSING])
    kind = ours.kind if ours.edges else Kind.CATEGORICAL
    return replace(ours, kind=kind, levels=levels)


def _in_levels(attributes: CodedColumns, reference: Reference) -> NDArray[np.int32]:
    """Public columns as codes of the reference's levels, which hold all of theirs."""
    pairs = zip(attributes.columns, reference.attributes.columns, strict=True)
    codes = [recode(attributes.codes[:, j], ours, both) for j, (ours, both) in enumerate(pairs)]
    return np.stack(codes, axis=1) if codes else attributes.codes
