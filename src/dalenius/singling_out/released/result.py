"""What conditions from released rows achieved against the original, in numbers and in words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalenius.auditing.decide import Reported, report_of
from dalenius.conditions.predicate import to_json
from dalenius.conditions.text import english
from dalenius.findings.policy import from_to, points
from dalenius.findings.report import Report
from dalenius.findings.tally import Interval
from dalenius.people.rows.columns import NumberColumn
from dalenius.people.rows.rows import Rows
from dalenius.singling_out.attack.isolating import Isolating, WeightBound
from dalenius.singling_out.attack.released_rows import GuessedConditions, Mode
from dalenius.singling_out.referee.columns.alike import AlikeInColumns, FewColumns
from dalenius.singling_out.referee.counted_conditions import CountedConditions
from dalenius.singling_out.referee.file_order import InFileOrder
from dalenius.singling_out.referee.pooled import Pointed
from dalenius.singling_out.referee.row_names import Called
from dalenius.singling_out.released.rules import DOUBT
from dalenius.theory.isolation import weight_upper_limit

ASSUMPTIONS = (
    "The people of the original and of the control are independent draws from one population.",
    "Nobody of the control is behind the released rows.",
    "One row is one person.",
)


@dataclass(frozen=True)
class Copies:
    """How many people the rows of a reach point at, and whether that is luck.

    Parameters
    ----------
    name
        The reach.
    pointed
        People of the original and of the control whom a condition of that reach matches alone.
    people, others
        Rows of the original and of the control.
    beyond
        The share of originals pointed at beyond luck, with what is two standard errors below and above it,
        where it is known otherwise than by the two counts.
    told
        The counts in words, where they are not of people whom a row matches alone.
    """

    name: str
    pointed: Pointed
    people: int
    others: int
    beyond: tuple[float, float, float] | None = None
    told: str = ""

    @staticmethod
    def of_columns(seen: AlikeInColumns, people: int, others: int) -> Copies:
        """People whose values in a few columns stand in released rows."""
        told = (
            f"{_capital(seen.name)}: some released row has these values of {seen.original:,} of "
            f"{people:,} original people and of {seen.control:,} of {others:,} others; luck would meet "
            f"originals so, in any columns, with a chance of {seen.chance:.2g}."
        )
        pointed = Pointed(seen.original, seen.control, seen.chance, 0.0)
        return Copies(seen.name, pointed, people, others, seen.beyond, told)

    @staticmethod
    def of_order(seen: InFileOrder, by: str | None = None) -> Copies:
        """People whose place in the file, or whose name in a column, their released row has."""
        name = seen.name if by is None else f"rows called as the people are in {by}, by {seen.column}"
        whom, others = ("in the same place", "one a few places away")
        if by is not None:
            whom, others = f"with the same {by}", f"another in the order of {by}"
        told = (
            f"{_capital(name)}: of {seen.rows:,} released rows {seen.same:,} agree with the person {whom} of "
            f"the original, and {seen.luck:,} with {others}; luck would do so with a chance of "
            f"{seen.chance:.2g}."
        )
        pointed = Pointed(seen.same, seen.luck, seen.chance, 0.0)
        return Copies(name, pointed, seen.rows, seen.rows, seen.beyond, told)

    @staticmethod
    def of_called(seen: Called, people: int, others: int) -> Iterator[Copies]:
        """People who are called in released rows as in the data, and whether these rows are theirs."""
        if seen.pointed is not None:
            own = seen.pointed
            told = (
                f"{_capital(seen.column)}: released rows have what {own.original:,} of {people:,} original "
                f"people alone have there, and what {own.control:,} of {others:,} others have; by luck as "
                f"many would be originals with a chance of {own.chance:.2g}."
            )
            yield Copies(f"people called as in {seen.column}", own, people, others, None, told)
        if seen.alike is not None:
            yield Copies.of_order(seen.alike, seen.column)

    @property
    def share(self) -> tuple[float, float, float]:
        """The share of originals pointed at beyond luck, and two standard errors either side of it."""
        if self.beyond is not None:
            return self.beyond
        scale = self.people / self.others
        excess = self.pointed.original - scale * self.pointed.control
        wide = 2 * (self.pointed.original + scale**2 * (self.pointed.control + 1)) ** 0.5
        return tuple((excess + side * wide) / self.people for side in (0, -1, 1))

    @property
    def at_most(self) -> float:
        """How many originals may be pointed at beyond luck, if the control saw as few others as it might."""
        from scipy.special import gammaincinv

        least = float(gammaincinv(self.pointed.control, DOUBT)) if self.pointed.control else 0.0
        return self.pointed.original - least * self.people / self.others

    @property
    def sentence(self) -> str:
        """The counts in words."""
        own = self.pointed
        if self.told:
            return self.told
        return (
            f"{self.name.capitalize()}: the released rows point at {own.original:,} of {self.people:,} "
            f"original people alone and at {own.control:,} of {self.others:,} others; by luck as many would "
            f"be originals with a chance of {own.chance:.2g}."
        )


@dataclass(frozen=True, eq=False)
class Triple(Reported):
    """What the attack achieved.

    Parameters
    ----------
    mode
        ``univariate`` or ``multivariate``.
    guesses
        The conditions that match one released row.
    requested
        How many conditions of a family were asked for.
    asked
        What those achieved.
    near
        What conditions around released rows achieved, by reach.
    copies
        Whom the released rows point at, by reach.
    original, synthetic, control
        Rows of each.
    confidence, seed
        With which all intervals hold together, and what the conditions were drawn with.
    recoded
        Columns whose released values are unlike those of other people.
    unjudged
        Columns that no condition speaks of, in which released rows are called as people of the data are, and
        which are not known of others.
    apart
        All columns that no condition speaks of.
    few
        The columns that tell a secret best, where one was asked for.
    """

    mode: Mode
    guesses: GuessedConditions
    requested: int
    asked: CountedConditions
    near: tuple[CountedConditions, ...]
    copies: tuple[Copies, ...]
    original: int
    synthetic: int
    control: int
    confidence: float
    seed: int
    recoded: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    few: FewColumns | None = None

    @property
    def report(self) -> Report:
        """What was found as a report; nobody is in it."""
        from dalenius.singling_out.released.to_finding import finding_of_triple

        finding = finding_of_triple(self, "released rows")
        return report_of([finding], people=self.original, seed=self.seed, confidence=self.confidence)

    @property
    def families(self) -> tuple[CountedConditions, ...]:
        """All kinds of conditions that were tried."""
        return tuple(family for family in (self.asked, *self.near) if family.attacks)

    @property
    def worst(self) -> CountedConditions:
        """The kind with the largest cautious advantage."""
        return max(self.families, key=lambda family: (family.advantage.low, family.advantage.value))

    @property
    def sentence(self) -> str:
        """The result in words."""
        own = self.worst
        rate, luck = own.successes / own.attacks, own.luck
        drawn = (
            ""
            if self.control >= self.original
            else f" Both were compared among {self.control:,} people, and scaled."
        )
        return (
            f"Of {own.attacks:,} {_conditions(own.name)}, {own.successes:,} ({rate:.1%}) match exactly one "
            f"of the {self.original:,} original rows; luck would give {luck.low:.1%} to {luck.high:.1%}, as "
            f"{self.control:,} people outside the data tell.{drawn} Advantage: {gained(own.advantage)}."
        )

    def facts(self) -> Iterator[str]:
        """Say whom rows point at, and what could not be asked."""
        if not self.asked.attacks:
            yield f"No {self.asked.name} match one released row ({self.guesses.attempts:,} were drawn)."
        for one in self.copies:
            if one.pointed.original or one.pointed.control:
                yield one.sentence

    def claims(self, kinds: Rows, only_isolating: bool = True) -> tuple[Isolating, ...]:
        """Return the conditions in words, rarest first. They speak of real people: not for every eye.

        Parameters
        ----------
        kinds
            Rows with the same columns, for how numbers and dates are written.
        only_isolating
            Leave out those that do not match exactly one original row.
        """
        error = (1 - self.confidence) / max(self.asked.attacks, 1)
        written = {c.name: c.kind for c in kinds.columns if isinstance(c, NumberColumn)}
        matches, others = self.asked.matches, self.asked.control_matches
        chosen = np.flatnonzero(matches == 1) if only_isolating else np.arange(matches.size)
        order = chosen[np.argsort(others[chosen], kind="stable")]
        found = []
        for p in order.tolist():
            predicate = self.asked.boxes.predicate(p)
            rare = weight_upper_limit(int(others[p]), self.control, error)
            bound = WeightBound(rare, "cp", "control rows are drawn like the original's", error)
            rate = self.asked.successes / self.asked.attacks
            found.append(
                Isolating(predicate, bound, self.mode, rate, None, english(predicate, kinds=written))
            )
        return tuple(found)

    def isolating_json(self) -> str:
        """Write every condition that matches exactly one original row: they speak of real people."""
        return json.dumps([*self._isolating()], indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def _isolating(self) -> Iterator[dict[str, Any]]:
        for family in self.families:
            for p in np.flatnonzero(family.matches == 1).tolist():
                others = int(family.control_matches[p])
                yield {
                    "family": family.name,
                    "predicate": to_json(family.boxes.predicate(p)),
                    "control_matches": others,
                }


def gained(own: Interval) -> str:
    """Write an advantage with its interval, as every family does.

    Examples
    --------
    >>> gained(Interval(0.1, -0.021, 0.2, 0.95, ""))
    '10.0 points (-2.1 to 20.0)'
    """
    return f"{points(own.value)} points ({from_to(own.low, own.high)})"


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]


def _conditions(name: str) -> str:
    return name if name.startswith("conditions") else f"conditions that ask for {name}"
