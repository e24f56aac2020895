"""The referee's room in an audit: the only place where claims and the secrets of a dataset meet.

An audit gets judgements, a reference of other people and a dataset with redrawn secrets out of it, never the
truth itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dalenius.attacks.baselines.population import predict_population
from dalenius.attacks.claims import Guesses
from dalenius.dataset.dataset import Dataset
from dalenius.dataset.truth import replace_secrets, secret_codes
from dalenius.errors import InputError
from dalenius.knowledge.view import Reference
from dalenius.records.columns import CodedColumns
from dalenius.records.roster import Roster
from dalenius.records.schema import Column
from dalenius.referee.baseline import fold_population, start_from
from dalenius.referee.deal import Redraw, deal_redraw
from dalenius.referee.judge import CONFIDENT, Judgement, judge, judge_control
from dalenius.referee.known import KNOWN_AT
from dalenius.referee.score import Comparison
from dalenius.statistics.tables import recode


@dataclass(frozen=True)
class Control:
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
    """

    def __init__(
        self, people: Dataset, roster: Roster, reference: Reference | None, *, rng: np.random.Generator
    ) -> None:
        self._people = people
        self._roster = roster
        self._truth = secret_codes(people)
        levels = people.schema.secret.levels
        self._reference = reference
        self.source: Literal["reference", "k-fold"] = "k-fold" if reference is None else "reference"
        if reference is None:
            self._population = fold_population(roster.attributes, self._truth, levels, rng=rng)
        else:
            self._population = predict_population(reference, roster.attributes, levels, rng=rng)
        self.prior = start_from(self._population, self._truth)

    def deal(self, *, rng: np.random.Generator) -> Control:
        """Redraw the secrets of a control group.

        What the attacker starts from is learnt once more where it came from the members: it must not have
        seen the real secrets of the chosen people.
        """
        redraw = deal_redraw(self._truth, self._population, rng=rng)
        population = self._population
        if self._reference is None:
            levels = self._people.schema.secret.levels
            population = fold_population(self._roster.attributes, redraw.codes, levels, rng=rng)
        prior = start_from(population, redraw.codes)
        return Control(replace_secrets(self._people, redraw.codes), redraw, prior)

    def judge_control(self, claims: Guesses, control: Control) -> Comparison:
        """Score claims from a release of redrawn secrets against the real ones."""
        return judge_control(
            claims, control.redraw, self._truth, self._population, truth_ids=self._roster.ids
        )

    def judge(
        self,
        claims: Guesses,
        control: Comparison | None,
        *,
        confident: float = CONFIDENT,
        known_at: float = KNOWN_AT,
        named: tuple[str, ...] = (),
    ) -> Judgement:
        """Score claims beside the baselines."""
        return judge(
            claims,
            self._roster.ids,
            self._truth,
            population=self._population,
            control=control,
            confident=confident,
            start=self.prior,
            known_at=known_at,
            named=named,
        )


def reference_of(others: Dataset, columns: tuple[Column, ...], secret: Column) -> Reference:
    """Read other people in the levels of the people under attack.

    Parameters
    ----------
    others
        Their dataset.
    columns
        The public columns the attacker knows of the people under attack.
    secret
        The secret column of the people under attack.

    Raises
    ------
    InputError
        If a column is missing there or has levels that the people under attack do not have.
    """
    theirs = others.attributes().select(tuple(column.name for column in columns))
    codes = [recode(theirs.codes[:, j], theirs.columns[j], column) for j, column in enumerate(columns)]
    table = np.stack(codes, axis=1) if codes else theirs.codes
    if others.schema.secret.name != secret.name:
        raise InputError("reference", f"must have the secret {secret.name!r}", others.schema.secret.name)
    secrets: NDArray[np.int32] = recode(secret_codes(others), others.schema.secret, secret)
    return Reference(CodedColumns(columns, table), secrets)
