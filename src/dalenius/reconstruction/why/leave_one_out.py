"""Leave one out: the attack repeated without each table, and on each table alone.

Every time the attack is a quick one: the same arithmetic and decoder within a part of the budget, and no
simulated releases. Only people count whom the quick attack on the whole release finds too, so that nobody
seems safe without a table only because less was tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from dalenius.findings.explanation import Cause, Why
from dalenius.knowledge.view import Knowledge, View
from dalenius.progress import Progress, silent
from dalenius.reconstruction.attack.attack import Attempt, in_common, succeed_or_give_up
from dalenius.reconstruction.attack.cost import ComputeBudget
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.attack.system.build import alike
from dalenius.reconstruction.referee.court import AtRisk
from dalenius.reconstruction.referee.judge import Thresholds
from dalenius.reconstruction.why.parts import OneTable, Portion, apart, only, portions, tables_in
from dalenius.shown import people
from dalenius.spread.places import current_workers, spread_out

if TYPE_CHECKING:
    from dalenius.reconstruction.opened import SecretsOpened

SECONDS = 50.0
"""Predicted seconds for all that is left out together."""

LEAST_SECONDS = 0.5
"""What one attack may be predicted to take, however many there are."""

SHARES = (1.0, 0.7, 0.5, 0.3, 0.15)
"""Shares of the parts that are left out, the largest with which each attack fits its share of the time."""

TWICE, MISSED = 2.0, 0.5
"""Where the quick attack misses more than this share of the people at risk, it may take twice as long."""

COARSE = ("release", "column")
"""What is left out first: many tables at once."""

MOST_WORK = 15_000_000
"""People told apart, times tables, times values, times attacks: beyond, not everything is tried."""


def look_for_causes(
    opened: SecretsOpened, release: str, claims: Guesses, *, progress: Progress = silent
) -> Why | None:
    """Find which parts of a release are behind what it gives away.

    Parameters
    ----------
    opened
        The audit: its people, releases and court.
    release
        Which release, by its name in the audit.
    claims
        What the attack says of the whole release.
    progress
        Told how far the work is.

    Returns
    -------
    Why
        The parts, those first without which the fewest people are at risk; ``None`` if nobody is at risk and
        the attack gains nothing.
    """
    return _TakenApart(opened, release, claims, progress).run()


@dataclass(frozen=True)
class _Counted:
    """How an attack is counted, and what the whole release comes to."""

    words: str
    whole: float
    missed: int = 0


class _TakenApart:
    """One release, taken apart."""

    def __init__(self, opened: SecretsOpened, release: str, claims: Guesses, progress: Progress) -> None:
        policy = opened.policy
        self.opened, self.published, self.progress = opened, opened.published[release], progress
        self.releases = [opened.published[part] for part in opened.parts[release]]
        self.thresholds = Thresholds(known=policy.known_at, named=policy.sensitive or ())
        self.at_risk = opened.court.at_risk(claims, self.thresholds)
        self.gains = opened.court.gain(claims) if not self.at_risk.count else 0
        self.knowledge = Knowledge(opened.roster, opened.court.prior)
        self.tables = tables_in(self.releases)
        self.asked, self.left_out = portions(self.tables, self.releases)

    def run(self) -> Why | None:
        """Attack the whole release once more, then each part of it and the rest."""
        if not self.tables or (not self.at_risk.count and self.gains <= 0):
            return None
        left_out = [] if self.left_out is None else [self.left_out]
        most, counted = self._most_attacks()
        if counted is None:
            words, found = self._words(), float(self.at_risk.count or self.gains)
            return Why(counted=words, whole=found, left_out="all parts: an attack takes too long")
        if counted.missed:
            verbs = ("is", "was") if counted.missed == 1 else ("are", "were")
            by_all = f"{verbs[0]} at risk by the full attack alone, and {verbs[1]} not counted"
            left_out.append(f"{people(counted.missed)} {by_all}")
        if most < len(self.asked):
            left_out.append(
                f"{len(self.asked) - most:,} of {len(self.asked):,} parts: they would take too long"
            )
        causes = self._causes(most, counted) if counted.whole > 0 else []
        return Why(
            counted=counted.words,
            whole=counted.whole,
            causes=tuple(sorted(causes, key=_least_without)),
            examples=self._examples(),
            left_out="; ".join(left_out) or None,
        )

    def _most_attacks(self) -> tuple[int, _Counted | None]:
        """How many parts can be left out, so that each attack fits its share of the time; and the whole."""
        seen = [one.block.statistic.fingerprint(self.opened.roster) for one in self.tables]
        told_apart = int(alike(seen)[2].size)
        each = max(told_apart * len(self.tables) * len(self.published.secret.levels), 1)
        allowed = min(max(MOST_WORK // each, 2), len(self.asked))
        for share in SHARES:
            most = max(ceil(share * allowed), 1)
            counted = self._whole(most)
            if counted is not None:
                return most, counted
        return 0, None

    def _whole(self, attacks: int) -> _Counted | None:
        """Attack the whole release in its share of the time, or in twice that where it misses too many."""
        self.progress(0.0, "looking for the cause")
        seconds = max(SECONDS / (attacks + 1), LEAST_SECONDS)
        quick = self._attack(self.tables, seconds)
        if quick is None:
            return None
        if not self.at_risk.count:
            return _Counted(self._words(), float(max(self.opened.court.gain(quick), 0)))
        found = self._found_by(quick)
        if found.count < (1 - MISSED) * self.at_risk.count:
            again = self._attack(self.tables, TWICE * seconds)
            found = found if again is None else self._found_by(again)
        words, missed = self._words(), self.at_risk.count - found.count
        self.at_risk = found
        return _Counted(words, float(found.count), missed)

    def _found_by(self, claims: Guesses) -> AtRisk:
        """Those at risk whom these claims are sure of too."""
        return self.at_risk.still(self.opened.court.at_risk(claims, self.thresholds))

    def _words(self) -> str:
        if not self.at_risk.count:
            return "people guessed right beyond what guessing without the release gets right"
        values = self.opened.policy.sensitive
        has = "" if values is None else f" to have {self.published.secret.name} = {' or '.join(values)}"
        return f"people who are certain or as good as known{has}"

    def _causes(self, most: int, counted: _Counted) -> list[Cause]:
        """Leave out so many parts: many tables at once first, then tables of the columns that matter most."""
        coarse = [one for one in self.asked if one.kind in COARSE]
        fine = [one for one in self.asked if one.kind not in COARSE]
        found: list[Cause] = []
        saved: dict[str, float] = {}
        for portion, cause in self._each(coarse[:most], counted, (0, most)):
            found.append(cause)
            if portion.kind == "column" and cause.without is not None:
                saved[portion.name] = counted.whole - cause.without
        fine.sort(key=lambda one: -self._promise(one, saved))
        rest = fine[: most - len(found)]
        return [*found, *(cause for _, cause in self._each(rest, counted, (len(found), most)))]

    def _each(
        self, parts: Sequence[Portion], counted: _Counted, done: tuple[int, int]
    ) -> Iterator[tuple[Portion, Cause]]:
        """What each part comes to, alone and left out: two attacks a part at most, side by side."""
        asked: list[Sequence[OneTable]] = []
        for portion in parts:
            if own := self._own(portion):
                asked.append(own)
            if rest := self._rest(portion):
                asked.append(rest)
        attempts = [self._attempt(tables) for tables in asked]
        attacked = spread_out(
            succeed_or_give_up, attempts, workers=current_workers(), shared=in_common(attempts)
        )
        with closing(attacked):
            for j, portion in enumerate(parts):
                self.progress((done[0] + j) / done[1], f"without the {portion.kind} {portion.name}")
                alone = self._count(next(attacked)) if self._own(portion) else None
                without = self._count(next(attacked)) if self._rest(portion) else 0.0
                if portion.kind != "column" and not self._rest(portion):
                    alone = counted.whole
                yield portion, Cause(kind=portion.kind, name=portion.name, alone=alone, without=without)

    def _own(self, portion: Portion) -> Sequence[OneTable]:
        """The tables of a part that is attacked alone too: not a column, whose tables have others as well."""
        if portion.kind == "column" or not self._rest(portion):
            return ()
        return [one for j, one in enumerate(self.tables) if j in portion.tables]

    def _rest(self, portion: Portion) -> Sequence[OneTable]:
        return [one for j, one in enumerate(self.tables) if j not in portion.tables]

    def _promise(self, portion: Portion, saved: Mapping[str, float]) -> float:
        """How much the columns of a part matter together."""
        columns = {column for j in portion.tables for column in self.tables[j].columns}
        return sum(saved.get(column, 0.0) for column in columns)

    def _count(self, claims: Guesses | None) -> float | None:
        if claims is None:
            return None
        if self.at_risk.count:
            return float(self._found_by(claims).count)
        return float(max(self.opened.court.gain(claims), 0))

    def _attack(self, tables: Sequence[OneTable], seconds: float) -> Guesses | None:
        """Guess from these tables alone; ``None`` where that cannot be done.

        The seconds of the last one are those of the following attempts.
        """
        allowed = (self.opened.scenario.budget or ComputeBudget()).seconds
        self.budget = ComputeBudget(min(seconds, allowed))
        return succeed_or_give_up(self._attempt(tables))

    def _attempt(self, tables: Sequence[OneTable]) -> Attempt:
        view = View(only(self.published, tables), self.knowledge)
        return Attempt(view, self.budget, (self.published.name, "why"), calibrated=False)

    def _examples(self) -> tuple[str, ...]:
        if not self.at_risk.count:
            return ()
        from dalenius.reconstruction.attack.certain.worked import worked_examples

        view = View(apart(self.published, self.tables), self.knowledge)
        return worked_examples(view, [one.name for one in self.tables])


def _least_without(cause: Cause) -> tuple[float, float]:
    return (
        np.inf if cause.without is None else cause.without,
        -np.inf if cause.alone is None else -cause.alone,
    )
