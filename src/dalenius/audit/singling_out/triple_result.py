"""What conditions from released rows achieved against the original: a verdict, words, plain values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalenius import __version__
from dalenius.attacks.predicates import Isolating, WeightBound
from dalenius.attacks.singling_out.near import EQUAL
from dalenius.attacks.singling_out.triple import Guesses, Mode
from dalenius.audit.singling_out.triple_compare import Family
from dalenius.conditions.predicate import to_json
from dalenius.conditions.text import english
from dalenius.findings.finding import Verdict
from dalenius.findings.interval import Interval
from dalenius.findings.singling_out_build import closing
from dalenius.people.rows.columns import NumberColumn
from dalenius.people.rows.rows import Rows
from dalenius.referee.pooled import Pointed
from dalenius.theory.isolation import weight_upper_limit

SURE = 0.001
"""The chance, shared among all reaches, that luck alone stops a release for copies."""

DOUBT = 0.05
"""The chance from which on luck is a good enough explanation; below it nothing passes."""

FEW = 0.001
"""The share of originals that may be pointed at beyond luck where a control is too small to say more."""

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
    """

    name: str
    pointed: Pointed
    people: int
    others: int

    @property
    def share(self) -> tuple[float, float, float]:
        """The share of originals pointed at beyond luck, and two standard errors either side of it."""
        scale = self.people / self.others
        excess = self.pointed.original - scale * self.pointed.control
        wide = 2 * (self.pointed.original + scale**2 * (self.pointed.control + 1)) ** 0.5
        return tuple((excess + side * wide) / self.people for side in (0, -1, 1))

    def verdict(self, most: float, reaches: int) -> Verdict:
        """Say whether the share of copies keeps to a limit; a limit of 0 is a test of luck."""
        _, low, high = self.share
        chance = self.pointed.chance
        if chance * reaches <= SURE and low > most:
            return "stop"
        if most > 0:
            return "pass" if high <= most or chance > DOUBT else "undecided"
        if chance <= DOUBT:
            return "undecided"
        # near rows are met by luck now and then; equal ones are copies unless the control says otherwise
        blind = self.pointed.at_best > DOUBT and self._at_most > FEW * self.people
        return "undecided" if blind and self.name == EQUAL.name else "pass"

    @property
    def _at_most(self) -> float:
        """How many originals may be pointed at beyond luck, if the control saw as few others as it might."""
        from scipy.special import gammaincinv

        least = float(gammaincinv(self.pointed.control, DOUBT)) if self.pointed.control else 0.0
        return self.pointed.original - least * self.people / self.others

    @property
    def sentence(self) -> str:
        """The counts in words."""
        own = self.pointed
        return (
            f"{self.name.capitalize()}: the released rows point at {own.original:,} of {self.people:,} "
            f"original people alone and at {own.control:,} of {self.others:,} others; by luck as many would "
            f"be originals with a chance of {own.chance:.2g}."
        )


@dataclass(frozen=True, eq=False)
class Triple:
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
    limit, max_copies
        The largest advantage, and the largest share of people copied, that are accepted.
    confidence, seed
        With which all intervals hold together, and what the conditions were drawn with.
    """

    mode: Mode
    guesses: Guesses
    requested: int
    asked: Family
    near: tuple[Family, ...]
    copies: tuple[Copies, ...]
    original: int
    synthetic: int
    control: int
    limit: float
    max_copies: float
    confidence: float
    seed: int

    @property
    def families(self) -> tuple[Family, ...]:
        """All kinds of conditions that were tried."""
        return tuple(family for family in (self.asked, *self.near) if family.attacks)

    @property
    def worst(self) -> Family:
        """The kind with the largest cautious advantage."""
        return max(self.families, key=lambda family: (family.advantage.low, family.advantage.value))

    @property
    def verdict(self) -> Verdict:
        """``pass`` only if every kind of condition is shown to keep the limits."""
        said = {self._judge(family) for family in self.families} | {self._copied(one) for one in self.copies}
        return "stop" if "stop" in said else "undecided" if "undecided" in said else "pass"

    def _judge(self, family: Family) -> Verdict:
        if family.advantage.low > self.limit:
            return "stop"
        return "pass" if family.advantage.high <= self.limit else "undecided"

    def _copied(self, one: Copies) -> Verdict:
        return one.verdict(self.max_copies, len(self.copies))

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the verdict is what it is: all that brought it about."""
        return tuple(self._reasons(self.verdict))

    def _reasons(self, verdict: Verdict) -> Iterator[str]:
        if verdict == "pass":
            yield (
                f"every kind of condition gains at most {points(self.limit)} points over luck, and released "
                "rows point at originals no more than at others, as far as this control can tell"
            )
            return
        for family in self.families:
            if self._judge(family) == verdict:
                word = "above" if verdict == "stop" else "not shown to be below"
                gain = f"advantage over luck {ends(family.advantage)} points"
                yield f"{family.name}: {gain}, {word} the limit of {points(self.limit)}{self._hint(verdict)}"
        for one in self.copies:
            if self._copied(one) == verdict:
                yield self._why(one)

    def _hint(self, verdict: Verdict) -> str:
        """Say what would decide, where a small control makes the interval wide."""
        if verdict == "stop" or self.control >= self.original:
            return ""
        return (
            f" (measured among the {self.control:,} people of the control and scaled by "
            f"{self.original / self.control:.1f}: a larger control says more, or rarer conditions, --columns)"
        )

    def _why(self, one: Copies) -> str:
        own = one.pointed
        seen = f"{one.name}: {own.original:,} originals and {own.control:,} others are pointed at"
        if self._copied(one) == "stop":
            return f"{seen}: copies or near copies of people, chance {own.chance:.1g} by luck"
        if own.chance <= DOUBT:
            return f"{seen}: more than luck explains well (chance {own.chance:.2g})"
        return f"{seen}: the control is too small to tell whether that is luck"

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
            f"{self.control:,} people outside the data tell.{drawn} Advantage: {ends(own.advantage)} points."
        )

    def lines(self) -> Iterator[str]:
        """Say it on a screen: every kind of condition, whom rows point at, and the worst in words."""
        width = max(len(family.name) for family in self.families)
        yield f"  {'conditions':<{width}}  tried   match one      by luck  advantage in points"
        for family in self.families:
            rate = f"{family.successes:,} ({family.successes / family.attacks:.1%})"
            yield (
                f"  {family.name:<{width}}  {family.attacks:>5,}  {rate:>12}  {family.luck.value:>8.1%}  "
                f"{ends(family.advantage)}"
            )
        if not self.asked.attacks:
            yield f"  No {self.asked.name} match one released row ({self.guesses.attempts:,} were drawn)."
        yield ""
        for one in self.copies:
            if one.pointed.original or one.pointed.control:
                yield one.sentence
        yield ""
        yield self.sentence

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

    def to_json(self, show_people: bool = False, files: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Return plain values; conditions that name people only when asked.

        Parameters
        ----------
        show_people
            Add every condition that matches exactly one original row.
        files
            The names of the files that were read.
        """
        shown = self.verdict == "stop"
        return {
            "dalenius_version": __version__,
            "seed": self.seed,
            "files": dict(files or {}),
            "goal": "singling-out",
            "attack": "conditions from released rows",
            "verdict": self.verdict,
            "reasons": self.reasons,
            "sentence": self.sentence,
            "requested": self.requested,
            "attempts": self.guesses.attempts,
            "rows": {"original": self.original, "synthetic": self.synthetic, "control": self.control},
            "families": [_family(family) for family in self.families],
            "copies": [_copies(one, self._copied(one)) for one in self.copies],
            "limit": self.limit,
            "max_copies": self.max_copies,
            "confidence": self.confidence,
            "assumptions": ASSUMPTIONS,
            "law_and_limits": closing(demonstrated=shown),
        } | ({"isolating": [*self._isolating()]} if show_people else {})

    def _isolating(self) -> Iterator[dict[str, Any]]:
        for family in self.families:
            for p in np.flatnonzero(family.matches == 1).tolist():
                others = int(family.control_matches[p])
                yield {
                    "family": family.name,
                    "predicate": to_json(family.boxes.predicate(p)),
                    "control_matches": others,
                }


def points(share: float) -> str:
    """A share in percentage points, one digit."""
    return f"{100 * share:.1f}"


def ends(own: Interval) -> str:
    """An interval in points.

    Examples
    --------
    >>> ends(Interval(0.1, -0.021, 0.2, 0.95, ""))
    '+10.0 (-2.1 to 20.0)'
    """
    return f"{100 * own.value:+.1f} ({points(own.low)} to {points(own.high)})"


def _conditions(name: str) -> str:
    return name if name.startswith("conditions") else f"conditions that ask for {name}"


def _family(family: Family) -> dict[str, Any]:
    return {
        "name": family.name,
        "attacks": family.attacks,
        "successes": family.successes,
        "success": family.success,
        "luck": vars(family.luck),
        "advantage": vars(family.advantage),
    }


def _copies(one: Copies, verdict: Verdict) -> dict[str, Any]:
    value, low, high = one.share
    return {
        "reach": one.name,
        "original": one.pointed.original,
        "control": one.pointed.control,
        "chance": one.pointed.chance,
        "share_beyond_luck": {"value": value, "low": low, "high": high},
        "verdict": verdict,
    }
